WITH found AS MATERIALIZED (
SELECT *, 0::float8 AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost,
    t."genre_key" AS key0,
    t."genre_keys" AS keys0,
    t."genre" AS value0,
    t."genre_all" AS values0,
    t."year" AS key1,
    t."year_all" AS keys1,
    t."shown" AS key2,
    t."shown_all" AS keys2,
    t."seen" AS key3,
    t."seen_all" AS keys3,
    (t._body -> 'free') AS json4
  FROM "app_demo"."films" t
  WHERE true
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY _boost DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $1::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $2::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top._boost::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top._boost DESC NULLS LAST, top._id NULLS LAST)
UNION ALL (SELECT 2, 0, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, count(*) AS n FROM (SELECT key0 AS key, value0 COLLATE "C" AS value FROM found WHERE keys0 IS NULL AND key0 IS NOT NULL
  UNION ALL SELECT e.key, coalesce(e.value, e.key) COLLATE "C" FROM found, unnest(keys0, values0) AS e(key, value) WHERE keys0 IS NOT NULL AND e.key IS NOT NULL) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, key LIMIT 100)
UNION ALL (SELECT 2, 1, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, count(*) AS n FROM (SELECT key1 AS key, trim_scale(key1) AS value FROM found WHERE keys1 IS NULL AND key1 IS NOT NULL
  UNION ALL SELECT e.key, trim_scale(e.key) FROM found, unnest(keys1) AS e(key) WHERE keys1 IS NOT NULL) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, key LIMIT 100)
UNION ALL SELECT 3, 1, s.n, 0::float8, NULL::text, NULL::jsonb, NULL::text[], s.a FROM (SELECT jsonb_build_array(trim_scale(min(key)), trim_scale(max(key)), trim_scale(avg(key))), count(*) FROM (SELECT key1 AS key, trim_scale(key1) AS value FROM found WHERE keys1 IS NULL AND key1 IS NOT NULL
  UNION ALL SELECT e.key, trim_scale(e.key) FROM found, unnest(keys1) AS e(key) WHERE keys1 IS NOT NULL) elements) AS s(a, n) WHERE s.n > 0
UNION ALL (SELECT 2, 2, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, count(*) AS n FROM (SELECT least(greatest(key2, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00') AS key, least(greatest(key2, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00') AS value FROM found WHERE keys2 IS NULL AND key2 IS NOT NULL
  UNION ALL SELECT least(greatest(e.key, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00'), least(greatest(e.key, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00') FROM found, unnest(keys2) AS e(key) WHERE keys2 IS NOT NULL) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, key LIMIT 100)
UNION ALL SELECT 3, 2, s.n, 0::float8, NULL::text, NULL::jsonb, NULL::text[], s.a FROM (SELECT jsonb_build_array(low, high, to_timestamp(div(mean, 1000000)::float8) + mod(mean, 1000000)::float8 * interval '1 microsecond'), n
  FROM (SELECT min(key) AS low, max(key) AS high, div(sum(extract(epoch FROM key)) * 1000000, nullif(count(*), 0)) AS mean, count(*) AS n FROM (SELECT least(greatest(key2, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00') AS key, least(greatest(key2, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00') AS value FROM found WHERE keys2 IS NULL AND key2 IS NOT NULL
  UNION ALL SELECT least(greatest(e.key, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00'), least(greatest(e.key, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00') FROM found, unnest(keys2) AS e(key) WHERE keys2 IS NOT NULL) elements) sums) AS s(a, n) WHERE s.n > 0
UNION ALL (SELECT 2, 3, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, count(*) AS n FROM (SELECT key3 AS key, key3 AS value FROM found WHERE keys3 IS NULL AND key3 IS NOT NULL
  UNION ALL SELECT e.key, e.key FROM found, unnest(keys3) AS e(key) WHERE keys3 IS NOT NULL) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, key LIMIT 100)
UNION ALL (SELECT 2, 4, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, sum(n) AS n FROM (SELECT CASE jsonb_typeof(json4) WHEN 'string' THEN 's' || rowan.fold(json4 #>> '{}')
    WHEN 'number' THEN 'n' || trim_scale(json4::numeric)::text ELSE 'b' || (json4 #>> '{}') END COLLATE "C" AS key,
    CASE jsonb_typeof(json4) WHEN 'number' THEN to_jsonb(trim_scale(json4::numeric)) ELSE json4 END AS value, n FROM (SELECT written::jsonb AS json4, n FROM (SELECT json4::text COLLATE "C" AS written, count(*) AS n FROM found WHERE jsonb_typeof(json4) IN ('string', 'number', 'boolean') GROUP BY 1) texts OFFSET 0) alone
  UNION ALL SELECT e.key, e.value, 1 FROM found, LATERAL (SELECT DISTINCT ON (key) key, value FROM (SELECT CASE jsonb_typeof(leaf) WHEN 'string' THEN 's' || rowan.fold(leaf #>> '{}')
    WHEN 'number' THEN 'n' || trim_scale(leaf::numeric)::text ELSE 'b' || (leaf #>> '{}') END COLLATE "C" AS key,
    CASE jsonb_typeof(leaf) WHEN 'number' THEN to_jsonb(trim_scale(leaf::numeric)) ELSE leaf END AS value, place
    FROM jsonb_array_elements(jsonb_path_query_array(json4, 'strict $.** ? (@.type() == "string" || @.type() == "number" || @.type() == "boolean")')) WITH ORDINALITY AS l(leaf, place)) leaves
    ORDER BY key, place) AS e WHERE jsonb_typeof(json4) IN ('array', 'object')) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, min(CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric END) NULLS LAST, key LIMIT 100)
UNION ALL SELECT 3, 4, s.n, 0::float8, NULL::text, NULL::jsonb, NULL::text[], s.a FROM (SELECT jsonb_build_array(min(v), max(v), trim_scale(coalesce((sum(v * 1e-100) FILTER (WHERE abs(v) >= 1e131000) + coalesce(sum(v) FILTER (WHERE abs(v) < 1e131000), 0) * 1e-100) / count(*) * 1e100, avg(v) FILTER (WHERE abs(v) < 1e131000)))), count(*) FROM (SELECT trim_scale(json4::numeric) AS v FROM found WHERE jsonb_typeof(json4) = 'number'
  UNION ALL SELECT e.v FROM found, LATERAL (SELECT DISTINCT trim_scale(leaf::numeric) AS v FROM jsonb_array_elements(jsonb_path_query_array(json4, 'strict $.** ? (@.type() == "number")')) AS leaf) AS e
    WHERE jsonb_typeof(json4) IN ('array', 'object')) numbers) AS s(a, n) WHERE s.n > 0;
-- $1 = 0
-- $2 = demo
