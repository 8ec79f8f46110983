WITH found AS MATERIALIZED (
SELECT *, 0::float8 AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    coalesce(t."year", t."year_all"[cardinality(t."year_all")]) AS sort0,
    coalesce(t."title_key", t."title_keys"[1]) AS sort1
  FROM "app_demo"."films" t
  WHERE true
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits WHERE (((sort0 < $1::text::integer OR sort0 IS NULL)) OR (sort0 IS NOT DISTINCT FROM $3::text::integer AND sort1 IS NOT DISTINCT FROM $4::text::text COLLATE "C" AND (_boost < $2::text::double precision OR _boost IS NULL)) OR (sort0 IS NOT DISTINCT FROM $6::text::integer AND sort1 IS NOT DISTINCT FROM $7::text::text COLLATE "C" AND _boost IS NOT DISTINCT FROM $8::text::double precision AND (_id > $5::text::text COLLATE "C" OR _id IS NULL))) ORDER BY sort0 DESC NULLS LAST, sort1 NULLS LAST, _boost DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $9::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $10::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top.sort0::text, top.sort1::text, top._boost::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top.sort0 DESC NULLS LAST, top.sort1 NULLS LAST, top._boost DESC NULLS LAST, top._id NULLS LAST);
-- $1 = 1984
-- $2 = 1
-- $3 = 1984
-- $4 = <nil>
-- $5 = x
-- $6 = 1984
-- $7 = <nil>
-- $8 = 1
-- $9 = 0
-- $10 = demo
