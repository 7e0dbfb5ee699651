// Data for the viewer's benchmark: a large image with levels and shards, an array of many small chunks, a
// volume. Generated in seconds from fixed seeds by this library's `create` and `set`.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { create, createGroup, set, slice } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { FileSystemStore } from "zarr-wasm/node";
import { codecOf } from "../codecs.mjs";
import { corpora } from "../corpora.mjs";
import { encodedChunks, metadataOf } from "../stores.mjs";
import { bright, stack } from "./stack.mjs";

const blosc = { codecs: [{ name: "bytes", configuration: { endian: "little" } }, bloscOf("uint16")] };

function bloscOf(dataType) {
  const codec = codecOf("blosc lz4 shuffle");
  return { name: codec.name, configuration: codec.configuration(dataType === "uint16" ? 2 : 1) };
}

/** Side lengths of the image, of its shards, and of their chunks. */
export const image = { side: 20_480, shard: 2048, chunk: 256, levels: 7 };
/** Side lengths of the array of small chunks, and of its chunks. */
export const mosaic = { side: 4096, chunk: 128 };

/** Halves the side: the mean of four elements each. */
function halved(pixels, side) {
  const half = side / 2;
  const out = new Uint16Array(half * half);
  for (let y = 0; y < half; y++) {
    for (let x = 0; x < half; x++) {
      const at = 2 * y * side + 2 * x;
      out[y * half + x] = (pixels[at] + pixels[at + 1] + pixels[at + side] + pixels[at + side + 1]) >> 2;
    }
  }
  return out;
}

/**
 * Every tile of the image is the same field of cells with a different brightness, so that no two neighbouring
 * tiles are equal.
 */
const brightness = (row, column) => 40 * ((row * 7 + column * 3) % 11);

function shifted(pixels, offset) {
  const out = new Uint16Array(pixels.length);
  for (let i = 0; i < out.length; i++) out[i] = pixels[i] + offset;
  return out;
}

/** An OME-Zarr 0.5 image of 20,480² uint16; each level has half the side. */
export async function makeImage(dir) {
  const { side, shard, chunk, levels } = image;
  const store = new FileSystemStore(dir);
  const paths = Array.from({ length: levels }, (_, level) => String(level));
  const datasets = paths.map((name, level) => ({
    path: name,
    coordinateTransformations: [{ type: "scale", scale: [2 ** level, 2 ** level] }],
  }));
  const axes = ["y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" }));
  const ome = { version: "0.5", multiscales: [{ axes, datasets, name: "cells" }] };
  await createGroup(store, { attributes: { ome } });
  const tiles = side / shard;
  let tile = corpora.microscopy.make(2 * shard * shard);
  for (const [level, name] of paths.entries()) {
    const part = shard >> level; // side of a tile of the image at this level
    const extent = side >> level;
    const array = await create(store, {
      path: name,
      shape: [extent, extent],
      dtype: "uint16",
      chunkShape: [chunk, chunk],
      shardShape: [shard, shard],
      dimensionNames: ["y", "x"],
      ...blosc,
    });
    // One row of shards at a time: in smaller levels, a shard contains many tiles.
    const rows = Math.min(shard, extent);
    for (let top = 0; top < extent; top += rows) {
      const high = Math.min(rows, extent - top);
      for (let left = 0; left < extent; left += rows) {
        const wide = Math.min(rows, extent - left);
        const box = new Uint16Array(high * wide);
        for (let y = 0; y < high; y += part) {
          for (let x = 0; x < wide; x += part) {
            const [row, column] = [(top + y) / part, (left + x) / part];
            const cells = shifted(tile, brightness(row % tiles, column % tiles));
            for (let line = 0; line < part; line++)
              box.set(cells.subarray(line * part, (line + 1) * part), (y + line) * wide + x);
          }
        }
        await set(array, [slice(top, top + high), slice(left, left + wide)], box);
      }
    }
    tile = halved(tile, part);
  }
}

/** 1,024 chunks of 128² uint8, similar to a land cover map: areas of one class with ragged borders. */
export async function makeMosaic(dir) {
  const { side, chunk } = mosaic;
  const store = new FileSystemStore(dir);
  const codecs = [{ name: "bytes" }, bloscOf("uint8")];
  const array = await create(store, {
    shape: [side, side],
    dtype: "uint8",
    chunkShape: [chunk, chunk],
    dimensionNames: ["y", "x"],
    codecs,
  });
  const data = new Uint8Array(side * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const [u, v] = [x + 19 * Math.sin(y / 31), y + 23 * Math.sin(x / 43)];
      const height =
        Math.sin(u / 310) * Math.cos(v / 270) + 0.5 * Math.sin((u + v) / 97) + 0.2 * Math.sin(u / 23);
      data[y * side + x] = 16 + 12 * Math.floor(9 * (height + 1.8));
    }
  }
  await set(array, null, data);
}

/** 256 MiB uint16 in 64³ chunks: a document, and a few chunks that are served for all. */
export async function makeVolume(dir) {
  const array = { shape: [512, 512, 512], chunks: [64, 64, 64], corpus: "microscopy", ...blosc };
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, "zarr.json"), metadataOf({ ...array, dataType: "uint16" }));
  for (const [i, chunk] of (await encodedChunks(array, 16)).entries())
    writeFileSync(path.join(dir, `${i}.chunk`), chunk);
}

/** 2 GiB uint16 in 16 chunks, which are served for all. */
export async function makeStack(dir) {
  const { slices, side, chunk, bands } = stack;
  const array = { shape: [slices, side, side], chunks: [1, chunk, chunk], dataType: "uint16", ...blosc };
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, "zarr.json"), metadataOf(array));
  const cells = corpora.microscopy.make(2 * chunk * chunk);
  const chain = await createCodecChain({ dtype: "uint16", shape: array.chunks, codecs: array.codecs });
  const width = side / bands;
  for (let bits = 0; bits < 16; bits++) {
    const lit = (i) => (bits >> Math.floor((i % chunk) / width)) & 1;
    const elements = cells.map((value, i) => value + lit(i) * bright);
    writeFileSync(path.join(dir, `${bits}.chunk`), await chain.encode(elements));
  }
}
