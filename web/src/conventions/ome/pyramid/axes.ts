/** Determines the axes of a new OME-Zarr image. Spec 0.4 and 0.5, "axes" metadata. */

import { isRecord, ownProperty } from "../../../util/arguments.js";
import { describeValue, invalidArgument } from "../../../util/errors.js";
import type { MultiscaleOptions, NewAxis } from "../multiscale-options.js";

/** An axis as written. */
export interface Axis {
  readonly name: string;
  readonly type: string | undefined;
  readonly unit: string | undefined;
}

/** Axis types by name. */
const typeOfName: ReadonlyMap<string, string> = new Map([
  ["t", "time"],
  ["time", "time"],
  ["c", "channel"],
  ["channel", "channel"],
  ["z", "space"],
  ["y", "space"],
  ["x", "space"],
]);

/** Axes of arrays without dimension names, by rank. */
const usual: Readonly<Record<number, readonly string[]>> = {
  2: ["y", "x"],
  3: ["z", "y", "x"],
  4: ["c", "z", "y", "x"],
  5: ["t", "c", "z", "y", "x"],
};

const bad = (message: string) => invalidArgument(message, { code: "bad-axes" });

/**
 * Returns the axes of an image.
 * @param names dimension names of the array, used if no axes are given.
 * @throws InvalidArgument for axes that OME-Zarr does not allow.
 */
export function axesOf(
  given: MultiscaleOptions["axes"],
  names: readonly (string | null)[] | undefined,
  rank: number,
): Axis[] {
  if (rank < 2 || rank > 5) throw bad(`images have 2 to 5 dimensions in OME-Zarr, not ${rank}`);
  const list = given ?? (isNamed(names) ? names : usual[rank]!);
  if (!Array.isArray(list) || list.length !== rank)
    throw bad(`axes must be a list of ${rank} axes, one per dimension, not ${describeValue(list)}`);
  const axes = list.map(axisOf);
  checkAxes(axes, given === undefined && isNamed(names));
  return axes;
}

const isNamed = (names: readonly (string | null)[] | undefined): names is readonly string[] =>
  names?.every((name) => name !== null && name !== "") === true && new Set(names).size === names.length;

function axisOf(axis: string | NewAxis): Axis {
  const name = typeof axis === "string" ? axis : ownProperty(axis, "name");
  const type = isRecord(axis) ? ownProperty(axis, "type") : undefined;
  const unit = isRecord(axis) ? ownProperty(axis, "unit") : undefined;
  if (typeof name !== "string" || name === "") throw bad("every axis must have a name");
  for (const [what, value] of Object.entries({ type, unit })) {
    if (value !== undefined && typeof value !== "string")
      throw bad(`the ${what} of axis "${name}" must be a string, not ${describeValue(value)}`);
  }
  return {
    name,
    type: (type as string | undefined) ?? typeOfName.get(name),
    unit: unit as string | undefined,
  };
}

/**
 * Checks the order: at most one time axis, then at most one of channels or another kind, then two or three of
 * space.
 */
function checkAxes(axes: readonly Axis[], areGuessed: boolean): void {
  const names = axes.map(({ name }) => name).join(", ");
  const hint = areGuessed ? "; these are the array's dimension names: give axes for others" : "";
  if (new Set(axes.map(({ name }) => name)).size < axes.length)
    throw bad(`axes must have names of their own, not ${names}`);
  const order = axes.map(({ type }) => (type === "time" ? "t" : type === "space" ? "s" : "c")).join("");
  if (/^t?c?s{2,3}$/.test(order)) return;
  const kinds = axes.map(({ name, type }) => `${name} (${type ?? "of no type"})`).join(", ");
  throw bad(
    `axes of OME-Zarr are at most one of time, then at most one of channels or another kind, then two or three of space, not ${kinds}${hint}`,
  );
}
