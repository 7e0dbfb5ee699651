/** Regions of a plane in the state: points, lines, rectangles, ellipses, polygons and labels, with names. */
import { decodedName } from "../source/address-rules.js";
import { ownEntry } from "./entry.js";

/** The kinds that are drawn by tools. */
export const regionKinds = ["point", "line", "rectangle", "ellipse", "polygon"] as const;
export type RegionKind = (typeof regionKinds)[number];

/** Row and column in elements of level 0: element i covers [i, i + 1). */
export type RegionPoint = readonly [row: number, column: number];

export interface RegionState {
  readonly name: string;
  readonly kind: RegionKind | "labels";
  /** The axes of the plane. */
  readonly axes: readonly [down: number, across: number];
  /** The place, both ends, opposite corners of the bounds, or the vertices. */
  readonly points: readonly RegionPoint[];
  /** The elements with some labels. */
  readonly labels?: RegionLabels | undefined;
}

export interface RegionLabels {
  /** The label image over the picture; "" if the picture itself is one. */
  readonly image: string;
  readonly ids: readonly number[];
}

export const maxRegions = 64;
/** Maximum number of vertices or labels of a region. */
const maxPoints = 2000;

const leastPoints: Readonly<Record<RegionKind, number>> = {
  point: 1,
  line: 2,
  rectangle: 2,
  ellipse: 2,
  polygon: 3,
};

function isRegion(value: unknown): value is RegionState {
  const { name, kind, axes, points, labels } = (value ?? {}) as Partial<RegionState>;
  const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite);
  if (typeof name !== "string" || !isPair(axes) || !Array.isArray(points)) return false;
  if (kind === "labels") return points.length === 0 && isLabels(labels);
  const least = leastPoints[kind!];
  const fits = kind === "polygon" ? points.length >= least : points.length === least;
  return fits && points.length <= maxPoints && points.every(isPair);
}

function isLabels(value: unknown): value is RegionLabels {
  const { image, ids } = (value ?? {}) as Partial<RegionLabels>;
  const isId = (id: unknown) => Number.isSafeInteger(id);
  return (
    typeof image === "string" &&
    Array.isArray(ids) &&
    ids.length > 0 &&
    ids.length <= maxPoints &&
    ids.every(isId)
  );
}

export const regionStates = (value: unknown): readonly RegionState[] =>
  Array.isArray(value) ? value.filter(isRegion).slice(0, maxRegions) : [];

/** Reads `NAME=KIND@DOWN,ACROSS:ROW,COLUMN,…;…`; of labels, `NAME=labels@DOWN,ACROSS:IMAGE/LABEL/…`. */
function readRegions(text: string): readonly RegionState[] {
  return text.split(";").map((one) => {
    const [, name = "", kind, axes = "", list = ""] = /^([^=]*)=(\w+)@([\d,]+):(.*)$/.exec(one) ?? [];
    if (kind === "labels") {
      const [image = "", ...ids] = list.split("/");
      const labels = {
        image: decodedName(image),
        ids: ids.map((id) => (id === "" ? Number.NaN : Number(id))),
      };
      const plane = axes.split(",").map(Number);
      return { name: decodedName(name), kind, axes: plane, points: [], labels } as unknown as RegionState;
    }
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

const escaped = (name: string): string => name.replace(/[%=;/]/g, encodeURIComponent);

const regionsText = (regions: readonly RegionState[]): string =>
  regions
    .map(({ name, kind, axes, points, labels }) => {
      const content = labels ? [escaped(labels.image), ...labels.ids].join("/") : points.flat().map(rounded);
      return `${escaped(name)}=${kind}@${axes}:${content}`;
    })
    .join(";");

export const regionsEntry = ownEntry<"regions", readonly RegionState[]>(
  "regions",
  "regions",
  readRegions,
  regionsText,
);
