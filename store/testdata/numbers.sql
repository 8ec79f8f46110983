WITH found AS MATERIALIZED (
SELECT *, 0::float8 AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost
  FROM "app_demo"."films" t
  WHERE ((t."rating" >= $1::double precision OR (t."rating_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."rating_all") AS e(v) WHERE e.v >= $1::double precision))) AND (((false OR (t."rating_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."rating_all") AS e(v) WHERE false)))) OR (t."rating" IS NOT NULL OR (t."rating_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."rating_all") AS e(v) WHERE e.v IS NOT NULL))) OR (false OR (t."rating_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."rating_all") AS e(v) WHERE false)))) AND (t."year" >= $2::integer AND t."year" <= $3::integer OR (t."year_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."year_all") AS e(v) WHERE e.v >= $2::integer AND e.v <= $3::integer))) AND ((t."year" IS NOT NULL OR (t."year_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."year_all") AS e(v) WHERE e.v IS NOT NULL))) OR (false OR (t."year_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."year_all") AS e(v) WHERE false))) OR ((false OR (t."year_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."year_all") AS e(v) WHERE false))))))
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY _boost DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $4::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $5::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top._boost::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top._boost DESC NULLS LAST, top._id NULLS LAST);
-- $1 = 1.5
-- $2 = -2147483648
-- $3 = 2147483647
-- $4 = 0
-- $5 = demo
