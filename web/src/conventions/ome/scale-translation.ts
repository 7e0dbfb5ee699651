/** OME-Zarr `coordinateTransformations`: combines scales and translations into one of each. */
import { unsupported } from "../../util/errors.js";
import { isRecord, own, textOf } from "../../util/own-property.js";
import { badAttribute, numberOf } from "../shared/attributes.js";

/** One step: positions are multiplied by the scale, or the translation is added to them. */
export type Transform =
  | { readonly type: "scale"; readonly values: readonly number[] }
  | { readonly type: "translation"; readonly values: readonly number[] };

/**
 * Reads a list of transformations; identities are omitted.
 *
 * @param rank number of axes, and thus of values in each transformation.
 * @param of "level": exactly one scale, then at most one translation (spec 0.4 and 0.5). "whole": the list of
 *   an image, which may be absent.
 * @throws InvalidMetadata for a list that does not follow the specification; Unsupported for transformations
 *   that are stored as arrays.
 */
export function readTransforms(
  list: unknown,
  rank: number,
  where: string,
  of: "level" | "whole",
): Transform[] {
  if (list === undefined && of === "whole") return [];
  const place = `${where}: "coordinateTransformations"`;
  if (!Array.isArray(list) || !list.every(isRecord))
    throw badAttribute(`${place} must be a list of objects`, list, "bad-ome");
  const steps = list.flatMap((entry) => readTransform(entry, rank, place));
  if (of === "level") checkLevel(steps, place, list);
  return steps;
}

function readTransform(entry: unknown, rank: number, place: string): Transform[] {
  // SpatialData adds entries that lead to its own coordinate systems; they are not part of this sequence.
  return isRecord(own(entry, "output")) ? [] : readStep(entry, rank, place);
}

/** Reads a scale or a translation; identity gives no step. */
function readStep(entry: unknown, rank: number, place: string): Transform[] {
  const type = own(entry, "type");
  if (type === "identity") return [];
  if (type !== "scale" && type !== "translation")
    throw badAttribute(`${place} can have the types scale, translation and identity`, type, "bad-ome");
  if (own(entry, "path") !== undefined) {
    throw unsupported(`${place}: a ${type} that is stored as an array`, { code: "ome-transformation" });
  }
  const values = own(entry, type);
  const numbers = Array.isArray(values) ? values.map(numberOf) : [];
  const valid = numbers.length === rank && numbers.every((value) => value !== undefined);
  if (!valid)
    throw badAttribute(`${place}: a ${type} must have ${rank} numbers, one per axis`, values, "bad-ome");
  return [{ type, values: numbers as number[] }];
}

/**
 * Returns the name of the coordinate system that a level's transformation leads to (0.6); undefined if there
 * is none.
 */
export function outputName(list: unknown): string | undefined {
  const output = own(Array.isArray(list) ? list[0] : undefined, "output");
  return textOf(output) ?? textOf(own(output, "name")); // drafts of 0.6 have only the name
}

/**
 * Reads the only transformation of a level: identity, a scale, or a sequence of a scale and a translation
 * (spec 0.6).
 * @throws InvalidMetadata for any other.
 */
export function readLevelTransform(list: unknown, rank: number, where: string): Transform[] {
  const place = `${where}: "coordinateTransformations"`;
  const [only] = Array.isArray(list) && list.length === 1 ? (list as unknown[]) : [];
  const isSequence = own(only, "type") === "sequence";
  const parts = isSequence ? own(only, "transformations") : [only];
  if (Array.isArray(parts) && parts.length === (isSequence ? 2 : 1) && parts.every(isRecord)) {
    const steps = parts.flatMap((part) => readStep(part, rank, place));
    const order = steps.map(({ type }) => type).join();
    if (order === (isSequence ? "scale,translation" : "scale") || (!isSequence && order === "")) return steps;
  }
  throw badAttribute(
    `${place} of a level must be one: identity, a scale, or a sequence of a scale and a translation`,
    list,
    "bad-ome",
  );
}

function checkLevel(steps: readonly Transform[], place: string, list: unknown): void {
  const order = steps.map(({ type }) => type).join();
  if (order === "scale" || order === "scale,translation") return;
  throw badAttribute(
    `${place} of a level must be one scale and at most one translation after it`,
    list,
    "bad-ome",
  );
}

/** Combines steps, in order, into one scale and one translation: position = index · scale + translation. */
export function combine(
  steps: readonly Transform[],
  rank: number,
): { scale: readonly number[]; translation: readonly number[] } {
  const scale = new Array<number>(rank).fill(1);
  const translation = new Array<number>(rank).fill(0);
  for (const { type, values } of steps) {
    values.forEach((value, axis) => {
      if (type === "scale") {
        scale[axis]! *= value;
        translation[axis]! *= value;
      } else translation[axis]! += value;
    });
  }
  return { scale, translation };
}
