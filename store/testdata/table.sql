CREATE TABLE "app_demo"."films" (
  _seq bigint NOT NULL DEFAULT nextval('"app_demo_derived"."films_seq"'),
  _boost double precision NOT NULL GENERATED ALWAYS AS (rowan.boost(_body)) STORED,
  _created_at timestamptz NOT NULL DEFAULT now(),
  _updated_at timestamptz NOT NULL DEFAULT now(),
  _id text COLLATE "C" NOT NULL CONSTRAINT _id_length CHECK (octet_length(_id) BETWEEN 1 AND 512),
  "title" text GENERATED ALWAYS AS (rowan.text_value((_body -> 'title'))) STORED,
  "title_key" text COLLATE "C" GENERATED ALWAYS AS (rowan.text_key((_body -> 'title'))) STORED,
  "title_all" text[] GENERATED ALWAYS AS (rowan.text_all((_body -> 'title'))) STORED,
  "title_keys" text[] COLLATE "C" GENERATED ALWAYS AS (rowan.text_keys((_body -> 'title'))) STORED,
  "genre" text GENERATED ALWAYS AS (rowan.text_value((_body -> 'genre'))) STORED,
  "genre_key" text COLLATE "C" GENERATED ALWAYS AS (rowan.levels_key((_body -> 'genre'), ' > ')) STORED,
  "genre_all" text[] GENERATED ALWAYS AS (rowan.levels_all((_body -> 'genre'), ' > ')) STORED,
  "genre_keys" text[] COLLATE "C" GENERATED ALWAYS AS (rowan.levels_keys((_body -> 'genre'), ' > ')) STORED,
  "code" text GENERATED ALWAYS AS (rowan.text_value((_body -> 'code'))) STORED,
  "code_key" text COLLATE "C" GENERATED ALWAYS AS (rowan.exact_key((_body -> 'code'))) STORED,
  "code_all" text[] GENERATED ALWAYS AS (rowan.exact_all((_body -> 'code'))) STORED,
  "code_keys" text[] COLLATE "C" GENERATED ALWAYS AS (rowan.exact_keys((_body -> 'code'))) STORED,
  "year" integer GENERATED ALWAYS AS (rowan.int_value((_body -> 'year'))) STORED,
  "year_all" integer[] GENERATED ALWAYS AS (rowan.int_all((_body -> 'year'))) STORED,
  "price" numeric GENERATED ALWAYS AS (rowan.number_value((_body -> 'price'))) STORED,
  "price_all" numeric[] GENERATED ALWAYS AS (rowan.number_all((_body -> 'price'))) STORED,
  "rating" double precision GENERATED ALWAYS AS (rowan.float_value((_body -> 'rating'))) STORED,
  "rating_all" double precision[] GENERATED ALWAYS AS (rowan.float_all((_body -> 'rating'))) STORED,
  "seen" boolean GENERATED ALWAYS AS (rowan.bool_value((_body -> 'seen'))) STORED,
  "seen_all" boolean[] GENERATED ALWAYS AS (rowan.bool_all((_body -> 'seen'))) STORED,
  "shown" timestamptz GENERATED ALWAYS AS (rowan.date_value((_body -> 'shown'))) STORED,
  "shown_all" timestamptz[] GENERATED ALWAYS AS (rowan.date_all((_body -> 'shown'))) STORED,
  "o'dd ""name"".x" text GENERATED ALWAYS AS (rowan.text_value((rowan.field(_body, 'o''dd "name".x')))) STORED,
  "o'dd ""name"".x_key" text COLLATE "C" GENERATED ALWAYS AS (rowan.text_key((rowan.field(_body, 'o''dd "name".x')))) STORED,
  "o'dd ""name"".x_all" text[] GENERATED ALWAYS AS (rowan.text_all((rowan.field(_body, 'o''dd "name".x')))) STORED,
  "o'dd ""name"".x_keys" text[] COLLATE "C" GENERATED ALWAYS AS (rowan.text_keys((rowan.field(_body, 'o''dd "name".x')))) STORED,
  "_autocomplete" text[] GENERATED ALWAYS AS (rowan.autocomplete(_body, ARRAY['title']::text[])) STORED,
  "title_tsv" tsvector COMPRESSION pglz GENERATED ALWAYS AS (setweight(coalesce(rowan.tsv_plain((_body -> 'title')), ''::tsvector), 'A')) STORED,
  "plot_tsv" tsvector COMPRESSION pglz GENERATED ALWAYS AS (setweight(coalesce(rowan.tsv_stemmed('english'::regconfig, (_body -> 'plot')), ''::tsvector), 'D')) STORED,
  "genre_tsv" tsvector COMPRESSION pglz GENERATED ALWAYS AS (setweight(coalesce(rowan.tsv_levels('english'::regconfig, (_body -> 'genre'), ' > '), ''::tsvector), 'B')) STORED,
  "code_tsv" tsvector COMPRESSION pglz GENERATED ALWAYS AS (setweight(coalesce(rowan.tsv_whole_exact((_body -> 'code')), ''::tsvector), 'B')) STORED,
  "o'dd ""name"".x_tsv" tsvector COMPRESSION pglz GENERATED ALWAYS AS (setweight(coalesce(rowan.tsv_whole((rowan.field(_body, 'o''dd "name".x'))), ''::tsvector), 'B')) STORED,
  "_rest_tsv" tsvector COMPRESSION pglz GENERATED ALWAYS AS (coalesce(rowan.tsv_rest('english'::regconfig, _body, ARRAY['title', 'plot', 'genre', 'code', 'year', 'price', 'rating', 'seen', 'shown']::text[], ARRAY['o''dd "name".x']::text[]), ''::tsvector)) STORED,
  _body jsonb NOT NULL CONSTRAINT _body_object CHECK (jsonb_typeof(_body) = 'object'),
  CONSTRAINT "films._id" PRIMARY KEY (_id)
) WITH (toast_tuple_target = 4080);
ALTER TABLE "app_demo"."films" ALTER "title_tsv" SET STORAGE MAIN, ALTER "title_tsv" SET STATISTICS 0, ALTER "plot_tsv" SET STORAGE MAIN, ALTER "plot_tsv" SET STATISTICS 0, ALTER "genre_tsv" SET STORAGE MAIN, ALTER "genre_tsv" SET STATISTICS 0, ALTER "code_tsv" SET STORAGE MAIN, ALTER "code_tsv" SET STATISTICS 0, ALTER "o'dd ""name"".x_tsv" SET STORAGE MAIN, ALTER "o'dd ""name"".x_tsv" SET STATISTICS 0, ALTER "_rest_tsv" SET STORAGE MAIN, ALTER "_rest_tsv" SET STATISTICS 0, ALTER _body SET STATISTICS 0;
COMMENT ON TABLE "app_demo"."films" IS 'Documents of the Rowan index films. Write only _id and _body; the other columns follow from them.';
COMMENT ON COLUMN "app_demo"."films"."_seq" IS 'Number of the document, kept when it is updated.';
COMMENT ON COLUMN "app_demo"."films"."_boost" IS 'Factor of the document''s score.';
COMMENT ON COLUMN "app_demo"."films"."_autocomplete" IS 'Suggestions that the document gives.';
COMMENT ON COLUMN "app_demo"."films"."_rest_tsv" IS 'Lexemes of all properties without a mapping.';
COMMENT ON COLUMN "app_demo"."films"."_body" IS 'The document, as its client sent it.';
COMMENT ON COLUMN "app_demo"."films"."title" IS 'title (name)';
COMMENT ON COLUMN "app_demo"."films"."title_all" IS 'title: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."title_key" IS 'title: what it compares by';
COMMENT ON COLUMN "app_demo"."films"."title_keys" IS 'title: what all values compare by, where there are several';
COMMENT ON COLUMN "app_demo"."films"."title_tsv" IS 'title (name): lexemes';
COMMENT ON COLUMN "app_demo"."films"."plot_tsv" IS 'plot (long_text): lexemes';
COMMENT ON COLUMN "app_demo"."films"."genre" IS 'genre (category)';
COMMENT ON COLUMN "app_demo"."films"."genre_all" IS 'genre: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."genre_key" IS 'genre: what it compares by';
COMMENT ON COLUMN "app_demo"."films"."genre_keys" IS 'genre: what all values compare by, where there are several';
COMMENT ON COLUMN "app_demo"."films"."genre_all" IS 'genre: every level of every value';
COMMENT ON COLUMN "app_demo"."films"."genre_keys" IS 'genre: what every level compares by';
COMMENT ON COLUMN "app_demo"."films"."genre_tsv" IS 'genre (category): lexemes';
COMMENT ON COLUMN "app_demo"."films"."code" IS 'code (case_sensitive_keyword)';
COMMENT ON COLUMN "app_demo"."films"."code_all" IS 'code: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."code_key" IS 'code: what it compares by';
COMMENT ON COLUMN "app_demo"."films"."code_keys" IS 'code: what all values compare by, where there are several';
COMMENT ON COLUMN "app_demo"."films"."code_tsv" IS 'code (case_sensitive_keyword): lexemes';
COMMENT ON COLUMN "app_demo"."films"."year" IS 'year (int)';
COMMENT ON COLUMN "app_demo"."films"."year_all" IS 'year: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."price" IS 'price (price)';
COMMENT ON COLUMN "app_demo"."films"."price_all" IS 'price: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."rating" IS 'rating (float)';
COMMENT ON COLUMN "app_demo"."films"."rating_all" IS 'rating: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."seen" IS 'seen (bool)';
COMMENT ON COLUMN "app_demo"."films"."seen_all" IS 'seen: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."shown" IS 'shown (date)';
COMMENT ON COLUMN "app_demo"."films"."shown_all" IS 'shown: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."o'dd ""name"".x" IS 'o''dd "name".x (keyword)';
COMMENT ON COLUMN "app_demo"."films"."o'dd ""name"".x_all" IS 'o''dd "name".x: all values, where there are several';
COMMENT ON COLUMN "app_demo"."films"."o'dd ""name"".x_key" IS 'o''dd "name".x: what it compares by';
COMMENT ON COLUMN "app_demo"."films"."o'dd ""name"".x_keys" IS 'o''dd "name".x: what all values compare by, where there are several';
COMMENT ON COLUMN "app_demo"."films"."o'dd ""name"".x_tsv" IS 'o''dd "name".x (keyword): lexemes';
CREATE UNIQUE INDEX "films._seq" ON "app_demo"."films" (_seq);
CREATE INDEX "films._search" ON "app_demo"."films" USING gin (rowan.join_tsv("title_tsv", "genre_tsv", "code_tsv", "o'dd ""name"".x_tsv", "plot_tsv", "_rest_tsv")) WITH (fastupdate = on, gin_pending_list_limit = 262144);
CREATE INDEX "films._boost" ON "app_demo"."films" USING btree (_boost DESC, _id);
CREATE INDEX "films.title" ON "app_demo"."films" USING btree ("title_key");
CREATE INDEX "films.title_keys" ON "app_demo"."films" USING gin ("title_keys") WITH (fastupdate = on, gin_pending_list_limit = 262144) WHERE "title_keys" IS NOT NULL;
CREATE INDEX "films.genre_keys" ON "app_demo"."films" USING gin ("genre_keys") WITH (fastupdate = on, gin_pending_list_limit = 262144) WHERE "genre_keys" IS NOT NULL;
CREATE INDEX "films.code" ON "app_demo"."films" USING btree ("code_key");
CREATE INDEX "films.code_keys" ON "app_demo"."films" USING gin ("code_keys") WITH (fastupdate = on, gin_pending_list_limit = 262144) WHERE "code_keys" IS NOT NULL;
CREATE INDEX "films.year" ON "app_demo"."films" USING btree ("year");
CREATE INDEX "films.year_all" ON "app_demo"."films" USING btree (_seq) WHERE "year_all" IS NOT NULL;
CREATE INDEX "films.price" ON "app_demo"."films" USING btree ("price");
CREATE INDEX "films.price_all" ON "app_demo"."films" USING btree (_seq) WHERE "price_all" IS NOT NULL;
CREATE INDEX "films.rating" ON "app_demo"."films" USING btree ("rating");
CREATE INDEX "films.rating_all" ON "app_demo"."films" USING btree (_seq) WHERE "rating_all" IS NOT NULL;
CREATE INDEX "films.shown" ON "app_demo"."films" USING btree ("shown");
CREATE INDEX "films.shown_all" ON "app_demo"."films" USING btree (_seq) WHERE "shown_all" IS NOT NULL;
CREATE INDEX "films.o'dd ""name"".x" ON "app_demo"."films" USING btree ("o'dd ""name"".x_key");
CREATE INDEX "films.o'dd ""name"".x_keys" ON "app_demo"."films" USING gin ("o'dd ""name"".x_keys") WITH (fastupdate = on, gin_pending_list_limit = 262144) WHERE "o'dd ""name"".x_keys" IS NOT NULL;
ALTER INDEX "app_demo"."films._search" ALTER COLUMN 1 SET STATISTICS 500;
CREATE TRIGGER rowan_log AFTER INSERT OR UPDATE OR DELETE ON "app_demo"."films" FOR EACH ROW WHEN (current_setting('rowan.logged', true) IS DISTINCT FROM '7' OR pg_trigger_depth() > 0) EXECUTE FUNCTION rowan.log_row('1919907694', '7', '"app_demo_derived"."films_changes"', '"app_demo_derived"."films_touched"', '"app_demo_derived"."films_rebuild"');
CREATE TRIGGER rowan_row BEFORE INSERT OR UPDATE ON "app_demo"."films" FOR EACH ROW WHEN (current_setting('rowan.logged', true) IS DISTINCT FROM '7' OR pg_trigger_depth() > 0) EXECUTE FUNCTION rowan.number_row('"app_demo_derived"."films_seq"');
CREATE TRIGGER rowan_truncate BEFORE TRUNCATE ON "app_demo"."films" EXECUTE FUNCTION rowan.refuse_truncate();
ALTER TABLE "app_demo"."films" ENABLE ALWAYS TRIGGER rowan_log, ENABLE ALWAYS TRIGGER rowan_row, ENABLE ALWAYS TRIGGER rowan_truncate;
