/** Broadcasts the operands of an expression, by the names of their dimensions or by position. */

import { invalidArgument } from "../../util/errors.js";
import { countOf } from "../../util/shapes.js";
import type { DimensionNames, Source } from "./sources.js";

/** Shape of a result, and the axis of each operand (or -1) along each of its axes. */
export interface Layout {
  readonly shape: readonly number[];
  readonly names: DimensionNames | undefined;
  readonly axes: ReadonlyMap<Source, readonly number[]>;
}

type Named = ReadonlyMap<string, Source>;

const list = (lengths: readonly number[]) => `[${lengths.join(", ")}]`;

/**
 * Broadcasts by name if all operands have names, as xarray does: dimensions are in the order in which they appear first.
 * Operands without any names are broadcast by position, as NumPy does.
 * @throws InvalidArgument for lengths that differ, and if only some operands have names.
 */
export function broadcast(sources: Named): Layout {
  const ranked = [...sources].filter(([, { shape }]) => shape.length > 0);
  const isNamed = ([, { names }]: readonly [string, Source]) =>
    names?.every((name) => name !== null) === true && new Set(names).size === names.length;
  const unnamed = ranked.find((entry) => !isNamed(entry));
  if (!unnamed) return byName(sources);
  if (ranked.every(([, { names }]) => names?.every((name) => name === null) ?? true)) return byPosition(sources);
  throw invalidArgument(
    `operand "${unnamed[0]}" needs a distinct name for each dimension, as other operands have: pass { array, dimensionNames: […] }`,
  );
}

function byName(sources: Named): Layout {
  const lengths = new Map<string, readonly [length: number, operand: string]>();
  for (const [operand, { names = [], shape }] of sources)
    for (const [axis, name] of names.entries()) {
      const [length, other] = lengths.get(name!) ?? [shape[axis]!, operand];
      if (length !== shape[axis])
        throw invalidArgument(`dimension "${name}" has length ${length} in operand "${other}", but ${shape[axis]} in "${operand}"`);
      lengths.set(name!, [length, other]);
    }
  const names = [...lengths.keys()];
  const axesOf = (source: Source) => names.map((name) => source.names?.indexOf(name) ?? -1);
  return {
    shape: [...lengths.values()].map(([length]) => length),
    names,
    axes: new Map([...sources.values()].map((source) => [source, axesOf(source)])),
  };
}

function byPosition(sources: Named): Layout {
  const rank = Math.max(...[...sources.values()].map(({ shape }) => shape.length));
  const shape = new Array<number>(rank).fill(1);
  for (const [operand, source] of sources)
    for (const [i, length] of source.shape.entries()) {
      const axis = rank - source.shape.length + i;
      if (length !== 1 && shape[axis] !== 1 && shape[axis] !== length)
        throw invalidArgument(`operand "${operand}" of shape ${list(source.shape)} cannot be broadcast to ${list(shape)}`);
      if (length !== 1) shape[axis] = length;
    }
  const axesOf = (source: Source) => shape.map((_, axis) => Math.max(-1, axis - rank + source.shape.length));
  return { shape, names: undefined, axes: new Map([...sources.values()].map((source) => [source, axesOf(source)])) };
}

/** Maximum number of elements of a chunk: 32 MiB of float64. */
const maxChunk = 2 ** 22;

/** Returns the shape of the result's chunks: that of the largest operand's, along further axes that of the others. */
export function chunkShape({ shape, axes }: Layout): number[] {
  const bySize = [...axes.keys()].sort((a, b) => countOf(b.shape) - countOf(a.shape));
  const chunks = shape.map((length, axis) => {
    const found = bySize.find((source) => source.chunks && source.shape[axes.get(source)![axis]!] === length);
    return Math.max(1, Math.min(length, found?.chunks?.[axes.get(found)![axis]!] ?? length));
  });
  for (let axis = 0; axis < shape.length && countOf(chunks) > maxChunk; ) {
    if (chunks[axis] === 1) axis++;
    else chunks[axis] = Math.ceil(chunks[axis]! / 2);
  }
  return chunks;
}
