// Which host a request goes to, and when it is sent again.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createRowan, replicaHosts, RowanError, type Rowan } from "../src/index.js";

type Answer = () => Response | Promise<Response>;

const well: Answer = () => Response.json([]);
const unconnected: Answer = () => Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }));
const broken: Answer = () => Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }));
const brokenAnswer: Answer = () => new Response(new ReadableStream({ pull: (c) => c.error(new TypeError("terminated")) }));
const status =
  (code: number, body?: object, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(JSON.stringify(body), { status: code, headers: { "Content-Type": body ? "application/problem+json" : "text/html", ...headers } });

/** A client of three hosts, and the names of those that it has asked. The answers are given one after the other, the last for ever. */
function rowan(answers: Answer[], options: { maxWait?: number; attempts?: number } = {}): { api: Rowan; asked: string[] } {
  const asked: string[] = [];
  const api = createRowan({
    hosts: ["http://a", "http://b", "http://c/under/"],
    application: "demo",
    key: "secret",
    ...options,
    fetch: async (request) => {
      asked.push(new URL(request.url).hostname);
      assert.equal(request.headers.get("X-Service-Application"), "demo");
      assert.equal(request.headers.get("X-Service-API-Key"), "secret");
      if (request.method !== "GET" && request.method !== "DELETE") assert.notEqual(await request.text(), "", "the body was not sent");
      return answers[Math.min(asked.length, answers.length) - 1]!();
    },
  });
  return { api, asked };
}

test("replica hosts", () => {
  assert.deepEqual(replicaHosts("http://demo.localhost:8080", "demo"), [
    "http://demo-a.localhost:8080/",
    "http://demo-b.localhost:8080/",
    "http://demo-c.localhost:8080/",
    "http://demo.localhost:8080",
  ]);
  for (const url of ["http://127.0.0.1:8080", "http://search.example", "http://demo-a.search.example", "http://[::1]"]) {
    assert.deepEqual(replicaHosts(url, "demo"), [url]);
  }
});

test("hosts take turns", async () => {
  const { api, asked } = rowan([well]);
  for (let i = 0; i < 6; i++) await api.GET("/v1/index");
  assert.deepEqual(asked.sort(), ["a", "a", "b", "b", "c", "c"]);
});

test("a browser whose requests do not show their body, such as Firefox", async (t) => {
  const body = Object.getOwnPropertyDescriptor(Request.prototype, "body")!;
  t.after(() => Object.defineProperty(Request.prototype, "body", body));
  Object.defineProperty(Request.prototype, "body", { ...body, get: () => undefined });
  const { api, asked } = rowan([well]);
  await api.GET("/v1/index");
  await api.PUT("/v1/settings", { body: { per_page: 1 } });
  assert.equal(asked.length, 2);
});

const i = { params: { path: { index: "i" } } };
const one = { params: { path: { index: "i", id: "1" } } };
const operations: Record<string, [repeatable: boolean, call: (api: Rowan) => Promise<unknown>]> = {
  read: [true, (api) => api.GET("/v1/index")],
  search: [true, (api) => api.POST("/v1/search/{search}", { params: { path: { search: "s" } }, body: {} })],
  "read batch": [true, (api) => api.POST("/v1/index/{index}/batch", { ...i, body: [{ _id: "1" }] })],
  upsert: [true, (api) => api.POST("/v1/index/{index}/document/{id}", { ...one, body: {} })],
  put: [true, (api) => api.PUT("/v1/index/{index}/document/{id}", { ...one, body: {} })],
  delete: [true, (api) => api.DELETE("/v1/index/{index}/document/{id}", one)],
  "batch of upserts": [true, (api) => api.PUT("/v1/index/{index}/batch", { ...i, body: [{ action: "upsert", _id: "1", body: {} }] })],
  "batch with a creation": [false, (api) => api.PUT("/v1/index/{index}/batch", { ...i, body: [{ action: "create", body: {} }] })],
  "create document": [false, (api) => api.POST("/v1/index/{index}/document", { ...i, body: {} })],
  patch: [false, (api) => api.PATCH("/v1/index/{index}/document/{id}", { ...one, body: {} })],
  "put as patch": [false, (api) => api.PUT("/v1/index/{index}/document/{id}", { params: { ...one.params, query: { action: "patch" } }, body: {} })],
  "put of a merge patch": [false, (api) => api.PUT("/v1/index/{index}/document/{id}", { ...one, body: {}, headers: { "Content-Type": "application/merge-patch+json" } })],
  "create key": [false, (api) => api.POST("/v1/keys", { body: { type: "search" } })],
};
/** Whether requests that are not repeatable are sent again, and those that are. */
const failures: Record<string, [answer: Answer, others: boolean, repeatable: boolean]> = {
  "no connection": [unconnected, true, true],
  "broken connection": [broken, false, true],
  "broken answer": [brokenAnswer, false, true],
  "502": [status(502), false, true],
  "504 of a proxy": [status(504), false, true],
  "504 of a search": [status(504, { code: "search_timeout" }), false, false],
  "503": [status(503, { code: "unavailable" }), false, true],
  "503, nothing applied": [status(503, { code: "unavailable" }, { "Retry-After": "1" }), true, true],
  "429": [status(429, { code: "too_many_requests" }, { "Retry-After": "1" }), true, true],
  "422": [status(422, { code: "invalid_request" }), false, false],
  "500": [status(500, { code: "internal" }), false, false],
};

for (const [failure, [answer, others, repeatables]] of Object.entries(failures)) {
  for (const [operation, [repeatable, call]] of Object.entries(operations)) {
    test(`${failure}: ${operation}`, async () => {
      const { api, asked } = rowan([answer, well]);
      if (repeatable ? repeatables : others) {
        await call(api);
        assert.equal(asked.length, 2);
        assert.notEqual(asked[0], asked[1]);
      } else {
        await assert.rejects(call(api));
        assert.equal(asked.length, 1);
      }
    });
  }
}

test("attempts end", async () => {
  const limited = rowan([unconnected], { attempts: 2 });
  await assert.rejects(limited.api.GET("/v1/index"), TypeError);
  assert.equal(limited.asked.length, 2);
  const patient = rowan([status(503, { code: "unavailable", detail: "busy" }, { "Retry-After": "31" })]);
  await assert.rejects(patient.api.GET("/v1/index"), (error) => error instanceof RowanError && error.retryAfter === 31_000 && error.message === "busy");
  assert.equal(patient.asked.length, 3);
});

test("first attempts are at once, unless a host has asked for a pause", async (t) => {
  const failing = (answer: Answer) => rowan([...Array<Answer>(6).fill(answer), well], { attempts: 3 });
  const busy = failing(status(503, { code: "unavailable" }, { "Retry-After": "1" }));
  const away = failing(broken);
  for (const { api } of [busy, away, busy, away]) await assert.rejects(api.GET("/v1/index"));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await away.api.GET("/v1/index");
  const waiting = busy.api.GET("/v1/index");
  await new Promise(setImmediate);
  assert.equal(busy.asked.length, 6);
  t.mock.timers.tick(1_000);
  await waiting;
});

test("a request ends with its signal", async () => {
  const { api } = rowan([status(503, { code: "unavailable" }, { "Retry-After": "20" })]);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(api.GET("/v1/index", { signal: abort.signal }), { name: "AbortError" });
});

test("a request ends with its signal also while an error arrives", async () => {
  const abort = new AbortController();
  const { api } = rowan([
    () => {
      const body = new ReadableStream({ start: (c) => abort.signal.addEventListener("abort", () => c.error(abort.signal.reason)) });
      setTimeout(() => abort.abort(), 50);
      return new Response(body, { status: 503, headers: { "Content-Type": "application/problem+json" } });
    },
  ]);
  await assert.rejects(api.GET("/v1/index", { signal: abort.signal }), { name: "AbortError" });
});
