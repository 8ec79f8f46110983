WITH found AS MATERIALIZED (
SELECT *, _boost * ($2::float8 * (greatest((1 - 1 / (1 + (tf0_0 / k + title0_0))), 0.8 * (1 - 1 / (1 + (tf0_1 / k)))) + 0.25 * bonus0)) AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    1 * (1 / (1.64493407 - 1.64493407 * rank.r1) - 0.6079271006892089) + 1 * (1 / (1.64493407 - 1.64493407 * rank.r2) - 0.6079271006892089) AS tf0_0,
    2.5 * (1 / (1.64493407 - 1.64493407 * rank.r0) - 0.6079271006892089) / (0.3 + 0.09::float8 * least(length(t."title_tsv"), 20)) AS title0_0,
    1 * CASE WHEN rank.r3 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r3, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r3 END + 1 * CASE WHEN rank.r4 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(rank.r4, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * rank.r4 END AS tf0_1,
    greatest(rank.r0 * (1 + (2 * least(1, length(t."title_tsv")))::float8 / greatest(length(t."title_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END)) AS bonus0,
    0.3 + $1::float8 * (length(t."title_tsv") + length(t."plot_tsv") + length(t."genre_tsv") + length(t."code_tsv") + length(t."o'dd ""name"".x_tsv") + length(t."_rest_tsv")) AS k
  FROM "app_demo"."films" t
  CROSS JOIN LATERAL (SELECT t."_rest_tsv" @@ $3::tsquery AS f0, length(t."title_tsv") <= 1 AND (t."title_tsv" @@ $4::tsquery) AS named0 OFFSET 0) has
  CROSS JOIN LATERAL (SELECT ts_rank('{1,1,1,1}', t."title_tsv", $5::tsquery)::float8 AS r0,
    ts_rank('{1,1,1,1}', t."plot_tsv", $6::tsquery)::float8 AS r1,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $7::tsquery)::float8 ELSE 0 END AS r2,
    ts_rank('{1,1,1,1}', t."plot_tsv", $8::tsquery)::float8 AS r3,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $9::tsquery)::float8 ELSE 0 END AS r4 OFFSET 0) rank
  WHERE rowan.join_tsv(t."title_tsv", t."genre_tsv", t."code_tsv", t."o'dd ""name"".x_tsv", t."plot_tsv", t."_rest_tsv") @@ (SELECT $10::tsquery)
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY score DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $11::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $12::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top.score::text, top._id::text), 'boost', top._boost, 'words', jsonb_build_array(jsonb_build_object('fields', to_jsonb(ARRAY[greatest((1 / (1.64493407 - 1.64493407 * ts_rank('{1,1,1,1}', t."title_tsv", $13::tsquery)::float8) - 0.6079271006892089)), greatest((1 / (1.64493407 - 1.64493407 * ts_rank('{1,1,1,1}', t."plot_tsv", $14::tsquery)::float8) - 0.6079271006892089), CASE WHEN ts_rank('{1,1,1,1}', t."plot_tsv", $15::tsquery)::float8 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(ts_rank('{1,1,1,1}', t."plot_tsv", $15::tsquery)::float8, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * ts_rank('{1,1,1,1}', t."plot_tsv", $15::tsquery)::float8 END), 0, 0, 0, greatest((1 / (1.64493407 - 1.64493407 * ts_rank('{1,1,1,1}', t."_rest_tsv", $16::tsquery)::float8) - 0.6079271006892089), CASE WHEN ts_rank('{1,1,1,1}', t."_rest_tsv", $17::tsquery)::float8 < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(ts_rank('{1,1,1,1}', t."_rest_tsv", $17::tsquery)::float8, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * ts_rank('{1,1,1,1}', t."_rest_tsv", $17::tsquery)::float8 END)]::float8[]), 'saturated', greatest((1 - 1 / (1 + (top.tf0_0 / top.k + top.title0_0))), 0.8 * (1 - 1 / (1 + (top.tf0_1 / top.k)))), 'bonus', top.bonus0))) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top.score DESC NULLS LAST, top._id NULLS LAST);
-- $1 = 0.009000000000000001
-- $2 = 2
-- $3 = 'dog' | 'dogs':*
-- $4 = 'dogs'
-- $5 = 'dogs'
-- $6 = 'dog'
-- $7 = 'dog'
-- $8 = 'dogs':*
-- $9 = 'dogs':*
-- $10 = ('dogs' | 'dog' | 'dogs':*)
-- $11 = 0
-- $12 = demo
-- $13 = 'dogs'
-- $14 = 'dog'
-- $15 = 'dogs':*
-- $16 = 'dog'
-- $17 = 'dogs':*
