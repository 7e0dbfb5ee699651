// Reads with either library, into a common form: a list of values in C order.
import { get, HttpStore, open } from "zarr-wasm";
import * as zarrita from "zarrita";

/** Values of a strided array in C order. zarrita's booleans have an accessor. */
function valuesOf({ data, shape, stride }) {
  const at = (i) => (typeof data.get === "function" ? data.get(i) : data[i]);
  const list = [];
  const walk = (axis, offset) => {
    if (axis === shape.length) list.push(at(offset));
    else for (let i = 0; i < shape[axis]; i++) walk(axis + 1, offset + i * stride[axis]);
  };
  walk(0, 0);
  return list;
}

/** @type {Record<string, (store: object, options?: { signal?: AbortSignal }) => Promise<unknown[]>>} */
export const readers = {
  zarrita: async (store, { signal } = {}) => {
    const array = await zarrita.open(typeof store === "string" ? new zarrita.FetchStore(store) : store, {
      kind: "array",
      signal,
    });
    const region = await zarrita.get(array, null, { signal });
    return typeof region === "object" && region !== null && "data" in region ? valuesOf(region) : [region];
  },
  "zarr-wasm": async (store, { signal } = {}) => {
    const array = await open(typeof store === "string" ? new HttpStore(store) : store, {
      kind: "array",
      signal,
    });
    const region = await get(array, null, { signal });
    const perElement = array.dtype.isVariable ? 1 : region.data.length / Math.max(1, product(region.shape));
    return perElement === 1 ? valuesOf(region) : [...region.data];
  },
};

const product = (lengths) => lengths.reduce((a, b) => a * b, 1);
