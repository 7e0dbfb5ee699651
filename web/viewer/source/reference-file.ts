/** Files of references (kerchunk) from the reader's machine. Loaded with the first one. */
import { ReferenceStore, type Store } from "zarr-wasm";
import { readBlob } from "./blob-parts.js";

/** The store that a file of references describes. @throws as `ReferenceStore.open` does. */
export function referencesIn(file: File): Promise<Store> {
  const { name } = file;
  const store: Store = { get: (_key, options) => readBlob(file, name, undefined, options) };
  return ReferenceStore.open({ store, key: name });
}
