/**
 * Colour maps: tables of 256 colours, interpolated from a few stops each.
 *
 * viridis, magma and cividis follow matplotlib's maps of the same names (CC0), and turbo follows Google's, as
 * smooth curves through the stops.
 */

interface Colormap {
  readonly label: string;
  /** Evenly spaced colours, "rrggbb"; none for labels. */
  readonly stops: string;
}

export const colormaps = {
  gray: { label: "Gray", stops: "000000 ffffff" },
  viridis: {
    label: "Viridis",
    stops: "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  },
  magma: {
    label: "Magma",
    stops: "000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf",
  },
  cividis: {
    label: "Cividis",
    stops: "00204d 00336f 39486b 575c6d 707173 8a8779 a69d75 c4b56c e4cf5b ffea46",
  },
  turbo: {
    label: "Turbo",
    stops:
      "30123b 4145ab 4675ed 39a2fc 1bcfd4 24eca6 61fc6c a4fc3b d1e834 f3c63a fe9b2d f36315 d93806 b11901 7a0402",
  },
  diverging: {
    label: "Blue – white – red",
    stops: "1f3a7a 3467b2 6a9bd1 a9c8e6 f4f4f2 edb99f dc7f63 b83f3a 741827",
  },
  cyclic: { label: "Cyclic", stops: "2d2a52 3d6aa8 86b3bd e6e0d8 d59a7c a3424f 2d2a52" },
  labels: { label: "Labels (one colour each)", stops: "" },
} as const satisfies Record<string, Colormap>;

export type ColormapName = keyof typeof colormaps;
export const colormapNames = Object.keys(colormaps) as ColormapName[];

const tables = new Map<ColormapName, Uint32Array>();

/**
 * The 256 colours of a map as 32-bit pixels, in the byte order of canvas memory. For "labels", entry 0 is the
 * background and the other colours are easy to tell apart.
 */
export function colorTable(name: ColormapName): Uint32Array {
  let table = tables.get(name);
  if (!table) {
    const bytes = name === "labels" ? labelColors() : curve(parseStops(colormaps[name].stops));
    table = new Uint32Array(bytes.buffer);
    tables.set(name, table);
  }
  return table;
}

type Rgb = readonly [number, number, number];

function parseStops(text: string): Rgb[] {
  return text.split(" ").map((hex) => {
    const value = Number.parseInt(hex, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  });
}

/** 256 colours on a Catmull-Rom curve through the stops; two stops give a straight line. */
function curve(stops: readonly Rgb[]): Uint8ClampedArray<ArrayBuffer> {
  const bytes = new Uint8ClampedArray(4 * 256);
  const last = stops.length - 1;
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * last;
    const left = Math.min(Math.floor(at), last - 1);
    for (let channel = 0; channel < 3; channel++) {
      const stop = (k: number) => stops[k]![channel]!;
      const [b, c] = [stop(left), stop(left + 1)];
      // The curve continues straight beyond the ends, so that a ramp of two stops stays exact.
      const a = left > 0 ? stop(left - 1) : 2 * b - c;
      const d = left + 2 <= last ? stop(left + 2) : 2 * c - b;
      bytes[4 * i + channel] = catmullRom(a, b, c, d, at - left);
    }
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

function catmullRom(a: number, b: number, c: number, d: number, t: number): number {
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

/** Colours a golden angle apart in hue: consecutive labels get very different colours. */
function labelColors(): Uint8ClampedArray<ArrayBuffer> {
  const bytes = new Uint8ClampedArray(4 * 256);
  bytes.set([20, 22, 28, 255]);
  for (let i = 1; i < 256; i++) {
    const hue = (i * 137.508 + 200) % 360;
    const lightness = 0.5 + 0.14 * ((i % 3) - 1);
    bytes.set([...hslToRgb(hue, 0.62, lightness), 255], 4 * i);
  }
  return bytes;
}

function hslToRgb(hue: number, saturation: number, lightness: number): Rgb {
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    const amount = saturation * Math.min(lightness, 1 - lightness);
    return 255 * (lightness - amount * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}
