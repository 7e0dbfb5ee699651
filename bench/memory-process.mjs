// A process that reads an array into an existing array, and prints the peak growth of its memory in MiB.
//   node bench/memory-process.mjs MEBIBYTES
import { get, open } from "zarr-wasm";
import { repeatingStore } from "./stores.mjs";
import { volumeOf } from "./suites/growth.mjs";

const mebibytes = Number(process.argv[2]);
const array = await open(await repeatingStore(volumeOf(mebibytes)), { kind: "array" });
const out = new Uint16Array((mebibytes * 2 ** 20) / 2).fill(1); // faulted in before measuring
await array.getChunk([0, 0, 0]); // loads the module
const before = process.memoryUsage.rss();
let peak = before;
const onProgress = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
await get(array, null, { out, onProgress });
console.log((peak - before) / 2 ** 20);
