/** Bundles the suite for the engines. */
import { rmSync } from "node:fs";
import path from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { bundleFolder, distFolder } from "./places.js";

/** The package's entry points that the suite imports, with their files. */
const entries: Record<string, string> = {
  "zarr-wasm": "index.js",
  "zarr-wasm/codecs": "codecs.js",
  "zarr-wasm/compute": "compute.js",
  "zarr-wasm/worker": "workers/worker.js",
};
const contextFile = (name: string) => new URL(`contexts/${name}.ts`, import.meta.url).pathname;

/** Keeps the library external: engines load its modules one by one, as published. */
const asPublished: Plugin = {
  name: "as published",
  setup({ onResolve }) {
    onResolve({ filter: /^zarr-wasm(\/|$)/ }, ({ path }) => ({
      path: `/lib/${entries[path]}`,
      external: true,
    }));
  },
};

/** Includes the library, for a single file. */
const inOneFile: Record<string, string> = Object.fromEntries(
  Object.entries(entries).map(([name, file]) => [name, path.join(distFolder, file)]),
);

const common: BuildOptions = {
  bundle: true,
  target: "es2022",
  logLevel: "error",
  sourcemap: "inline",
  // The package declares its modules free of side effects, but the suite's modules have some.
  ignoreAnnotations: true,
};

export async function buildBundles(): Promise<void> {
  rmSync(bundleFolder, { recursive: true, force: true });
  const names = ["page", "worker", "shared-worker", "pool-worker", "forbidden"];
  const service = (format: "esm" | "iife", name: string) =>
    build({
      ...common,
      entryPoints: [contextFile("service-worker")],
      alias: inOneFile,
      format,
      logOverride: { "empty-import-meta": "silent" }, // files are located by configureWasm
      outfile: path.join(bundleFolder, `${name}.js`),
    });
  await Promise.all([
    build({
      ...common,
      entryPoints: names.map(contextFile),
      format: "esm",
      plugins: [asPublished],
      outdir: bundleFolder,
    }),
    service("esm", "service-module"),
    service("iife", "service-classic"),
  ]);
}
