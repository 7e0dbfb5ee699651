/** Regions of a plane in the state: points, lines, rectangles, ellipses and polygons with names. */
import { decodedName } from "../source/address-rules.js";
import { ownEntry } from "./entry.js";

export const regionKinds = ["point", "line", "rectangle", "ellipse", "polygon"] as const;
export type RegionKind = (typeof regionKinds)[number];

/** Row and column in elements of level 0: element i covers [i, i + 1). */
export type RegionPoint = readonly [row: number, column: number];

export interface RegionState {
  readonly name: string;
  readonly kind: RegionKind;
  /** The axes of the plane. */
  readonly axes: readonly [down: number, across: number];
  /** The place, both ends, opposite corners of the bounds, or the vertices. */
  readonly points: readonly RegionPoint[];
}

/** Maximum numbers of regions, and of vertices of one. */
const most = { regions: 64, points: 2000 };

const leastPoints: Readonly<Record<RegionKind, number>> = {
  point: 1,
  line: 2,
  rectangle: 2,
  ellipse: 2,
  polygon: 3,
};

function isRegion(value: unknown): value is RegionState {
  const { name, kind, axes, points } = (value ?? {}) as Partial<RegionState>;
  const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite);
  if (typeof name !== "string" || !isPair(axes) || !Array.isArray(points)) return false;
  const least = leastPoints[kind!];
  const fits = kind === "polygon" ? points.length >= least : points.length === least;
  return fits && points.length <= most.points && points.every(isPair);
}

export const regionStates = (value: unknown): readonly RegionState[] =>
  Array.isArray(value) ? value.filter(isRegion).slice(0, most.regions) : [];

/** Reads `NAME=KIND@DOWN,ACROSS:ROW,COLUMN,…;…`. */
function readRegions(text: string): readonly RegionState[] {
  return text.split(";").map((one) => {
    const [, name = "", kind, axes = "", list = ""] = /^([^=]*)=(\w+)@([\d,]+):(.*)$/.exec(one) ?? [];
    const numbers = list.split(",").map(Number);
    const points = numbers.flatMap((row, i) => (i % 2 === 0 ? [[row, numbers[i + 1] ?? Number.NaN]] : []));
    return {
      name: decodedName(name),
      kind,
      axes: axes.split(",").map(Number),
      points,
    } as unknown as RegionState;
  });
}

const rounded = (value: number) => Math.round(value * 1000) / 1000;

const regionsText = (regions: readonly RegionState[]): string =>
  regions
    .map(({ name, kind, axes, points }) => {
      const escaped = name.replace(/[%=;]/g, encodeURIComponent);
      return `${escaped}=${kind}@${axes}:${points.flat().map(rounded)}`;
    })
    .join(";");

export const regionsEntry = ownEntry<"regions", readonly RegionState[]>(
  "regions",
  "regions",
  readRegions,
  regionsText,
);
