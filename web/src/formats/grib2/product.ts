/** Section 4 of GRIB 2 messages: parameter, level, step and ensemble member of a field. Spec: WMO FM 92, templates 4.x. */

import { Cursor, unsupportedFile } from "../file/cursor.js";
import type { ParameterKey } from "./parameters.js";

/** The quantity of a field, and its position in the hypercube of its variable. */
export interface Product extends ParameterKey {
  readonly typeOfLevel: string;
  readonly level: number;
  /** Reference time, in seconds since 1970. */
  readonly time: number;
  /** End of the step, in seconds. */
  readonly step: number;
  readonly stepType: string;
  /** Number of the ensemble member; undefined for fields of none. */
  readonly number: number | undefined;
  readonly dataType: string;
  /** Kind of the ensemble's product, such as a percentile, with its numbers; "" for none. */
  readonly derived: string;
}

/** Parts of templates 4.x after the level, in order. */
type Part = "member" | "derived" | "probability" | "percentile" | "version" | "statistics";

const templates: Readonly<Record<number, { readonly shift?: number; readonly parts: readonly Part[] }>> = {
  0: { parts: [] },
  1: { parts: ["member"] },
  2: { parts: ["derived"] },
  5: { parts: ["probability"] },
  6: { parts: ["percentile"] },
  7: { parts: [] },
  8: { parts: ["statistics"] },
  9: { parts: ["probability", "statistics"] },
  10: { parts: ["percentile", "statistics"] },
  11: { parts: ["member", "statistics"] },
  12: { parts: ["derived", "statistics"] },
  40: { shift: 2, parts: [] },
  41: { shift: 2, parts: ["member"] },
  42: { shift: 2, parts: ["statistics"] },
  43: { shift: 2, parts: ["member", "statistics"] },
  60: { parts: ["member", "version"] },
  61: { parts: ["member", "version", "statistics"] },
};

const dataTypes = ["an", "fc", "af", "cf", "pf", "cp", "sa", "ra", "ep"];
const statistics = [
  "avg",
  "accum",
  "max",
  "min",
  "diff",
  "rms",
  "sd",
  "cov",
  "sdiff",
  "ratio",
  "stdanom",
  "sum",
];

/** Seconds of a unit of time (code table 4.4). */
const unitSeconds: Readonly<Record<number, number>> = {
  0: 60,
  1: 3600,
  2: 86400,
  10: 10800,
  11: 21600,
  12: 43200,
  13: 1,
};

/** Section 1: the reference time and the origin of a message. */
export interface Identification {
  readonly discipline: number;
  readonly centre: number;
  readonly time: number;
  readonly dataType: string;
}

export function readIdentification(section: Uint8Array, discipline: number): Identification {
  const cursor = new Cursor(section, "section 1", false, 5);
  const centre = cursor.u16();
  cursor.skip(5);
  const time = readTime(cursor);
  cursor.skip(1);
  const type = cursor.u8();
  return { discipline, centre, time, dataType: dataTypes[type] ?? String(type) };
}

function readTime(cursor: Cursor): number {
  const [year, month, day] = [cursor.u16(), cursor.u8(), cursor.u8()];
  const time = Date.UTC(2000, month - 1, day, cursor.u8(), cursor.u8(), cursor.u8());
  const date = new Date(time);
  return date.setUTCFullYear(date.getUTCFullYear() - 2000 + year) / 1000;
}

/** @throws Unsupported for other templates and units of time; InvalidMetadata ("bad-file"). */
export function readProduct(section: Uint8Array, identification: Identification): Product {
  const cursor = new Cursor(section, "section 4", false, 5);
  cursor.skip(2);
  const id = cursor.u16();
  const template = templates[id];
  if (!template) throw unsupportedFile(`the product template 4.${id} is not read`);
  const [category, number] = [cursor.u8(), cursor.u8()];
  const constituent = template.shift ? [cursor.u16()] : [];
  cursor.skip(6);
  const forecast = seconds(cursor.u8(), signed(cursor.u32()));
  const [first, second] = [readSurface(cursor), readSurface(cursor)];
  const own: Extra = { derived: constituent.map((value) => `constituent ${value}`), step: forecast };
  for (const part of template.parts) readers[part](cursor, own, identification.time);
  const { discipline, centre, time, dataType } = identification;
  return {
    centre,
    parameter: [discipline, category, number],
    surfaces: [first.type, second.type],
    surfaceValue: first.value,
    statistic: own.statistic,
    ...levelOf(first, second, centre),
    time,
    step: own.step,
    stepType:
      own.statistic === undefined ? "instant" : (statistics[own.statistic] ?? `statistic ${own.statistic}`),
    number: own.member,
    dataType,
    derived: own.derived.join(", "),
  };
}

interface Extra {
  derived: string[];
  /** In seconds. */
  step: number;
  statistic?: number;
  member?: number;
}

const readers: Readonly<Record<Part, (cursor: Cursor, own: Extra, time: number) => void>> = {
  member(cursor, own) {
    cursor.skip(1);
    own.member = cursor.u8();
    cursor.skip(1);
  },
  derived(cursor, own) {
    own.derived.push(`derived ${cursor.u8()}`);
    cursor.skip(1);
  },
  probability(cursor, own) {
    cursor.skip(2);
    const type = cursor.u8();
    const limits = [readScaled(cursor), readScaled(cursor)];
    own.derived.push(`probability ${type} ${limits.map((limit) => limit ?? "").join(" to ")}`);
  },
  percentile: (cursor, own) => void own.derived.push(`percentile ${cursor.u8()}`),
  version: (cursor) => cursor.skip(7),
  statistics(cursor, own, time) {
    const end = readTime(cursor);
    const count = cursor.u8();
    cursor.skip(4);
    if (count === 0 || count > 2)
      throw unsupportedFile(`statistics over ${count} ranges of time are not read`);
    const type = cursor.u8();
    if (type !== 255) own.statistic = type;
    cursor.skip(1);
    const length = seconds(cursor.u8(), cursor.u32());
    own.step = count === 1 ? own.step + length : end - time;
  },
};

function seconds(unit: number, count: number): number {
  const one = unitSeconds[unit];
  if (one === undefined && count !== 0) throw unsupportedFile(`the unit of time ${unit} is not read`);
  return count * (one ?? 0);
}

/** Returns a number whose first bit is its sign. */
export const signed = (value: number): number => (value >= 2 ** 31 ? 2 ** 31 - value : value);

interface Surface {
  readonly type: number;
  readonly value: number | undefined;
}

const readSurface = (cursor: Cursor): Surface => ({ type: cursor.u8(), value: readScaled(cursor) });

/** Reads a scale and a value; undefined if they are missing. */
function readScaled(cursor: Cursor): number | undefined {
  const [scale, value] = [cursor.u8(), cursor.u32()];
  if (scale === 255 || value === 2 ** 32 - 1) return undefined;
  // As in decimal notation: the nearest float of the digits.
  return Number(`${signed(value)}e${scale >= 128 ? scale - 128 : -scale}`);
}

/** Names of levels by the type of their surface (code table 4.5); those with "+" have a form with two surfaces. */
const levels: Readonly<Record<number, string>> = {
  1: "surface",
  2: "cloudBase",
  3: "cloudTop",
  4: "isothermZero",
  5: "adiabaticCondensation",
  6: "maxWind",
  7: "tropopause",
  8: "nominalTop",
  9: "seaBottom",
  10: "atmosphere",
  17: "mostUnstableParcel",
  18: "mixedLayerParcel",
  20: "isothermal",
  100: "isobaricInhPa",
  101: "meanSea",
  102: "heightAboveSea+",
  103: "heightAboveGround+",
  104: "sigma+",
  105: "hybrid+",
  106: "depthBelowLand+",
  107: "theta+",
  108: "pressureFromGround+",
  109: "potentialVorticity",
  111: "eta",
  114: "snow+",
  117: "mixedLayerDepthGeneric",
  118: "hybridHeight",
  119: "hybridPressure",
  150: "generalVertical+",
  151: "soil+",
  152: "seaIce+",
  160: "depthBelowSea+",
  162: "lakeBottom",
  166: "mixingLayer",
  168: "oceanModel+",
};

/** Names of the levels of NCEP, from type 200 on. */
const ncepLevels = (
  "atmosphereSingleLayer oceanSingleLayer - - highestTroposphericFreezing - gridScaleCloudBottom gridScaleCloudTop - " +
  "boundaryLayerCloudBottom boundaryLayerCloudTop boundaryLayerCloudLayer lowCloudBottom lowCloudTop lowCloudLayer " +
  "cloudCeiling - - - - planetaryBoundaryLayer layerBetween2Hybrids middleCloudBottom middleCloudTop middleCloudLayer " +
  "- - - - - - - highCloudBottom highCloudTop highCloudLayer oceanIsotherm - - - - oceanMixedLayer orderedSequenceData " +
  "convectiveCloudBottom convectiveCloudTop convectiveCloudLayer lowestLevelWetBulb0 - equilibrium " +
  "shallowConvectiveCloudBottom shallowConvectiveCloudTop - deepConvectiveCloudBottom deepConvectiveCloudTop"
).split(" ");
const ncep = 7;

/** Layers that are numbered by their lower surface, as in ecCodes. */
const countedLayers = [114, 151, 152, 168];

function levelOf(first: Surface, second: Surface, centre: number): { typeOfLevel: string; level: number } {
  const value = first.value ?? 0;
  const isLayer = second.type !== 255;
  if (first.type === 1 && second.type === 8) return { typeOfLevel: "entireAtmosphere", level: value };
  if (first.type === 100 && second.type === 100) return { typeOfLevel: "isobaricLayer", level: value / 100 };
  if (first.type === 100 && !isLayer && value < 100) return { typeOfLevel: "isobaricInPa", level: value };
  if (first.type === 100 && !isLayer) return { typeOfLevel: "isobaricInhPa", level: value / 100 };
  // Potential vorticity has the unit 10⁻⁶ K m² kg⁻¹ s⁻¹.
  if (first.type === 109 && !isLayer)
    return { typeOfLevel: "potentialVorticity", level: Number((value * 1e6).toPrecision(12)) };
  const local = centre === ncep ? ncepLevels[first.type - 200] : undefined;
  if (local && local !== "-") return { typeOfLevel: local, level: value };
  const known = levels[first.type];
  const hasLayers = known?.endsWith("+");
  const name = known?.replace("+", "") ?? `level${first.type}`;
  if (!isLayer) return { typeOfLevel: name, level: value };
  const isCounted = countedLayers.includes(first.type);
  return {
    typeOfLevel: hasLayers && second.type === first.type ? `${name}Layer` : `${name}To${second.type}`,
    level: isCounted ? (second.value ?? 0) : value,
  };
}
