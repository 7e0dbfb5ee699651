// Chromium, started when a row first needs it, with a page that runs benchmarks.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { build } from "esbuild";
import { distDir } from "../../scripts/lib/paths.mjs";
import { startServer } from "../../scripts/lib/server.mjs";
import { findChromium } from "../../scripts/lib/system.mjs";
import { effort } from "../measure.mjs";
import { pageSuites } from "./suites.mjs";

/** Cross-origin isolated pages have a finer clock. */
const isolation = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

async function bundlePage(dir) {
  mkdirSync(dir, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL("page.mjs", import.meta.url))],
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    outdir: dir,
    external: ["node:*"],
    logLevel: "warning",
  });
  const html = '<!doctype html><title>Benchmarks</title><script type="module" src="page.js"></script>';
  writeFileSync(path.join(dir, "index.html"), html);
}

async function start({ wasm, inputDir, pageDir }) {
  await bundlePage(pageDir);
  const server = await startServer({
    headers: isolation,
    mounts: {
      "/page/": pageDir,
      "/wasm/": path.join(distDir, "wasm"),
      "/inheap/": path.dirname(wasm),
      "/inputs/": inputDir,
    },
  });
  const executablePath = findChromium();
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(`${server.url}/page/`);
  await page.waitForFunction(() => globalThis.bench !== undefined);
  await page.evaluate((own) => globalThis.bench.setEffort(own), effort);
  const close = async () => {
    await browser.close();
    await server.close();
  };
  return { page, close };
}

/**
 * @param {{wasm: string, inputDir: string, pageDir: string}} files the in-heap module, encoded chunks, a
 *   folder for the page
 */
export function chromiumHost(files) {
  let started;
  const page = async () => {
    started ??= start(files);
    return (await started).page;
  };
  return {
    /** Seconds per run of an in-heap case; the interface of all engines. */
    time: async (index, input) => {
      const url = input && `/inputs/${encodeURIComponent(path.basename(input.file))}`;
      return (await page()).evaluate(
        (args) => globalThis.bench.time(...args),
        [index, effort.inHeapTime, url],
      );
    },
    /** The suites that run in the page. */
    suites: () =>
      pageSuites().map(({ rows }) => ({
        rows,
        measure: async (wants) =>
          (await page()).evaluate((names) => globalThis.bench.measure(names), rows.filter(wants)),
      })),
    close: async () => {
      if (started) await (await started).close();
    },
  };
}
