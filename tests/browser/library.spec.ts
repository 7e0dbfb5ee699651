// The library in a page and in a module worker, without a bundler, under the strict policy.
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
const field = samples.find(({ name }) => name === "field")!;

test.beforeEach(async ({ page, site }) => {
  await page.goto(`${site}/pages/blank.html`);
});

test("every sample decodes to its SHA-256 in a page", async ({ page, problems }) => {
  problems.expect(/404/); // deliberately missing chunks
  const found = await page.evaluate(
    async (stores) => {
      const entry = "/lib/index.js";
      const { getBytes, open } = (await import(entry)) as typeof Library;
      const hashes: string[] = [];
      for (const store of stores) {
        const { bytes } = await getBytes(await open(`/examples/${store}`, { kind: "array" }));
        const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
        hashes.push(Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join(""));
      }
      return hashes;
    },
    samples.map(({ store }) => store),
  );
  expect(found).toEqual(samples.map(({ sha256 }) => sha256));
});

test("a sample decodes to its SHA-256 in a module worker", async ({ page }) => {
  const bytes = await page.evaluate(async (source) => {
    const worker = new Worker("/pages/worker.js", { type: "module" });
    worker.postMessage(source);
    const answer = await new Promise<{ bytes: Uint8Array; error?: string }>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message || "the worker could not be started"));
    });
    worker.terminate();
    if (answer.error) throw new Error(answer.error);
    let binary = "";
    for (let i = 0; i < answer.bytes.length; i += 4096)
      binary += String.fromCharCode(...answer.bytes.subarray(i, i + 4096));
    return btoa(binary);
  }, `/examples/${field.store}`);
  expect(createHash("sha256").update(Buffer.from(bytes, "base64")).digest("hex")).toBe(field.sha256);
});

test("the module can be given in five forms", async ({ page, site }) => {
  const packaged: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/lib/wasm/decode.wasm")) packaged.push(request.url());
  });
  for (const name of ["a URL", "an address", "bytes", "a compiled module", "an answer"]) {
    await page.goto(`${site}/pages/blank.html`);
    const sum = await page.evaluate(async (kind) => {
      const entry = "/lib/index.js";
      const { configureWasm, get, open, slice } = (await import(entry)) as typeof Library;
      const wasm = "/wasm/decode.wasm";
      const sources: Record<string, () => Promise<Library.WasmSource>> = {
        "a URL": async () => new URL(wasm, location.href),
        "an address": async () => new URL(wasm, location.href).href,
        bytes: async () => new Uint8Array(await (await fetch(wasm)).arrayBuffer()),
        "a compiled module": async () => WebAssembly.compileStreaming(await fetch(wasm)),
        "an answer": () => fetch(wasm),
      };
      configureWasm({ decode: await sources[kind]!() });
      const { data } = await get(await open("/examples/field.zarr", { kind: "array" }), [
        slice(0, 8),
        slice(0, 8),
      ]);
      return (data as Float32Array).reduce((a, b) => a + b, 0);
    }, name);
    expect(sum / 64, name).toBeGreaterThan(200);
    expect(packaged, name).toEqual([]);
  }
});
