/** Colours of labels that a texture of numbers cannot hold exactly: looked up element by element. */

import type { Tile } from "../tiles/tile.js";
import { labelEntry, type Thinning } from "./paint.js";
import { labelTexels, type Texels } from "./texels.js";

type Range = readonly [number, number];

/**
 * Returns a function that makes texels of colour table entries from 64-bit integers; undefined if the tile
 * does not need it. Of each step of rows and columns, the middle element is sampled.
 */
export function labelEntries(
  tile: Tile,
): ((rows: Range, columns: Range, step?: Thinning) => Texels) | undefined {
  const { data } = tile.block.region;
  if (!(data instanceof BigInt64Array || data instanceof BigUint64Array)) return undefined;
  return (rows, columns, step = { rows: 1, columns: 1 }) => {
    const [top, left] = [rows[0] + (step.rows >> 1), columns[0] + (step.columns >> 1)];
    const part = {
      ...tile.plane,
      rows: (rows[1] - rows[0]) / step.rows,
      columns: (columns[1] - columns[0]) / step.columns,
    };
    return labelTexels(part, (row, column) =>
      labelEntry(data[tile.offsetOf(top + row * step.rows, left + column * step.columns)]!),
    );
  };
}
