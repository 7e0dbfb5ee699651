import { gzipSync } from "node:zlib";
import { int16, shard, sharding, storeOf, v3 } from "../stores.mjs";

const right = [1, 2, 3, 4];
const halves = [int16(1, 2), int16(3, 4)];

/** Elements (row, column) of a 2 × 3 array, in chunks of one row of its transposed shape. */
const columns = [int16(1, 4), int16(2, 5), int16(3, 6)];

function damaged(bytes, at) {
  const copy = bytes.slice();
  copy[at < 0 ? bytes.length + at : at] ^= 1;
  return copy;
}

/** @type {import("../run.mjs").Case[]} */
export const shardingCases = [
  {
    name: "shard, index at the end",
    right,
    store: () => storeOf({ "zarr.json": v3({ codecs: [sharding([2])] }), "c/0": shard(halves) }),
  },
  {
    name: "shard, index at the start",
    right,
    store: () =>
      storeOf({
        "zarr.json": v3({ codecs: [sharding([2], { index_location: "start" })] }),
        "c/0": shard(halves, "start"),
      }),
  },
  {
    name: "shards in shards",
    right,
    store: () => {
      const inner = sharding([1]);
      const pairs = [
        [1, 2],
        [3, 4],
      ];
      const shards = pairs.map((pair) => shard(pair.map((value) => int16(value))));
      return storeOf({
        "zarr.json": v3({ codecs: [sharding([2], { codecs: [inner] })] }),
        "c/0": shard(shards),
      });
    },
  },
  {
    name: "gzip after a shard",
    right,
    store: () =>
      storeOf({
        "zarr.json": v3({ codecs: [sharding([2]), { name: "gzip", configuration: { level: 1 } }] }),
        "c/0": new Uint8Array(gzipSync(shard(halves))),
      }),
  },
  {
    name: "transpose before a shard",
    right: [1, 2, 3, 4, 5, 6],
    store: () =>
      storeOf({
        "zarr.json": v3({
          shape: [2, 3],
          codecs: [{ name: "transpose", configuration: { order: [1, 0] } }, sharding([1, 2])],
        }),
        "c/0/0": shard(columns),
      }),
  },
  {
    name: "shard index with a wrong checksum",
    right: "error",
    store: () => storeOf({ "zarr.json": v3({ codecs: [sharding([2])] }), "c/0": damaged(shard(halves), -1) }),
  },
  {
    name: "shard in a Map, which has no ranges",
    right,
    store: () => new Map(storeOf({ "zarr.json": v3({ codecs: [sharding([2])] }), "c/0": shard(halves) })),
  },
];
