// A program that paints into an array on an object store, concurrently with others:
// tests/node/write/concurrent-writers.test.ts starts it.
//   node painter.mjs URL BUCKET FIRST-WRITER WRITERS ALL-WRITERS SETS
// Prints "ready", starts at the first line of its input, and finally prints its elements: [[place, value], …].
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isZarrError, open, set, slice, WritableHttpStore } from "zarr-wasm";

const [url, bucket, ...numbers] = process.argv.slice(2);
const [first, writers, all, sets] = numbers.map(Number);

/** Paints separate elements, each `all`th of a row or a column, repeatedly; returns their last values. */
async function paint(array, writer) {
  const [rows, columns] = array.shape;
  const mine = new Map();
  const random = (below) => Math.floor(Math.random() * below);
  for (let i = 0; i < sets; i++) {
    const value = 1 + writer * 1000 + i;
    const row = random(rows);
    // Its columns of a row: another set of columns in each, so that neighbours are others'.
    const offset = (writer + row) % all;
    const from = offset + all * random(Math.ceil((columns - offset) / all));
    const to = Math.min(columns, from + 1 + random(columns));
    await insistently(() => set(array, [row, slice(from, to, all)], value));
    for (let column = from; column < to; column += all) mine.set(row * columns + column, value);
  }
  return mine;
}

/** Repeats an update that fails after ten lost races: such an update reports an error, so no element is lost. */
async function insistently(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isZarrError(error, "Conflict")) throw error;
    }
  }
}

// Each writer has a separate store and handle.
const arrays = await Promise.all(
  Array.from({ length: writers }, () => open(new WritableHttpStore(url, { bucket }))),
);
const input = createInterface({ input: process.stdin });
console.log("ready");
await once(input, "line");
input.close();
const painted = await Promise.all(arrays.map((array, i) => paint(array, first + i)));
console.log(JSON.stringify(painted.flatMap((mine) => [...mine])));
