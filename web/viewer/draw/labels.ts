/** Labels that a texture of numbers would not hold exactly: their colours are looked up element by element. */

import type { Tile } from "../tiles/tile.js";
import { labelEntry } from "./paint.js";
import { labelTexels, type Texels } from "./texels.js";

type Range = readonly [number, number];

/** Makes texels that are entries of the colour table, from integers of 64 bits; undefined where nothing needs it. */
export function labelEntries(tile: Tile): ((rows: Range, columns: Range) => Texels) | undefined {
  const { data } = tile.block.region;
  if (!(data instanceof BigInt64Array || data instanceof BigUint64Array)) return undefined;
  return (rows, columns) =>
    labelTexels({ ...tile.plane, rows: rows[1] - rows[0], columns: columns[1] - columns[0] }, (row, column) =>
      labelEntry(data[tile.offsetOf(rows[0] + row, columns[0] + column)]!),
    );
}
