/** Labels that are outlined, hidden or faint, which a table of colours cannot express; codes of labels. */
import { labelCount, pixelColor } from "../base/color-tables.js";
import { labelCode } from "../base/label-pixels.js";
import { keptFor } from "../base/memo.js";
import type { Plane } from "../base/plane.js";
import type { LayerStyle } from "../model/layers.js";
import type { Tile } from "../tiles/tile.js";

/** Codes of listed labels that have no entry in the table. */
export interface CodeLook {
  readonly isOutline: boolean;
  readonly hidden: readonly number[];
  readonly selected: readonly number[];
  /** Whether labels that are not listed are faint. */
  readonly isFaint: boolean;
  /** Pixel of labels that have no entry in the table; undefined for computed ones. */
  readonly plain: number | undefined;
}

/** Undefined if all labels are filled and equal. */
export function codeLook({
  isOutline = false,
  hidden = [],
  selected = [],
  labelColors,
}: LayerStyle): CodeLook | undefined {
  const plain = labelColors?.others && pixelColor(labelColors.others);
  if (!isOutline && hidden.length + selected.length === 0 && plain === undefined) return undefined;
  const computed = (list: readonly number[]) => list.map(labelCode).filter((code) => code >= labelCount);
  return {
    isOutline,
    hidden: computed(hidden),
    selected: computed(selected),
    isFaint: selected.length > 0,
    plain,
  };
}

/** Whether a texture of a tile's numbers cannot hold its labels exactly: integers of 64 bits, too, are doubles. */
export const needsCodes = ({ plane }: Tile): boolean => plane.values instanceof Float64Array;

/** Codes of a tile's labels, row by row. Kept with the tile. */
export const tileCodes = keptFor(({ block, plane, offsetOf }: Tile): Plane => {
  const { data } = block.region;
  const { values, offset, rows, columns, rowStride, columnStride } = plane;
  const isWide = data instanceof BigInt64Array || data instanceof BigUint64Array;
  const codeAt = (row: number, column: number) =>
    labelCode(
      isWide ? data[offsetOf(row, column)]! : values[offset + row * rowStride + column * columnStride]!,
    );
  // A constant plane is one element.
  if (rowStride === 0 && columnStride === 0)
    return { ...plane, values: Uint32Array.of(codeAt(0, 0)), offset: 0 };
  const codes = new Uint32Array(rows * columns);
  for (let row = 0, at = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) codes[at++] = codeAt(row, column);
  return { values: codes, offset: 0, rows, columns, rowStride: columns, columnStride: 1 };
});
