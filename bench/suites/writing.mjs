// Writes arrays on one thread: over zarrita, over a copy of the values, and into shards over chunks.
import { create, set } from "zarr-wasm";
import * as zarrita from "zarrita";
import { codecOf } from "../codecs.mjs";
import { corpora } from "../corpora.mjs";
import { bestOfCalls, speedRow } from "../measure.mjs";

const label = "blosc lz4 shuffle";
const shape = [512, 512, 512];
const bytes = 2 * 512 ** 3;
const MiB = 2 ** 20;

const what = `set, 256 MiB uint16 in 64³ ${label} chunks`;
const inShards = `${what} in shards of 256³`;

/** Arrays to write, as options of `create`: chunks, and the same chunks in shards. */
export const shapes = {
  chunks: { title: what, options: {} },
  shards: { title: inShards, options: { shardShape: [256, 256, 256] } },
};

/** Rows: their names, measured candidates and baselines. */
const rows = [
  [`${what}: zarr-wasm over zarrita`, "alone", "zarrita"],
  [`${what}: zarr-wasm over memcpy`, "alone", "memcpy"],
  [`${inShards}: over chunks alone`, "sharded", "alone"],
];

/** A store that keeps documents and discards chunks, to measure encoding only. */
export class ChunkSink {
  documents = new Map();

  get(key) {
    return this.documents.get(key);
  }

  set(key, value) {
    if (key.endsWith("zarr.json")) this.documents.set(key, value.slice());
  }

  delete() {}
}

/** Values that repeat every 16 MiB: generating all of them would take too long. */
export function valuesIn(memory) {
  const values = new Uint16Array(memory);
  const some = corpora.microscopy.make(16 * MiB);
  for (let at = 0; at < values.length; at += some.length) values.set(some, at);
  return values;
}

async function arrayOf(options) {
  const codec = codecOf(label);
  const codecs = [{ name: codec.name, configuration: codec.configuration(2) }];
  return create(new ChunkSink(), { shape, chunkShape: [64, 64, 64], dtype: "uint16", codecs, ...options });
}

async function measure(wants) {
  const data = valuesIn(new ArrayBuffer(bytes));
  const array = await arrayOf(shapes.chunks.options);
  const shards = await arrayOf(shapes.shards.options);
  const theirs = await zarrita.open(array.store, { kind: "array" });
  const copy = new Uint16Array(data.length).fill(1);
  const stride = [512 * 512, 512, 1];
  const all = {
    alone: () => set(array, null, data),
    zarrita: () => zarrita.set(theirs, null, { data, shape, stride }),
    memcpy: () => copy.set(data),
    sharded: () => set(shards, null, data),
  };
  const wanted = rows.filter(([name]) => wants(name));
  const needed = new Set(wanted.flatMap(([, value, baseline]) => [value, baseline]));
  const candidates = Object.entries(all).filter(([name]) => needed.has(name));
  const seconds = await bestOfCalls(Object.fromEntries(candidates));
  return wanted.map(([name, value, baseline]) => speedRow(name, bytes, seconds[value], seconds[baseline]));
}

/** @returns {import("../measure.mjs").Measurement[]} */
export function writingSuite() {
  return [{ rows: rows.map(([name]) => name), measure }];
}
