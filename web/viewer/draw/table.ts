/** The colours of a style. */
import { colorTable, labelCount, pixelBytes, pixelColor } from "../base/color-tables.js";
import { type OutsideColors, outsideColors } from "../base/outside-colors.js";
import type { LayerStyle } from "../model/layers.js";
import type { Tile } from "../tiles/tile.js";

const kept = new Map<string, Uint32Array>();
const maxCachedTables = 64;

/** Pixels in the byte order of canvases, with gamma, direction and steps applied. */
export function layerColors(style: LayerStyle): Uint32Array {
  const { kind, colormap, isReversed, color, gamma, steps, isOverlay, labelColors, hidden, selected } = style;
  const look = [hidden, "", selected].join();
  const key = [kind, colormap, isReversed, color, gamma, steps, isOverlay, labelColors, look].join();
  let table = kept.get(key);
  if (!table) {
    if (kept.size >= maxCachedTables) kept.clear();
    table = makeTable(style);
    kept.set(key, table);
  }
  return table;
}

/** Colours of values outside the range; undefined if they have those of the ends. */
export function outsideOf({ kind, colormap, color, outside }: LayerStyle): OutsideColors | undefined {
  if (outside === "clamp" || kind === "labels" || kind === "mask") return undefined;
  return outsideColors(kind === "tint" ? ramp(color) : colorTable(colormap));
}

function makeTable(style: LayerStyle): Uint32Array {
  const { kind, colormap, isReversed, color, gamma, steps } = style;
  if (kind === "labels") return labelTable(style);
  if (kind === "mask") return Uint32Array.from({ length: 256 }, (_, i) => pixelColor([0, 0, 0], i));
  const plain = kind === "tint" ? ramp(color) : colorTable(colormap);
  return Uint32Array.from(plain, (_, i) => {
    const share = steps > 0 ? Math.floor((i * steps) / 256) / (steps - 1) : i / 255;
    const at = Math.min(255, Math.floor(256 * share ** gamma));
    return plain[isReversed ? 255 - at : at]!;
  });
}

/** Over another layer, the background is transparent. */
function labelTable({ isOverlay, labelColors, hidden = [], selected = [] }: LayerStyle): Uint32Array {
  const table = colorTable("labels").slice();
  const { others } = labelColors ?? {};
  if (others) table.fill(pixelColor(others), 1);
  for (const [label, [red, green, blue, alpha]] of labelColors?.colors ?? [])
    if (label >= 0 && label < labelCount)
      table[label] = pixelColor([red, green, blue], isOverlay ? alpha : 255);
  if (isOverlay && !labelColors?.colors.has(0)) table[0] = 0;
  const chosen = new Set(selected);
  if (chosen.size > 0)
    for (let i = 1; i < table.length; i++) if (!chosen.has(i)) table[i] = faint(table[i]!, table[0]!);
  for (const label of hidden) if (label >= 0 && label < labelCount) table[label] = table[0]!;
  return table;
}

/** The colour of labels beside selected ones: a sixth of it, over the background of labels. */
export function faint(pixel: number, background: number): number {
  const alpha = pixel >>> 24;
  if (background >>> 24 === 0) return ((pixel & 0xffffff) | (Math.round(alpha * faintShare) << 24)) >>> 0;
  const share = (alpha / 255) * faintShare;
  const [own, below] = [pixelBytes(pixel), pixelBytes(background)];
  return pixelColor(below.map((value, i) => Math.round(value + (own[i]! - value) * share)));
}

const faintShare = 1 / 6;

/** A ramp from black to a colour. */
const ramp = (color: string): Uint32Array => colorTable(`#000000,#${color}`);

/**
 * The parts of a tile that have a pattern. Missing labels have none: the image shows through them, as it does through
 * unread parts of layers above the first.
 */
export function markedGaps(
  { gaps, plane }: Tile,
  style: LayerStyle,
  isFirst: boolean,
): Pick<Tile, "gaps" | "plane"> {
  const isMarked = style.isMissingMarked && !style.isOverlay;
  const hasPattern = { missing: isMarked, unread: isFirst, damaged: true };
  return { plane, gaps: gaps.filter(({ kind }) => hasPattern[kind]) };
}
