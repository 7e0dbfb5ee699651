// A pool of workers in a page, without a bundler, under the strict policy.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import type * as Library from "zarr-wasm";
import { examplesFolder } from "../shared/places.js";
import { expect, test } from "./site.js";

interface Sample {
  name: string;
  store: string;
  sha256: string;
}

const samples = JSON.parse(readFileSync(path.join(examplesFolder, "samples.json"), "utf8")) as Sample[];

test.beforeEach(async ({ page, site }) => {
  await page.goto(`${site}/pages/blank.html`);
});

test("every sample decodes to its SHA-256 in workers", async ({ page, problems }) => {
  problems.expect(/404/); // deliberately missing chunks
  const loads: string[] = [];
  page.on("worker", (worker) => loads.push(new URL(worker.url()).pathname));
  const modules: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("decode.wasm")) modules.push(request.url());
  });
  const answers = await page.evaluate(
    async (stores) => {
      const entry = "/lib/index.js";
      const { getBytes, open, WorkerPool } = (await import(entry)) as typeof Library;
      const pool = new WorkerPool({ size: 2 });
      const results: string[] = [];
      for (const store of stores) {
        const { bytes } = await getBytes(await open(`/examples/${store}`, { kind: "array" }), null, { pool });
        let binary = "";
        for (let i = 0; i < bytes.length; i += 4096)
          binary += String.fromCharCode(...bytes.subarray(i, i + 4096));
        results.push(btoa(binary));
      }
      const { size } = pool;
      pool.destroy();
      return { results, size };
    },
    samples.map(({ store }) => store),
  );
  const found = answers.results.map((text) =>
    createHash("sha256").update(Buffer.from(text, "base64")).digest("hex"),
  );
  expect(found).toEqual(samples.map(({ sha256 }) => sha256));
  expect(answers.size).toBe(2);
  expect(new Set(loads)).toEqual(new Set(["/lib/workers/worker.js"]));
  expect(modules.length).toBe(1); // workers receive the compiled module
});

/**
 * Reads a sample by workers until the page has requested a number of its chunks three times in a row: before they have
 * started, the page reads. @returns whether all results equal the page's own
 */
async function readPooled(page: Page, byPage: number, options: { fetch?: boolean } = {}) {
  return page.evaluate(
    async ([wanted, pooling]) => {
      const entry = "/lib/index.js";
      const { get, open, WorkerPool } = (await import(entry)) as typeof Library;
      const pool = new WorkerPool({ size: 2, ...pooling });
      const array = await open("/examples/field.zarr", { kind: "array" });
      const plain = await get(array);
      const isChunk = ({ name }: PerformanceEntry) => /\/field\.zarr\/\d/.test(name);
      let isSame = true;
      for (let inARow = 0; inARow < 3; await new Promise((resolve) => setTimeout(resolve, 50))) {
        performance.clearResourceTimings();
        const { data } = await get(array, null, { pool });
        const count = performance.getEntriesByType("resource").filter(isChunk).length;
        inARow = count === wanted && pool.size > 0 ? inARow + 1 : 0;
        isSame &&= (data as Float32Array).every((value, i) => Object.is(value, plain.data[i]));
      }
      pool.destroy();
      return isSame;
    },
    [byPage, options] as const,
  );
}

test("workers request chunks", async ({ page }) => {
  expect(await readPooled(page, 0)).toBe(true);
  expect(await readPooled(page, 8, { fetch: false })).toBe(true);
});

test("a page that has replaced fetch makes the requests itself", async ({ page }) => {
  await page.evaluate(() => {
    globalThis.fetch = globalThis.fetch.bind(globalThis);
  });
  expect(await readPooled(page, 8)).toBe(true);
});

test("if a policy forbids requests of workers, the page makes them", async ({ page, site, problems }) => {
  problems.expect(/connect-src|Content Security Policy/);
  await page.route(`${site}/lib/workers/worker.js`, async (route) => {
    const response = await route.fetch();
    const headers = {
      ...response.headers(),
      "content-security-policy":
        "default-src 'self'; connect-src 'none'; script-src 'self' 'wasm-unsafe-eval'",
    };
    await route.fulfill({ response, headers });
  });
  expect(await readPooled(page, 8)).toBe(true);
});

test("errors of chunks and aborts are the same in workers and in the page", async ({
  page,
  site,
  problems,
}) => {
  problems.expect(/403/);
  await page.route(`${site}/examples/field.zarr/1.2`, (route) => route.fulfill({ status: 403, body: "no" }));
  const errors = await page.evaluate(async () => {
    const entry = "/lib/index.js";
    const { get, open, WorkerPool } = (await import(entry)) as typeof Library;
    const pool = new WorkerPool({ size: 2 });
    const array = await open("/examples/field.zarr", { kind: "array" });
    // Until the workers have started, the page reads.
    const isRead = () => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/0.0"));
    do {
      performance.clearResourceTimings();
      await array.getChunk([0, 0], { pool });
    } while (isRead());
    const told: unknown[] = [];
    const fail = (error: unknown) => {
      const { name, message, _tag, code, status, chunkKey } = error as Record<string, unknown>;
      told.push({ name, message, _tag, code, status, chunkKey });
    };
    await get(array, null, { concurrency: 1 }).catch(fail);
    await get(array, null, { concurrency: 1, pool }).catch(fail);
    const abort = new AbortController();
    const reading = get(array, null, { pool, signal: abort.signal }).catch(fail);
    abort.abort(new Error("enough"));
    await reading;
    pool.destroy();
    return told;
  });
  expect(errors[0]).toMatchObject({ _tag: "Network", code: "http-status", status: 403, chunkKey: "/1.2" });
  expect(errors[1]).toEqual(errors[0]);
  expect(errors[2]).toMatchObject({ message: "enough" });
});
