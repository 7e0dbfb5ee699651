// A pool of workers in a page, without a bundler, under the strict policy.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
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

test("every sample decodes to its SHA-256 by workers", async ({ page, problems }) => {
  problems.expect(/404/); // chunks that are missing on purpose
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
  expect(modules.length).toBe(1); // workers get it compiled
});

test("a worker whose script is not there leaves the work to the page", async ({ page, problems }) => {
  problems.expect(/404|worker/i);
  const sum = await page.evaluate(async () => {
    const entry = "/lib/index.js";
    const { get, open, WorkerPool } = (await import(entry)) as typeof Library;
    const createWorker = () => new Worker("/lib/nowhere.js", { type: "module" });
    const pool = new WorkerPool({ size: 2, createWorker });
    const { data } = await get(await open("/examples/field.zarr", { kind: "array" }), null, { pool });
    const plain = await get(await open("/examples/field.zarr", { kind: "array" }));
    const same = (data as Float32Array).every((value, i) => Object.is(value, plain.data[i]));
    return [same, pool.size];
  });
  expect(sum).toEqual([true, 0]);
});
