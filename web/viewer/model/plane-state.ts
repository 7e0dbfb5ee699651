/** The settings of planes and lines: axes, position, the visible part, panes, lines over maps. */
import type { Camera } from "./camera.js";
import {
  type ArrayFacts,
  type Entry,
  finiteOrNull,
  isBetween,
  listEntry,
  numberEntry,
  ownEntry,
  textEntry,
  type Wanted,
} from "./entry.js";

/** Elements start … stop − 1 along an axis. */
export type Interval = readonly [start: number, stop: number];

/**
 * Where elements are drawn. "auto": at their coordinates, but in rows and columns if the axes have projected
 * coordinates; "map": at their longitudes and latitudes; "index": as equal cells in stored order.
 */
export const placeModes = ["auto", "map", "index"] as const;
export type PlaceMode = (typeof placeModes)[number];

/** Projections of maps. "data": in the coordinates of the data. */
export const mapNames = [
  "data",
  "plate-carree",
  "mercator",
  "equal-earth",
  "globe",
  "north-pole",
  "south-pole",
] as const;
export type MapName = (typeof mapNames)[number];

export type Interpolation = "nearest" | "linear";

/** Panes of a view, where x and y are the axes of the picture and z is the third axis. */
export const paneNames = ["xy", "xz", "yz", "volume"] as const;
export type PaneName = (typeof paneNames)[number];

export interface PlaneState {
  /** The axes shown: [down, across], [across] for a line, [] for a single value. */
  readonly axes: readonly number[];
  /** The index along every axis; used while the axis is not shown. */
  readonly index: readonly number[];
  /**
   * The visible interval along every axis while it is shown, unless a camera overrides it; null for the
   * default.
   */
  readonly window: readonly (Interval | null)[];
  /** The camera; null to use `window`. */
  readonly camera: Camera | null;
  /** Axis of the profile through the element under the pointer; null for none. */
  readonly profile: number | null;
  /** The panes shown together: the picture, "xy", and others. */
  readonly planes: readonly PaneName[];
  /** The third axis of the panes; null for the first axis in space that the picture does not show. */
  readonly depth: number | null;
  /** Lines drawn over maps. */
  readonly isGraticuleOn: boolean;
  readonly areCoastsOn: boolean;
  readonly places: PlaceMode;
  readonly projection: MapName;
  /** Longitude at the middle of a map that goes around the globe; null for the middle of the stored columns. */
  readonly meridian: number | null;
  /** Latitude at the middle of a globe; null for the middle of the data. */
  readonly parallel: number | null;
  /** Whether values between the centres of elements are interpolated, if elements are larger than pixels. */
  readonly interpolation: Interpolation;
}

export function resolvePlane(array: ArrayFacts, wanted: Wanted<PlaneState>): PlaneState {
  const { shape } = array;
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  return {
    axes: isAxes(wanted.axes, shape) ? wanted.axes : defaultAxes(array),
    index: shape.map((length, axis) => clampIndex(list(wanted.index)[axis], length)),
    window: shape.map((length, axis) => clampInterval(list(wanted.window)[axis], length)),
    camera: isCamera(wanted.camera) ? wanted.camera : null,
    profile: axisAt(wanted.profile, shape),
    planes: isPanes(wanted.planes) && shape.length > 2 ? wanted.planes : ["xy"],
    depth: axisAt(wanted.depth, shape),
    isGraticuleOn: wanted.isGraticuleOn !== false,
    areCoastsOn: wanted.areCoastsOn !== false,
    places: placeModes.find((mode) => mode === wanted.places) ?? "auto",
    projection: mapNames.find((name) => name === wanted.projection) ?? "data",
    meridian: finiteOrNull(wanted.meridian),
    parallel: isBetween(wanted.parallel, -90, 90) ? wanted.parallel : null,
    interpolation: wanted.interpolation === "linear" ? "linear" : "nearest",
  };
}

/** Position of the slice. */
export const positionEntries: readonly Entry<PlaneState>[] = [
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
];

/** The visible part, and additions to the plane. */
export const planeEntries: readonly Entry<PlaneState>[] = [
  ownEntry("camera", "at", readCamera, cameraText),
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
    write: ({ isGraticuleOn, areCoastsOn }) =>
      [isGraticuleOn && "graticule", areCoastsOn && "coasts"].filter(Boolean).join() || "none",
  },
  textEntry("places"),
  textEntry("projection"),
  numberEntry("meridian"),
  numberEntry("parallel"),
  textEntry("interpolation"),
];

const isPanes = (value: unknown): value is readonly PaneName[] =>
  Array.isArray(value) &&
  value.includes("xy") &&
  new Set(value).size === value.length &&
  value.every((name) => paneNames.includes(name as PaneName));

const axisAt = (value: unknown, shape: readonly number[]): number | null =>
  typeof value === "number" && Number.isInteger(value) && shape[value] !== undefined ? value : null;

/** The last two axes other than the channel axis. */
function defaultAxes({ shape, channelAxis }: ArrayFacts): number[] {
  const rank = shape.length;
  const axes = shape.map((_, axis) => axis);
  if (rank < 3) return axes;
  if (channelAxis !== undefined) return axes.filter((axis) => axis !== channelAxis).slice(-2);
  // A short last axis holds channels, whatever its name.
  const hasChannels = shape[rank - 1]! <= 4 && shape[rank - 2]! > 4 && shape[rank - 3]! > 4;
  return hasChannels ? [rank - 3, rank - 2] : [rank - 2, rank - 1];
}

function isAxes(value: unknown, shape: readonly number[]): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length === Math.min(2, shape.length) &&
    new Set(value).size === value.length &&
    value.every((axis) => Number.isInteger(axis) && axis >= 0 && axis < shape.length)
  );
}

/** The requested index, clamped; by default the middle, where most arrays have interesting data. */
function clampIndex(value: unknown, length: number): number {
  const last = Math.max(0, length - 1);
  if (typeof value !== "number" || !Number.isInteger(value)) return Math.floor(last / 2);
  return Math.min(Math.max(value, 0), last);
}

function clampInterval(value: unknown, length: number): Interval | null {
  if (!Array.isArray(value) || !value.every(Number.isInteger)) return null;
  const [start, stop] = value as number[];
  const first = Math.min(Math.max(start!, 0), Math.max(0, length - 1));
  const end = Math.min(Math.max(stop!, first + 1), length);
  return end > first ? [first, end] : null;
}

function isCamera(value: unknown): value is Camera {
  const { row, column, scale, depth = 0 } = (value ?? {}) as Partial<Camera>;
  // Sums and products of larger numbers may be infinite.
  const isSmall = (part: unknown) => Number.isFinite(part) && Math.abs(part as number) <= 1e15;
  return [row, column, scale, depth].every(isSmall) && scale! > 0;
}

/** Axes by number or name; names are resolved once the dataset is known. */
const parseAxis = (text: string): number | string => (/^\s*\d+\s*$/.test(text) ? Number(text) : text.trim());

function readSelect(text: string): Wanted<PlaneState> {
  const parts = text.split(",").map((part) => part.trim());
  return {
    index: parts.map((part) => (/^\d+$/.test(part) ? Number(part) : undefined)),
    window: parts.map(readInterval),
  };
}

/** Reads `start:stop`, either of which may be missing; undefined for other strings, and for all of an axis. */
function readInterval(text: string): [start: number, stop: number] | undefined {
  const [, start, stop] = /^(\d*):(\d*)$/.exec(text) ?? [];
  if (start === undefined || (start === "" && stop === "")) return undefined;
  return [Number(start), stop === "" ? Number.MAX_SAFE_INTEGER : Number(stop)];
}

function selectText({ axes, index, window }: PlaneState): string {
  return index.map((at, axis) => (axes.includes(axis) ? (window[axis]?.join(":") ?? ":") : at)).join();
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
