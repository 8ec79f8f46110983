import { marked } from "./highlights.js";
import type { Rowan, Schemas } from "./index.js";

/** What InstantSearch asks a search client for. */
interface InstantSearchRequest {
  indexName: string;
  params?: InstantSearchParams;
}

/** The parameters that are used; others, such as clickAnalytics, change nothing. */
interface InstantSearchParams {
  query?: string;
  /** From 0. */
  page?: number;
  hitsPerPage?: number;
  facets?: string | readonly string[];
  facetFilters?: Conditions;
  numericFilters?: Conditions;
  /** A filter of Rowan. */
  filters?: string;
  highlightPreTag?: string;
  highlightPostTag?: string;
  /** The facet whose values are searched, and the beginning of the values that are wanted. */
  facetName?: string;
  facetQuery?: string;
  maxFacetHits?: number;
}

/** Joined by AND; those of an inner array by OR. */
type Conditions = string | readonly (string | readonly string[])[];

/** A search client; its types are loose because those of the widgets differ between versions and flavors. */
export interface InstantSearchClient {
  search(requests: any): Promise<any>;
  /** Finds the values of a facet that begin with a text. */
  searchForFacetValues(requests: any): Promise<any>;
}

/** Searches that the service takes in one request. */
const searchesAtOnce = 20;

/**
 * Makes a search client for the widgets of InstantSearch, in any of its flavors:
 *
 *     instantsearch({ indexName: "products", searchClient: instantSearchClient(rowan) });
 *
 * An indexName is that of an index or of a defined search, so sortBy lists a defined search for each order.
 */
export function instantSearchClient(rowan: Rowan, options: Pick<Schemas["SearchRequest"], "match"> = {}): InstantSearchClient {
  async function search(requests: readonly InstantSearchRequest[]): Promise<Schemas["SearchResult"][]> {
    const searches = requests.map(({ indexName, params }) => ({ ...options, ...request(params ?? {}), search: indexName }));
    const answers: Promise<Schemas["SearchResult"][]>[] = [];
    for (let i = 0; i < searches.length; i += searchesAtOnce) {
      const body = { searches: searches.slice(i, i + searchesAtOnce) };
      answers.push(rowan.POST("/v1/search", { body }).then(({ data }) => data?.results ?? []));
    }
    return (await Promise.all(answers)).flat();
  }
  return {
    async search(requests: readonly InstantSearchRequest[]) {
      const answers = await search(requests);
      return { results: answers.map((answer, i) => result(answer, requests[i]?.params ?? {})) };
    },
    async searchForFacetValues(requests: readonly InstantSearchRequest[]) {
      const answers = await search(requests.map(ofFacetValues));
      return answers.map((answer, i) => facetHits(answer, requests[i]?.params ?? {}));
    },
  };
}

function request(params: InstantSearchParams): Schemas["SearchRequest"] {
  const { chosen, filter } = conditions(params);
  const facets = new Set(asked(params));
  // Whether all words are required is then decided without these conditions, so that the widgets' extra searches for the
  // counts of a facet find the same documents.
  for (const name of chosen) facets.add(name);
  return {
    query: params.query ?? "",
    page: (params.page ?? 0) + 1,
    facets: [...facets],
    disjunctive: chosen,
    ...(params.hitsPerPage === undefined ? {} : { per_page: params.hitsPerPage }),
    ...(filter === "" ? {} : { filter }),
  };
}

/** Returns the facets whose counts are wanted. There is no name for all facets. */
const asked = (params: InstantSearchParams): string[] => listOf<string>(params.facets).filter((name) => name !== "*");

/** Returns the filter that params express, and the facets of which it takes one of several values, or a range. */
function conditions(params: InstantSearchParams): { chosen: string[]; filter: string } {
  const chosen = new Set<string>();
  const all: string[] = params.filters ? [`(${params.filters})`] : [];
  for (const one of listOf(params.facetFilters)) {
    const any = listOf(one).map((text) => {
      const name = text.slice(0, text.indexOf(":")), value = text.slice(name.length + 1);
      if (one !== text) chosen.add(name);
      return value.startsWith("-") ? `NOT ${quoted(name)} = ${literal(value.slice(1))}` : `${quoted(name)} = ${literal(value.replace(/^\\-/, "-"))}`;
    });
    if (any.length > 0) all.push(`(${any.join(" OR ")})`);
  }
  for (const one of listOf(params.numericFilters)) {
    const any = listOf(one).map((text) => {
      const [, name = "", operator = "", value = ""] = /^(.+?)\s*(<=|>=|!=|=|<|>)\s*(.+)$/.exec(text) ?? [];
      chosen.add(name);
      return `${quoted(name)} ${operator} ${literal(value)}`;
    });
    if (any.length > 0) all.push(`(${any.join(" OR ")})`);
  }
  return { chosen: [...chosen], filter: all.join(" AND ") };
}

const listOf = <T>(value: string | readonly T[] | undefined): readonly (string | T)[] => (typeof value === "string" ? [value] : (value ?? []));

const quoted = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

const string = (value: string): string => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** A value of a filter. Numbers and booleans are bare, so that they are found as such in properties without a mapping. */
const literal = (value: string): string => (/^(-?\d+(\.\d+)?|true|false)$/.test(value) ? value : string(value));

function result(answer: Schemas["SearchResult"], params: InstantSearchParams): any {
  const tags = { before: params.highlightPreTag ?? "<em>", after: params.highlightPostTag ?? "</em>" };
  const facets = asked(params); // the widgets take the counts of others for those that ignore a choice, too
  return {
    hits: (answer.ids ?? []).map((id) => {
      const { _highlight, ...document } = answer.hits[id]!;
      const { whole, snippets } = marked(document, _highlight ?? {}, tags);
      return { ...document, objectID: id, _highlightResult: whole, _snippetResult: snippets };
    }),
    index: answer.search,
    query: answer.query,
    params: "",
    nbHits: answer.total,
    page: answer.page - 1,
    hitsPerPage: answer.per_page,
    nbPages: answer.per_page > 0 ? Math.ceil(answer.total / answer.per_page) : 0,
    facets: Object.fromEntries(facets.map((name) => [name, counts(answer.facets[name] ?? [])])),
    facets_stats: Object.fromEntries(Object.entries(answer.facet_stats).filter(([name]) => facets.includes(name))),
    exhaustiveNbHits: true,
    exhaustiveFacetsCount: true,
    processingTimeMS: answer.processing_time_ms,
  };
}

const counts = (values: readonly Schemas["FacetValue"][]): Record<string, number> =>
  Object.fromEntries(values.map(({ value, count }) => [String(value), count]));

/** The search whose facet has the values that begin with params.facetQuery. */
function ofFacetValues({ indexName, params = {} }: InstantSearchRequest): InstantSearchRequest {
  const { facetName = "", facetQuery = "", filters } = params;
  const begins = facetQuery === "" ? [] : [`${quoted(facetName)} STARTS WITH ${string(facetQuery)}`];
  return { indexName, params: { ...params, page: 0, hitsPerPage: 0, facets: [facetName], filters: [...(filters ? [`(${filters})`] : []), ...begins].join(" AND ") } };
}

const folded = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

function facetHits(answer: Schemas["SearchResult"], params: InstantSearchParams): any {
  const { facetName = "", facetQuery = "", maxFacetHits = 10 } = params;
  const before = params.highlightPreTag ?? "<em>", after = params.highlightPostTag ?? "</em>";
  const values = (answer.facets[facetName] ?? []).map(({ value, count }) => ({ value: String(value), count }));
  const hits = values.filter(({ value }) => folded(value).startsWith(folded(facetQuery))).slice(0, maxFacetHits);
  return {
    facetHits: hits.map(({ value, count }) => ({
      value, count, highlighted: `${before}${value.slice(0, facetQuery.length)}${after}${value.slice(facetQuery.length)}`,
    })),
    // Where documents have several values, others may be more frequent.
    exhaustiveFacetsCount: values.length < 100,
    processingTimeMS: answer.processing_time_ms,
  };
}
