// What a viewer downloads, packed as servers send it. KB are 1000 bytes.
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { distDir, root } from "../../scripts/lib/paths.mjs";

const packed = (bytes) => gzipSync(bytes, { level: 9 }).length / 1e3;

/** The parts that a bundler makes of an entry, with what is loaded lazily in parts of their own. */
async function bundle(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    external: ["node:*"],
    outdir: "out",
    write: false,
  });
  return outputFiles;
}

/** All but what only encoders and rare codecs load. */
async function viewerDownload() {
  const parts = await bundle('export { get, open } from "zarr-wasm";');
  const needed = parts.filter(({ path: file }) => !/^full-/.test(path.basename(file)));
  return needed.reduce((sum, { contents }) => sum + packed(contents), decodeModule());
}

function decodeModule() {
  return packed(readFileSync(path.join(distDir, "wasm/decode.wasm")));
}

async function numcodecsDownload() {
  let sum = 0;
  for (const codec of ["blosc", "lz4", "zstd"]) {
    const parts = await bundle(`export { default } from "numcodecs/${codec}";`);
    sum += parts.reduce((all, { contents }) => all + packed(contents), 0);
  }
  return sum;
}

/** @returns {import("../measure.mjs").Measurement[]} */
export function sizeSuite() {
  const against = "npm numcodecs' blosc, lz4 and zstd";
  const rows = [
    [`download, gzip: decode.wasm over ${against}`, decodeModule],
    [`download, gzip: all that open and get need over ${against}`, viewerDownload],
  ];
  return rows.map(([name, ours]) => ({
    rows: [name],
    measure: async () => [{ name, unit: "KB", value: await ours(), baseline: await numcodecsDownload() }],
  }));
}
