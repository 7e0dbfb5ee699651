/** Writes the chunks of array files as kerchunk references. */

import type { ArrayFileStore } from "../../formats/array-file/store.js";
import type { ByteSource } from "../../store/source/byte-reader.js";
import { lazy } from "../../util/lazy.js";
import type { FileReferences, ReferencesOptions } from "./part.js";

const part = lazy("references", () => import("./part.js"));

/**
 * Reads the locations of all chunks of array files, such as HDF5, NetCDF and TIFF files, as references that kerchunk's
 * readers understand. Several files are joined along a dimension.
 * @param sources a URL, the path of a file (Node), an object in a store, a Blob, bytes, or an opened file; or a list.
 * @throws Unsupported, naming the array, for arrays without a form in Zarr v2; InvalidArgument for files that cannot be
 *   joined, naming the file and the difference; errors of `ArrayFileStore.open`.
 */
export async function makeReferences(
  sources: ByteSource | ArrayFileStore | readonly (ByteSource | ArrayFileStore)[],
  options: ReferencesOptions = {},
): Promise<FileReferences> {
  const { makeReferences: make } = await part();
  return make(sources, options);
}
