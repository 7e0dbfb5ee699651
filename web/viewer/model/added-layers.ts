/** Layers over the picture from other sources, as part of the state: their source, place and style. */
import type { Source } from "zarr-wasm";
import { type ColormapName, isColormap } from "../base/colormaps.js";
import { keptFor } from "../base/memo.js";
import { isRange, type ValueRange } from "./channels.js";
import { type Entry, numberEntry, rangeEntry, switchEntry, textEntry, type Wanted } from "./entry.js";
import { isLabelList, type LabelLook, lookEntries } from "./label-look.js";

export const layerKinds = ["auto", "image", "labels", "points", "shapes"] as const;
export type LayerKind = (typeof layerKinds)[number];

export interface LayerState extends LabelLook {
  /** An address, or a store of the page, which addresses and attributes cannot hold. */
  readonly source: string | Exclude<Source, string | URL>;
  /** Path of the node below the source. */
  readonly path: string;
  /** "auto": as the metadata say. */
  readonly kind: LayerKind;
  /** Display name; "" for the one of the source. */
  readonly name: string;
  readonly isOn: boolean;
  /** 0 to 1. */
  readonly opacity: number;
  readonly blend: "normal" | "add";
  /** Factors of the layer's coordinates [down, across], applied before `translation`; null for 1. */
  readonly scale: readonly [number, number] | null;
  /** Shift in coordinates of the picture, [down, across]. */
  readonly translation: readonly [number, number];
  /** Null for the default. */
  readonly colormap: ColormapName | null;
  readonly range: ValueRange;
  /** "rrggbb" of points, shapes and the brightest values of an image; "" for the default. */
  readonly color: string;
  /** Diameter of points and width of lines, in CSS pixels; 0 for the default. */
  readonly size: number;
  /** The property that colours points and shapes; "" for none. */
  readonly by: string;
}

/** Maximum number of layers of a state. */
export const maxLayers = 32;

/** Maximum size of points and lines, in CSS pixels. */
export const maxLayerSize = 100;

const maxText = 4096;

/** Defaults of everything but the source. */
const usual: LayerState = {
  source: "",
  path: "",
  kind: "auto",
  name: "",
  isOn: true,
  opacity: 1,
  blend: "normal",
  scale: null,
  translation: [0, 0],
  colormap: null,
  range: { mode: "auto" },
  color: "",
  size: 0,
  by: "",
  isOutline: false,
  hidden: [],
  selected: [],
};

const isText = (value: unknown): boolean => typeof value === "string" && value.length <= maxText;
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isNumber = (value: unknown, low: number, high: number): boolean =>
  typeof value === "number" && value >= low && value <= high;
const isPair = (value: unknown, isPart: (part: number) => boolean): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part) && isPart(part));

/** A store, or a map of keys to bytes. */
const isStore = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof (value as { get?: unknown }).get === "function";

const checks: { readonly [K in keyof LayerState]: (value: unknown) => boolean } = {
  source: (value) => (isText(value) && value !== "") || isStore(value),
  path: isText,
  kind: (value) => layerKinds.includes(value as LayerKind),
  name: isText,
  isOn: isBoolean,
  opacity: (value) => isNumber(value, 0, 1),
  blend: (value) => value === "normal" || value === "add",
  scale: (value) => isPair(value, (part) => part > 0),
  translation: (value) => isPair(value, () => true),
  colormap: isColormap,
  range: isRange,
  color: (value) => /^[0-9a-f]{6}$/.test(String(value)),
  size: (value) => isNumber(value, 0, maxLayerSize),
  by: isText,
  isOutline: isBoolean,
  hidden: isLabelList,
  selected: isLabelList,
};

/** The valid layers of a requested list; invalid parts of a layer get their defaults. */
export function layerStates(value: unknown): readonly LayerState[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxLayers).flatMap((wanted: unknown) => {
    const { source } = (wanted ?? {}) as { source?: unknown };
    const one = { ...(wanted as object | null), ...(source instanceof URL ? { source: source.href } : {}) };
    const given = Object.entries(one).filter(
      ([key, part]) => Object.hasOwn(checks, key) && checks[key as keyof LayerState](part),
    );
    const layer: LayerState = { ...usual, ...Object.fromEntries(given) };
    return layer.source === "" ? [] : [layer];
  });
}

/** Two numbers, "2,3", or "2" for both. */
const pairEntry = (key: "scale" | "translation", name: string): Entry<LayerState> => ({
  name,
  read(text) {
    const parts = text.split(",").map(Number);
    return { [key]: parts.length === 1 ? [parts[0], parts[0]] : parts };
  },
  write: (layer) => (layer[key] ?? []).join(),
});

/** The strings of a layer, for attributes of `<zarr-layer>` and addresses. */
const entries: readonly Entry<LayerState>[] = [
  textEntry("source", "src"),
  textEntry("path"),
  textEntry("kind"),
  textEntry("name"),
  switchEntry("isOn", "visible"),
  numberEntry("opacity"),
  textEntry("blend"),
  pairEntry("scale", "scale"),
  pairEntry("translation", "translate"),
  textEntry("colormap"),
  rangeEntry("range", "range"),
  {
    name: "color",
    read: (text) => ({ color: text.replace(/^#/, "").toLowerCase() }),
    write: ({ color }) => color,
  },
  numberEntry("size"),
  textEntry("by"),
  ...lookEntries,
];

/** Names of the attributes of `<zarr-layer>`. */
export const layerAttributes: readonly string[] = entries.map(({ name }) => name);

/** Names of the attributes with strings that a layer cannot have. */
export function layerProblems(textOf: (name: string) => string | null): string[] {
  const isGood = ([key, part]: readonly [string, unknown]) => checks[key as keyof LayerState](part);
  return entries.flatMap(({ name, read }) => {
    const text = textOf(name)?.trim();
    return !text || Object.entries(read(text)).every(isGood) ? [] : [name];
  });
}

/** Reads the layers of an address: a JSON list of objects with the names of attributes. */
export function readLayers(value: string): unknown {
  try {
    const list: unknown = JSON.parse(value);
    if (!Array.isArray(list)) return value;
    return list.slice(0, maxLayers).map((one: unknown) => {
      const given = new Map(Object.entries({ ...(one as object | null) }));
      const read = entries.map(({ name, read }) => {
        const text = given.has(name) ? String(given.get(name)).trim() : "";
        return text === "" ? {} : read(text);
      });
      return Object.assign({}, ...read) as Wanted<LayerState>;
    });
  } catch {
    return value; // for `resolveState` to refuse
  }
}

/** The inverse; "" for no layers. */
export function layersText(layers: readonly LayerState[]): string {
  // Stores of the page have no address.
  const addressed = layers.filter(({ source }) => typeof source === "string");
  if (addressed.length === 0) return "";
  const objects = addressed.map((layer) => {
    const different = entries.flatMap(({ name, write }) =>
      write(layer) === write(usual) ? [] : [[name, write(layer)]],
    );
    return Object.fromEntries(different) as Record<string, string>;
  });
  return JSON.stringify(objects);
}

let lastStore = 0;
const storeNumber = keptFor((_store: object) => ++lastStore);

/** Identifies a source: its address, or the number of a store. */
export const sourceKey = ({ source }: Pick<LayerState, "source">): string =>
  typeof source === "string" ? source : `store ${storeNumber(source)}`;

/** Identifies the content of a layer: its source, and how it is interpreted. */
export const contentKey = (layer: LayerState): string =>
  JSON.stringify([sourceKey(layer), layer.path, layer.kind]);

/** Identifies the content of a layer and its place. */
export const placeKey = (layer: LayerState): string =>
  JSON.stringify([contentKey(layer), layer.scale, layer.translation]);

/** The name of a layer: its own, or the last part of its address. */
export function layerName({ name, source: from, path }: LayerState): string {
  if (name !== "") return name;
  const source = typeof from === "string" ? from : "store";
  const parts = `${source.split(/[?#|]/, 1)[0]}/${path}`.split("/").filter((part) => part !== "");
  return parts.at(-1) ?? source;
}

/** Visible on dark and light pictures, and told apart with red-green colour blindness. */
const palette = ["ffb000", "56b4e9", "ff6db6", "33d17a", "f0e442", "b79bff"];

/** The colour of a layer, "rrggbb": by default one of a palette, always the same for a source. */
export function layerColor(layer: LayerState): string {
  if (layer.color !== "") return layer.color;
  const text = sourceKey(layer) + layer.path;
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (31 * sum + text.charCodeAt(i)) >>> 0;
  return palette[sum % palette.length]!;
}
