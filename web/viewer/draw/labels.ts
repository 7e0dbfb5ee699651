/** Colours of labels that a texture of numbers cannot hold exactly: looked up element by element. */
import { labelCode } from "../base/label-pixels.js";
import type { Tile } from "../tiles/tile.js";
import type { Thinning } from "./paint.js";
import { labelTexels, type Texels } from "./texels.js";

type Range = readonly [number, number];

/**
 * Returns a function that makes texels of label codes from 64-bit integers and doubles; undefined if the tile does
 * not need it. Of each step of rows and columns, the middle element is sampled.
 */
export function labelCodes(
  tile: Tile,
): ((rows: Range, columns: Range, step?: Thinning) => Texels) | undefined {
  const { data } = tile.block.region;
  const isWide = data instanceof BigInt64Array || data instanceof BigUint64Array;
  const { values, offset, rowStride, columnStride } = tile.plane;
  if (!isWide && !(values instanceof Float64Array)) return undefined;
  const labelAt = isWide
    ? (row: number, column: number) => data[tile.offsetOf(row, column)]!
    : (row: number, column: number) => values[offset + row * rowStride + column * columnStride]!;
  return (rows, columns, step = { rows: 1, columns: 1 }) => {
    const [top, left] = [rows[0] + (step.rows >> 1), columns[0] + (step.columns >> 1)];
    const part = {
      ...tile.plane,
      rows: (rows[1] - rows[0]) / step.rows,
      columns: (columns[1] - columns[0]) / step.columns,
    };
    return labelTexels(part, (row, column) =>
      labelCode(labelAt(top + row * step.rows, left + column * step.columns)),
    );
  };
}
