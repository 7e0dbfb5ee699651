/** ArraySpec: what an array is, whatever Zarr version described it. */
import type { CodecMetadata } from "../codecs/chain.js";
import { resolveChain } from "../codecs/chain.js";
import type { ZarrVersion } from "../codecs/definition.js";
import type { DType } from "../dtypes/dtype.js";
import type { FillValue } from "../dtypes/fill.js";
import { Plan } from "../engine/plan.js";
import { invalidMetadata, limitExceeded } from "../errors.js";
import type { Limits } from "../limits.js";
import { type Json, JsonNumber, type PlainJson } from "./json.js";

/** User attributes, as plain values; integers beyond ±2⁵³ are bigints. */
export type Attributes = { readonly [name: string]: PlainJson };

export interface ArraySpec {
  readonly zarrFormat: ZarrVersion;
  /** Length of each dimension. */
  readonly shape: readonly number[];
  /** Length of each dimension of a chunk, the same for all chunks. */
  readonly chunkShape: readonly number[];
  readonly dtype: DType;
  readonly fill: FillValue;
  /** The chain in Zarr v3 terms, in encoding order. */
  readonly codecs: readonly CodecMetadata[];
  readonly attributes: Attributes;
  readonly dimensionNames: readonly (string | null)[] | undefined;
  /** Key of a chunk below the array's own path. */
  chunkKey(coordinates: readonly number[]): string;
  readonly plan: Plan;
}

export interface ArrayDescription extends Omit<ArraySpec, "plan"> {}

/**
 * Completes a description: checks what holds for every version (ranks, sizes, limits) and prepares the
 * codec chain.
 * @throws InvalidMetadata, UnknownCodec, Unsupported or LimitExceeded.
 */
export function completeSpec(description: ArrayDescription, limits: Limits): ArraySpec {
  const { shape, chunkShape, dtype, fill, codecs, zarrFormat } = description;
  if (shape.length > limits.rank)
    throw limitExceeded(`the array has ${shape.length} dimensions, more than the limit of ${limits.rank}`);
  if (chunkShape.length !== shape.length) {
    throw invalidMetadata(`shape has ${shape.length} dimensions, the chunks have ${chunkShape.length}`, {
      code: "bad-chunks",
    });
  }
  const plan = makePlan(codecs, dtype, chunkShape, fill.item, zarrFormat, limits);
  return { ...description, plan };
}

/** Resolves a chain and binds it to a chunk, within the limits. */
export function makePlan(
  codecs: readonly CodecMetadata[],
  dtype: DType,
  shape: readonly number[],
  fillItem: Uint8Array,
  version: ZarrVersion,
  limits: Limits,
): Plan {
  let bytes = dtype.itemBytes;
  for (const length of shape) {
    bytes *= length;
    if (!(bytes <= limits.chunkBytes)) {
      throw limitExceeded(
        `a chunk of ${shape.join(" × ")} elements of ${dtype} is larger than the limit of ${limits.chunkBytes} bytes`,
      );
    }
  }
  const { steps } = resolveChain(codecs, { dtype, shape }, version, limits);
  return new Plan({ dtype, shape, fillItem }, steps);
}

/** Reads a list of dimension lengths: integers from `min` to 2⁵³ − 1. */
export function readLengths(json: Json | undefined, name: string, min: number): number[] {
  const valid = (item: Json): item is JsonNumber =>
    item instanceof JsonNumber && item.isInteger && Number.isSafeInteger(item.value) && item.value >= min;
  if (!Array.isArray(json) || !json.every(valid)) {
    const least = min === 0 ? "non-negative" : "positive";
    throw invalidMetadata(`"${name}" must be a list of ${least} integers below 2^53`, {
      code: `bad-${name}`,
    });
  }
  return (json as JsonNumber[]).map((item) => item.value);
}
