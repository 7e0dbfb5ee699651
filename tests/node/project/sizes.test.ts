// Budgets of the download of each entry, in one list; packed.test.ts has those of the archives. If a part exceeds its
// budget, make it smaller or raise the budget here.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync, transformSync } from "esbuild";
import { expect, it } from "vitest";
import { viewerDownload } from "../../../bench/suites/sizes.mjs";
import { distFolder, viewerFolder } from "../../shared/places.js";

const root = path.join(distFolder, "..");
const gzipped = (bytes: Uint8Array | string) => gzipSync(bytes, { level: 9 }).length;

/**
 * Bytes with gzip that an import loads from the start, styles included, bundled; parts loaded on demand do not
 * count.
 */
function bundledSize(contents: string, external: readonly string[] = []): number {
  const { outputFiles, metafile } = buildSync({
    stdin: { contents, resolveDir: root, sourcefile: "entry.js" },
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    external: ["node:*", ...external],
    outdir: "out",
    entryNames: "entry",
    metafile: true,
    write: false,
    logLevel: "error",
    logOverride: { "ignored-bare-import": "silent" }, // see scripts/lib/chunks.mjs
  });
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { kind, path: file, external: isElsewhere } of metafile.outputs[name]!.imports)
      if (kind === "import-statement" && !isElsewhere) load(file);
  };
  load(Object.keys(metafile.outputs).find((name) => name.endsWith("/entry.js"))!);
  const files = outputFiles.filter((file) => [...loaded].some((name) => file.path.endsWith(name)));
  expect(files).toHaveLength(loaded.size);
  return files.reduce((sum, { contents: bytes }) => sum + gzipped(bytes), 0);
}

const fileSize = (name: string) => gzipped(readFileSync(path.join(distFolder, name)));

/** The modules of a format of files, minified. */
const formatSize = (name: string): number => partSize(new RegExp(`^formats-${name}-.*\\.js$`));

/** Files of a lazy part, minified. */
function partSize(names: RegExp): number {
  const bundle = path.join(distFolder, "bundle");
  const files = readdirSync(bundle).filter((file) => names.test(file));
  const options = { minify: true, format: "esm", logLevel: "error" } as const;
  return files.reduce(
    (sum, file) => sum + gzipped(transformSync(readFileSync(path.join(bundle, file), "utf8"), options).code),
    0,
  );
}

/** The files that the scripts of the page and of elements load at the start. */
const firstScripts = () => {
  const names = readdirSync(viewerFolder).filter((name) => /^(?:open|start)-\w+\.js$/.test(name));
  expect(names).toHaveLength(2);
  return names.reduce((sum, name) => sum + fileSize(`../web/viewer/dist/${name}`), 0);
};

/** Bytes with gzip. */
const budgets: readonly [what: string, most: number, measure: () => number | Promise<number>][] = [
  ["open and get of zarr-wasm", 49_800, () => bundledSize('export { get, open } from "zarr-wasm";')],
  ["all that open and get of an array download", 110_600, async () => 1000 * (await viewerDownload(3)())],
  ["all of zarr-wasm", 105_500, () => bundledSize('export * from "zarr-wasm";')],
  ["zarr-wasm/codecs", 25_750, () => bundledSize('export * from "zarr-wasm/codecs";')],
  ["zarr-wasm/zarrita", 95_200, () => bundledSize('export * from "zarr-wasm/zarrita";')],
  ["zarr-wasm/numcodecs", 10_100, () => bundledSize('export * from "zarr-wasm/numcodecs";')],
  // One file without import(), which every bundler accepts.
  ["zarr-wasm/worker", 21_000, () => bundledSize('export * from "zarr-wasm/worker";')],
  [
    "zarr-wasm-viewer/element, without the library",
    68_000,
    () => bundledSize('import "./web/viewer/dist/module-element.js";', ["zarr-wasm"]),
  ],
  ["the first scripts of the viewer's page", 120_000, firstScripts],
  [
    "zarr-wasm/compute: reduce, statistics, quantile",
    18_800,
    () => partSize(/^compute(?!-places|-expression).*\.js$/),
  ],
  ["zarr-wasm/compute: what series adds", 11_400, () => partSize(/^compute-places-.*\.js$/)],
  ["zarr-wasm/compute: what expression adds", 9_000, () => partSize(/^compute-expression-.*\.js$/)],
  ["HDF5 files", 24_000, () => formatSize("hdf5")],
  ["TIFF files", 18_000, () => formatSize("tiff")],
  ["NIfTI files", 5_000, () => formatSize("nifti")],
  ["NetCDF-3 files", 5_000, () => formatSize("netcdf3")],
  ["GRIB2 files", 15_500, () => formatSize("grib2")],
  ["decode.wasm", 56_500, () => fileSize("wasm/decode.wasm")],
  ["full.wasm", 314_000, () => fileSize("wasm/full.wasm")],
  ["images.wasm", 398_500, () => fileSize("wasm/images.wasm")],
  ["the script of decode.wasm", 5_000, () => fileSize("wasm/decode.mjs")],
];

it.each(budgets)("%s: at most %i bytes", async (_what, most, measure) => {
  const size = await measure();
  expect(size).toBeLessThanOrEqual(most);
  expect(size).toBeGreaterThan(most / 2); // a budget of twice the size limits nothing, or the measurement failed
});

it("the README names the download of open and get", async () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  expect(readme).toContain(`downloads ${Math.round(await viewerDownload(3)())} KB (gzip)`);
});
