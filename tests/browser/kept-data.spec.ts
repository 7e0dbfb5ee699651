// Persistent caches in pages: later visits, without a connection, in two tabs, across origins; the viewer's switch.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { BrowserContext, Page } from "@playwright/test";
import type * as Library from "zarr-wasm";
import type * as CacheEntry from "zarr-wasm/cache";
import { CacheServer } from "../node/support/cache-server.js";
import { distFolder } from "../shared/places.js";
import { expect, test } from "./site.js";
import { settles } from "./viewer-page.js";

const side = 200;
const document = {
  zarr_format: 3,
  node_type: "array",
  shape: [3 * side, side],
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [side, side] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [{ name: "bytes" }],
};

/** Serves an array, the library and an empty page. */
async function startServer(): Promise<CacheServer> {
  const server = await new CacheServer().start();
  server.set("/", Buffer.from("<!doctype html><title>x</title>"));
  server.set("/a/zarr.json", Buffer.from(JSON.stringify(document)), '"a"');
  for (let i = 0; i < 3; i++) server.set(`/a/c/${i}/0`, new Uint8Array(side * side).fill(i + 1), `"c${i}"`);
  for (const folder of ["bundle", "wasm"])
    for (const name of readdirSync(path.join(distFolder, folder)).filter((file) =>
      /\.(?:js|mjs|wasm)$/.test(file),
    ))
      server.set(`/${folder}/${name}`, readFileSync(path.join(distFolder, folder, name)));
  server.headers = headersOf({ "cache-control": "max-age=600" });
  return server;
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript",
  mjs: "text/javascript",
  wasm: "application/wasm",
};
const headersOf = (ofData: Record<string, string>) => (at: string) => {
  if (at.startsWith("/a/")) return { "content-type": "application/octet-stream", ...ofData };
  return { "content-type": types[at.split(".").at(-1)!] ?? "text/html" };
};

let server: CacheServer;
test.beforeEach(async () => {
  server = await startServer();
});
test.afterEach(async () => {
  await server.stop();
});

/** Reads the array in a page; returns the sum of its elements. */
const readIn = (page: Page, url = "/a", maxBytes = 2 ** 24, isOffline = false) =>
  page.evaluate(
    async ([at, bytes, offline]) => {
      const [entry, cacheEntry] = ["/bundle/index.js", "/bundle/cache.js"];
      const { getBytes, HttpStore, open } = (await import(entry)) as typeof Library;
      const { PersistentCache } = (await import(cacheEntry)) as typeof CacheEntry;
      const persistentCache = new PersistentCache({ name: "test", maxBytes: bytes as number });
      persistentCache.offline = offline as boolean;
      const store = new HttpStore(new URL(at as string, location.href), { persistentCache, retries: 1 });
      const array = await open(store, { kind: "array", version: 3 });
      const { bytes: elements } = await getBytes(array);
      await persistentCache.flush();
      return elements.reduce((sum, value) => sum + value, 0);
    },
    [url, maxBytes, isOffline] as const,
  );

const sum = side * side * 6;
const dataLog = (from = server) => from.log().filter((line) => line.startsWith("/a/"));

async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.url}/`);
  return page;
}

test("a second visit confirms the metadata and requests no chunk", async ({ context }) => {
  expect(await readIn(await newPage(context))).toBe(sum);
  expect(dataLog()).toHaveLength(4);
  expect(await readIn(await newPage(context))).toBe(sum);
  expect(dataLog()).toEqual(["/a/zarr.json 304"]);
  // Without a lifetime, chunks are confirmed, too; no bodies are sent.
  server.headers = headersOf({ "cache-control": "max-age=0" });
  server.set("/a/zarr.json", Buffer.from(JSON.stringify({ ...document, attributes: { changed: 1 } })), '"b"');
  expect(await readIn(await newPage(context))).toBe(sum);
  expect(dataLog().sort()).toEqual(["/a/c/0/0 304", "/a/c/1/0 304", "/a/c/2/0 304", "/a/zarr.json 200"]);
});

test("visited data can be read without a connection", async ({ context }) => {
  server.headers = headersOf({});
  expect(await readIn(await newPage(context))).toBe(sum);
  const page = await newPage(context);
  await readIn(page);
  await context.setOffline(true);
  dataLog();
  expect(await readIn(page, "/a", 2 ** 24, true)).toBe(sum);
  expect(dataLog()).toEqual([]);
  await context.setOffline(false);
});

test("a browser that is offline reads stored data of servers on other machines", async ({
  context,
  problems,
}) => {
  problems.expect(/ERR_INTERNET_DISCONNECTED/);
  const cors = { "access-control-allow-origin": "*", "access-control-expose-headers": "ETag" };
  server.headers = headersOf(cors);
  // A name that does not belong to this machine.
  await context.route("http://data.example/**", async (route) => {
    const response = await route.fetch({
      url: route.request().url().replace("http://data.example", server.url),
    });
    await route.fulfill({ response });
  });
  const page = await newPage(context);
  expect(await readIn(page, "http://data.example/a")).toBe(sum);
  await page.evaluate(() => Object.defineProperty(navigator, "onLine", { get: () => false }));
  dataLog();
  expect(await readIn(page, "http://data.example/a")).toBe(sum);
  expect(dataLog()).toEqual([]);
});

test("documents that the browser's own cache calls fresh are confirmed, too", async ({ context }) => {
  server.headers = headersOf({ "cache-control": "max-age=3600" });
  expect(await readIn(await newPage(context))).toBe(sum);
  const page = await newPage(context);
  await page.evaluate(() => caches.delete("zarr-wasm/test"));
  dataLog();
  expect(await readIn(page)).toBe(sum);
  expect(dataLog()).toContain("/a/zarr.json 304");
});

test("two tabs share a cache that is too small for both", async ({ context }) => {
  const pages = await Promise.all([newPage(context), newPage(context)]);
  for (let round = 0; round < 3; round++)
    expect(await Promise.all(pages.map((page) => readIn(page, "/a", 110_000)))).toEqual([sum, sum]);
  const size = await pages[0]!.evaluate(async () => {
    const entry = "/bundle/cache.js";
    const { PersistentCache } = (await import(entry)) as typeof CacheEntry;
    return new PersistentCache({ name: "test" }).size();
  });
  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThanOrEqual(110_000);
});

test("a damaged entry is read again", async ({ context }) => {
  server.headers = headersOf({ "cache-control": "max-age=0" }); // else the browser's own cache answers
  await readIn(await newPage(context));
  const page = await newPage(context);
  await page.evaluate(async () => {
    const cache = await caches.open("zarr-wasm/test");
    for (const request of await cache.keys()) {
      const bytes = new Uint8Array(await (await cache.match(request))!.arrayBuffer());
      bytes[bytes.length - 1]! ^= 1;
      await cache.put(request, new Response(bytes));
    }
  });
  server.log();
  expect(await readIn(page)).toBe(sum);
  expect(dataLog()).not.toEqual([]);
});

test("chunks of other origins are confirmed without preflight requests", async ({ context }) => {
  const other = await startServer();
  const cors = { "access-control-allow-origin": "*", "access-control-expose-headers": "ETag" };
  other.headers = headersOf({ "cache-control": "max-age=600", ...cors });
  const address = `${other.url}/a`;
  expect(await readIn(await newPage(context), address)).toBe(sum);
  dataLog(other);
  expect(await readIn(await newPage(context), address)).toBe(sum);
  expect(dataLog(other)).toEqual(["/a/zarr.json 304"]);
  // The browser's own cache calls the old chunks fresh, too.
  other.set("/a/zarr.json", Buffer.from(JSON.stringify({ ...document, attributes: { changed: 1 } })), '"b"');
  for (let i = 0; i < 3; i++) other.set(`/a/c/${i}/0`, new Uint8Array(side * side).fill(i + 2), `"d${i}"`);
  expect(await readIn(await newPage(context), address)).toBe(side * side * 9);
  expect(other.log().filter((line) => line.includes("OPTIONS"))).toEqual([]);
  await other.stop();
});

/** Addresses of the responses that the viewer has stored. */
const keptIn = (page: Page) =>
  page.evaluate(async () => {
    if (!(await caches.has("zarr-wasm/zarr-viewer"))) return [];
    const keys = await (await caches.open("zarr-wasm/zarr-viewer")).keys();
    return keys.map(({ url }) => decodeURIComponent(url));
  });

/** Waits until chunks are stored, and nothing more is. */
async function isKept(page: Page): Promise<void> {
  await expect.poll(async () => (await keptIn(page)).some((url) => url.includes("/c/"))).toBe(true);
  let last = -1;
  await expect
    .poll(async () => {
      const before = last;
      last = (await keptIn(page)).length;
      return last === before;
    })
    .toBe(true);
}

test("the viewer keeps data for later visits unless that is switched off", async ({ viewer, page }) => {
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/stores/pyramid/") && response.url().includes("/c/"))
      statuses.push(response.status());
  });
  const query = "source=/stores/pyramid&colors=gray&range=0:256&at=512,512,0.5";
  const kept = async () => (await keptIn(page)).length;
  await viewer.show(query);
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await isKept(page);
  statuses.length = 0;
  await viewer.show(`${query}#again`);
  await page.reload();
  await viewer.reaches("ready");
  expect(statuses.filter((status) => status === 304).length).toBeGreaterThan(0);

  const choice = page.getByRole("region", { name: "Memory" }).getByLabel("Keep data for later visits");
  await expect(choice).toBeChecked();
  await choice.uncheck();
  await expect.poll(kept).toBe(0);
  statuses.length = 0;
  await page.reload();
  await viewer.reaches("ready");
  await expect(choice).not.toBeChecked();
  expect(statuses).not.toContain(304);
  expect(await kept()).toBe(0);
  await choice.check();
});

test("the viewer shows kept data offline if that is chosen, and nothing else", async ({ viewer, page }) => {
  const query = "source=/stores/pyramid&colors=gray&range=0:256&at=512,512,0.5";
  // The site's server forbids to use responses offline.
  await page.route(/\/stores\/pyramid\//, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "cache-control": "max-age=0" } });
  });
  await viewer.show(query);
  await settles(page);
  const before = await viewer.canvas();
  await isKept(page);
  const panel = page.getByRole("region", { name: "Memory" });
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/stores/pyramid/")) requests.push(request.url());
  });
  await panel.getByLabel("Work offline, with kept data only").check();
  await viewer.reaches("ready");
  await page.reload();
  await viewer.reaches("ready");
  await expect.poll(async () => (await viewer.canvas()).data.equals(before.data)).toBe(true);
  expect(requests).toEqual([]);
  await page
    .getByRole("region", { name: "Memory" })
    .getByLabel("Work offline, with kept data only")
    .uncheck();
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  await viewer.reaches("ready");
});

test("entries are looked up only if the listed storage has them", async ({ context }) => {
  const page = await newPage(context);
  const looked = await page.evaluate(async () => {
    const lookups: string[] = [];
    const { match } = Cache.prototype;
    Cache.prototype.match = function (request, options) {
      lookups.push(
        decodeURIComponent(String(request))
          .replace(/.*\/a\//, "")
          .replace(/".*/, ""),
      );
      return match.call(this, request, options);
    };
    const [entry, cacheEntry] = ["/bundle/index.js", "/bundle/cache.js"];
    const { HttpStore, open } = (await import(entry)) as typeof Library;
    const { PersistentCache } = (await import(cacheEntry)) as typeof CacheEntry;
    const persistentCache = new PersistentCache({ name: "listed" });
    const visit = async (count: number) => {
      lookups.length = 0;
      const store = new HttpStore(new URL("/a", location.href), { persistentCache });
      const array = await open(store, { kind: "array", version: 3 });
      const values: number[] = [];
      await persistentCache.flush(); // the storage has been listed
      for (let i = 0; i < count; i++) values.push(Number((await array.getChunk<Uint8Array>([i, 0])).data[0]));
      await persistentCache.flush();
      return [values, lookups.filter((name) => name.startsWith("c/"))];
    };
    return [await visit(2), await visit(3)];
  });
  expect(looked).toEqual([
    [[1, 2], []],
    [
      [1, 2, 3],
      ["c/0/0", "c/1/0"],
    ],
  ]);
});
