// Derived variables of the viewer: formulas of variables and slices, and errors that name unknown ones.
import { expect, it } from "vitest";
import { create, MapStore, set } from "zarr-wasm";
import { deriveDataset } from "#src/viewer/source/derived.js";
import { openTarget } from "#src/viewer/source/open.js";
import { group } from "../../shared/anndata.js";

const { signal } = new AbortController();
const bands = { red: [1, 2, 3, 4], nir: [10, 20, 30, 40], nir_b: [5, 6, 7, 8], slice_0: [9, 9, 9, 9] };

const ends: Promise<unknown>[] = [];
const context = {
  pool: undefined as never,
  signal,
  onProgress: () => {},
  onPartial: () => {},
  onStart: (end: Promise<unknown>) => ends.push(end),
};

async function opened() {
  const source = new MapStore(new Map());
  await group(source, "", {});
  for (const [path, values] of Object.entries(bands)) {
    const made = await create(source, {
      path,
      shape: [2, 2],
      dtype: "float64",
      dimensionNames: ["y", "x"],
      zarrFormat: 3,
    });
    await set(made, null, Float64Array.from(values));
  }
  const found = await openTarget({ source, path: "red" }, { signal, onWarning: () => {} });
  if (found.kind !== "dataset") throw new Error(found.kind);
  return found.dataset;
}

async function computed(text: string): Promise<number[]> {
  const { array } = await deriveDataset(await opened(), text, context);
  return Array.from((await array.getChunk([0, 0])).data, Number);
}

it.each([
  ["nir - nir_b", [5, 14, 23, 32]],
  ["nir_b - nir", [-5, -14, -23, -32]],
  ["0 * nir + nir[y=1] - nir_b[y=0]", [25, 34, 25, 34]],
  ["nir_b[x=1] + nir[x=0] - data", [15, 14, 35, 34]],
  ["0 * nir + nir[y=0] + slice_0", [19, 29, 19, 29]],
  ["1.e1 * nir", [100, 200, 300, 400]],
  ["max(nir, nir_b) / data[y=0, x=1]", [5, 10, 15, 20]],
])("operands whose names share a prefix stay apart: %s", async (formula, values) => {
  expect(await computed(`expr:${formula}`)).toEqual(values);
});

it("unknown variables, axes and slices are named", async () => {
  await expect(computed("expr:nir - ni")).rejects.toThrow('There is no variable "ni" beside the opened one');
  await expect(computed("expr:nir[z=1]")).rejects.toThrow('There is no axis "z": the axes are y, x');
  await expect(computed("expr:nir[y=-1]")).rejects.toThrow('"nir[y=-1]" is not a slice');
  await expect(computed("expr:__proto__ + constructor")).rejects.toThrow('There is no variable "__proto__"');
  await expect(computed("expr:data[__proto__=0]")).rejects.toThrow('There is no axis "__proto__"');
  await expect(computed("expr:")).rejects.toThrow();
  await expect(computed("median:x")).rejects.toThrow('"median:x" cannot be computed');
  await expect(computed("mean:z")).rejects.toThrow('There is no axis "z": the axes are y, x');
});

async function datasetOf(shape: readonly number[], names: readonly string[], values: ArrayLike<number>) {
  const source = new MapStore(new Map());
  const array = await create(source, { shape, dtype: "int16", chunkShape: shape, dimensionNames: names });
  await set(array, null, Int16Array.from(values));
  const found = await openTarget({ source }, { signal, onWarning: () => {} });
  if (found.kind !== "dataset") throw new Error(found.kind);
  return found.dataset;
}

it("names of axes may have dots, spaces and colons", async () => {
  for (const name of ["a.b", " time ", "x:y", "time.month", "constructor"]) {
    const { array } = await deriveDataset(
      await datasetOf([2, 3], [name, "x"], [1, 2, 3, 5, 8, 13]),
      `max:${name}`,
      context,
    );
    expect(Array.from((await array.getChunk([0])).data, Number)).toEqual([5, 8, 13]);
  }
  const dotted = await deriveDataset(
    await datasetOf([2, 2], ["a.b", "x"], [1, 2, 3, 6]),
    "anomaly:a.b",
    context,
  );
  expect(Array.from((await dotted.array.getChunk([0, 0])).data, Number)).toEqual([-1, -2, 1, 2]);
});

it("levels of a pyramid are computed from the levels, and open after they have been", async () => {
  const [fine, coarse] = [
    await datasetOf([2, 4], ["z", "x"], [1, 2, 3, 4, 5, 6, 7, 8]),
    await datasetOf([2, 2], ["z", "x"], [1, 3, 5, 7]),
  ];
  const level = { factor: [1, 2], origin: [0, 0], array: undefined, open: async () => coarse.array };
  const made = await deriveDataset({ ...fine, levels: [...fine.levels, level] }, "mean:z", context);
  expect(made.levels[1]).toMatchObject({ factor: [2], array: undefined });
  await made.levels[1]!.open();
  expect(made.levels[1]!.array!.shape).toEqual([2]);
  expect(Array.from((await made.levels[1]!.array!.getChunk([0])).data, Number)).toEqual([3, 5]);
});

it.each([
  ["uint8", "float32"],
  ["int32", "float64"],
  ["float32", "float32"],
  ["uint64", "uint64"],
] as const)("extremes of %s are %s, which has NaN until they are computed", async (dtype, result) => {
  const source = new MapStore(new Map());
  await create(source, { shape: [4, 3], dtype, fillValue: dtype === "uint64" ? 2n ** 63n + 1n : 7 });
  const found = await openTarget({ source }, { signal, onWarning: () => {} });
  if (found.kind !== "dataset") throw new Error(found.kind);
  const { array } = await deriveDataset(found.dataset, "max:a0", context);
  await Promise.all(ends);
  expect(array.dtype.name).toBe(result);
  const { data } = await array.getChunk([0]);
  expect(new Set(data as Float32Array)).toEqual(new Set([dtype === "uint64" ? 2n ** 63n + 1n : 7]));
});
