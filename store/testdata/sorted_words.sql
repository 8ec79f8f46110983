WITH found AS MATERIALIZED (
SELECT t.ctid AS tid,
    t._id,
    t._boost,
    coalesce(t."year", t."year_all"[cardinality(t."year_all")]) AS sort0, true AS every
  FROM "app_demo"."films" t
  WHERE rowan.join_tsv(t."title_tsv", t."genre_tsv", t."code_tsv", t."o'dd ""name"".x_tsv", t."plot_tsv", t."_rest_tsv") @@ $1::tsquery
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM (SELECT *, _boost * ($7::float8 * (greatest((1 - 1 / (1 + (tf0_0 / k + title0_0))), 0.8 * (1 - 1 / (1 + (tf0_1 / k)))) + 0.25 * bonus0)) AS score FROM (
  SELECT first.*,
    1 * (1 / (1.64493407 - 1.64493407 * rank.r1) - 0.6079271006892089) + 1 * (1 / (1.64493407 - 1.64493407 * rank.r2) - 0.6079271006892089) AS tf0_0,
    2.5 * (1 / (1.64493407 - 1.64493407 * rank.r0) - 0.6079271006892089) / (0.3 + 0.09::float8 * least(length(t."title_tsv"), 20)) AS title0_0,
    1 * CASE WHEN rank.r3 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r3, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r3 END + 1 * CASE WHEN rank.r4 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r4, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r4 END AS tf0_1,
    greatest(rank.r0 * (1 + (2 * least(1, length(t."title_tsv")))::float8 / greatest(length(t."title_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END)) AS bonus0,
    0.3 + $6::float8 * (length(t."title_tsv") + length(t."plot_tsv") + length(t."genre_tsv") + length(t."code_tsv") + length(t."o'dd ""name"".x_tsv") + length(t."_rest_tsv")) AS k
  FROM (SELECT * FROM hits WHERE (sort0 IS NOT DISTINCT FROM $4::text::integer OR (((sort0 < $5::text::integer OR sort0 IS NULL)))) ORDER BY sort0 DESC NULLS LAST FETCH FIRST (SELECT $2::bigint + $3::bigint + (SELECT count(*) FROM hits WHERE sort0 IS NOT DISTINCT FROM $4::text::integer)) ROWS WITH TIES) first CROSS JOIN LATERAL (SELECT * FROM "app_demo"."films" t WHERE t.ctid = first.tid OFFSET 0) t
  CROSS JOIN LATERAL (SELECT t."_rest_tsv" @@ $8::tsquery AS f0, length(t."title_tsv") <= 1 AND (t."title_tsv" @@ $9::tsquery) AS named0 OFFSET 0) has
  CROSS JOIN LATERAL (SELECT ts_rank('{1,1,1,1}', t."title_tsv", $10::tsquery)::float8 AS r0,
    ts_rank('{1,1,1,1}', t."plot_tsv", $11::tsquery)::float8 AS r1,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $12::tsquery)::float8 ELSE 0 END AS r2,
    ts_rank('{1,1,1,1}', t."plot_tsv", $13::tsquery)::float8 AS r3,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $14::tsquery)::float8 ELSE 0 END AS r4 OFFSET 0) rank
  OFFSET 0) matched) scored WHERE (((sort0 < $15::text::integer OR sort0 IS NULL)) OR (sort0 IS NOT DISTINCT FROM $17::text::integer AND (score < $16::text::double precision OR score IS NULL)) OR (sort0 IS NOT DISTINCT FROM $19::text::integer AND score IS NOT DISTINCT FROM $20::text::double precision AND (_id > $18::text::text COLLATE "C" OR _id IS NULL))) ORDER BY sort0 DESC NULLS LAST, score DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $21::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $22::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top.sort0::text, top.score::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top.sort0 DESC NULLS LAST, top.score DESC NULLS LAST, top._id NULLS LAST);
-- $1 = ('dogs' | 'dog' | 'dogs':*)
-- $2 = 10
-- $3 = 0
-- $4 = 1984
-- $5 = 1984
-- $6 = 0.009000000000000001
-- $7 = 2
-- $8 = 'dog' | 'dogs':*
-- $9 = 'dogs'
-- $10 = 'dogs'
-- $11 = 'dog'
-- $12 = 'dog'
-- $13 = 'dogs':*
-- $14 = 'dogs':*
-- $15 = 1984
-- $16 = 0.5
-- $17 = 1984
-- $18 = x
-- $19 = 1984
-- $20 = 0.5
-- $21 = 0
-- $22 = demo
