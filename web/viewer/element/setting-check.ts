/** Finds settings that the viewer cannot use. */
import { colormapNames } from "../base/colormaps.js";
import { unusable } from "../base/unusable.js";
import { valueScales } from "../base/value-scale.js";
import { layerKinds, layerProblems } from "../model/added-layers.js";
import { type GivenSetting, readSettings, settingNameOf } from "../model/query.js";
import {
  frameRates,
  mapNames,
  maxPointSize,
  maxSample,
  maxSteps,
  placeModes,
  toolNames,
  type ViewState,
  type WantedState,
} from "../model/state.js";
import { exaggerations, volumeBudgets, volumeModes, volumeSliceNames } from "../model/volume.js";
import type { Dataset } from "../source/dataset.js";
import { complexPartNames } from "../source/leaf.js";
import { resolveFor } from "./target.js";

/** Settings that are not of the state, with the values that they accept. */
const choices: Readonly<Record<string, readonly string[]>> = {
  controls: ["full", "minimal", "none"],
  theme: ["light", "dark"],
  order: ["spec", "writer"],
};

/** What the attributes of the state accept. */
const accepted: Readonly<Record<string, string>> = {
  axes: "the names or numbers of two axes, such as y,x",
  select: "an index, : or start:stop for every axis, such as 4,:,100:200",
  index: "an index for every axis",
  field: "the name of a field",
  part: complexPartNames.join(", "),
  colormap: `${colormapNames.slice(0, 7).join(", ")} and others, or a list of colours such as #000000,#ffffff`,
  range: "low:high, auto, minmax or percentile",
  at: "row, column and pixels per element, and optionally the centre along the third axis",
  gamma: "0.1 to 10",
  scope: "all or slice",
  sample: `auto, none, or 0 to ${maxSample} MiB`,
  outside: "mark or clamp",
  missing: "fill or mark",
  scale: valueScales.join(", "),
  steps: `0, or 2 to ${maxSteps}`,
  channels: "a list such as 0:00ff00:auto of channels of the array, or none",
  opacity: "0 to 1",
  "image-opacity": "0 to 1",
  hide: "up to 64 labels such as 3,5, or none",
  pick: "up to 64 labels such as 3,5, or none",
  center: "a number, or none",
  histogram: "linear or log",
  fps: frameRates.join(", "),
  profile: "the number of an axis, or none",
  planes: "xy and any of xz, yz and volume, of an array with three axes or more",
  depth: "the number of an axis, or none",
  lines: "graticule, coasts, both, or none",
  view: "plane or volume",
  orbit: "yaw, pitch and zoom, such as 30,20,1",
  mode: volumeModes.join(", "),
  clip: "start:stop along x, y and z, such as 0:100,20:80,0:64",
  cut: "yaw, pitch and depth from -1 to 1, such as 30,20,0",
  curve: "2 to 16 ascending shares of the range, each with its opacity, such as 0/0;0.5/0.1;1/1",
  slices: `any of ${volumeSliceNames.join(", ")}`,
  exaggeration: `${exaggerations.least} to ${exaggerations.most}`,
  "volume-budget": `${volumeBudgets.least} to ${volumeBudgets.most} MiB`,
  interpolation: "nearest or linear",
  places: placeModes.join(", "),
  tool: toolNames.join(", "),
  by: "the name of a column, or gene:NAME",
  "by-map": "a colour map, as for colormap",
  "by-range": "low:high, auto, minmax or percentile",
  size: `0 to ${maxPointSize} CSS pixels`,
  projection: mapNames.join(", "),
  meridian: "a longitude in degrees, or none",
  parallel: "a latitude in degrees, or none",
  layers: `layers with src, kind (${layerKinds.join(", ")}), opacity (0 to 1), blend (normal, add), visible (yes, no), scale, translate, colormap, range, color (#rrggbb), size, by, outlines (yes, no), hide and pick (labels)`,
  regions:
    "regions such as Lake=rectangle@1,2:10,20,30,40, of the kinds point, line, rectangle, ellipse and polygon",
  more: "a JSON object",
};

/** What settings accept that are objects in programs. */
const acceptedObjects: Readonly<Record<string, string>> = {
  range: '{ mode: "manual", low, high }, or the mode auto, minmax or percentile',
  byRange: '{ mode: "manual", low, high }, or the mode auto, minmax or percentile',
};

/** A setting as text, with the name in addresses or of the attribute. */
interface TextSetting extends GivenSetting {
  readonly value: string;
}

const isText = (given: GivenSetting): given is TextSetting => given.isText === true;

/** Returns a message for each given setting that has no effect on a dataset. */
export function settingProblems(dataset: Dataset, given: readonly GivenSetting[]): string[] {
  const all = wantedOf(given);
  return given.flatMap((one) => {
    // Another setting of the same name may have replaced it.
    const state = resolveFor(dataset, { ...all, ...wantedOf([one]) });
    return isText(one) ? textProblems(dataset, one, state) : valueProblems(one, state);
  });
}

function textProblems(dataset: Dataset, given: TextSetting, state: ViewState): string[] {
  const { name, value } = given;
  if (choices[name]?.includes(value) ?? isAdopted(dataset, given, { ...state })) return [];
  const nearest = isPlaceList(dataset, given) ? shownPlaces(state, given) : undefined;
  if (nearest !== undefined) {
    const shape = dataset.axes.map(({ length }) => length).join(", ");
    return [`${name}="${value}" does not fit the array of shape [${shape}]; ${name}="${nearest}" is shown`];
  }
  const isFlat = name === "view" && value === "volume" && dataset.axes.length < 3;
  if (isFlat) return [`view="volume" cannot be used: ${tooFlat(dataset)}`];
  return [unusable(name, value, choices[name]?.join(", ") ?? acceptedBy(name) ?? "yes or no")];
}

const acceptedBy = (name: string): string | undefined => accepted[name === "map" ? "colormap" : name];

/** Returns the message about a setting of a program. Of objects, only ranges are checked. */
function valueProblems({ name, value }: GivenSetting, state: ViewState): string[] {
  const isChecked = typeof value !== "object" || name in acceptedObjects;
  if (value === undefined || value === null || !isChecked || !(name in state)) return [];
  if (isSame(value, state[name as keyof ViewState])) return [];
  const isSwitch = typeof state[name as keyof ViewState] === "boolean";
  const expected = isSwitch ? "true or false" : (acceptedObjects[name] ?? acceptedBy(settingNameOf(name)));
  const written = (_: string, part: unknown) => (typeof part === "bigint" ? String(part) : part);
  const text = typeof value === "object" ? JSON.stringify(value, written) : String(value);
  return [unusable(name, text, expected ?? "another value")];
}

const tooFlat = ({ axes }: Dataset): string =>
  `the array has ${axes.length === 1 ? "one dimension" : "two dimensions"}, and volumes need three`;

const settingOf = ({ name }: GivenSetting): string => (name === "colormap" ? "map" : name);

function wantedOf(given: readonly GivenSetting[]): WantedState {
  const [texts, values] = [given.filter(isText), given.filter((one) => !isText(one))];
  return {
    ...readSettings((setting) => texts.find((one) => settingOf(one) === setting)?.value ?? null),
    ...Object.fromEntries(values.map(({ name, value }) => [name, value])),
  };
}

/** Whether a setting, read from its text, has become part of the state. */
function isAdopted(dataset: Dataset, given: TextSetting, state: Readonly<Record<string, unknown>>): boolean {
  const { name, value } = given;
  if (value.trim() === "") return true;
  if (name === "more") return isObject(value);
  if (name === "layers") return areLayers(value);
  // Labels are found after the picture has been drawn.
  if (name === "labels") return true;
  if (name === "select" || name === "index")
    return isPlaceList(dataset, given) && shownPlaces(state as unknown as ViewState, given) === undefined;
  return Object.entries(wantedOf([given])).every(([key, wanted]) =>
    isSame(key === "axes" ? axisNumbers(dataset, wanted) : wanted, state[key]),
  );
}

const partsOf = (value: string): string[] => value.split(",").map((part) => part.trim());

/** Whether a list has an index, or for `select` an interval, for every axis. */
function isPlaceList({ axes }: Dataset, { name, value }: TextSetting): boolean {
  const pattern = name === "select" ? /^(\d+|\d*:\d*)$/ : name === "index" ? /^\d*$/ : undefined;
  const parts = partsOf(value);
  return pattern !== undefined && parts.length === axes.length && parts.every((part) => pattern.test(part));
}

/** The places that are shown for a list of indices and intervals; undefined if they are those. */
function shownPlaces({ index, window }: ViewState, { value }: TextSetting): string | undefined {
  let isOther = false;
  const parts = partsOf(value).map((part, axis) => {
    if (part === "" || part === ":") return part;
    const [start, stop] = part.split(":");
    const [first, end] = window[axis] ?? [];
    if (stop === undefined) isOther ||= Number(part) !== index[axis];
    else isOther ||= Number(start) !== first || (stop !== "" && Number(stop) !== end);
    return stop === undefined ? String(index[axis]) : `${first}:${end}`;
  });
  return isOther ? parts.join() : undefined;
}

const axisNumbers = ({ axes }: Dataset, wanted: unknown): unknown =>
  Array.isArray(wanted)
    ? wanted.map((axis) => (typeof axis === "string" ? axes.findIndex(({ name }) => name === axis) : axis))
    : wanted;

/** Whether a list of layers has a source for each, and no other wrong parts. */
function areLayers(value: string): boolean {
  try {
    const list = JSON.parse(value) as Readonly<Record<string, unknown>>[];
    return list.every((layer) => {
      const textOf = (name: string) => (Object.hasOwn(layer, name) ? String(layer[name]) : null);
      return textOf("src") && layerProblems(textOf).length === 0;
    });
  } catch {
    return false;
  }
}

function isObject(value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

/** Whether a value has all parts of a wanted one; undefined parts are not wanted. */
function isSame(wanted: unknown, actual: unknown): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted !== "object" || wanted === null)
    return typeof wanted === "string" && typeof actual === "string"
      ? wanted.toLowerCase() === actual.toLowerCase()
      : Object.is(wanted, actual);
  if (typeof actual !== "object" || actual === null) return false;
  const isLonger = Array.isArray(wanted) && Array.isArray(actual) && wanted.length > actual.length;
  return (
    !isLonger &&
    Object.entries(wanted).every(([key, part]) => isSame(part, (actual as Record<string, unknown>)[key]))
  );
}
