// Reduction kernels over a copy of the same bytes in the memory of the core: for each method and type, the
// slowest of the three axes of a box.
import { accumulate, clearState, stateBytes } from "../../dist/engine/box-reduction.js";
import { getSession } from "../../dist/engine/engine.js";
import { speedRow } from "../measure.mjs";

const bytes = 16 * 2 ** 20;
const edge = 256;
const packed = { scale: 0.01, offset: 273.15, isFloat32: false };

/** Types, with their elements. */
const types = {
  float32: { Elements: Float32Array, element: (i) => 273 + Math.fround(20 * Math.sin(i * 0.37)) },
  float64: { Elements: Float64Array, element: (i) => 273 + 20 * Math.sin(i * 0.37) },
  int16: { Elements: Int16Array, element: (i) => 3000 * Math.sin(i * 0.37) },
  uint8: { Elements: Uint8Array, element: (i) => 128 + 100 * Math.sin(i * 0.37) },
  "int16 with CF": {
    Elements: Int16Array,
    element: (i) => 3000 * Math.sin(i * 0.37),
    rule: { number: "int16", decode: packed, missing: [-32768] },
  },
};

/** Methods, with the fields that each accumulates. */
const methods = {
  mean: ["count", "sum"],
  min: ["count", "min"],
  max: ["count", "max"],
  count: ["count"],
};

/** A box in C order, reduced along one axis. */
function requestOf(name, fields, axis) {
  const { Elements, rule } = types[name];
  const shape = [bytes / Elements.BYTES_PER_ELEMENT / edge / edge, edge, edge];
  const strides = [edge * edge, edge, 1];
  const kept = shape.map((length, a) => (a === axis ? 1 : length));
  const axes = shape.map((_, a) => ({
    cells: a === axis ? "single" : "keep",
    stride: kept.slice(a + 1).reduce((product, n) => product * n, 1),
    index: 0,
    indexStride: a === axis ? strides[a] : 0,
  }));
  const cells = kept.reduce((product, n) => product * n, 1);
  return { number: name, missing: [], skipsNaN: true, ...rule, fields, shape, axes, cells };
}

/** Fastest of several calls, in seconds. */
function fastest(run, rounds) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best / 1000;
}

/** Seconds of the kernel for each axis, and of the copy. */
export async function measureKernel(name, method, rounds = 7) {
  const session = await getSession("full");
  const { Elements, element } = types[name];
  const [box, copy] = [session.makeSlab(bytes), session.makeSlab(bytes)];
  session.withSlab(box, (memory) => {
    const elements = new Elements(memory.buffer, memory.byteOffset, bytes / Elements.BYTES_PER_ELEMENT);
    for (let i = 0; i < 2 ** 16; i++) elements[i] = element(i);
    for (let at = 2 ** 16; at < elements.length; at += 2 ** 16) elements.copyWithin(at, 0, 2 ** 16);
  });
  const copySeconds = fastest(
    () => session.withSlab(box, (from) => session.withSlab(copy, (to) => to.set(from))),
    rounds,
  );
  const seconds = [0, 1, 2].map((axis) => {
    const request = requestOf(name, methods[method], axis);
    const state = session.makeSlab(stateBytes(request));
    clearState(session, state, request);
    const best = fastest(() => accumulate(session, box, state, request), rounds);
    session.freeSlab(state);
    return best;
  });
  session.freeSlab(box);
  session.freeSlab(copy);
  return { seconds, copySeconds };
}

/** @returns {import("../measure.mjs").Measurement[]} */
export function reduceSuite() {
  return Object.keys(types).flatMap((name) =>
    Object.keys(methods).map((method) => {
      const row = `reduce kernels over memory.copy: ${method}, ${name}, slowest axis`;
      return {
        rows: [row],
        measure: async () => {
          const { seconds, copySeconds } = await measureKernel(name, method);
          return [speedRow(row, bytes, Math.max(...seconds), copySeconds)];
        },
      };
    }),
  );
}

export const kernelNames = { types: Object.keys(types), methods: Object.keys(methods) };
