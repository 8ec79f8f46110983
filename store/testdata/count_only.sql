WITH found AS MATERIALIZED (
SELECT *, 0::float8 AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost
  FROM "app_demo"."films" t
  WHERE true
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY _boost DESC NULLS LAST, _id NULLS LAST LIMIT 0 OFFSET (SELECT $1::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $2::text)] AS words, NULL::jsonb AS more FROM hits;
-- $1 = 0
-- $2 = demo
