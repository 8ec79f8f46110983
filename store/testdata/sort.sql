WITH found AS MATERIALIZED (
SELECT *, 0::float8 AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    coalesce(t."year", t."year_all"[1]) AS sort0,
    coalesce(t."title_key", t."title_keys"[cardinality(t."title_keys")]) AS sort1,
    coalesce(t."genre_key", (SELECT min(v) FROM unnest((SELECT array_agg(w.a[cardinality(w.a)] COLLATE "C") FROM (SELECT rowan.levels(rowan.fold(l #>> '{}'), ' > ') AS a FROM rowan.leaves((t._body -> 'genre')) AS l WHERE jsonb_typeof((t._body -> 'genre')) = 'array') w)) AS v)) AS sort2,
    (SELECT CASE WHEN jsonb_typeof(x.v) IN ('number') THEN x.v::numeric WHEN jsonb_typeof(x.v) IN ('array', 'object') THEN (SELECT max(l.v::numeric) FROM jsonb_array_elements(jsonb_path_query_array(x.v, 'strict $.** ? (@.type() == "number")')) AS l(v)) ELSE NULL END FROM (SELECT (t._body -> 'free') AS v OFFSET 0) x) AS sort3,
    (SELECT CASE WHEN jsonb_typeof(x.v) IN ('string', 'boolean') THEN left(rowan.fold(x.v #>> '{}'), 512) COLLATE "C" WHEN jsonb_typeof(x.v) IN ('array', 'object') THEN (SELECT max(left(rowan.fold(l.v #>> '{}'), 512) COLLATE "C") FROM jsonb_array_elements(jsonb_path_query_array(x.v, 'strict $.** ? (@.type() == "string" || @.type() == "boolean")')) AS l(v)) ELSE NULL END FROM (SELECT (t._body -> 'free') AS v OFFSET 0) x) AS text3
  FROM "app_demo"."films" t
  WHERE true
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY sort0 NULLS LAST, sort1 DESC NULLS LAST, sort2 NULLS LAST, sort3 DESC NULLS LAST, text3 DESC NULLS LAST, _boost DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $1::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $2::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top.sort0::text, top.sort1::text, top.sort2::text, top.sort3::text, top.text3::text, top._boost::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top.sort0 NULLS LAST, top.sort1 DESC NULLS LAST, top.sort2 NULLS LAST, top.sort3 DESC NULLS LAST, top.text3 DESC NULLS LAST, top._boost DESC NULLS LAST, top._id NULLS LAST);
-- $1 = 0
-- $2 = demo
