/** What a fill value is once it has been read. */
import type { DType } from "./dtype.js";
import type { FillScalar } from "./fill-source.js";
import type { Endian } from "./typestr.js";

export interface FillValue {
  /** null where the metadata has null: the contents of missing chunks are undefined, and read as zeros. */
  value: FillScalar;
  /** One element, little-endian and packed, `dtype.itemBytes` bytes; empty for types of variable length. */
  item: Uint8Array;
}

export interface FillOptions {
  /** Lets null pass under strict rules too, as zeros: GDAL writes it. */
  allowNull?: boolean | undefined;
  /**
   * Byte order of items that are written as base64: one for all, or one per run of components (see
   * componentsOf). Default: little.
   */
  endian?: Endian | readonly (Endian | undefined)[] | undefined;
}

/** What elements of missing chunks are, for types of variable length: a null fill value is "" or no bytes. */
export function missingValue(dtype: DType, { value }: FillValue): FillScalar {
  if (value !== null || dtype.name === "object") return value;
  return dtype.name === "string" ? "" : new Uint8Array(0);
}
