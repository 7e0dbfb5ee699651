/** The 256 colours of a style. */
import { colorTable } from "../base/colormaps.js";
import type { LayerStyle } from "../model/layers.js";
import type { Tile } from "../tiles/tile.js";

const kept = new Map<string, Uint32Array>();
const maxCachedTables = 64;

/** Pixels in the byte order of canvases, with gamma and direction applied. */
export function layerColors(style: LayerStyle): Uint32Array {
  const { kind, colormap, isReversed, color, gamma, isOverlay } = style;
  const key = [kind, colormap, isReversed, color, gamma, isOverlay].join();
  let table = kept.get(key);
  if (!table) {
    if (kept.size >= maxCachedTables) kept.clear();
    table = makeTable(style);
    kept.set(key, table);
  }
  return table;
}

function makeTable({ kind, colormap, isReversed, color, gamma, isOverlay }: LayerStyle): Uint32Array {
  // Over another layer, the background is transparent.
  if (kind === "labels")
    return isOverlay ? colorTable("labels").map((pixel, i) => (i === 0 ? 0 : pixel)) : colorTable("labels");
  if (kind === "mask")
    return Uint32Array.from({ length: 256 }, (_, i) => new Uint32Array(Uint8Array.of(0, 0, 0, i).buffer)[0]!);
  const plain = kind === "tint" ? ramp(color) : colorTable(colormap);
  return Uint32Array.from(plain, (_, i) => {
    const at = Math.min(255, Math.floor(256 * ((i + 0.5) / 256) ** gamma));
    return plain[isReversed ? 255 - at : at]!;
  });
}

/** A ramp from black to a colour. */
function ramp(color: string): Uint32Array {
  const value = Number.parseInt(color, 16);
  const bytes = new Uint8ClampedArray(1024);
  for (let i = 0; i < 256; i++)
    bytes.set(
      [(value >> 16) & 255, (value >> 8) & 255, value & 255].map((c) => (c * i) / 255).concat(255),
      4 * i,
    );
  return new Uint32Array(bytes.buffer);
}

/** For labels over another layer: missing chunks hold no labels and are not marked. */
export const withoutMissing = ({ gaps, plane }: Tile): Pick<Tile, "gaps" | "plane"> => ({
  plane,
  gaps: gaps.filter(({ kind }) => kind !== "missing"),
});
