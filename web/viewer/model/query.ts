/**
 * The address of a view: `?source=…&select=4,:,:&axes=1,2&map=magma&range=0:255&at=512,300,2`.
 *
 * `select` has the syntax of the command line's --select: an index or start:stop for every axis. Only
 * settings that differ from the viewer's defaults are written. Attributes of the component have the same
 * syntax.
 */
import { layersText, readLayers } from "./added-layers.js";
import type { Camera } from "./camera.js";
import { labelListText, readLabelList } from "./label-look.js";
import { curveText, readCurve } from "./opacity-curve.js";
import { channelsText, readChannels } from "./query-channels.js";
import { type ArrayFacts, resolveState, type ValueRange, type ViewState, type WantedState } from "./state.js";
import { clipText, cutText, orbitText, readClip, readCut, readOrbit } from "./volume.js";

/** The viewed array: its address, how it is opened, and the requested settings. */
export interface ViewTarget {
  readonly source: string;
  readonly path?: string | undefined;
  readonly v1Order?: "spec" | "writer" | undefined;
  /** "contents" lists a group even if it could be shown otherwise. */
  readonly as?: "contents" | undefined;
  /** The variable of a dataset. */
  readonly variable?: string | undefined;
  /** The planes that the wells of a plate show. */
  readonly plate?: string | undefined;
  readonly settings?: WantedState | undefined;
}

/** A part of the state as a string. */
interface Entry {
  /** The name in the query. */
  readonly name: string;
  readonly read: (text: string) => WantedState;
  readonly write: (state: ViewState) => string;
}

type Key = keyof ViewState;

const textEntry = (key: Key, name: string = key): Entry => ({
  name,
  read: (text) => ({ [key]: text }),
  write: (state) => String(state[key]),
});

/** One of two words. Others are passed on, for `resolveState` to refuse. */
const choiceEntry = (key: Key, name: string, off: string, on: string): Entry => ({
  name,
  read: (text) => ({ [key]: text === on ? true : text === off ? false : text }),
  write: (state) => (state[key] ? on : off),
});

const switchEntry = (key: Key, name: string): Entry => choiceEntry(key, name, "no", "yes");

/** A number, or "none". */
const numberEntry = (key: Key, name: string = key): Entry => ({
  name,
  read: (text) => ({ [key]: text === "none" ? null : Number(text) }),
  write: (state) => String(state[key] ?? "none"),
});

/** A list of names. */
const listEntry = (key: "planes" | "slices"): Entry => ({
  name: key,
  read: (text) => ({ [key]: text.split(/[\s,]+/) }),
  write: (state) => state[key].join(),
});

const entries: readonly Entry[] = [
  {
    name: "axes",
    read: (text) => ({ axes: text.split(",").map(parseAxis) }),
    write: ({ axes }) => axes.join(),
  },
  { name: "select", read: readSelect, write: selectText },
  {
    // Along shown axes, the index sets the position of the other planes.
    name: "index",
    read: (text) => ({
      index: text.split(",").map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : undefined)),
    }),
    write: ({ axes, index }) => index.map((at, axis) => (axes.includes(axis) ? at : "")).join(),
  },
  textEntry("field"),
  textEntry("part"),
  textEntry("colormap", "map"),
  {
    name: "range",
    read: (text) => ({ range: readRange(text) }),
    write: ({ range }) => rangeText(range),
  },
  {
    name: "at",
    read: (text) => ({ camera: readCamera(text) }),
    write: ({ camera }) => (camera ? cameraText(camera) : ""),
  },
  switchEntry("isReversed", "reversed"),
  { ...textEntry("gamma"), read: (text) => ({ gamma: Number(text) }) },
  choiceEntry("isRangePerSlice", "scope", "all", "slice"),
  switchEntry("isRangeCommon", "common"),
  {
    // MiB, `none`, or `auto`.
    name: "sample",
    read: (text) => ({ sample: text === "auto" ? null : text === "none" ? 0 : Number(text) }),
    write: ({ sample }) => (sample === 0 ? "none" : String(sample ?? "auto")),
  },
  textEntry("outside"),
  choiceEntry("isMissingMarked", "missing", "fill", "mark"),
  textEntry("scale"),
  { ...textEntry("steps"), read: (text) => ({ steps: Number(text) }) },
  switchEntry("isRaw", "raw"),
  {
    name: "channels",
    read: (text) => ({ channels: readChannels(text) }),
    write: ({ channels }) => channelsText(channels),
  },
  {
    name: "image-opacity",
    read: (text) => ({ imageOpacity: Number(text) }),
    write: ({ imageOpacity }) => String(imageOpacity),
  },
  {
    // `labels=NAME`, or `none`.
    name: "labels",
    read: (text) => ({ labels: text === "none" ? { isOn: false } : { name: text } }),
    write: ({ labels }) => (labels.isOn ? (labels.name ?? "") : "none"),
  },
  {
    name: "opacity",
    read: (text) => ({ labels: { opacity: Number(text) } }),
    write: ({ labels }) => String(labels.opacity),
  },
  {
    name: "outlines",
    read: (text) => ({ labels: { isOutline: text === "yes" ? true : text === "no" ? false : text } }),
    write: ({ labels }) => (labels.isOutline ? "yes" : "no"),
  },
  {
    name: "hide",
    read: (text) => ({ labels: { hidden: readLabelList(text) } }),
    write: ({ labels }) => labelListText(labels.hidden),
  },
  {
    name: "pick",
    read: (text) => ({ labels: { selected: readLabelList(text) } }),
    write: ({ labels }) => labelListText(labels.selected),
  },
  {
    name: "layers",
    read: (text) => ({ layers: readLayers(text) }),
    write: ({ layers }) => layersText(layers),
  },
  numberEntry("center"),
  choiceEntry("isLogHistogram", "histogram", "linear", "log"),
  numberEntry("frameRate", "fps"),
  numberEntry("profile"),
  listEntry("planes"),
  numberEntry("depth"),
  {
    // Over maps: `none`, or a list of the lines.
    name: "lines",
    read: (text) => {
      const names = text.split(",").map((name) => name.trim());
      const isKnown = names.every((name) => ["graticule", "coasts", "none"].includes(name));
      if (text !== "" && !isKnown) return { isGraticuleOn: text, areCoastsOn: text };
      return { isGraticuleOn: names.includes("graticule"), areCoastsOn: names.includes("coasts") };
    },
    write: linesText,
  },
  textEntry("view"),
  {
    name: "orbit",
    read: (text) => ({ orbit: readOrbit(text) }),
    write: ({ orbit }) => (orbit ? orbitText(orbit) : ""),
  },
  textEntry("mode"),
  {
    name: "clip",
    read: (text) => ({ clip: readClip(text) }),
    write: ({ clip }) => (clip ? clipText(clip) : ""),
  },
  {
    name: "cut",
    read: (text) => ({ cut: readCut(text) }),
    write: ({ cut }) => (cut ? cutText(cut) : ""),
  },
  {
    name: "curve",
    read: (text) => ({ curve: readCurve(text) }),
    write: ({ curve }) => (curve ? curveText(curve) : ""),
  },
  listEntry("slices"),
  numberEntry("exaggeration"),
  numberEntry("volumeBudget", "volume-budget"),
  textEntry("places"),
  numberEntry("meridian"),
  textEntry("interpolation"),
  textEntry("tool"),
  textEntry("by"),
  {
    name: "by-map",
    read: (text) => ({ byColormap: text }),
    write: ({ byColormap }) => byColormap ?? "",
  },
  {
    name: "by-range",
    read: (text) => ({ byRange: readRange(text) }),
    write: ({ byRange }) => rangeText(byRange),
  },
  { ...textEntry("pointSize", "size"), read: (text) => ({ pointSize: Number(text) }) },
];

/** Parts of the state that `entries` cover. */
const named = new Set<string>([
  ...["axes", "index", "window", "field", "part", "colormap", "range", "camera"],
  ...[
    "isReversed",
    "gamma",
    "isRangePerSlice",
    "isRangeCommon",
    "sample",
    "outside",
    "isMissingMarked",
    "scale",
    "steps",
    "isRaw",
    "channels",
    "labels",
    "layers",
  ],
  ...["center", "isLogHistogram", "frameRate", "profile", "planes", "depth", "isGraticuleOn", "areCoastsOn"],
  ...["view", "orbit", "mode", "clip", "cut", "curve", "slices", "exaggeration", "volumeBudget"],
  ...["places", "meridian", "interpolation", "tool"],
  ...["by", "byColormap", "byRange", "pointSize", "imageOpacity"],
]);

/** The rest of the state as JSON, so that an address holds the complete state. */
const restName = "more";

/** Names of the parts of the state in an address. */
export const settingNames: readonly string[] = [...entries.map(({ name }) => name), restName];

/** A setting as it was given: as text with its name in addresses, or as a part of the state. */
export interface GivenSetting {
  readonly name: string;
  readonly value: unknown;
  readonly isText?: boolean | undefined;
}

/** The settings that are given as text. */
export function givenTexts(
  names: readonly string[],
  textOf: (name: string) => string | null,
): readonly GivenSetting[] {
  return names.flatMap((name) => {
    const value = textOf(name);
    return value === null ? [] : [{ name, value, isText: true }];
  });
}

/** The settings that a program gives. */
export const givenValues = (wanted: WantedState = {}): readonly GivenSetting[] =>
  Object.entries(wanted).map(([name, value]) => ({ name, value }));

/** The name in an address of a part of the state. */
export const settingNameOf = (key: string): string =>
  entries.find(({ read }) => key in read(""))?.name ?? key;

/** Reads the requested settings from strings, by their names in an address. */
export function readSettings(textOf: (name: string) => string | null): WantedState {
  const found = entries.map(({ name, read }) => {
    const text = textOf(name)?.trim();
    return text ? read(text) : {};
  });
  const indices = found.flatMap(({ index }) => (Array.isArray(index) ? [index as readonly unknown[]] : []));
  const index = indices.length > 0 ? { index: mergedIndex(indices) } : {};
  const labels = found.map((part) => part.labels).filter((part) => part !== undefined);
  const merged = labels.length > 0 ? { labels: Object.assign({}, ...labels) } : {};
  return Object.assign(readRest(textOf(restName)), ...found, index, merged) as WantedState;
}

/** Merges lists: along each axis the first defined entry. */
function mergedIndex(lists: readonly (readonly unknown[])[]): unknown[] {
  const length = Math.max(...lists.map((list) => list.length));
  return Array.from({ length }, (_, axis) => lists.map((list) => list[axis]).find((at) => at !== undefined));
}

/** The parts of the state that a string of one of `settingNames` sets, with their defaults. */
export function unsetSettings(name: string): WantedState {
  const read = entries.find((entry) => entry.name === name)?.read ?? (() => ({}));
  return Object.fromEntries(Object.keys(read("")).map((key) => [key, undefined]));
}

export function readQuery(query: string): ViewTarget | undefined {
  const search = new URLSearchParams(query);
  const source = search.get("source")?.trim();
  if (!source) return undefined;
  const v1Order = search.get("order") === "writer" ? "writer" : undefined;
  const as = search.get("as") === "contents" ? "contents" : undefined;
  const settings = readSettings((name) => search.get(name));
  const [path, variable, plate] = ["path", "variable", "plate"].map((name) => search.get(name) ?? undefined);
  return { source, path, v1Order, as, variable, plate, settings };
}

/** The query of a view, including its question mark. */
export function writeQuery(target: ViewTarget, view?: { array: ArrayFacts; settings: ViewState }): string {
  const list: [string, string | undefined][] = [
    ["source", target.source],
    ["path", target.path || undefined],
    ["order", target.v1Order === "writer" ? "writer" : undefined],
    ["as", target.as],
    ["variable", target.variable || undefined],
    ["plate", target.plate || undefined],
    ...(view ? writeSettings(view.array, view.settings) : []),
  ];
  const parts = list.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeValue(value)}`],
  );
  return `?${parts.join("&")}`;
}

/** Names and strings of the settings that differ from their defaults. */
export function writeSettings(array: ArrayFacts, state: ViewState): [string, string][] {
  const first = resolveState(array, {});
  const plain = resolveState(array, { field: state.field, part: state.part });
  const different = entries.flatMap(({ name, write }): [string, string][] => {
    const text = write(state);
    const isChoice = name === "field" || name === "part";
    const usual = isChoice ? first : name === "index" ? { ...plain, axes: state.axes } : plain;
    return text === write(usual) ? [] : [[name, text]];
  });
  const rest = restText(state, plain);
  return rest === undefined ? different : [...different, [restName, rest]];
}

function readRest(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([key]) => !named.has(key)));
  } catch {
    return {}; // a truncated address
  }
}

function restText(state: ViewState, plain: ViewState): string | undefined {
  const text = (value: unknown) => JSON.stringify(value);
  const different = Object.entries(state).filter(
    ([key, value]) => !named.has(key) && text(value) !== text(plain[key as Key]),
  );
  return different.length === 0 ? undefined : text(Object.fromEntries(different));
}

/** Axes by number or name; names are resolved once the dataset is known. */
const parseAxis = (text: string): number | string => (/^\s*\d+\s*$/.test(text) ? Number(text) : text.trim());

function readSelect(text: string): WantedState {
  const parts = text.split(",").map((part) => part.trim());
  return {
    index: parts.map((part) => (/^\d+$/.test(part) ? Number(part) : undefined)),
    window: parts.map(readInterval),
  };
}

/** Reads `start:stop`, either of which may be missing; undefined for other texts, and for all of an axis. */
function readInterval(text: string): [start: number, stop: number] | undefined {
  const [, start, stop] = /^(\d*):(\d*)$/.exec(text) ?? [];
  if (start === undefined || (start === "" && stop === "")) return undefined;
  return [Number(start), stop === "" ? Number.MAX_SAFE_INTEGER : Number(stop)];
}

function linesText({ isGraticuleOn, areCoastsOn }: ViewState): string {
  return [isGraticuleOn && "graticule", areCoastsOn && "coasts"].filter(Boolean).join() || "none";
}

function selectText({ axes, index, window }: ViewState): string {
  return index.map((at, axis) => (axes.includes(axis) ? (window[axis]?.join(":") ?? ":") : at)).join();
}

function readRange(text: string): unknown {
  const match = /^([^:]+):([^:]+)$/.exec(text);
  return match ? { mode: "manual", low: Number(match[1]), high: Number(match[2]) } : { mode: text };
}

function rangeText(range: ValueRange): string {
  return range.mode === "manual" ? `${range.low}:${range.high}` : range.mode;
}

/** Row, column and CSS pixels per element, and the centre along the third axis. */
function readCamera(text: string): unknown {
  const [row, column, scale, depth] = text.split(",").map(Number);
  return { row, column, scale, ...(depth === undefined ? {} : { depth }) };
}

/** Enough digits to tell device pixels apart. */
function cameraText({ row, column, scale, depth }: Camera): string {
  const digits = Math.max(0, Math.ceil(Math.log10(scale)) + 1);
  const place = (at: number) => Number(at.toFixed(Math.min(digits, 6)));
  const third = depth === undefined ? [] : [place(depth)];
  return [place(row), place(column), Number(scale.toPrecision(5)), ...third].join();
}

/** Percent-encodes only characters that a query cannot hold, to keep it readable. */
function escapeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(2F|3A|3B|2C|40)/g, (code) => decodeURIComponent(code));
}
