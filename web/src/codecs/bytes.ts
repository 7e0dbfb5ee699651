/** bytes and transpose: byte order and order of the axes. Spec: Zarr v3 "bytes" and "transpose" codecs. */

import { componentsOf } from "../dtypes/dtype.js";
import type { Endian } from "../dtypes/typestr.js";
import { endianWords, noEndian, perComponent } from "../engine/plan.js";
import { type CodecDefinition, type ConfigReader, formatValue } from "./definition.js";

function endianWord(endian: unknown): number | undefined {
  return typeof endian === "string" && Object.hasOwn(endianWords, endian)
    ? endianWords[endian as Endian]
    : undefined;
}

/**
 * Returns the words for a list with one endian per run of components, null for single bytes. The dtypes of
 * Zarr v1 and v2 are converted to such lists; Zarr v3 has none.
 */
function endianWordsPerRun(endians: readonly unknown[], runs: readonly unknown[]): (number | undefined)[] {
  if (endians.length !== runs.length) return [undefined];
  return endians.map((endian) => (endian === null ? noEndian : endianWord(endian)));
}

/** `endian` is "little" or "big"; required for types of several bytes. */
export const bytes: CodecDefinition = {
  core: "bytes",
  kind: "array-to-bytes",
  // Zarr v1 and v2 express it through the dtype's byte order. The draft of 2022 called it "endian".
  names: { 1: ["bytes"], 2: ["bytes"], 3: ["bytes", "endian"] },
  encodedBytes: (bytes) => bytes,
  parse(config, { version, array }) {
    config.only("endian");
    const endian = config.get("endian");
    const runs = componentsOf(array.dtype);
    const isList = version < 3 && Array.isArray(endian);
    const words = isList
      ? endianWordsPerRun(endian, runs)
      : [endian === undefined ? noEndian : endianWord(endian)];
    if (words.includes(undefined))
      throw config.error(`"endian" must be "little" or "big", not ${formatValue(endian)}`);
    const missing = runs.some((run, i) => run.bytes > 1 && words[isList ? i : 0] === noEndian);
    if (missing) throw config.error(`data type ${array.dtype} needs an "endian", "little" or "big"`);
    return { params: isList ? [perComponent, ...(words as number[])] : (words as number[]) };
  },
};

/** Returns the configuration of the bytes codec for endians given per run of components. */
export function endianConfiguration(endians: readonly (Endian | undefined)[]): {
  endian?: Endian | (Endian | null)[];
} {
  const given = new Set(endians.filter((endian) => endian !== undefined));
  if (given.size === 0) return {};
  const [first] = given;
  return { endian: given.size === 1 ? first! : endians.map((endian) => endian ?? null) };
}

function readOrder(config: ConfigReader, rank: number): number[] {
  const order = config.get("order");
  const identity = Array.from({ length: rank }, (_, axis) => axis);
  if (order === "C") return identity;
  if (order === "F") return identity.reverse();
  if (!Array.isArray(order))
    throw config.error(`"order" must be a list of axes, "C" or "F", not ${formatValue(order)}`);
  const valid = order.every(
    (axis) => typeof axis === "number" && Number.isInteger(axis) && axis >= 0 && axis < rank,
  );
  if (order.length !== rank || !valid || new Set(order).size !== rank) {
    throw config.error(`"order" ${formatValue(order)} is not a permutation of the ${rank} axes`);
  }
  return order as number[];
}

export const transpose: CodecDefinition = {
  core: "transpose",
  kind: "array-to-array",
  // Zarr v1 and v2 express it as "order".
  names: { 1: ["transpose"], 2: ["transpose"], 3: ["transpose"] },
  encodedBytes: (bytes) => bytes,
  parse(config, { array }) {
    config.only("order");
    const order = readOrder(config, array.shape.length);
    return { params: order, encoded: { dtype: array.dtype, shape: order.map((axis) => array.shape[axis]!) } };
  },
};
