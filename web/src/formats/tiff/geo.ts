/** Georeferencing of GeoTIFF as `proj:` and `spatial:` attributes. Spec: OGC 19-008r4. */

import { integerJson, integersJson, jsonObject } from "../../metadata/print.js";
import { type Json, JsonNumber } from "../../util/json.js";
import { floatJson } from "../file/documents.js";
import type { Page } from "./ifd.js";
import { tags } from "./tags.js";

/** x = a·i + b·j + c, y = d·i + e·j + f at the corner of the element in column i and row j. */
type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export interface Georeferencing {
  /** "EPSG:32633"; undefined for systems that the file defines itself. */
  readonly code: string | undefined;
  readonly transform: Affine | undefined;
  /** Attributes beyond both. */
  readonly extras: Readonly<Record<string, Json>>;
}

const keyNames: ReadonlyMap<number, string> = new Map(
  `1024 GTModelType,1025 GTRasterType,1026 GTCitation,2048 GeodeticCRS,2049 GeodeticCitation,2050 GeodeticDatum,
  2051 PrimeMeridian,2052 GeogLinearUnits,2053 GeogLinearUnitSize,2054 GeogAngularUnits,2055 GeogAngularUnitSize,
  2056 Ellipsoid,2057 EllipsoidSemiMajorAxis,2058 EllipsoidSemiMinorAxis,2059 EllipsoidInvFlattening,
  2060 GeogAzimuthUnits,2061 PrimeMeridianLongitude,2062 GeogTOWGS84,3072 ProjectedCRS,3073 ProjectedCitation,
  3074 Projection,3075 ProjMethod,3076 ProjLinearUnits,3077 ProjLinearUnitSize,3078 ProjStdParallel1,
  3079 ProjStdParallel2,3080 ProjNatOriginLong,3081 ProjNatOriginLat,3082 ProjFalseEasting,3083 ProjFalseNorthing,
  3084 ProjFalseOriginLong,3085 ProjFalseOriginLat,3086 ProjFalseOriginEasting,3087 ProjFalseOriginNorthing,
  3088 ProjCenterLong,3089 ProjCenterLat,3090 ProjCenterEasting,3091 ProjCenterNorthing,
  3092 ProjScaleAtNatOrigin,3093 ProjScaleAtCenter,3094 ProjAzimuthAngle,3095 ProjStraightVertPoleLong,
  3096 ProjRectifiedGridAngle,4096 Vertical,4097 VerticalCitation,4098 VerticalDatum,4099 VerticalUnits`
    .split(",")
    .map((pair) => pair.trim().split(" "))
    .map(([number, name]) => [Number(number), name!]),
);

/** Values of keys as JSON: integers, floats, strings, lists. */
type GeoKeys = ReadonlyMap<number, Json>;

async function geoKeys(page: Page): Promise<GeoKeys> {
  const keys = new Map<number, Json>();
  const directory = await page.numbers(tags.geoKeyDirectory);
  const doubles = await page.numbers(tags.geoDoubles);
  const texts = (await page.text(tags.geoTexts, 2 ** 20)) ?? "";
  for (let at = 4; at + 4 <= directory.length; at += 4) {
    const [key, place, count, value] = directory.slice(at, at + 4) as [number, number, number, number];
    const end = value + count;
    const list =
      place === tags.geoKeyDirectory
        ? directory.slice(value, end).map(integerJson)
        : place === tags.geoDoubles
          ? doubles.slice(value, end).map(finiteJson)
          : [];
    if (place === 0) keys.set(key, integerJson(value));
    else if (place === tags.geoTexts) keys.set(key, texts.slice(value, end).replace(/\|$/, ""));
    else if (list.length > 0) keys.set(key, list.length === 1 ? list[0]! : list);
  }
  return keys;
}

const integerOf = (value: Json | undefined): number | undefined =>
  value instanceof JsonNumber && value.isInteger ? value.value : undefined;

/** Returns the georeferencing of a page; undefined if it has none. */
export async function readGeoreferencing(page: Page): Promise<Georeferencing | undefined> {
  if (
    ![tags.geoKeyDirectory, tags.modelTiepoint, tags.modelTransformation].some((tag) => page.count(tag) > 0)
  )
    return undefined;
  const keys = await geoKeys(page);
  const isPoint = integerOf(keys.get(1025)) === 2;
  const tiepoints = await page.numbers(tags.modelTiepoint);
  const transform = await readTransform(page, tiepoints, isPoint);
  const code = codeOf(keys);
  const extras: Record<string, Json> = {};
  if (isPoint) extras["AREA_OR_POINT"] = "Point";
  if (!transform && tiepoints.length > 0) extras["ModelTiepoint"] = tiepoints.map(finiteJson);
  // Keys of systems with a code say no more than the code, except for heights.
  if (keys.size > 0 && (code === undefined || keys.has(4096)))
    extras["GeoKeys"] = jsonObject([...keys].map(([key, value]) => [keyName(key), value]));
  return { code, transform, extras };
}

const finiteJson = (value: number): Json => (Number.isFinite(value) ? floatJson(value) : null);

const keyName = (key: number) => (keyNames.has(key) ? `${keyNames.get(key)}GeoKey` : String(key));

/** Returns the EPSG code of the horizontal system. Codes above 32766 mean that the keys define the system. */
function codeOf(keys: GeoKeys): string | undefined {
  const isProjected = integerOf(keys.get(1024)) === 1 || (!keys.has(1024) && keys.has(3072));
  const code = integerOf(keys.get(isProjected ? 3072 : 2048));
  return code !== undefined && code >= 1024 && code < 32767 ? `EPSG:${code}` : undefined;
}

/** Returns the transformation of corners; the file's refers to centres if pixels are points. */
async function readTransform(
  page: Page,
  tiepoints: readonly number[],
  isPoint: boolean,
): Promise<Affine | undefined> {
  const matrix = await page.numbers(tags.modelTransformation);
  const scale = await page.numbers(tags.modelPixelScale);
  let found: Affine | undefined;
  if (scale.length >= 2 && tiepoints.length >= 6) {
    const [i, j, , x, y] = tiepoints as [number, number, number, number, number];
    const [a, e] = [scale[0]!, -Math.abs(scale[1]!)];
    found = [a, 0, x - i * a, 0, e, y - j * e];
  } else if (matrix.length === 16) {
    const [a, b, , c, d, e, , f] = matrix as [number, number, number, number, number, number, number, number];
    found = [a, b, c, d, e, f];
  }
  if (!found?.every(Number.isFinite) || found[0] * found[4] - found[1] * found[3] === 0) return undefined;
  const [a, b, c, d, e, f] = found;
  return isPoint ? [a, b, c - (a + b) * 0.5, d, e, f - (d + e) * 0.5] : found;
}

/** Attributes of an array or a group: where its elements are. */
export function spatialAttributes(
  { code, transform, extras }: Georeferencing,
  shape: readonly [rows: number, columns: number],
): [string, Json][] {
  const spatial: [string, Json][] = transform
    ? [
        ["spatial:dimensions", ["y", "x"]],
        ["spatial:shape", integersJson(shape)],
        ["spatial:transform", transform.map(floatJson)],
      ]
    : [];
  return [
    ...(code === undefined ? [] : [["proj:code", code] as [string, Json]]),
    ...spatial,
    ...Object.entries(extras),
  ];
}

/** Returns the georeferencing of a level that covers the same area with fewer elements. */
export function scaledTo(
  { code, transform, extras }: Georeferencing,
  [across, down]: readonly [across: number, down: number],
): Georeferencing {
  if (!transform) return { code, transform, extras };
  const [a, b, c, d, e, f] = transform;
  return { code, transform: [a * across, b * down, c, d * across, e * down, f], extras };
}
