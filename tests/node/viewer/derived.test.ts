// Derived variables of the viewer: formulas of variables and slices, and errors that name unknown ones.
import { expect, it } from "vitest";
import { create, MapStore, set } from "zarr-wasm";
import { deriveDataset } from "#src/viewer/source/derived.js";
import { openTarget } from "#src/viewer/source/open.js";
import { group } from "../../shared/anndata.js";

const { signal } = new AbortController();
const bands = { red: [1, 2, 3, 4], nir: [10, 20, 30, 40], nir_b: [5, 6, 7, 8], nir_0_slice: [9, 9, 9, 9] };

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
  const context = { pool: undefined as never, signal, onProgress: () => {} };
  const { array } = await deriveDataset(await opened(), text, context);
  return Array.from((await array.getChunk([0, 0])).data, Number);
}

it.each([
  ["nir - nir_b", [5, 14, 23, 32]],
  ["nir_b - nir", [-5, -14, -23, -32]],
  ["0 * nir + nir[y=1] - nir_b[y=0]", [25, 34, 25, 34]],
  ["nir_b[x=1] + nir[x=0] - data", [15, 14, 35, 34]],
  ["max(nir, nir_b) / data[y=0, x=1]", [5, 10, 15, 20]],
])("operands whose names share a prefix stay apart: %s", async (formula, values) => {
  expect(await computed(`expr:${formula}`)).toEqual(values);
});

it("unknown variables, axes and slices are named", async () => {
  await expect(computed("expr:nir - ni")).rejects.toThrow('There is no variable "ni" beside the opened one');
  await expect(computed("expr:nir[z=1]")).rejects.toThrow('There is no axis "z": the axes are y, x');
  await expect(computed("expr:nir[y=-1]")).rejects.toThrow('"nir[y=-1]" is not a slice');
  await expect(computed("mean:z")).rejects.toThrow('There is no axis "z": the axes are y, x');
});
