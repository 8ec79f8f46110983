WITH found AS MATERIALIZED (
SELECT *, _boost * ($5::float8 * (greatest((1 - 1 / (1 + (tf0_0 / k + title0_0))), 0.8 * (1 - 1 / (1 + (tf0_1 / k)))) + 0.25 * bonus0) + $6::float8 * (greatest((1 - 1 / (1 + (tf1_0 / k + title1_0))), 0.8 * (1 - 1 / (1 + (tf1_1 / k)))) + 0.25 * bonus1)) * CASE WHEN near THEN 1.000001 ELSE 1 END AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    1 * (1 / (1.64493407 - 1.64493407 * rank.r1) - 0.6079271006892089) + 1 * (1 / (1.64493407 - 1.64493407 * rank.r2) - 0.6079271006892089) AS tf0_0,
    2.5 * (1 / (1.64493407 - 1.64493407 * rank.r0) - 0.6079271006892089) / (0.3 + 0.09::float8 * least(length(t."title_tsv"), 20)) AS title0_0,
    1 * CASE WHEN rank.r3 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r3, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r3 END + 1 * CASE WHEN rank.r4 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r4, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r4 END AS tf0_1,
    greatest(rank.r0 * (1 + (2 * least(2, length(t."title_tsv")))::float8 / greatest(length(t."title_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END)) AS bonus0,
    1 * (1 / (1.64493407 - 1.64493407 * rank.r6) - 0.6079271006892089) + 1 * (1 / (1.64493407 - 1.64493407 * rank.r7) - 0.6079271006892089) AS tf1_0,
    2.5 * (1 / (1.64493407 - 1.64493407 * rank.r5) - 0.6079271006892089) / (0.3 + 0.09::float8 * least(length(t."title_tsv"), 20)) AS title1_0,
    1 * CASE WHEN rank.r8 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r8, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r8 END + 1 * CASE WHEN rank.r9 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r9, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r9 END AS tf1_1,
    greatest(rank.r5 * (1 + (2 * least(2, length(t."title_tsv")))::float8 / greatest(length(t."title_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END)) AS bonus1,
    0.3 + $1::float8 * (length(t."title_tsv") + length(t."plot_tsv") + length(t."genre_tsv") + length(t."code_tsv") + length(t."o'dd ""name"".x_tsv") + length(t."_rest_tsv")) AS k,
    (t."title_tsv" @@ $2::tsquery OR t."plot_tsv" @@ $3::tsquery OR t."_rest_tsv" @@ $4::tsquery) AS near
  FROM "app_demo"."films" t
  CROSS JOIN LATERAL (SELECT t."title_tsv" @@ $7::tsquery AS f0, t."_rest_tsv" @@ $8::tsquery AS f1, length(t."title_tsv") <= 2 AND (t."title_tsv" @@ $9::tsquery) AND (t."title_tsv" @@ $10::tsquery) AS named0 OFFSET 0) has
  CROSS JOIN LATERAL (SELECT CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."title_tsv", $11::tsquery)::float8 ELSE 0 END AS r0,
    ts_rank('{1,1,1,1}', t."plot_tsv", $12::tsquery)::float8 AS r1,
    CASE WHEN has.f1 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $13::tsquery)::float8 ELSE 0 END AS r2,
    ts_rank('{1,1,1,1}', t."plot_tsv", $14::tsquery)::float8 AS r3,
    CASE WHEN has.f1 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $15::tsquery)::float8 ELSE 0 END AS r4,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."title_tsv", $16::tsquery)::float8 ELSE 0 END AS r5,
    ts_rank('{1,1,1,1}', t."plot_tsv", $17::tsquery)::float8 AS r6,
    CASE WHEN has.f1 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $18::tsquery)::float8 ELSE 0 END AS r7,
    ts_rank('{1,1,1,1}', t."plot_tsv", $19::tsquery)::float8 AS r8,
    CASE WHEN has.f1 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $20::tsquery)::float8 ELSE 0 END AS r9 OFFSET 0) rank
  WHERE rowan.join_tsv(t."title_tsv", t."genre_tsv", t."code_tsv", t."o'dd ""name"".x_tsv", t."plot_tsv", t."_rest_tsv") @@ (SELECT $21::tsquery)
    AND (t."title_tsv" @@ $22::tsquery OR t."genre_tsv" @@ $22::tsquery OR t."code_tsv" @@ $22::tsquery OR t."o'dd ""name"".x_tsv" @@ $22::tsquery OR t."plot_tsv" @@ $22::tsquery OR t."_rest_tsv" @@ $22::tsquery)
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY score DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $23::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $24::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top.score::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top.score DESC NULLS LAST, top._id NULLS LAST);
-- $1 = 0.009000000000000001
-- $2 = ('dogs' <-> 'park')
-- $3 = ('dog' <-> 'park')
-- $4 = ('dog' <-> 'park')
-- $5 = 2
-- $6 = 1.5
-- $7 = 'dogs' | 'park'
-- $8 = 'dog' | 'dogs':* | 'park' | 'park':*
-- $9 = 'dogs'
-- $10 = 'park'
-- $11 = 'dogs'
-- $12 = 'dog'
-- $13 = 'dog'
-- $14 = 'dogs':*
-- $15 = 'dogs':*
-- $16 = 'park'
-- $17 = 'park'
-- $18 = 'park'
-- $19 = 'park':*
-- $20 = 'park':*
-- $21 = ('park' | 'park':*)
-- $22 = 'dogs' | 'dog' | 'dogs':*
-- $23 = 0
-- $24 = demo
