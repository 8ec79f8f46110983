/** What stands before and after a matched word. */
export interface Tags {
  before: string;
  after: string;
}

/** A text of a hit as InstantSearch shows it, with tags around the matched words. It is not escaped: the widgets do that. */
export interface Marked {
  value: string;
  matchLevel: "none" | "full";
  matchedWords: string[];
}

type Tree = Marked | Tree[] | { [name: string]: Tree };

/** Texts up to this length are highlighted whole, longer ones in fragments. */
const wholeText = 200;

/** Returns all strings of a document with the tags of its highlights: whole, and with fragments in place of long texts. */
export function marked(document: object, highlights: Readonly<Record<string, readonly string[]>>, tags: Tags): { whole: Tree; snippets: Tree } {
  const fragments = new Map(Object.entries(highlights).map(([path, htmls]) => [path, htmls.map((html) => fragment(html, tags))]));
  return {
    whole: tree(document, "", [], fragments, (text, found) => found.reduce((whole, { plain, tagged }) => whole.replace(plain, () => tagged), text)),
    snippets: tree(document, "", [], fragments, (text, found) =>
      found.length > 0 ? found.map(({ tagged }) => tagged).join(" … ") : text.length > wholeText ? `${text.slice(0, wholeText)}…` : text,
    ),
  };
}

/** A part of a text, as it is and with tags. */
interface Fragment {
  plain: string;
  tagged: string;
  words: string[];
}

/** Reads a highlight: HTML whose only element is b. The ellipses of a fragment are not part of the text. */
function fragment(html: string, tags: Tags): Fragment {
  const part = html.replace(/^…|…$/g, "");
  const unescaped = (text: string): string =>
    text.replace(/&(lt|gt|amp|#34|#39);/g, (_, name: string) => ({ lt: "<", gt: ">", amp: "&", "#34": '"', "#39": "'" })[name] ?? "");
  return {
    plain: unescaped(part.replace(/<\/?b>/g, "")),
    tagged: unescaped(part.replaceAll("<b>", "\0").replaceAll("</b>", "\x01")).replaceAll("\0", tags.before).replaceAll("\x01", tags.after),
    words: [...part.matchAll(/<b>(.*?)<\/b>/g)].map(([, word = ""]) => unescaped(word)),
  };
}

/** Maps the strings in a value. A highlight is under the path of its field, or, without a mapping, of the property around it. */
function tree(
  value: unknown, path: string, around: readonly Fragment[], fragments: ReadonlyMap<string, readonly Fragment[]>,
  show: (text: string, found: readonly Fragment[]) => string,
): Tree {
  const near = fragments.get(path) ?? around;
  if (Array.isArray(value)) return value.map((element) => tree(element, path, near, fragments, show));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, tree(member, path === "" ? name : `${path}.${name}`, near, fragments, show)]),
    );
  }
  const text = String(value ?? "");
  const found = near.filter(({ plain }) => (text.length > wholeText ? text.includes(plain) : text === plain));
  return { value: show(text, found), matchLevel: found.length > 0 ? "full" : "none", matchedWords: found.flatMap(({ words }) => words) };
}
