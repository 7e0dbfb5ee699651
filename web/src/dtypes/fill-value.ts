/** A parsed fill value. */
import type { DType } from "./dtype.js";
import type { FillScalar } from "./fill-source.js";
import type { Endian } from "./typestr.js";

export interface FillValue {
  /** null if the metadata has null: the contents of missing chunks are undefined, and read as zeros. */
  value: FillScalar;
  /** One element, little-endian and packed, `dtype.itemBytes` bytes; empty for types of variable length. */
  item: Uint8Array;
}

export interface FillOptions {
  /** Accepts null under strict rules too, as zeros: GDAL writes it. */
  allowNull?: boolean | undefined;
  /**
   * Byte order of items written as base64: one for all, or one per run of components (see componentsOf).
   * Default: little.
   */
  endian?: Endian | readonly (Endian | undefined)[] | undefined;
}

/** Returns the elements of missing chunks, for types of variable length: a null fill value is "" or no bytes. */
export function missingValue(dtype: DType, { value }: FillValue): FillScalar {
  if (value !== null || dtype.name === "object") return value;
  return dtype.name === "string" ? "" : new Uint8Array(0);
}
