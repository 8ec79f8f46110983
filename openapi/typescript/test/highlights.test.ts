import assert from "node:assert/strict";
import { test } from "node:test";

import { marked } from "../src/highlights.js";

const tags = { before: "[", after: "]" };

test("texts, lists and objects have the tags of their highlights", () => {
  const document = { title: "Salt & <b>pepper</b>", cast: [{ name: "Ann Lee" }, { name: "Bo" }], year: 1999, none: null, loose: { a: ["x salt"] } };
  const { whole } = marked(document, { title: ["<b>Salt</b> &amp; &lt;b&gt;pepper&lt;/b&gt;"], "cast.name": ["Ann <b>Lee</b>"], loose: ["x <b>salt</b>"] }, tags);
  const plain = (value: string) => ({ value, matchLevel: "none", matchedWords: [] });
  assert.deepEqual(whole, {
    title: { value: "[Salt] & <b>pepper</b>", matchLevel: "full", matchedWords: ["Salt"] },
    cast: [{ name: { value: "Ann [Lee]", matchLevel: "full", matchedWords: ["Lee"] } }, { name: plain("Bo") }],
    year: plain("1999"),
    none: plain(""),
    loose: { a: [{ value: "x [salt]", matchLevel: "full", matchedWords: ["salt"] }] },
  });
});

test("a long text is shown whole, and as its fragments", () => {
  const text = `${"word ".repeat(50)}salt ${"word ".repeat(50)}`.trim();
  const { whole, snippets } = marked({ text, other: text }, { text: ["…word word <b>salt</b> word…"] }, tags);
  assert.deepEqual(whole, {
    text: { value: text.replace("salt", "[salt]"), matchLevel: "full", matchedWords: ["salt"] },
    other: { value: text, matchLevel: "none", matchedWords: [] },
  });
  assert.deepEqual(snippets, {
    text: { value: "word word [salt] word", matchLevel: "full", matchedWords: ["salt"] },
    other: { value: `${text.slice(0, 200)}…`, matchLevel: "none", matchedWords: [] },
  });
});
