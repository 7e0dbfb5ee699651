// Shared parts of the tests of the zarrita drop-in.
import { get as getOwn, type MapStore, open as openOwn } from "zarr-wasm";
import * as dropIn from "zarr-wasm/zarrita";
import * as zarrita from "zarrita";
import type { Files } from "./writing-tools.js";

export type Zarrita = typeof zarrita;
/** The drop-in as programs for zarrita see it. */
export const ours = dropIn as unknown as Zarrita;
export const both: [string, Zarrita][] = [
  ["zarrita", zarrita],
  ["zarr-wasm/zarrita", ours],
];

/** A store that records its requests and their options. */
export function noting(inner: MapStore) {
  const asked: { key: string; options: Record<string, unknown> }[] = [];
  const store = {
    async get(key: string, options: object = {}) {
      asked.push({ key, options: { ...options } });
      return inner.get(key);
    },
    async getRange(key: string, range: { offset: number; length: number }, options: object = {}) {
      asked.push({ key, options: { ...options } });
      return inner.getRange(key, range);
    },
  };
  return { store, asked, keys: () => asked.splice(0).map(({ key }) => key) };
}

export const valuesOf = (data: unknown): unknown[] => [...(data as Iterable<unknown>)];
const int32 = { shape: [5, 7], chunkShape: [2, 3], dtype: "int32" } as const;
export const small = (store: Files, options = {}) =>
  dropIn.create(store, { ...int32, shape: [...int32.shape], chunkShape: [...int32.chunkShape], ...options });

/** All elements, as this library reads them. */
export async function stored(store: Files, path = ""): Promise<unknown[]> {
  const array = await openOwn(store, { path, kind: "array" });
  return valuesOf((await getOwn(array)).data);
}
