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
top AS (SELECT * FROM hits WHERE _id <> ALL($1::text[]) ORDER BY _boost DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $2::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $3::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top._boost::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top._boost DESC NULLS LAST, top._id NULLS LAST);
-- $1 = [x y]
-- $2 = 0
-- $3 = demo
