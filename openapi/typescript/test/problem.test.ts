// What the message of an error says.
import assert from "node:assert/strict";
import { test } from "node:test";

import { RowanError } from "../src/index.js";

const places = (n: number) => Array.from({ length: n }, (_, i) => ({ location: `body[${i}]._id`, message: "required" }));
const messages: Record<string, [body: object, want: string]> = {
  "faults that the detail does not name": [
    { detail: "These facets cannot be counted.", errors: [{ location: "body.facets", message: "is no property of the documents", value: "_x" }] },
    "These facets cannot be counted; body.facets: is no property of the documents",
  ],
  "a fault that the detail names": [
    { detail: "The filter cannot be used: column 8: expected a value.", errors: [{ location: "body.filter", message: "column 8: expected a value" }] },
    "The filter cannot be used: column 8: expected a value.",
  ],
  "faults of which the detail names one": [
    { detail: "body[0]._id: required (and 1 more)", errors: places(2) },
    "body[0]._id: required (and 1 more); body[1]._id: required",
  ],
  "many faults": [
    { detail: "It does not fit.", errors: places(7) },
    "It does not fit; body[0]._id: required; body[1]._id: required; body[2]._id: required; body[3]._id: required; body[4]._id: required; and 2 more",
  ],
  "no fault": [{ detail: "There is no index.", errors: [] }, "There is no index."],
  "no detail": [{ title: "No such index" }, "No such index"],
  nothing: [{}, "the server answered 422 Unprocessable Entity"],
};

for (const [name, [body, want]] of Object.entries(messages)) {
  test(name, async () => {
    const init = { status: 422, statusText: "Unprocessable Entity", headers: { "Content-Type": "application/problem+json" } };
    const error = await RowanError.of(new Response(JSON.stringify(body), init));
    assert.equal(error.message, want);
  });
}

test("an answer of something else", async () => {
  const error = await RowanError.of(new Response("<h1>Not found</h1>", { status: 404, statusText: "Not Found", headers: { "Content-Type": "text/html" } }));
  assert.equal(error.message, "the server answered 404 Not Found");
});
