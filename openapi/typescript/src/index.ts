/**
 * TypeScript client of Rowan. Paths, requests and answers are typed by the OpenAPI document (schema.ts is
 * generated from it); requests are signed, go to the replica hosts in turn, and are sent again where that is safe.
 *
 *     const rowan = createRowan({ url: "https://shop.search.example", application: "shop", key });
 *     const { data } = await rowan.POST("/v1/search/{search}", {
 *       params: { path: { search: "products" } }, body: { query: "espresso" },
 *     });
 *
 * Every answer that is not a success is thrown as a RowanError.
 */
import createClient, { type Client } from "openapi-fetch";

import { Hosts, type HostsOptions } from "./hosts.js";
import type { components, paths } from "./schema.js";

export { replicaHosts } from "./hosts.js";
export { instantSearchClient, type InstantSearchClient } from "./instantsearch.js";
export { RowanError } from "./problem.js";
export type { components, operations, paths } from "./schema.js";

/** Types of requests and answers by their names in the OpenAPI document. */
export type Schemas = components["schemas"];

export type Rowan = Client<paths, "application/json">;

export interface RowanOptions extends HostsOptions {
  /** Application that signs every request. */
  application: string;
  /** Its API key. A page that everybody may read gets a search key, never an admin key. */
  key: string;
}

/** Makes a client; it connects to nothing yet. */
export function createRowan(options: RowanOptions): Rowan {
  const hosts = new Hosts(options);
  return createClient<paths, "application/json">({
    baseUrl: "http://rowan",
    headers: {
      Accept: "application/json",
      "X-Service-Application": options.application,
      "X-Service-API-Key": options.key,
    },
    fetch: (request) => hosts.fetch(request),
  });
}
