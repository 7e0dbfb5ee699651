/** Options of makeReferences, and the documents that it writes. */

import type { OnWarning } from "../../util/errors.js";

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
