/** Finds settings that the viewer cannot use. */
import { colormapNames } from "../base/colormaps.js";
import { unusable } from "../base/unusable.js";
import { valueScales } from "../base/value-scale.js";
import { localNumber } from "../language/locale.js";
import { text } from "../language/text.js";
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
function acceptedTexts(): Readonly<Record<string, string>> {
  const settings = text.settings;
  const { axis, between, column, either, labels, latitude, longitude, number, range } = settings;
  const maps = settings.colormap(colormapNames.slice(0, 7).join(", "));
  return {
    axes: settings.axes,
    select: settings.select,
    index: settings.index,
    field: settings.field,
    part: complexPartNames.join(", "),
    colormap: maps,
    range,
    at: settings.at,
    gamma: between(localNumber(0.1), 10),
    scope: either("all", "slice"),
    sample: settings.sample(maxSample),
    outside: either("mark", "clamp"),
    missing: either("fill", "mark"),
    scale: valueScales.join(", "),
    steps: settings.steps(maxSteps),
    channels: settings.channels,
    opacity: between(0, 1),
    "image-opacity": between(0, 1),
    hide: labels,
    pick: labels,
    center: number,
    histogram: either("linear", "log"),
    fps: frameRates.join(", "),
    profile: axis,
    planes: settings.planes,
    depth: axis,
    lines: settings.lines,
    view: either("plane", "volume"),
    orbit: settings.orbit,
    mode: volumeModes.join(", "),
    clip: settings.clip,
    cut: settings.cut,
    curve: settings.curve,
    slices: settings.slices(volumeSliceNames.join(", ")),
    exaggeration: between(exaggerations.least, exaggerations.most),
    "volume-budget": `${between(volumeBudgets.least, volumeBudgets.most)} MiB`,
    interpolation: either("nearest", "linear"),
    places: placeModes.join(", "),
    tool: toolNames.join(", "),
    by: column,
    "by-map": settings.columnMap,
    "by-range": range,
    size: settings.size(maxPointSize),
    projection: mapNames.join(", "),
    meridian: longitude,
    parallel: latitude,
    layers: settings.layers(layerKinds.join(", ")),
    regions: settings.regions,
    more: settings.more,
  };
}

/** Settings that are objects in programs. */
const objectSettings = ["range", "byRange"];

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
    return [text.settings.unfit(`${name}="${value}"`, shape, `${name}="${nearest}"`)];
  }
  const isFlat = name === "view" && value === "volume" && dataset.axes.length < 3;
  if (isFlat) return [text.settings.unusable(`view="volume"`, text.settings.flat(dataset.axes.length === 1))];
  return [
    unusable(name, value, choices[name]?.join(", ") ?? acceptedBy(name) ?? text.settings.either("yes", "no")),
  ];
}

const acceptedBy = (name: string): string | undefined => acceptedTexts()[name === "map" ? "colormap" : name];

/** Returns the message about a setting of a program. Of objects, only ranges are checked. */
function valueProblems({ name, value }: GivenSetting, state: ViewState): string[] {
  const isChecked = typeof value !== "object" || objectSettings.includes(name);
  if (value === undefined || value === null || !isChecked || !(name in state)) return [];
  if (isSame(value, state[name as keyof ViewState])) return [];
  const isSwitch = typeof state[name as keyof ViewState] === "boolean";
  const expected = isSwitch
    ? text.settings.either("true", "false")
    : objectSettings.includes(name)
      ? text.settings.rangeObject
      : acceptedBy(settingNameOf(name));
  const written = (_: string, part: unknown) => (typeof part === "bigint" ? String(part) : part);
  const shown = typeof value === "object" ? JSON.stringify(value, written) : String(value);
  return [unusable(name, shown, expected ?? text.settings.another)];
}

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
