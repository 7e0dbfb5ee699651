// Persistent caches in pages whose storage is full, fails or is forbidden: reading goes on without it.
import type { Page } from "@playwright/test";
import type * as Library from "zarr-wasm";
import type * as CacheEntry from "zarr-wasm/cache";
import { isWhole } from "../node/support/amounts.js";
import { expect, test } from "./site.js";

test.beforeEach(async ({ page, site }) => {
  await page.goto(`${site}/pages/blank.html`);
});

/** The level of a pyramid that is read: of 64 chunks, in samples of 16. */
const level = isWhole ? 0 : 1;

/** Reads an array with a persistent cache. Returns the sum of its elements and the size of the cache. */
const visit = (page: Page) =>
  page.evaluate(async (path) => {
    const [entry, cacheEntry] = ["/lib/index.js", "/lib/cache.js"];
    const { getBytes, HttpStore, open } = (await import(entry)) as typeof Library;
    const { PersistentCache } = (await import(cacheEntry)) as typeof CacheEntry;
    const persistentCache = new PersistentCache({ name: "failures" });
    const store = new HttpStore(new URL(path, location.href), { persistentCache });
    // Requests for documents of other versions would be aborted in some visits, and then not stored.
    const { bytes } = await getBytes(await open(store, { kind: "array", version: 3 }));
    await persistentCache.flush();
    const sum = bytes.reduce((total, value) => total + value, 0);
    return { sum, size: await persistentCache.size().catch(() => -1) };
  }, `/stores/pyramid/${level}`);

/** Number of stored responses. Their size differs between visits by a few bytes: they contain random numbers. */
const countEntries = (page: Page) =>
  page.evaluate(async () => (await (await caches.open("zarr-wasm/failures")).keys()).length);

test("a quota that is exhausted ends neither reads nor later writes", async ({ page, site }) => {
  const session = await page.context().newCDPSession(page);
  const quota = (quotaSize?: number) =>
    session.send("Storage.overrideQuotaForOrigin", {
      origin: site,
      ...(quotaSize !== undefined && { quotaSize }),
    });
  const { sum, size } = await visit(page);
  const entries = await countEntries(page);
  expect(entries).toBeGreaterThan(isWhole ? 60 : 15);
  await page.evaluate(() => caches.delete("zarr-wasm/failures"));

  for (const [share, times] of [
    [0.5, 2],
    [0, 2],
  ] as const) {
    await quota(Math.ceil(size * share) + 1);
    for (let i = 0; i < times; i++) {
      await page.reload();
      const full = await visit(page);
      expect(full.sum).toBe(sum);
      expect(full.size).toBeLessThan(size);
      expect(await countEntries(page)).toBeLessThan(entries);
    }
  }
  await quota();
  await page.reload();
  expect((await visit(page)).sum).toBe(sum);
  expect(await countEntries(page)).toBe(entries);
});

test("a storage that fails at any call costs nothing but the cache", async ({ page }) => {
  const { sum } = await visit(page);
  for (const method of ["open", "match", "put", "keys", "delete"]) {
    await page.reload();
    await page.evaluate((name) => {
      const owner = (name === "open" ? CacheStorage : Cache).prototype as unknown as Record<string, unknown>;
      owner[name] = async () => {
        throw new DOMException("no room", "QuotaExceededError");
      };
    }, method);
    expect((await visit(page)).sum, method).toBe(sum);
  }
});

test("pages that may not use storage read without it", async ({ page }) => {
  const { sum } = await visit(page);
  await page.reload();
  await page.evaluate(() => {
    Object.defineProperty(globalThis, "caches", {
      get: () => {
        throw new DOMException("The request was denied.", "SecurityError");
      },
    });
  });
  expect(await visit(page)).toEqual({ sum, size: 0 });
});

test("the viewer shows data whose storage is full", async ({ page, site, viewer }) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.overrideQuotaForOrigin", { origin: site, quotaSize: 1 });
  const query = "source=/stores/pyramid&colors=gray&range=0:256&at=512,512,0.5";
  for (let round = 0; round < 2; round++) {
    await viewer.show(query);
    await page.reload();
    await viewer.reaches("ready");
  }
  await page.waitForTimeout(300); // until the writes have failed
});
