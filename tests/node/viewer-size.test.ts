// How much of a download the viewer is, besides the library.
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { distFolder } from "../shared/places.js";

/** Styles included, and all that is imported from the start; what is loaded when it is asked for does not count. */
it("is at most 60 KB with gzip", () => {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [path.join(distFolder, "viewer/define.js")],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    external: ["zarr-wasm"],
    outdir: "out",
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { kind, path: file, external } of metafile.outputs[name]!.imports)
      if (kind === "import-statement" && !external) load(file);
  };
  load(Object.keys(metafile.outputs).find((name) => name.endsWith("/define.js"))!);
  const sizes = outputFiles
    .filter((file) => [...loaded].some((name) => file.path.endsWith(name)))
    .map(({ contents }) => gzipSync(contents, { level: 9 }).length);
  expect(sizes).toHaveLength(loaded.size);
  const size = sizes.reduce((a, b) => a + b, 0);
  expect(size).toBeGreaterThan(20_000);
  expect(size).toBeLessThanOrEqual(60_000);
});

it("is one script for pages, which loads its parts from beside it", () => {
  const script = readFileSync(path.join(distFolder, "viewer/viewer.min.js"), "utf8");
  const names = [...script.matchAll(/from\s*"([^"]+)"|import\s*"([^"]+)"/g)].map(([, a, b]) => a ?? b!);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !/^\.\/[a-z-]+-[A-Z0-9]{8}\.js$/.test(name))).toEqual([]);
});
