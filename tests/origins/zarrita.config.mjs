// zarrita's own tests, from a checkout of its repository, over this package: exports of their modules that
// `zarr-wasm/zarrita` also has come from there; the others (codec classes, indexers) stay zarrita's.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../../", import.meta.url));
const own = path.join(root, "dist/bundle/zarrita.js");
const checkout = process.env["ZARRITA_CHECKOUT"];
const names = Object.keys(await import(own));
const prefix = "\0zarr-wasm:";

/** Names of zarrita's own modules for what `zarr-wasm/zarrita` exports under another. */
const others = {
  "packages/@zarrita-storage/src/fetch.ts": "FetchStore as default",
  "packages/zarrita/src/util.ts": "_zarrita_internal_getStrides as getStrides",
  "packages/zarrita/src/indexing/util.ts": "_zarrita_internal_sliceIndices as sliceIndices",
};

const dropIn = {
  name: "zarr-wasm",
  enforce: "pre",
  async resolveId(id, importer) {
    const isTest = importer?.includes("__tests__") && id.startsWith(".");
    if (id === "zarrita") return own;
    if (!isTest) return undefined;
    const file = path.resolve(path.dirname(importer), id).replace(/\.js$/, ".ts");
    // These compare what modules of zarrita's own make with its own classes.
    if (importer.endsWith("/util.test.ts") && file.endsWith("/typedarray.ts")) return undefined;
    return file.includes("/src/") ? `${prefix}${file}` : undefined;
  },
  load(id) {
    if (!id.startsWith(prefix)) return undefined;
    const file = id.slice(prefix.length);
    if (file.endsWith("packages/zarrita/src/index.ts")) return `export * from ${JSON.stringify(own)};`;
    const renamed = others[path.relative(checkout, file)];
    const hasDefault = /^export default /m.test(readFileSync(file, "utf8"));
    return [
      `export * from ${JSON.stringify(file)};`,
      hasDefault && !renamed ? `export { default } from ${JSON.stringify(file)};` : "",
      `export { ${[...names, ...(renamed ? [renamed] : [])].join(", ")} } from ${JSON.stringify(own)};`,
    ].join("\n");
  },
};

export default defineConfig({
  root: checkout,
  plugins: [dropIn],
  resolve: {
    alias: [
      { find: /^vitest$/, replacement: path.join(root, "node_modules/vitest/dist/index.js") },
      // Snapshots of types, made by the compiler: nothing that runs.
      { find: /^tintype$/, replacement: path.join(root, "tests/origins/tintype.mjs") },
    ],
  },
  server: { fs: { allow: [root, checkout] } },
  test: {
    api: true, // the tests of stores request files from its server
    include: ["packages/**/__tests__/**/*.test.ts"],
    server: { deps: { external: [/\/dist\//] } },
  },
});
