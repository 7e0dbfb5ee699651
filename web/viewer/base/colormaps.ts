/**
 * Names of the colour maps. `color-tables.ts` has the few tables that every picture may need, and
 * `colormap-data.ts` all others, which are loaded on first use.
 */

import { Once } from "./memo.js";

/** By kind: for quantities, for values around a centre, for angles. */
export const colormapKinds = {
  sequential: [
    ...["gray", "viridis", "plasma", "inferno", "magma", "cividis", "turbo"],
    ...["thermal", "haline", "solar", "ice", "oxy", "deep", "dense", "algae", "matter", "turbid"],
    ...["speed", "amp", "tempo", "rain"],
    ...["acton", "bamako", "batlow", "batlowK", "batlowW", "bilbao", "buda", "bukavu", "davos", "devon"],
    ...["fes", "grayC", "hawaii", "imola", "lajolla", "lapaz", "nuuk", "oleron", "oslo", "tokyo", "turku"],
  ],
  diverging: [
    ...["vik", "BrBG", "PiYG", "PRGn", "PuOr", "RdBu", "RdGy", "RdYlBu", "RdYlGn", "Spectral"],
    ...["topo", "balance", "delta", "curl", "diff", "tarn"],
    ...["bam", "berlin", "broc", "cork", "lisbon", "roma", "tofino", "vanimo"],
  ],
  cyclic: ["twilight", "phase", "bamO", "brocO", "corkO", "romaO", "vikO"],
} as const satisfies Record<string, readonly string[]>;

export type ColormapKind = keyof typeof colormapKinds;
type PublishedName = (typeof colormapKinds)[ColormapKind][number];

/** A published map, labels with a colour for each integer, or colours of the user: `#000000,#ff8800,#ffffff`. */
export type ColormapName = PublishedName | "labels" | `#${string}`;

export const colormapNames: readonly Exclude<ColormapName, `#${string}`>[] = [
  ...Object.values(colormapKinds).flat(),
  "labels",
];

/** Maximum number of colours of a user's map. */
const maxStops = 256;

/** Whether a string is the name of a colour map, or a list of colours. */
export function isColormap(value: unknown): value is ColormapName {
  if (typeof value !== "string") return false;
  if (!value.startsWith("#")) return (colormapNames as readonly string[]).includes(value);
  const stops = value.split(",");
  return stops.length >= 2 && stops.length <= maxStops && stops.every((stop) => /^#[0-9a-f]{6}$/i.test(stop));
}

/** Whether a map has a middle, for the value at the centre. */
export const isDiverging = (name: ColormapName): boolean =>
  (colormapKinds.diverging as readonly string[]).includes(name);

/** Maps whose tables need no loading. */
const builtIn: readonly string[] = ["gray", "viridis", "labels"];

/** Bytes of a packed table: 256 of each channel. */
const tableBytes = 3 * 256;

const packed = new Once(readTables);

/** The packed table of a map; undefined before it has been loaded, and for maps without one. */
export const packedColormap = (name: string): Uint8Array | undefined => packed.value?.get(name);

/** Loads the table of a map; undefined if none is needed. Failures can be retried. */
export function loadColormap(name: ColormapName): Promise<void> | undefined {
  if (builtIn.includes(name) || name.startsWith("#") || packed.value) return undefined;
  return packed.load().then(() => {});
}

async function readTables(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { colormapData } = await import("./colormap-data.js");
  const deflated = new Blob([bytesOfBase64(colormapData)]);
  const inflated = deflated.stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(inflated).arrayBuffer());
  const names = Object.values(colormapKinds)
    .flat()
    .filter((name) => !builtIn.includes(name));
  return new Map(names.map((name, i) => [name, bytes.subarray(i * tableBytes, (i + 1) * tableBytes)]));
}

export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
