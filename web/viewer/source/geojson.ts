/** Reads GeoJSON (RFC 7946): features with geometries of all kinds, and their properties. */
import { formatBriefly } from "../base/format.js";
import { eachInSlices } from "../base/slices.js";
import { shortened } from "../base/text.js";
import { own } from "./attributes.js";
import {
  type FeatureColumn,
  type Features,
  featureLimits,
  GeometryBuilder,
  InvalidLayer,
} from "./features.js";
import { parseLongJson } from "./long-json.js";

/** Maximum nesting of geometry collections. */
const maxDepth = 8;
/** Maximum number of properties in a feature's text, and maximum length of a value. */
const maxShown = 12;
const maxValue = 80;

/** Parses a document in slices. @throws InvalidLayer; the signal's reason */
export async function parseGeoJson(text: string, signal?: AbortSignal): Promise<Features> {
  const document = await parseLongJson(text, "features", signal).catch((error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidLayer(`it is not JSON: ${error.message}`);
  });
  const list = featureList(document);
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
  const columns = new ColumnCache(list);
  return {
    count: list.length,
    ...builder.geometry,
    columns: [...names],
    column: (name) => columns.get(name),
    readColumn: (name, signal) => columns.make(name, signal),
    text: (feature) => featureText(list[feature]),
    colors: colors.some((color) => color >= 0) ? colors : undefined,
    isFromEdge: false,
  };
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
    if (!Array.isArray(features)) throw new InvalidLayer("its features are not a list");
    return features;
  }
  // QuPath exports a list without a collection.
  if (Array.isArray(document)) return document;
  if (type === "Feature") return [document];
  if (geometryTypes.includes(String(type))) return [{ geometry: document }];
  throw new InvalidLayer("it is not GeoJSON: expected a FeatureCollection");
}

function addGeometry(builder: GeometryBuilder, geometry: unknown, depth: number): void {
  if (geometry === null || geometry === undefined) return; // a feature without a place
  if (depth > maxDepth) throw new InvalidLayer(`its geometries are nested more than ${maxDepth} deep`);
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
  else throw new InvalidLayer(`feature ${builder.feature} has a geometry of an unknown type`);
}

function listOf(value: unknown, { feature }: GeometryBuilder): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidLayer(`feature ${feature} has coordinates that are not a list`);
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
  return Array.isArray(value) ? `${value.length} values` : shortened(String(value), maxValue);
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

/** Columns are made when they are needed for the first time. */
class ColumnCache {
  readonly #columns = new Map<string, FeatureColumn | undefined>();

  constructor(private readonly list: readonly unknown[]) {}

  get(name: string): FeatureColumn | undefined {
    if (this.#columns.has(name)) return this.#columns.get(name);
    const maker = new ColumnMaker(this.list, name);
    for (let i = 0; i < this.list.length; i++) maker.look(i);
    for (let i = 0; i < this.list.length; i++) maker.add(i);
    this.#columns.set(name, maker.column);
    return maker.column;
  }

  /** Makes a column in slices. @throws the signal's reason */
  async make(name: string, signal: AbortSignal): Promise<void> {
    if (this.#columns.has(name)) return;
    const maker = new ColumnMaker(this.list, name);
    await eachInSlices(this.list.length, (i) => maker.look(i), signal);
    await eachInSlices(this.list.length, (i) => maker.add(i), signal);
    this.#columns.set(name, maker.column);
  }
}

/** Makes the column of a property; all features are looked at before the first is added. */
class ColumnMaker {
  #areNumbers = true;
  #isEmpty = true;
  readonly #known = new Map<string, number>();
  #codes = new Int32Array(0);
  #values = new Float64Array(0);

  constructor(
    private readonly list: readonly unknown[],
    private readonly name: string,
  ) {}

  #value(feature: number): unknown {
    return own(own(this.list[feature], "properties"), this.name) ?? undefined;
  }

  /** Finds the kind of the column. */
  look(feature: number): void {
    const value = this.#value(feature);
    this.#isEmpty &&= value === undefined;
    this.#areNumbers &&= value === undefined || typeof value === "number";
  }

  add(feature: number): void {
    if (this.#isEmpty) return;
    const value = this.#value(feature);
    if (feature === 0) {
      if (this.#areNumbers) this.#values = new Float64Array(this.list.length);
      else this.#codes = new Int32Array(this.list.length);
    }
    if (this.#areNumbers) this.#values[feature] = value === undefined ? Number.NaN : (value as number);
    else this.#codes[feature] = value === undefined ? -1 : this.#code(valueText(value));
  }

  #code(text: string): number {
    const code = this.#known.get(text);
    if (code !== undefined) return code;
    this.#known.set(text, this.#known.size);
    return this.#known.size - 1;
  }

  /** Undefined if no feature has the property. */
  get column(): FeatureColumn | undefined {
    if (this.#isEmpty) return undefined;
    if (this.#areNumbers) return { kind: "numbers", values: this.#values };
    return { kind: "categories", codes: this.#codes, names: [...this.#known.keys()] };
  }
}
