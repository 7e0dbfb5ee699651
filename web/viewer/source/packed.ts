/** Stores of archives and of files of references (kerchunk). Loaded on demand. */
import type { Store } from "zarr-wasm";
import { ArrayFileStore, ReferenceStore } from "zarr-wasm/formats";

export { ZipStore } from "zarr-wasm";

/**
 * Opens a local file of another format, such as TIFF or NetCDF.
 * @param siblings files that were chosen with it, which may belong to it.
 */
export const arrayFile = (file: File, siblings: readonly File[]): Promise<Store> =>
  ArrayFileStore.open(file, { siblings });

/** Opens a local file of references. @throws as `ReferenceStore.open` does; errors of reading the file */
export function referencesIn(file: File): Promise<Store> {
  const store: Store = { get: async () => new Uint8Array(await file.arrayBuffer()) };
  return ReferenceStore.open({ store, key: file.name });
}
