// README's walk, and on through everything else that the service can, against the service that the environment
// names: ROWAN_HOSTS (separated by commas), ROWAN_APPLICATION_ID, ROWAN_ADMIN_KEY, ROWAN_SEARCH_KEY.
import assert from "node:assert/strict";

import { createRowan, instantSearchClient, RowanError, type Rowan, type Schemas } from "../src/index.js";

function environment(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
}

const as = (key: string): Rowan =>
  createRowan({ hosts: environment("ROWAN_HOSTS").split(","), application: environment("ROWAN_APPLICATION_ID"), key });
const admin = as(environment("ROWAN_ADMIN_KEY"));
const searcher = as(environment("ROWAN_SEARCH_KEY"));

async function fails(promise: Promise<unknown>, status: number, code: Schemas["Problem"]["code"]): Promise<RowanError> {
  const error: unknown = await promise.then(
    () => assert.fail(`succeeded, want ${status} ${code}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof RowanError, String(error));
  assert.deepEqual([error.status, error.code], [status, code], error.message);
  assert.ok(error.requestId);
  return error;
}

const shop = { params: { path: { index: "shop" } } };
const document = (id: string) => ({ params: { path: { index: "shop", id } } });

async function search(name: string, body: Schemas["SearchRequest"], api = searcher): Promise<Schemas["SearchResult"]> {
  const { data } = await api.POST("/v1/search/{search}", { params: { path: { search: name } }, body });
  assert.ok(data);
  return data;
}

async function index(): Promise<void> {
  assert.equal((await searcher.GET("/health")).data?.status, "ok");
  const mappings: Schemas["FieldMapping"][] = [
    { name: "title", type: "sentence" },
    { name: "description", type: "long_text" },
    { name: "brand", type: "keyword" },
    { name: "category", type: "category" },
    { name: "price", type: "price" },
    { name: "released", type: "date" },
  ];
  assert.equal((await admin.POST("/v1/index/{index}", { ...shop, body: { mappings } })).data?.name, "shop");
  assert.equal((await admin.GET("/v1/index", { params: { query: { filter: "s*" } } })).data?.length, 1);
}

async function batch(): Promise<void> {
  const { data: written } = await admin.PUT("/v1/index/{index}/batch", {
    ...shop,
    body: [
      { action: "upsert", _id: "1", body: { title: "Espresso machine", brand: "Acme", category: "Kitchen > Coffee", price: 199.9, released: "2024-05-01" } },
      { action: "upsert", _id: "2", body: { title: "Coffee grinder", description: "Grinds beans for any espresso.", brand: "Acme", category: "Kitchen > Coffee", price: 49.5 } },
      { action: "upsert", _id: "3", body: { title: "Tea kettle", brand: "Boil", category: "Kitchen > Tea", price: 35 } },
    ],
  });
  assert.deepEqual(written?.map(({ result }) => result), ["created", "created", "created"]);
  const { data: read } = await admin.POST("/v1/index/{index}/batch", { ...shop, body: [{ _id: "3" }, { _id: "missing" }] });
  assert.equal(read?.[0]?._id, "3");
  assert.equal(read?.[1], null);
  assert.equal((await admin.GET("/v1/index/{index}", shop)).data?.documents, 3);
}

async function searches(): Promise<void> {
  const found = await search("shop", { query: "espreso machines", facets: "brand category price", filter: "price < 200" });
  assert.equal(found.ids?.[0], "1");
  const hit = found.hits["1"];
  assert.ok(hit && hit._score > 0 && hit._highlight?.["title"]?.length);
  assert.equal(hit["title"], "Espresso machine");
  assert.deepEqual(found.facets["brand"], [{ value: "Acme", count: found.total }]);
  assert.equal(found.facet_stats["price"]?.max, 199.9);

  const filtered = await search("shop", { filter: { category: "Kitchen", price: { gte: 40 } }, sort: "-price" });
  assert.deepEqual(filtered.ids, ["1", "2"]);

  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await search("shop", { sort: "_id", per_page: 2, ...(cursor === undefined ? {} : { cursor }) });
    paged.push(...(page.ids ?? []));
    cursor = page.ids?.length === 0 ? undefined : page.cursor;
  } while (cursor !== undefined);
  assert.deepEqual(paged, ["1", "2", "3"]);

  const { data: several } = await searcher.POST("/v1/search", {
    body: { searches: [{ search: "shop", query: "kettle" }, { search: "shop", per_page: 0, facets: ["brand"] }] },
  });
  assert.equal(several?.results?.[0]?.total, 1);
  assert.deepEqual(several?.results?.[1]?.ids, []);
  assert.equal(several?.results?.[1]?.facets["brand"]?.length, 2);
}

// What the widgets of InstantSearch ask for and show, with a chosen value of a facet that may have several.
async function widgets(): Promise<void> {
  const client = instantSearchClient(searcher);
  const facetFilters = [["brand:Acme", "brand:None"], "category:-Kitchen > Tea"], numericFilters = ["price>=40", "price<=199.9"];
  const shown = { query: "espresso coffee", hitsPerPage: 1, highlightPreTag: "[", highlightPostTag: "]" };
  const { results } = await client.search([
    { indexName: "shop", params: { ...shown, page: 1, facets: ["*", "category", "price"], facetFilters, numericFilters, clickAnalytics: true } },
    { indexName: "shop", params: { ...shown, hitsPerPage: 0, facets: "brand", facetFilters: facetFilters.slice(1), numericFilters } },
    { indexName: "shop", params: { filters: "brand = Boil" } },
    ...Array.from({ length: 20 }, () => ({ indexName: "shop" })), // more than a request takes
  ]);
  const [main, brands, boil] = results;
  assert.deepEqual([main.nbHits, main.page, main.nbPages, main.hitsPerPage, main.hits.length], [2, 1, 2, 1, 1]);
  assert.deepEqual([main.facets, main.facets_stats.price.max], [{ category: { "Kitchen > Coffee": 2, Kitchen: 2 }, price: { 199.9: 1, 49.5: 1 } }, 199.9]);
  const [hit] = main.hits;
  assert.deepEqual([hit.objectID, hit._highlightResult.title.value, hit._highlightResult.title.matchLevel], ["2", "[Coffee] grinder", "full"]);
  assert.equal(hit._highlightResult.brand.matchLevel, "none");
  assert.deepEqual([brands.facets, brands.facets_stats], [{ brand: { Acme: 2 } }, {}]); // of other facets the widgets would take the wrong counts
  assert.deepEqual([boil.nbHits, boil.hits[0]._snippetResult.title.value, results.length], [1, "Tea kettle", 23]);

  const [values] = await client.searchForFacetValues([{ indexName: "shop", params: { facetName: "brand", facetQuery: "ac", filters: "price > 1" } }]);
  assert.deepEqual(values.facetHits, [{ value: "Acme", count: 2, highlighted: "<em>Ac</em>me" }]);
  await fails(client.search([{ indexName: "missing" }]), 404, "search_not_found");
}

async function documents(): Promise<void> {
  assert.equal((await admin.GET("/v1/index/{index}/document/{id}", document("3"))).data?.["price"], 35);
  const patched = await admin.PATCH("/v1/index/{index}/document/{id}", { ...document("3"), body: { price: 29.9 } });
  assert.deepEqual([patched.data?.["price"], patched.data?.["title"]], [29.9, "Tea kettle"]);
  const put = await admin.PUT("/v1/index/{index}/document/{id}", {
    params: { ...document("3").params, query: { action: "patch" } },
    body: { brand: "Boiler" },
  });
  assert.equal(put.data?.["brand"], "Boiler");
  const created = await admin.POST("/v1/index/{index}/document", { ...shop, body: { title: "Cup" } });
  const slashed = "a/b c?ü%";
  const upserted = await admin.POST("/v1/index/{index}/document/{id}", { ...document(slashed), body: { title: "Saucer" } });
  assert.equal(upserted.data?._id, slashed);
  for (const id of [created.data?._id ?? "", slashed]) {
    assert.equal((await admin.DELETE("/v1/index/{index}/document/{id}", document(id))).data?._id, id);
    await fails(admin.GET("/v1/index/{index}/document/{id}", document(id)), 404, "document_not_found");
  }
}

async function settings(): Promise<void> {
  const mapped = await admin.PATCH("/v1/index/{index}", { ...shop, body: { mappings: [{ name: "title", type: "completion" }] } });
  const mappings = mapped.data?.mappings ?? [];
  assert.equal(mappings.length, 6);
  assert.deepEqual((await admin.PUT("/v1/index/{index}", { ...shop, body: { mappings } })).data?.mappings, mappings);
  const suggested = await searcher.GET("/v1/search/{search}/autocomplete", { params: { path: { search: "shop" }, query: { q: "esp" } } });
  assert.deepEqual(suggested.data?.autocomplete, ["Espresso machine"]);

  const synonyms: Schemas["Synonym"][] = [["kettle", "boiler"], { from: ["appliance"], to: ["machine"] }];
  const patched = await admin.PATCH("/v1/index/{index}/settings", { ...shop, body: { synonyms, stop_words: ["please"] } });
  assert.deepEqual(patched.data?.synonyms, synonyms);
  assert.deepEqual((await search("shop", { query: "appliance" })).ids, ["1"]);
  const put = await admin.PUT("/v1/index/{index}/settings", { ...shop, body: {} });
  assert.deepEqual([put.data?.synonyms, put.data?.stop_words], [[], []]);
  assert.equal((await admin.GET("/v1/index/{index}/settings", shop)).data?.language, "english");

  assert.equal((await admin.PUT("/v1/settings", { body: { per_page: 2 } })).data?.per_page, 2);
  assert.equal((await admin.GET("/v1/settings")).data?.per_page, 2);
}

async function definedSearches(): Promise<void> {
  const acme = { params: { path: { search: "acme" } } };
  const defined = await admin.PUT("/v1/search/{search}", { ...acme, body: { index: "shop", filter: "brand = Acme", facets: ["category"], sort: "price" } });
  assert.equal(defined.data?.name, "acme");
  assert.equal((await admin.GET("/v1/search/{search}", acme)).data?.filter, "brand = Acme");
  assert.equal((await admin.GET("/v1/search")).data?.length, 1);
  const found = await search("acme", {});
  assert.deepEqual(found.ids, ["2", "1"]);
  assert.equal(found.facets["category"]?.[0]?.count, 2);
  assert.equal((await admin.DELETE("/v1/search/{search}", acme)).data?.name, "acme");
}

async function keys(): Promise<void> {
  const { data: key } = await admin.POST("/v1/keys", {
    body: { type: "search", description: "tenant", indices: ["shop"], filter: "brand = Acme", expires_at: new Date(Date.now() + 3_600_000).toISOString() },
  });
  assert.ok(key);
  assert.deepEqual((await search("shop", { sort: "_id" }, as(key.key))).ids, ["1", "2"]);
  const { data: reset } = await admin.POST("/v1/keys/{id}/reset", { params: { path: { id: key.id } } });
  assert.equal(reset?.id, key.id);
  assert.notEqual(reset?.key, key.key);
  assert.equal((await admin.GET("/v1/keys")).data?.length, 3);
  assert.equal((await admin.DELETE("/v1/keys/{id}", { params: { path: { id: key.id } } })).response.status, 204);
  await fails(search("shop", {}, as("rks_wrong")), 401, "unauthorized");
}

async function errors(): Promise<void> {
  await fails(searcher.DELETE("/v1/index/{index}", shop), 403, "key_not_allowed");
  await fails(admin.GET("/v1/index/{index}", { params: { path: { index: "missing" } } }), 404, "index_not_found");
  await fails(admin.POST("/v1/index/{index}", { ...shop, body: {} }), 409, "index_exists");
  await fails(search("shop", { filter: "price <" }), 422, "invalid_filter");
  const refused = await fails(
    admin.PUT("/v1/index/{index}/batch", {
      ...shop,
      body: [
        { action: "upsert", _id: "4", body: { price: 1 } },
        { action: "upsert", _id: "5", body: { price: "much" } },
      ],
    }),
    422,
    "invalid_document",
  );
  assert.equal(refused.errors[0]?.location, "body[1].body.price");
  await fails(admin.GET("/v1/index/{index}/document/{id}", document("4")), 404, "document_not_found"); // nothing was applied
}

async function end(): Promise<void> {
  assert.equal((await admin.POST("/v1/index/{index}/clear", shop)).data?.name, "shop");
  assert.equal((await search("shop", {})).total, 0);
  assert.equal((await admin.DELETE("/v1/index/{index}", shop)).data?.name, "shop");
  await fails(search("shop", {}), 404, "search_not_found");
}

// In this order: later steps build on earlier ones.
for (const step of [index, batch, searches, widgets, documents, settings, definedSearches, keys, errors, end]) {
  await step();
  console.log(`${step.name}: well`);
}
