WITH found AS MATERIALIZED (
SELECT *, 0::float8 AS score, true AS every FROM (
  SELECT t.ctid AS tid,
    t._id,
    t._boost
  FROM "app_demo"."films" t
  WHERE (t."genre_keys" && $1::text[] AND ((t."year" >= $2::integer AND t."year" <= $3::integer OR (t."year_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."year_all") AS e(v) WHERE e.v >= $2::integer AND e.v <= $3::integer))) OR (t."price" > $4::numeric OR (t."price_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."price_all") AS e(v) WHERE e.v > $4::numeric)))) AND ((t."title_key" ^@ $5::text OR (t."title_keys" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."title_keys") AS e(v) WHERE e.v ^@ $5::text)))) IS NOT TRUE AND (t."shown" < $6::timestamptz OR (t."shown_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."shown_all") AS e(v) WHERE e.v < $6::timestamptz))) AND rowan.present((t._body -> 'plot')) AND (t._id = ANY($7::text[])) IS NOT TRUE AND (t."code_key" = ANY($8::text[]) OR t."code_keys" && $8::text[]) AND (t."seen" = $9::boolean OR $9::boolean = ANY(t."seen_all")) AND (SELECT CASE WHEN jsonb_typeof(x.v) IN ('number') THEN x.v::numeric > $10::numeric WHEN jsonb_typeof(x.v) IN ('array', 'object') THEN EXISTS (SELECT FROM jsonb_array_elements(jsonb_path_query_array(x.v, 'strict $.** ? (@.type() == "number")')) AS l(v) WHERE l.v::numeric > $10::numeric) ELSE false END FROM (SELECT (t._body -> 'free') AS v OFFSET 0) x) AND ((SELECT CASE WHEN jsonb_typeof(x.v) IN ('string') THEN rowan.fold(x.v #>> '{}') COLLATE "C" = ANY($11::text[]) WHEN jsonb_typeof(x.v) IN ('array', 'object') THEN EXISTS (SELECT FROM jsonb_array_elements(jsonb_path_query_array(x.v, 'strict $.** ? (@.type() == "string")')) AS l(v) WHERE rowan.fold(l.v #>> '{}') COLLATE "C" = ANY($11::text[])) ELSE false END FROM (SELECT (t._body -> 'free') AS v OFFSET 0) x) OR (SELECT CASE WHEN jsonb_typeof(x.v) IN ('number') THEN x.v::numeric = ANY($12::text[]::numeric[]) WHEN jsonb_typeof(x.v) IN ('array', 'object') THEN EXISTS (SELECT FROM jsonb_array_elements(jsonb_path_query_array(x.v, 'strict $.** ? (@.type() == "number")')) AS l(v) WHERE l.v::numeric = ANY($12::text[]::numeric[])) ELSE false END FROM (SELECT (t._body -> 'free') AS v OFFSET 0) x)) AND (t."year" > $13::integer AND t."year" IS NOT NULL OR (t."year_all" IS NOT NULL AND EXISTS (SELECT FROM unnest(t."year_all") AS e(v) WHERE e.v > $13::integer AND e.v IS NOT NULL))) AND (t."o'dd ""name"".x_key" = ANY($14::text[]) OR t."o'dd ""name"".x_keys" && $14::text[]))
  OFFSET 0) matched
),
hits AS (SELECT * FROM found),
top AS (SELECT * FROM hits ORDER BY _boost DESC NULLS LAST, _id NULLS LAST LIMIT 10 OFFSET (SELECT $15::bigint))
SELECT 0 AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = $16::text)] AS words, NULL::jsonb AS more FROM hits
UNION ALL (SELECT 1, 0, 0, top.score, t._id, t._body, t._autocomplete, jsonb_build_object('place', jsonb_build_array(top._boost::text, top._id::text)) FROM top JOIN "app_demo"."films" t ON t.ctid = top.tid ORDER BY top._boost DESC NULLS LAST, top._id NULLS LAST);
-- $1 = [drama > crime]
-- $2 = 1950
-- $3 = 1960
-- $4 = 9.99
-- $5 = the
-- $6 = 2024-06-01T00:00:00Z
-- $7 = [x]
-- $8 = [A]
-- $9 = true
-- $10 = 3
-- $11 = [10]
-- $12 = [10]
-- $13 = 1
-- $14 = [red]
-- $15 = 0
-- $16 = demo
