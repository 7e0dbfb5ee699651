/** Tables of colours: 256 for values, 65,536 for labels, as pixels in the byte order of canvas memory. */
import { bytesOfBase64, type ColormapName, packedColormap } from "./colormaps.js";
import { viridis } from "./viridis.js";

/** 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

/** Number of entries of a table of labels: the background, and the colours of the first labels. */
export const labelCount = 2 ** 16;

const tables = new Map<ColormapName, Uint32Array>();
const maxTables = 128;

/**
 * The colours of a map. For "labels", entry 0 is the background, and all others differ. A map whose table has
 * not been loaded looks like viridis.
 */
export function colorTable(name: ColormapName): Uint32Array {
  const kept = tables.get(name);
  if (kept) return kept;
  const table = makeTable(name);
  if (!table) return colorTable("viridis");
  if (tables.size >= maxTables) tables.clear(); // users can define any number
  tables.set(name, table);
  return table;
}

function makeTable(name: ColormapName): Uint32Array | undefined {
  if (name === "labels") return labelColors();
  if (name === "gray") return interpolated(["#000000", "#ffffff"]);
  if (name.startsWith("#")) return interpolated(name.split(","));
  const differences = name === "viridis" ? bytesOfBase64(viridis) : packedColormap(name);
  return differences && unpack(differences);
}

/** A published table: for one channel after the other, the differences from colour to colour, modulo 256. */
function unpack(differences: Uint8Array): Uint32Array {
  const bytes = new Uint8Array(4 * 256).fill(255);
  for (let channel = 0; channel < 3; channel++) {
    let value = 0;
    for (let i = 0; i < 256; i++) {
      value += differences[256 * channel + i]!;
      bytes[4 * i + channel] = value;
    }
  }
  return new Uint32Array(bytes.buffer);
}

/** 256 colours on straight lines between evenly spaced ones. */
function interpolated(stops: readonly string[]): Uint32Array {
  const colors = stops.map(parseColor);
  const bytes = new Uint8ClampedArray(4 * 256).fill(255); // rounds
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (colors.length - 1);
    const left = Math.min(Math.floor(at), colors.length - 2);
    for (let channel = 0; channel < 3; channel++) {
      const [a, b] = [colors[left]![channel]!, colors[left + 1]![channel]!];
      bytes[4 * i + channel] = a + (b - a) * (at - left);
    }
  }
  return new Uint32Array(bytes.buffer);
}

/** @param text "rrggbb" or "#rrggbb" */
export function parseColor(text: string): Rgb {
  const value = Number.parseInt(text.replace("#", ""), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** One pixel, and its bytes: tables have 65,536. */
const bytes = new Uint8Array(4);
const pixel = new Uint32Array(bytes.buffer);

/** A pixel in the byte order of canvases. */
export function pixelColor([red, green, blue]: readonly number[], alpha = 255): number {
  bytes[0] = red!;
  bytes[1] = green!;
  bytes[2] = blue!;
  bytes[3] = alpha;
  return pixel[0]!;
}

/** Red, green and blue of a pixel. */
export function pixelBytes(color: number): Rgb {
  pixel[0] = color;
  return [bytes[0]!, bytes[1]!, bytes[2]!];
}

const background: Rgb = [20, 22, 28];

/** Labels per turn around the circle: those of one turn have different colours almost always. */
const labelsPerTurn = 720;

/**
 * Colours a golden angle apart in hue, so that consecutive labels look very different. No two are the same:
 * further turns around the circle vary saturation and lightness. The last bit of blue is 0: colours with a 1 are
 * those of further labels (label-pixels.ts).
 */
function labelColors(): Uint32Array {
  const table = new Uint32Array(labelCount);
  const used = new Uint32Array(2 ** 24 / 32); // a bit per colour
  table[0] = pixelColor(background);
  for (let label = 1; label < labelCount; label++) {
    let turn = Math.floor(label / labelsPerTurn);
    let color = labelColor(label, turn);
    while ((used[color >> 5]! >> (color & 31)) & 1) color = labelColor(label, ++turn);
    used[color >> 5]! |= 1 << (color & 31);
    bytes[0] = color >> 16;
    bytes[1] = color >> 8;
    bytes[2] = color;
    bytes[3] = 255;
    table[label] = pixel[0]!;
  }
  return table;
}

/** Colour of a label in a turn, 0xrrggbb. */
function labelColor(label: number, turn: number): number {
  const hue = (label * 137.508 + 200 + turn * 0.31) / 30;
  const saturation = turn === 0 ? 0.62 : 0.47 + 0.3 * fraction(turn * 0.618);
  const middle = 0.36 + 0.14 * (label % 3);
  const lightness = turn === 0 ? middle : middle - 0.065 + 0.13 * fraction(turn * 0.755);
  const amount = saturation * Math.min(lightness, 1 - lightness);
  const red = 255 * (lightness - amount * swing(hue));
  const green = 255 * (lightness - amount * swing(hue + 8));
  const blue = 255 * (lightness - amount * swing(hue + 4));
  return (red << 16) | (green << 8) | (blue & ~1);
}

const fraction = (value: number): number => value - Math.floor(value);

/** How far a channel is from the middle at a hue of 0 to 12: −1 is the most of it. */
function swing(hue: number): number {
  const k = hue - 12 * Math.floor(hue / 12);
  return Math.max(-1, Math.min(k - 3, 9 - k, 1));
}
