// Languages: which one is chosen, numbers, and that every text is in the files of languages.
import type { Page } from "@playwright/test";
import { buildSync } from "esbuild";
import { colormapNames } from "../../web/viewer/base/colormaps.js";
import { root } from "../shared/places.js";
import { expect, test } from "./site.js";
import { elementIsReady, openElements } from "./viewer-page.js";

/** A language whose texts are the English ones in brackets. */
const marked = buildSync({
  stdin: {
    contents: `
      import { english } from "./en.ts";
      const mark = (text) =>
        typeof text === "string" ? "⟦" + text + "⟧"
        : typeof text === "function" ? (...values) => mark(text(...values))
        : Array.isArray(text) ? text.map(mark)
        : Object.fromEntries(Object.entries(text).map(([key, value]) => [key, mark(value)]));
      export default mark(english);`,
    resolveDir: `${root}web/viewer/language`,
  },
  bundle: true,
  format: "esm",
  write: false,
}).outputFiles[0]!.text;

const showMarked = (page: Page) =>
  page.route(/\/viewer\/de-\w+\.js$/, (route) =>
    route.fulfill({ body: marked, contentType: "text/javascript" }),
  );

/** Visible texts of the page, with those of attributes. */
const visibleTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts = new Set([document.title]);
    const visit = (root: Document | ShadowRoot) => {
      for (const element of root.querySelectorAll<HTMLElement>("body, body *, :host > *, :host > * *")) {
        if (element.shadowRoot) visit(element.shadowRoot);
        if (element.closest("script, style, noscript") || !element.checkVisibility()) continue;
        for (const name of ["aria-label", "title", "placeholder", "aria-valuetext", "aria-description"])
          texts.add(element.getAttribute(name) ?? "");
        for (const node of element.childNodes)
          if (node instanceof Text) texts.add(node.data.replace(/\s+/g, " ").trim());
      }
    };
    visit(document);
    return [...texts];
  });

/** Words that are the same in all languages: names of formats, types and keys; units. */
const international = new Set(
  `${colormapNames.join(" ")} zarr wasm viewer ome ngff http https url json csv svg png geojson python javascript
   bool int uint float complex datetime timedelta bytes blosc zstd gzip lz4 crc32c sharding indexed endian little big
   ki kib mib gib byte px nm um mm cm km dpi rgb nan nat utc`
    .split(/\s+/)
    .map((word) => word.toLowerCase()),
);

/** Parts of a text outside of brackets. */
function unmarked(text: string): string {
  let [depth, rest] = [0, ""];
  for (const character of text) {
    if (character === "⟦") depth++;
    else if (character === "⟧") depth--;
    else if (depth === 0) rest += character;
  }
  return rest;
}

/** Words of texts that come neither from a language file nor from the data. */
async function foreignTexts(page: Page, data: ReadonlySet<string>): Promise<string[]> {
  const isKnown = (word: string) => international.has(word) || data.has(word);
  return (await visibleTexts(page)).filter((text) =>
    (
      unmarked(text)
        .toLowerCase()
        .match(/\p{L}{2,}/gu) ?? []
    ).some((word) => !isKnown(word)),
  );
}

/** The words of all documents that a page reads, and of their addresses. */
function recordWords(page: Page): Set<string> {
  const words = new Set<string>();
  const add = (text: string) => {
    for (const word of text.toLowerCase().match(/\p{L}{2,}/gu) ?? []) words.add(word);
  };
  page.on("response", async (response) => {
    const { pathname } = new URL(response.url());
    if (/^\/(?:stores|groups|layers|samples|listed|examples)\//.test(pathname)) {
      add(decodeURIComponent(pathname));
      if (response.ok() && /json$|\.z\w+$/.test(pathname)) add(await response.text().catch(() => ""));
    }
  });
  return words;
}

const views = {
  image: "source=/stores/slices&select=4,:,:",
  map: "source=/stores/weather&path=t2m&select=2,:,:",
  line: "source=/stores/line",
  tree: "source=/stores/group",
};

for (const [name, query] of Object.entries(views))
  test(`every text of ${name} is in the language file`, async ({ viewer, page, problems }) => {
    problems.expect(/404/);
    await showMarked(page);
    const data = recordWords(page);
    await viewer.show(`${query}&lang=de`);
    await page.waitForLoadState("networkidle");
    expect(await foreignTexts(page, data)).toEqual([]);
  });
