/** Types of fill values. */

import { swapBytes } from "../util/bytes.js";
import { invalidMetadata } from "../util/errors.js";
import { type Json, JsonNumber, type PlainJson, showJson } from "../util/json.js";
import { componentsOf, type DType } from "./dtype.js";
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

/**
 * "strict": Zarr v3. "loose": v2, including values that its writers produce in practice. "plain": v1, which
 * is as loose as v2 but has no base64: zarr-python 1.x wrote values directly.
 */
export type FillRules = "loose" | "plain" | "strict";

/**
 * A fill value for programs. Complex is [re, im]; fixed-length byte strings, raw and structured types are the
 * item's bytes; values of variable-length types have the same form as their elements.
 */
export type FillScalar = PlainJson | Uint8Array;

export interface FillSource {
  readonly dtype: DType;
  readonly json: Json;
  readonly rules: FillRules;
  /** Byte order of base64 items: see FillOptions. */
  readonly endian: Endian | readonly (Endian | undefined)[] | undefined;
}

/** Converts an element between its stored byte order and little-endian. @param endian as in FillOptions. */
export function swappedItem(
  dtype: DType,
  item: Uint8Array,
  endian: Endian | readonly (Endian | null | undefined)[] | undefined,
): Uint8Array {
  const swapped = item.slice();
  let at = 0;
  for (const [run, { bytes, count }] of componentsOf(dtype).entries()) {
    const isBig = (typeof endian === "string" ? endian : endian?.[run]) === "big";
    if (isBig) swapBytes(swapped.subarray(at, at + count * bytes), bytes);
    at += count * bytes;
  }
  return swapped;
}

/** @throws InvalidMetadata always: the value does not fit the type. */
export function refuse({ dtype, json }: FillSource): never {
  throw invalidMetadata(`fill_value ${showJson(json)} is not valid for data type ${dtype}`, {
    code: "bad-fill-value",
  });
}

/** Whether the value is NumPy's zero, which writers of v1 and v2 used for every type. */
export function isLooseZero({ json, rules }: FillSource): boolean {
  return rules !== "strict" && json instanceof JsonNumber && json.value === 0;
}
