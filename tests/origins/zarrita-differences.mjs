// zarrita's own tests that do not pass with this package, and the reasons; docs/drop-ins.md documents each difference.
// A name consists of the names of the groups and the test, or the start of that, or only the file.

/** Regions and chunks are always in C order. */
const order = "Order: C order where zarrita hands out the order that is stored";
/** Node 20 has no Float16Array, and a polyfill that is installed later is not noticed. */
const float16 = "Data types: float16 comes as a Float32Array where the engine has no Float16Array";
/** The store gets a derived signal, not the caller's: reads of one chunk may be shared. */
const signals = "Signals: stores are given one that follows the caller's";
const coalescing = "withRangeCoalescing: one caller's abort, or an object's end, does not fail the others";
/** Without them zarrita writes invalid v3 documents, which zarr-python refuses. */
const documents = "create: documents have the codec that makes bytes, and a fill value, if none are given";
/** This package has more exports than zarrita. */
const names = "New: names that zarrita does not have";

/** @type {readonly { file: string, test?: string, reason: string }[]} */
export const differences = [
  { file: "zarrita-ndarray/__tests__/index.test.ts", test: "ndarray 3d.chunked.mixed.i2.F", reason: order },
  { file: "zarrita/__tests__/indexing/get.test.ts", test: "get v2 3d.chunked.mixed.i2.F", reason: order },
  { file: "zarrita/__tests__/indexing/get.test.ts", test: "get v3 3d.chunked.mixed.i2.F", reason: order },
  { file: "zarrita/__tests__/open.test.ts", test: "v2 3d.chunked.mixed.i2.F getChunk", reason: order },
  { file: "zarrita/__tests__/open.test.ts", test: "v3 3d.chunked.mixed.i2.F getChunk", reason: order },
  { file: "zarrita/__tests__/open.test.ts", test: "v3 3d.contiguous.delta.i4.mixed", reason: order },
  { file: "zarrita/__tests__/open.test.ts", test: "v3 1d.contiguous.f2 with", reason: float16 },
  { file: "zarrita/__tests__/signal.test.ts", test: "signal propagation through", reason: signals },
  {
    file: "zarrita/__tests__/range-coalescing.test.ts",
    test: "withRangeCoalescing short read",
    reason: coalescing,
  },
  {
    file: "zarrita/__tests__/range-coalescing.test.ts",
    test: "withRangeCoalescing signal merging merges caller signals",
    reason: coalescing,
  },
  { file: "zarrita/__tests__/public-api.test.ts", test: "public API surface", reason: names },
  { file: "zarrita/__tests__/create.test.ts", test: "create array", reason: documents },
];
