/** Writes the chunks of array files as kerchunk references. */

import type { ArrayFileStore } from "../../formats/array-file/store.js";
import type { ByteSource } from "../../store/source/byte-reader.js";
import type { OnWarning } from "../../util/errors.js";
import { lazy } from "../../util/lazy.js";
import type { FileReferences } from "./part.js";

export interface ReferencesOptions {
  /**
   * The dimension along which several files are joined, in their order. One that no array has becomes a new first
   * dimension of all arrays except coordinates.
   */
  readonly along?: string | undefined;
  /** Chunks of fewer bytes become part of the references. Default: 500, as in kerchunk. */
  readonly inline?: number | undefined;
  /**
   * Returns the name of a file in the references. Default: its URL; the path of local files.
   * @param location the URL or path; undefined for bytes and stored objects.
   * @param source index of the source.
   */
  readonly target?: ((location: string | undefined, source: number) => string) | undefined;
  readonly onWarning?: OnWarning | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A reference as kerchunk writes it: text, base64 after "base64:", or target, offset and length. */
export type KerchunkReference = string | readonly [target: string, offset: number, length: number];

/** A kerchunk document of version 1. */
export interface KerchunkDocument {
  readonly version: 1;
  readonly refs: { readonly [key: string]: KerchunkReference };
}

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
