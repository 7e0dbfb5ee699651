/** Local reference files (kerchunk). Loaded on demand. */
import type { Store } from "zarr-wasm";
import { ReferenceStore } from "zarr-wasm/formats";
import { readBlob } from "./blob-parts.js";

/** Opens a reference file. @throws as `ReferenceStore.open` does. */
export function referencesIn(file: File): Promise<Store> {
  const { name } = file;
  const store: Store = { get: (_key, options) => readBlob(file, name, undefined, options) };
  return ReferenceStore.open({ store, key: name });
}
