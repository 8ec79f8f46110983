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
import createClient, {} from "openapi-fetch";
import { Hosts } from "./hosts.js";
export { replicaHosts } from "./hosts.js";
export { RowanError } from "./problem.js";
/** Makes a client; it connects to nothing yet. */
export function createRowan(options) {
    const hosts = new Hosts(options);
    return createClient({
        baseUrl: "http://rowan",
        headers: {
            Accept: "application/json",
            "X-Service-Application": options.application,
            "X-Service-API-Key": options.key,
        },
        fetch: (request) => hosts.fetch(request),
    });
}
