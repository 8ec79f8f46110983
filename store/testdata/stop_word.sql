WITH found AS MATERIALIZED (
SELECT *, _boost * ($2::float8 * ((1 - 1 / (1 + (title0_0))) + 0.25 * bonus0)) AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    2.5 * (1 / (1.64493407 - 1.64493407 * rank.r0) - 0.6079271006892089) / (0.3 + 0.09::float8 * least(length(t."title_tsv"), 20)) AS title0_0,
    greatest(rank.r0 * (1 + (2 * least(1, length(t."title_tsv")))::float8 / greatest(length(t."title_tsv"), 1) + CASE WHEN has.named0 THEN 2 ELSE 0 END)) AS bonus0,
    0.3 + $1::float8 * (length(t."title_tsv") + length(t."plot_tsv") + length(t."genre_tsv") + length(t."code_tsv") + length(t."o'dd ""name"".x_tsv") + length(t."_rest_tsv")) AS k
  FROM "app_demo"."films" t
  CROSS JOIN LATERAL (SELECT length(t."title_tsv") <= 1 AND (t."title_tsv" @@ $3::tsquery) AS named0 OFFSET 0) has
  CROSS JOIN LATERAL (SELECT ts_rank('{1,1,1,1}', t."title_tsv", $4::tsquery)::float8 AS r0 OFFSET 0) rank
  WHERE rowan.join_tsv(t."title_tsv", t."genre_tsv", t."code_tsv", t."o'dd ""name"".x_tsv", t."plot_tsv", t."_rest_tsv") @@ (SELECT $5::tsquery)
    AND (t."title_tsv" @@ $6::tsquery)
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY score DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $7::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $8::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top.score::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top.score DESC NULLS LAST, top._id NULLS LAST);
-- $1 = 0.009000000000000001
-- $2 = 2
-- $3 = 'the'
-- $4 = 'the'
-- $5 = ('the')
-- $6 = 'the'
-- $7 = 0
-- $8 = demo
