// Download sizes of a viewer, compressed as by servers. KB are 1000 bytes.
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { createCodecChain } from "zarr-wasm/codecs";
import { distDir } from "../../scripts/lib/paths.mjs";
import { bundleParts, downloadedFor } from "../download.mjs";
import { metadataOf } from "../stores.mjs";

const packed = (bytes) => gzipSync(bytes, { level: 9 }).length / 1e3;
const sum = (files) => files.reduce((all, { contents }) => all + packed(contents), 0);

const chunks = [16, 16];
const codecs = [
  { name: "bytes", configuration: { endian: "little" } },
  {
    name: "blosc",
    configuration: { cname: "zstd", clevel: 5, shuffle: "shuffle", typesize: 2, blocksize: 0 },
  },
];

/** A chunk of uint16 for the arrays below. */
async function encodedChunk() {
  const chain = await createCodecChain({ dtype: "uint16", shape: chunks, codecs });
  return chain.encode(Uint16Array.from({ length: 256 }, (_, i) => i >> 2));
}

/** Files of single-chunk arrays, by Zarr version. */
const arrays = {
  3: async () => ({
    "zarr.json": metadataOf({ shape: chunks, chunks, dataType: "uint16", codecs }),
    "c/0/0": await encodedChunk(),
  }),
  2: async () => ({
    ".zarray": JSON.stringify({
      zarr_format: 2,
      shape: chunks,
      chunks,
      dtype: "<u2",
      compressor: { id: "blosc", cname: "zstd", clevel: 5, shuffle: 1, blocksize: 0 },
      fill_value: 0,
      order: "C",
      filters: null,
    }),
    "0.0": await encodedChunk(),
  }),
};

/** Download size in kilobytes of opening an array of a Zarr version and reading a piece of it. */
export const viewerDownload = (version) => async () => sum(await downloadedFor(await arrays[version]()));

function decodeModule() {
  return packed(readFileSync(path.join(distDir, "wasm/decode.wasm")));
}

async function numcodecsDownload() {
  const parts = ["blosc", "lz4", "zstd"].map((codec) =>
    bundleParts(`export { default } from "numcodecs/${codec}";`),
  );
  return sum((await Promise.all(parts)).flatMap(({ outputFiles }) => outputFiles));
}

/** @returns {import("../measure.mjs").Measurement[]} */
export function sizeSuite() {
  const against = "npm numcodecs' blosc, lz4 and zstd";
  const rows = [
    [`download, gzip: decode.wasm over ${against}`, decodeModule],
    [`download, gzip: all that open and get need over ${against}`, viewerDownload(3)],
    [`download, gzip: all that open and get of Zarr v2 need over ${against}`, viewerDownload(2)],
  ];
  return rows.map(([name, ours]) => ({
    rows: [name],
    measure: async () => [{ name, unit: "KB", value: await ours(), baseline: await numcodecsDownload() }],
  }));
}
