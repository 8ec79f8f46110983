WITH found AS MATERIALIZED (
SELECT *, _boost * ($2::float8 * (greatest((1 - 1 / (1 + (title0_0))), 0.8 * (1 - 1 / (1 + (title0_1)))) + 0.25 * bonus0) + $3::float8 * (0.4 * (1 - 1 / (1 + (title1_0))) + 0.25 * bonus1)) AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    2 * (1 / (1.64493407 - 1.64493407 * rank.r0) - 0.6079271006892089) / (0.3 + 0.09::float8 * least(length(t."genre_tsv"), 20)) AS title0_0,
    2 * CASE WHEN rank.r1 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r1, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r1 END / (0.3 + 0.09::float8 * least(length(t."genre_tsv"), 20)) AS title0_1,
    greatest(rank.r0 * (1 + (2 * least(2, length(t."genre_tsv")))::float8 / greatest(length(t."genre_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END), 0.8 * least(rank.r1, 1) * (1 + (2 * least(2, length(t."genre_tsv")))::float8 / greatest(length(t."genre_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END)) AS bonus0,
    2 * (1 / (1.64493407 - 1.64493407 * rank.r2) - 0.6079271006892089) / (0.3 + 0.09::float8 * least(length(t."genre_tsv"), 20)) AS title1_0,
    greatest(0.4 * rank.r2 * (1 + (2 * least(2, length(t."genre_tsv")))::float8 / greatest(length(t."genre_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END)) AS bonus1,
    0.3 + $1::float8 * (length(t."genre_tsv")) AS k
  FROM "app_demo"."films" t
  CROSS JOIN LATERAL (SELECT t."genre_tsv" @@ $4::tsquery AS f0, false AS named0 OFFSET 0) has
  CROSS JOIN LATERAL (SELECT CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."genre_tsv", $5::tsquery)::float8 ELSE 0 END AS r0,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."genre_tsv", $6::tsquery)::float8 ELSE 0 END AS r1,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."genre_tsv", $7::tsquery)::float8 ELSE 0 END AS r2 OFFSET 0) rank
  WHERE rowan.join_tsv(t."title_tsv", t."genre_tsv", t."code_tsv", t."o'dd ""name"".x_tsv", t."plot_tsv", t."_rest_tsv") @@ (SELECT $8::tsquery)
    AND (t."genre_tsv" @@ $9::tsquery)
    AND (t."genre_tsv" @@ $10::tsquery)
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY score DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $11::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $12::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top.score::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top.score DESC NULLS LAST, top._id NULLS LAST);
-- $1 = 0.009000000000000001
-- $2 = 2
-- $3 = 2
-- $4 = 'dog' | 'dogs':* | 'theatr'
-- $5 = 'dog'
-- $6 = 'dogs':*
-- $7 = 'theatr'
-- $8 = ('dog' | 'dogs':*) & ('theatr')
-- $9 = 'dog' | 'dogs':*
-- $10 = 'theatr'
-- $11 = 0
-- $12 = demo
