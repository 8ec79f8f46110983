WITH found AS MATERIALIZED (
SELECT *, 0::float8 AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    t."genre_key" AS key0,
    t."genre_keys" AS keys0,
    t."genre" AS value0,
    t."genre_all" AS values0,
    t."code_key" AS key1,
    t."code_keys" AS keys1,
    t."code" AS value1,
    t."code_all" AS values1,
    t."year" AS key2,
    t."year_all" AS keys2,
    (t."genre_keys" && $1::text[]) IS TRUE AS own0,
    ((t."code_key" = ANY($2::text[]) OR t."code_keys" && $2::text[])) IS TRUE AS own1
  FROM "app_demo"."films" t
  WHERE (t."seen" = $3::boolean OR $3::boolean = ANY(t."seen_all"))
  OFFSET 0) matched
),
hits AS (SELECT * FROM found WHERE own0 AND own1),
top AS (SELECT * FROM hits ORDER BY _boost DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $4::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $5::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top._boost::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top._boost DESC NULLS LAST, top._id NULLS LAST)
UNION ALL (SELECT 2, 0, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, count(*) AS n FROM (SELECT key0 AS key, value0 COLLATE "C" AS value FROM (SELECT * FROM found WHERE own1) found WHERE keys0 IS NULL AND key0 IS NOT NULL
  UNION ALL SELECT e.key, coalesce(e.value, e.key) COLLATE "C" FROM (SELECT * FROM found WHERE own1) found, unnest(keys0, values0) AS e(key, value) WHERE keys0 IS NOT NULL AND e.key IS NOT NULL) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, key LIMIT 100)
UNION ALL (SELECT 2, 1, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, count(*) AS n FROM (SELECT key1 AS key, value1 COLLATE "C" AS value FROM (SELECT * FROM found WHERE own0) found WHERE keys1 IS NULL AND key1 IS NOT NULL
  UNION ALL SELECT e.key, coalesce(e.value, e.key) COLLATE "C" FROM (SELECT * FROM found WHERE own0) found, unnest(keys1, values1) AS e(key, value) WHERE keys1 IS NOT NULL AND e.key IS NOT NULL) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, key LIMIT 100)
UNION ALL (SELECT 2, 2, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, count(*) AS n FROM (SELECT key2 AS key, trim_scale(key2) AS value FROM (SELECT * FROM found WHERE own0 AND own1) found WHERE keys2 IS NULL AND key2 IS NOT NULL
  UNION ALL SELECT e.key, trim_scale(e.key) FROM (SELECT * FROM found WHERE own0 AND own1) found, unnest(keys2) AS e(key) WHERE keys2 IS NOT NULL) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, key LIMIT 100)
UNION ALL SELECT 3, 2, s.n, 0::float8, NULL::text, NULL::jsonb, NULL::text[], s.a FROM (SELECT jsonb_build_array(trim_scale(min(key)), trim_scale(max(key)), trim_scale(avg(key))), count(*) FROM (SELECT key2 AS key, trim_scale(key2) AS value FROM (SELECT * FROM found WHERE own0 AND own1) found WHERE keys2 IS NULL AND key2 IS NOT NULL
  UNION ALL SELECT e.key, trim_scale(e.key) FROM (SELECT * FROM found WHERE own0 AND own1) found, unnest(keys2) AS e(key) WHERE keys2 IS NOT NULL) elements) AS s(a, n) WHERE s.n > 0;
-- $1 = [drama]
-- $2 = [a b]
-- $3 = true
-- $4 = 0
-- $5 = demo
