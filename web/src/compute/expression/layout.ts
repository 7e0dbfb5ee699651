/** Broadcasts operands by the names of their dimensions, or by position. */

import { invalidArgument } from "../../util/errors.js";
import { countOf } from "../../util/shapes.js";
import { kindBytes } from "./kinds.js";
import type { Source } from "./sources.js";

/** Shape of a result, and the axis of each operand (or -1) along each of its dimensions. */
export interface Layout {
  readonly shape: readonly number[];
  readonly names: readonly (string | null)[] | undefined;
  readonly inputs: readonly { readonly source: Source; readonly axes: readonly number[] }[];
}

/**
 * Operands with names are broadcast by name, as xarray does: dimensions are in the order in which they appear first.
 * Operands without any names are broadcast by position, as NumPy does.
 * @throws InvalidArgument for lengths that differ, and if only some operands have names.
 */
export function broadcast(sources: ReadonlyMap<string, Source>): Layout {
  const isUnnamed = ({ names, shape }: Source) =>
    shape.length > 0 && (names?.every((name) => name === null) ?? true);
  const isByPosition = [...sources.values()].every(
    (source) => isUnnamed(source) || source.shape.length === 0,
  );
  const rank = Math.max(...[...sources.values()].map(({ shape }) => shape.length));
  const dimensionsOf = ({ names, shape }: Source): readonly unknown[] =>
    isByPosition ? shape.map((_, axis) => rank - shape.length + axis) : (names ?? shape.map(() => null));
  const lengths = new Map<unknown, number>(
    isByPosition ? Array.from({ length: rank }, (_, axis) => [axis, 1]) : [],
  );
  for (const [operand, source] of sources) {
    const dimensions = dimensionsOf(source);
    if (dimensions.includes(null) || new Set(dimensions).size < dimensions.length)
      throw invalidArgument(
        `operand "${operand}" needs a distinct name for each dimension, as other operands have: pass { array, dimensionNames }, or a region with dimensionNames`,
      );
    for (const [axis, dimension] of dimensions.entries()) {
      const length = source.shape[axis]!;
      const known = lengths.get(dimension) ?? length;
      if (length !== known && !(isByPosition && (length === 1 || known === 1)))
        throw invalidArgument(
          `operand "${operand}": dimension ${JSON.stringify(dimension)} has length ${length}, but ${known} in another operand`,
        );
      lengths.set(dimension, isByPosition && length === 1 ? known : length);
    }
  }
  const all = [...lengths.keys()];
  return {
    shape: [...lengths.values()],
    names: isByPosition ? undefined : (all as string[]),
    inputs: [...sources.values()].map((source) => {
      const dimensions = dimensionsOf(source);
      return { source, axes: all.map((dimension) => dimensions.indexOf(dimension)) };
    }),
  };
}

/** Maximum size of all operands of a chunk, in bytes: 4 million elements of two float32 arrays. */
const maxBytes = 2 ** 25;

/** Returns the shape of the result's chunks: that of the largest operand's; along further axes that of the others. */
export function chunkShape({ shape, inputs }: Layout): number[] {
  const bySize = [...inputs].sort((a, b) => countOf(b.source.shape) - countOf(a.source.shape));
  const chunks = shape.map((length, axis) => {
    const found = bySize.find(({ source, axes }) => source.chunks && source.shape[axes[axis]!] === length);
    return Math.max(1, Math.min(length, found?.source.chunks?.[found.axes[axis]!] ?? length));
  });
  const itemBytes = inputs.reduce((sum, { source }) => sum + kindBytes(source.stored.kind), 0);
  for (let axis = 0; countOf(chunks) * Math.max(8, itemBytes) > maxBytes; )
    if (chunks[axis] === 1) axis++;
    else chunks[axis] = Math.ceil(chunks[axis]! / 2);
  return chunks;
}
