// The arrays of zarrs/zarr_benchmarks: 1024³ uint16 in chunks or shards of 256³.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { create, set, slice } from "zarr-wasm";

/** Level 0 is zstd's default, 3. */
const zstd = { name: "zstd", configuration: { level: 0, checksum: false } };

/** By name; those without shards are also Zarr v2 arrays, for readers that know only v2. */
export const datasets = {
  uncompressed: { codecs: [] },
  zstd: { codecs: [zstd] },
  "zstd in shards": { codecs: [zstd], shardShape: [256, 256, 256], chunkShape: [64, 64, 64] },
};

/** @param {number} side elements per axis: 1024, or fewer as a smoke test */
export const bytesOf = (side) => 2 * side ** 3;

/**
 * Writes the arrays that do not exist yet.
 * @returns the folder of each.
 */
export async function writeDatasets(dir, side) {
  const folders = {};
  for (const [name, options] of Object.entries(datasets)) {
    const folder = path.join(dir, `${name} ${side}`);
    folders[name] = folder;
    const complete = path.join(folder, "complete");
    if (existsSync(complete)) continue;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await writeArray(folder, side, options);
    if (!options.shardShape) writeV2Metadata(folder, side, options);
    writeFileSync(complete, "");
  }
  return folders;
}

async function writeArray(folder, side, options) {
  const array = await create(pathToFileURL(folder), {
    ...{ shape: [side, side, side], chunkShape: [256, 256, 256], dtype: "uint16", fillValue: 0 },
    ...options,
  });
  const planes = new Uint16Array(256 * side * side);
  for (let start = 0; start < side; start += 256) {
    fill(planes, start, side);
    await set(array, [slice(start, start + 256), null, null], planes);
  }
}

/** z + y²/32 + x³ of the indices x, y, z, modulo 2^16. */
function fill(planes, start, side) {
  let at = 0;
  for (let x = start; x < start + 256; x++) {
    const cube = Math.imul(Math.imul(x, x), x);
    for (let y = 0; y < side; y++) {
      const first = cube + ((y * y) >>> 5);
      for (let z = 0; z < side; z++) planes[at++] = first + z;
    }
  }
}

/** Writes Zarr v2 metadata into the folder `c`, whose chunk keys are valid in v2. */
function writeV2Metadata(folder, side, { codecs }) {
  const metadata = {
    zarr_format: 2,
    shape: [side, side, side],
    chunks: [256, 256, 256],
    dtype: "<u2",
    compressor: codecs.length > 0 ? { id: "zstd", level: 0 } : null,
    fill_value: 0,
    order: "C",
    filters: null,
    dimension_separator: "/",
  };
  writeFileSync(path.join(folder, "c/.zarray"), JSON.stringify(metadata));
}
