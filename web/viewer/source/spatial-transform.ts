/** Coordinate systems of SpatialData: affine transformations of elements, by the names of axes. */
import { diagonalRows, productRows, type Rows } from "#internal";
import { own, textAt } from "./attributes.js";
import { InvalidLayer } from "./features.js";
import type { Spaces } from "./spaces.js";

/** Maximum nesting of sequences of transformations, number of their steps, and number of systems. */
const maxDepth = 8;
const maxSteps = 256;
const maxSystems = 16;

/**
 * The transformations of an element to coordinate systems, by their names.
 * @param names of the element's axes.
 */
export function spatialSystems(list: unknown, names: readonly string[]): Spaces["systems"] {
  const systems = new Map<string, Rows | Error>();
  if (!Array.isArray(list)) return systems;
  for (const step of list.slice(0, maxSystems)) {
    const name = textAt(own(step, "output"), "name");
    if (name === undefined) continue;
    try {
      systems.set(name, rowsOf(step, names, axesOf(own(step, "input")) ?? names, 0));
    } catch (error) {
      if (!(error instanceof InvalidLayer)) throw error;
      systems.set(name, error);
    }
  }
  return systems;
}

/** Names of the axes of a coordinate system. */
function axesOf(system: unknown): readonly string[] | undefined {
  const axes = own(system, "axes");
  return Array.isArray(axes) && axes.length > 0 ? axes.map((axis) => String(own(axis, "name"))) : undefined;
}

/** @param axes of the step's input. Other axes do not change. */
function rowsOf(step: unknown, names: readonly string[], axes: readonly string[], depth: number): Rows {
  const type = textAt(step, "type");
  const rows = diagonalRows(names.length);
  const last = names.length;
  const each = (list: readonly number[], set: (row: number[], value: number, at: number) => void) => {
    for (const [i, value] of list.entries()) {
      const at = names.indexOf(axes[i]!);
      if (at >= 0) set(rows[at]!, value, at);
    }
  };
  if (type === "scale")
    each(numbersOf(step, type, axes.length), (row, value, at) => {
      row[at] = value;
    });
  else if (type === "translation")
    each(numbersOf(step, type, axes.length), (row, value) => {
      row[last] = value;
    });
  else if (type === "affine") setAffine(rows, step, names, axes);
  else if (type === "mapAxis") setMapped(rows, step, names);
  else if (type === "sequence") return sequence(step, names, axes, depth);
  else if (type !== "identity")
    throw new InvalidLayer(`its transformation of type ${type ?? "unknown"} is not supported`);
  return rows;
}

function numbersOf(step: unknown, type: string, count: number): number[] {
  const list = own(step, type);
  if (Array.isArray(list) && list.length === count && list.every(Number.isFinite)) return list as number[];
  throw new InvalidLayer(`its transformation has no valid ${type}`);
}

/** A row for each axis of the output, with a last column of shifts; further rows of homogeneous matrices are ignored. */
function setAffine(rows: number[][], step: unknown, names: readonly string[], axes: readonly string[]): void {
  const list = own(step, "affine");
  const outputs = axesOf(own(step, "output")) ?? axes;
  for (const [i, output] of outputs.entries()) {
    const at = names.indexOf(output);
    if (at < 0) continue;
    const row: unknown = Array.isArray(list) ? list[i] : undefined;
    if (!Array.isArray(row) || row.length !== axes.length + 1 || !row.every(Number.isFinite))
      throw new InvalidLayer("its transformation has no valid affine");
    rows[at]!.fill(0);
    for (const [k, input] of axes.entries())
      if (names.includes(input)) rows[at]![names.indexOf(input)] = row[k] as number;
    rows[at]![names.length] = row.at(-1) as number;
  }
}

function setMapped(rows: number[][], step: unknown, names: readonly string[]): void {
  const map = own(step, "map_axis") ?? own(step, "mapAxis");
  for (const [at, name] of names.entries()) {
    const from = textAt(map, name);
    if (from === undefined) continue;
    if (!names.includes(from)) throw new InvalidLayer("its transformation has no valid mapAxis");
    rows[at]!.fill(0);
    rows[at]![names.indexOf(from)] = 1;
  }
}

function sequence(step: unknown, names: readonly string[], axes: readonly string[], depth: number): Rows {
  const steps = own(step, "transformations");
  if (!Array.isArray(steps) || steps.length > maxSteps || depth >= maxDepth)
    throw new InvalidLayer("its transformation is not a valid sequence");
  return steps
    .map((one) => rowsOf(one, names, axesOf(own(one, "input")) ?? axes, depth + 1))
    .reduce<Rows>((first, then) => productRows(then, first), diagonalRows(names.length));
}
