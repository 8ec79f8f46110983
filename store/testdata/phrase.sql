WITH found AS MATERIALIZED (
SELECT *, _boost * ($6::float8 * ((1 - 1 / (1 + (tf0_0 / k + title0_0))) + 0.25 * bonus0)) AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    1 * CASE WHEN t."plot_tsv" @@ $2::tsquery THEN least((1 / (1.64493407 - 1.64493407 * rank.r3) - 0.6079271006892089), (1 / (1.64493407 - 1.64493407 * rank.r4) - 0.6079271006892089)) ELSE 0 END + 1 * CASE WHEN t."_rest_tsv" @@ $3::tsquery THEN least((1 / (1.64493407 - 1.64493407 * rank.r5) - 0.6079271006892089), (1 / (1.64493407 - 1.64493407 * rank.r6) - 0.6079271006892089)) ELSE 0 END AS tf0_0,
    2.5 * CASE WHEN t."title_tsv" @@ $1::tsquery THEN least((1 / (1.64493407 - 1.64493407 * rank.r0) - 0.6079271006892089), (1 / (1.64493407 - 1.64493407 * rank.r1) - 0.6079271006892089), (1 / (1.64493407 - 1.64493407 * rank.r2) - 0.6079271006892089)) ELSE 0 END / (0.3 + 0.09::float8 * least(length(t."title_tsv"), 20)) AS title0_0,
    greatest(1 * CASE WHEN t."title_tsv" @@ $4::tsquery THEN least(rank.r0, rank.r1, rank.r2) ELSE 0 END * (1 + (2 * least(3, length(t."title_tsv")))::float8 / greatest(length(t."title_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END)) AS bonus0,
    0.3 + $5::float8 * (length(t."title_tsv") + length(t."plot_tsv") + length(t."genre_tsv") + length(t."code_tsv") + length(t."o'dd ""name"".x_tsv") + length(t."_rest_tsv")) AS k
  FROM "app_demo"."films" t
  CROSS JOIN LATERAL (SELECT t."title_tsv" @@ $7::tsquery AS f0, t."_rest_tsv" @@ $8::tsquery AS f1, length(t."title_tsv") <= 3 AND (t."title_tsv" @@ $9::tsquery) AS named0 OFFSET 0) has
  CROSS JOIN LATERAL (SELECT CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."title_tsv", $10::tsquery)::float8 ELSE 0 END AS r0,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."title_tsv", $11::tsquery)::float8 ELSE 0 END AS r1,
    CASE WHEN has.f0 THEN ts_rank('{1,1,1,1}', t."title_tsv", $12::tsquery)::float8 ELSE 0 END AS r2,
    ts_rank('{1,1,1,1}', t."plot_tsv", $13::tsquery)::float8 AS r3,
    ts_rank('{1,1,1,1}', t."plot_tsv", $14::tsquery)::float8 AS r4,
    CASE WHEN has.f1 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $15::tsquery)::float8 ELSE 0 END AS r5,
    CASE WHEN has.f1 THEN ts_rank('{1,1,1,1}', t."_rest_tsv", $16::tsquery)::float8 ELSE 0 END AS r6 OFFSET 0) rank
  WHERE rowan.join_tsv(t."title_tsv", t."genre_tsv", t."code_tsv", t."o'dd ""name"".x_tsv", t."plot_tsv", t."_rest_tsv") @@ (SELECT $17::tsquery)
    AND (t."title_tsv" @@ $18::tsquery OR t."plot_tsv" @@ $19::tsquery OR t."_rest_tsv" @@ $20::tsquery)
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY score DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $21::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $22::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top.score::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top.score DESC NULLS LAST, top._id NULLS LAST);
-- $1 = ('it''s' <-> 'a\\b' <-> 'dog')
-- $2 = ('it''' <2> 'dog')
-- $3 = ('it''' <2> 'dog')
-- $4 = ('it''s' <-> 'a\\b' <-> 'dog')
-- $5 = 0.009000000000000001
-- $6 = 6
-- $7 = 'it''s' | 'a\\b' | 'dog'
-- $8 = 'it''' | 'dog'
-- $9 = ('it''s' <-> 'a\\b' <-> 'dog')
-- $10 = 'it''s'
-- $11 = 'a\\b'
-- $12 = 'dog'
-- $13 = 'it'''
-- $14 = 'dog'
-- $15 = 'it'''
-- $16 = 'dog'
-- $17 = (('it''s' & 'a\\b' & 'dog') | ('it''' & 'dog'))
-- $18 = ('it''s' <-> 'a\\b' <-> 'dog')
-- $19 = ('it''' <2> 'dog')
-- $20 = ('it''' <2> 'dog')
-- $21 = 0
-- $22 = demo
