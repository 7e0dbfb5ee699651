/** Labels drawn as outlines, hidden or faint: what the table of colours cannot say. */
import { labelCount, pixelColor } from "../base/color-tables.js";
import { labelCode, labelPixel } from "../base/label-pixels.js";
import type { Plane } from "../base/plane.js";
import type { LayerStyle } from "../model/layers.js";
import { faint } from "./table.js";

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

/** Codes of the labels of a plane, row by row. */
export function planeCodes({ values, offset, rows, columns, rowStride, columnStride }: Plane): Uint32Array {
  const codes = new Uint32Array(rows * columns);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride)
      codes[at++] = labelCode(values[from]!);
  }
  return codes;
}

/**
 * Colours codes: as the shader does. An element is part of an outline if a neighbour has another label; inside it, and in
 * place of hidden labels, is the background.
 */
export function paintCodes(
  codes: ArrayLike<number>,
  columns: number,
  table: Uint32Array,
  look: CodeLook,
  pixels: Uint32Array,
): void {
  const { isOutline, isFaint, plain } = look;
  const [hidden, selected] = [new Set(look.hidden), new Set(look.selected)];
  const rows = pixels.length / columns;
  for (let row = 0, at = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, at++) {
      const code = codes[at]!;
      const isInner =
        isOutline &&
        (column === 0 || codes[at - 1] === code) &&
        (column === columns - 1 || codes[at + 1] === code) &&
        (row === 0 || codes[at - columns] === code) &&
        (row === rows - 1 || codes[at + columns] === code);
      const pixel = labelPixel(table, code, plain);
      if (isInner || hidden.has(code)) pixels[at] = table[0]!;
      else
        pixels[at] = isFaint && code >= labelCount && !selected.has(code) ? faint(pixel, table[0]!) : pixel;
    }
}
