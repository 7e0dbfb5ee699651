/** Reads GeoJSON (RFC 7946): features with geometries of all kinds, and their properties. */
import { formatBriefly } from "../base/format.js";
import { eachInSlices } from "../base/slices.js";
import { shortened } from "../base/text.js";
import { text } from "../language/text.js";
import { own } from "./attributes.js";
import { maxShown, maxValue, valueColumn } from "./columns.js";
import {
  type FeatureColumn,
  type Features,
  featureLimits,
  GeometryBuilder,
  InvalidLayer,
} from "./features.js";

/** Maximum nesting of geometry collections. */
const maxDepth = 8;

/** Parses a document, and its features in slices. @throws InvalidLayer; the signal's reason */
export async function parseGeoJson(json: string, signal?: AbortSignal): Promise<Features> {
  const list = featureList(parsed(json));
  const builder = new GeometryBuilder();
  const names = new Set<string>();
  const colors = new Int32Array(list.length);
  const addFeature = (i: number) => {
    const feature = list[i];
    addGeometry(builder, own(feature, "geometry"), 0);
    builder.next();
    colors[i] = featureColor(feature);
    const properties = own(feature, "properties");
    if (isObject(properties) && names.size < featureLimits.columns)
      for (const name of Object.keys(properties).slice(0, featureLimits.columns)) names.add(name);
  };
  await eachInSlices(list.length, addFeature, signal);
  const columns = new Map<string, FeatureColumn | undefined>();
  return {
    count: list.length,
    ...builder.geometry,
    columns: [...names],
    column(name) {
      if (!columns.has(name)) columns.set(name, propertyColumn(list, name));
      return columns.get(name);
    },
    text: (feature) => featureText(list[feature]),
    colors: colors.some((color) => color >= 0) ? colors : undefined,
    isFromEdge: false,
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new InvalidLayer(text.invalidLayer.noJson((error as SyntaxError).message));
  }
}

/** Undefined if no feature has the property. */
function propertyColumn(list: readonly unknown[], name: string): FeatureColumn | undefined {
  const values = list.map((feature) => own(own(feature, "properties"), name) ?? undefined);
  return values.every((value) => value === undefined) ? undefined : valueColumn(values, valueText);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const geometryTypes = [
  "Point",
  "MultiPoint",
  "LineString",
  "MultiLineString",
  "Polygon",
  "MultiPolygon",
  "GeometryCollection",
];

function featureList(document: unknown): readonly unknown[] {
  const type = own(document, "type");
  if (type === "FeatureCollection") {
    const features = own(document, "features");
    if (!Array.isArray(features)) throw new InvalidLayer(text.invalidLayer.noFeatures);
    return features;
  }
  // QuPath exports a list without a collection.
  if (Array.isArray(document)) return document;
  if (type === "Feature") return [document];
  if (geometryTypes.includes(String(type))) return [{ geometry: document }];
  throw new InvalidLayer(text.invalidLayer.noGeoJson);
}

function addGeometry(builder: GeometryBuilder, geometry: unknown, depth: number): void {
  if (geometry === null || geometry === undefined) return; // a feature without a place
  if (depth > maxDepth) throw new InvalidLayer(text.invalidLayer.deep(maxDepth));
  const type = String(own(geometry, "type"));
  if (type === "GeometryCollection") {
    for (const one of listOf(own(geometry, "geometries"), builder)) addGeometry(builder, one, depth + 1);
    return;
  }
  const coordinates = own(geometry, "coordinates");
  const each = (add: (part: unknown) => void) => {
    for (const part of listOf(coordinates, builder)) add(part);
  };
  const line = (part: unknown) => addPath(builder, part, false);
  const polygon = (part: unknown) => {
    for (const [i, ring] of listOf(part, builder).entries()) addPath(builder, ring, true, i > 0);
  };
  if (type === "Point") builder.point(...position(coordinates));
  else if (type === "MultiPoint") each((part) => builder.point(...position(part)));
  else if (type === "LineString") line(coordinates);
  else if (type === "MultiLineString") each(line);
  else if (type === "Polygon") polygon(coordinates);
  else if (type === "MultiPolygon") each(polygon);
  else throw new InvalidLayer(text.invalidLayer.geometry(builder.feature));
}

function listOf(value: unknown, { feature }: GeometryBuilder): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidLayer(text.invalidLayer.coordinates(feature));
}

/** Anything but numbers becomes NaN, which the builder leaves out. */
const position = (value: unknown): [number, number] => {
  const [x, y] = Array.isArray(value) ? (value as unknown[]) : [];
  return [typeof x === "number" ? x : Number.NaN, typeof y === "number" ? y : Number.NaN];
};

function addPath(builder: GeometryBuilder, part: unknown, isRing: boolean, isHole = false): void {
  builder.begin(isRing);
  for (const vertex of listOf(part, builder)) builder.vertex(...position(vertex));
  builder.end(isHole);
}

/** The colour of a feature by simplestyle or QuPath. */
function featureColor(feature: unknown): number {
  const properties = own(feature, "properties");
  const given = [
    ...["color", "marker-color", "stroke", "fill"].map((name) => own(properties, name)),
    own(own(properties, "classification"), "color"),
  ].find((one) => one !== undefined);
  if (typeof given === "string" && /^#[0-9a-f]{6}$/i.test(given)) return Number.parseInt(given.slice(1), 16);
  const isByte = (one: unknown) => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 255;
  if (!Array.isArray(given) || given.length < 3 || !given.slice(0, 3).every(isByte)) return -1;
  const [red, green, blue] = given as [number, number, number];
  return (red << 16) | (green << 8) | blue;
}

/** A property as text; objects by their name, as QuPath's classes have one. */
function valueText(value: unknown): string {
  if (typeof value === "number") return formatBriefly(value);
  if (isObject(value)) return typeof value["name"] === "string" ? shortened(value["name"], maxValue) : "…";
  return Array.isArray(value) ? text.features.values(value.length) : shortened(String(value), maxValue);
}

function featureText(feature: unknown): string {
  const properties = own(feature, "properties");
  const id = own(feature, "id");
  const entries = isObject(properties) ? Object.entries(properties) : [];
  const parts = entries
    .filter(([, value]) => value !== null && value !== "")
    .slice(0, maxShown)
    .map(([name, value]) => `${shortened(name, maxValue)}: ${valueText(value)}`);
  if (typeof id === "string" || typeof id === "number") parts.unshift(`id: ${valueText(id)}`);
  return parts.join(", ");
}
