/** Converts numbers to shades: positions in a palette. 0 marks missing values. */
import type { Numbers } from "./blocks.js";
import { shades } from "./colours.js";
import { badRequest } from "./failures.js";
import type { Dataset } from "./dataset.js";
import type { Style } from "./route.js";
import type { Tile } from "./tile.js";

/** A square of shades in row-major order. */
export interface Shaded {
  readonly shades: Uint8Array;
  readonly size: number;
}

/** Shades the whole square of a tile, even if the level ends inside it. */
export function shade(tile: Tile, range: readonly [number, number], nodata: number | undefined, size: number): Shaded {
  const out = new Uint8Array(size * size);
  for (let y = 0; y < tile.height; y++) {
    const row = tile.data.subarray(y * tile.width, (y + 1) * tile.width);
    shadeRow(row, out.subarray(y * size), range, nodata);
  }
  return { shades: out, size };
}

function shadeRow(row: Numbers, out: Uint8Array, [low, high]: readonly [number, number], nodata: number | undefined) {
  const scale = (shades - 1) / (high - low);
  const first = 1.5; // the first shade plus 0.5, because storing a byte truncates
  for (let x = 0; x < row.length; x++) {
    const value = Number(row[x]);
    if (value === nodata) continue;
    const shade = (value - low) * scale + first;
    out[x] = shade < first ? 1 : shade > shades ? shades : shade; // NaN is stored as 0
  }
}

/**
 * The values of the first and last colour: from the request, the channel's window in OME-Zarr, or the type's.
 * @throws Refusal (400) if none of these is available.
 */
export function rangeOf(dataset: Dataset, style: Style, indices: ReadonlyMap<string, number>): readonly [number, number] {
  const range = style.range ?? knownRange(dataset, indices);
  if (range) return range;
  throw badRequest("this dataset has no display range: pass range=low,high");
}

export function knownRange(dataset: Dataset, indices: ReadonlyMap<string, number>): readonly [number, number] | undefined {
  const { axes, channel, channels, levels } = dataset;
  const { start, end } = channels[channel < 0 ? 0 : (indices.get(axes[channel]!) ?? 0)]?.window ?? {};
  if (start !== undefined && end !== undefined && start !== end) return [start, end];
  return usual.get(levels[0].dtype.name);
}

const usual: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["bool", [0, 1]],
  ["uint8", [0, 255]],
  ["int8", [-128, 127]],
]);
