// Every word in the page is either in the files of languages or in the data: with a language whose entries are the English
// ones in brackets, all others are known from the data.
import type { Page } from "@playwright/test";
import { buildSync } from "esbuild";
import { colormapNames } from "../../web/viewer/base/colormaps.js";
import { publicData } from "../../web/viewer/source/public-data.js";
import { root } from "../shared/places.js";
import { expect, test } from "./site.js";

/** A file of a language: English in brackets. */
const marked = buildSync({
  stdin: {
    contents: `
      import { english } from "./en.ts";
      const mark = (text) =>
        typeof text === "string" ? (text === "" ? text : "⟦" + text + "⟧")
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

const showMarked = (page: Page): Promise<unknown> =>
  page.route(/\/viewer\/de-\w+\.js$/, (route) =>
    route.fulfill({ body: marked, contentType: "text/javascript" }),
  );

/** What the page and its attributes say, without messages of the library, which are English. */
const visibleTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts = new Set([document.title]);
    const names = [
      "aria-label",
      "title",
      "placeholder",
      "aria-valuetext",
      "aria-description",
      "aria-roledescription",
    ];
    const visit = (root: Document | ShadowRoot) => {
      for (const element of root.querySelectorAll<HTMLElement>("*")) {
        if (element.shadowRoot) visit(element.shadowRoot);
        if (
          element.closest("head, script, style, noscript, h3 + .zw-error-message") ||
          !element.checkVisibility()
        )
          continue;
        for (const name of names) texts.add(element.getAttribute(name) ?? "");
        for (const node of element.childNodes)
          if (node instanceof Text) texts.add(node.data.replace(/\s+/g, " ").trim());
      }
    };
    visit(document);
    return [...texts];
  });

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{2,}/gu) ?? [];

/** Words that are the same in all languages: names of formats, types, keys and owners of data; units. */
const international = new Set(
  wordsOf(
    `${colormapNames.join(" ")} ${JSON.stringify(publicData)}
     zarr wasm viewer ome ngff http https url json csv svg png webm mp geojson python javascript
     bool int uint float complex datetime timedelta bytes blosc zstd gzip lz crc32c sharding indexed endian little big
     ki kib mib gib byte px nm um mm cm km µm dpi rgb nan nat utc example org bucket key tif
     notfound invalidmetadata umap pca obs var obsm`,
  ),
);

/** The parts outside of brackets. */
function unmarked(text: string): string {
  let [depth, rest] = [0, ""];
  for (const character of text) {
    if (character === "⟦") depth++;
    else if (character === "⟧") depth--;
    else if (depth === 0) rest += character;
  }
  return rest;
}

/** What has words that come neither from the file of the language nor from the data. */
async function foreignTexts(page: Page, data: ReadonlySet<string>): Promise<string[]> {
  const isForeign = (word: string) => !international.has(word) && !data.has(word);
  return (await visibleTexts(page)).filter((text) => wordsOf(unmarked(text)).some(isForeign));
}

/** The words of all documents and strings that a page reads, and of their addresses. */
function recordWords(page: Page): Set<string> {
  const words = new Set<string>();
  page.on("response", async (response) => {
    const { pathname } = new URL(response.url());
    if (!/^\/(?:stores|groups|layers|samples|examples)\//.test(pathname)) return;
    for (const word of wordsOf(decodeURIComponent(pathname))) words.add(word);
    if (!response.ok()) return;
    const bytes = await response.body().catch(() => Buffer.alloc(0));
    if (bytes.length < 100_000) for (const word of wordsOf(bytes.toString("utf8"))) words.add(word);
  });
  return words;
}

const views = {
  image: "source=/stores/slices&select=4,:,:",
  composite: "source=/stores/omero",
  volume: "source=/stores/cube&view=volume",
  labels: "source=/groups/labelled.zarr",
  AnnData: "source=/groups/anndata.zarr",
  plate: "source=/groups/plate.zarr",
  table: "source=/stores/names",
  tree: "source=/stores/group&as=contents",
  map: "source=/stores/weather&path=t2m&select=2,:,:",
  line: "source=/stores/line",
};

for (const [name, query] of Object.entries(views))
  test(`${name}: every text is in the files of languages`, async ({ viewer, page, problems }) => {
    problems.expect(/404/);
    await showMarked(page);
    const data = recordWords(page);
    await viewer.show(`${query}&lang=de`);
    await page.waitForLoadState("networkidle");
    expect(await foreignTexts(page, data)).toEqual([]);
  });

test("an error: every text is in the files of languages, but the library's messages", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  await showMarked(page);
  const data = recordWords(page);
  await viewer.goto("source=/stores/nowhere&lang=de");
  await viewer.reaches("error");
  await viewer.error.getByText("Details").click();
  expect(await foreignTexts(page, data)).toEqual([]);
});

test("the start page: every text is in the files of languages", async ({ viewer, page, problems }) => {
  problems.expect(/./);
  await showMarked(page);
  await viewer.goto("lang=de");
  await expect(page.locator(".page-cards").first()).toBeVisible();
  await page.getByText("⟦Recent⟧").click();
  expect(await foreignTexts(page, new Set())).toEqual([]);
});

test("the dialog of figures: every text is in the files of languages", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await showMarked(page);
  const data = recordWords(page);
  await viewer.show("source=/stores/slices&lang=de");
  await page.getByRole("button", { name: "⟦Figure…⟧" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await foreignTexts(page, data)).toEqual([]);
});
