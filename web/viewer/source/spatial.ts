/** Points and shapes of SpatialData, and positions of AnnData, as layers. */
import { type ParquetTable, readParquet, type ZarrGroup } from "zarr-wasm";
import { own, textAt } from "./attributes.js";
import { parquetColumn, readFrame, readNumbers, Table } from "./columns.js";
import {
  type Features,
  featureLimits,
  GeometryBuilder,
  InvalidLayer,
  type Matrix,
  transformed,
} from "./features.js";
import { addWkb } from "./wkb.js";

/** Reads an object of the store that has the group, by its path below the group; undefined if it does not exist. */
export type ReadObject = (path: string) => Promise<Uint8Array | undefined>;

/** Maximum number of files of a table. */
const maxFiles = 256;
/** Maximum number of columns read for descriptions and colours. */
const maxColumns = 32;

/** Whether a group has a layer of points or shapes. */
export function isSpatial({ attributes }: ZarrGroup): boolean {
  return ["ngff:points", "ngff:shapes", "anndata"].includes(textAt(attributes, "encoding-type") ?? "");
}

/** @throws InvalidLayer, and what reading throws. */
export async function openSpatial(
  group: ZarrGroup,
  read: ReadObject,
  signal: AbortSignal,
): Promise<Features> {
  const encoding = textAt(group.attributes, "encoding-type");
  if (encoding === "anndata") return annData(group, signal);
  const isOld = own(own(group.attributes, "spatialdata_attrs"), "geos") !== undefined;
  const content =
    encoding === "ngff:points"
      ? await parquetPoints(read)
      : isOld
        ? await zarrShapes(group, signal)
        : await parquetShapes(read);
  const matrix = toPicture(own(group.attributes, "coordinateTransformations"));
  return { ...content, ...transformed(content, matrix), isFromEdge: true };
}

/** Reads a Parquet file of points or shapes that is not part of a store. */
export async function parquetFile(file: Uint8Array): Promise<Features> {
  const { names } = await readTable(file, []);
  return names.includes("geometry") ? shapesOf(file) : pointsOf([file]);
}

const readTable = (file: Uint8Array, columns: readonly string[]): Promise<ParquetTable> =>
  readParquet(file, { columns, maxRows: featureLimits.features, maxBytes: 8 * featureLimits.bytes });

/** Points: one file, or a folder of parts as Dask writes them. */
async function parquetPoints(read: ReadObject): Promise<Features> {
  const files: Uint8Array[] = [];
  let bytes = 0;
  for (let part = 0; part < maxFiles; part++) {
    const file = await read(`points.parquet/part.${part}.parquet`);
    if (!file) break;
    bytes += file.byteLength;
    if (bytes > featureLimits.bytes)
      throw new InvalidLayer(`its files have more than ${featureLimits.bytes} bytes`);
    files.push(file);
  }
  if (files.length === 0) {
    const file = await read("points.parquet");
    if (!file) throw new InvalidLayer("points.parquet does not exist");
    files.push(file);
  }
  return pointsOf(files);
}

async function pointsOf(files: readonly Uint8Array[]): Promise<Features> {
  const { names } = await readTable(files[0]!, []);
  if (!names.includes("x") || !names.includes("y"))
    throw new InvalidLayer("its points have no columns x and y");
  const columns = [...new Set(["x", "y", ...names])].slice(0, maxColumns);
  const tables: ParquetTable[] = [];
  for (const file of files) tables.push(await readTable(file, columns));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  if (rows > featureLimits.features)
    throw new InvalidLayer(`it has more than ${featureLimits.features.toLocaleString("en")} points`);
  const table = joined(tables, rows, columns);
  const [x, y] = ["x", "y"].map((name) => table.columns.get(name));
  if (x?.kind !== "numbers" || y?.kind !== "numbers")
    throw new InvalidLayer("its columns x and y are not numbers");
  const builder = new GeometryBuilder();
  for (let row = 0; row < rows; row++) {
    builder.point(x.values[row]!, y.values[row]!);
    builder.next();
  }
  return { ...featuresOf(table, builder), isFromEdge: true };
}

/** Tables of several files below one another. */
function joined(tables: readonly ParquetTable[], rows: number, names: readonly string[]): Table {
  const columns = names
    .filter((name) => !name.startsWith("__"))
    .flatMap((name) => {
      const parts = tables.map((table) => table.columns.get(name));
      return parts.some((part) => part?.kind !== parts[0]?.kind || !part)
        ? []
        : [
            [
              name,
              joinedColumn(
                parts.map((part) => parquetColumn(part!)),
                rows,
              ),
            ] as const,
          ];
    });
  return new Table(rows, new Map(columns));
}

type Column = ReturnType<typeof parquetColumn>;

function joinedColumn(parts: readonly Column[], rows: number): Column {
  if (parts.length === 1) return parts[0]!;
  if (parts[0]!.kind === "numbers") {
    const values = new Float64Array(rows);
    let at = 0;
    for (const part of parts as Extract<Column, { kind: "numbers" }>[]) {
      values.set(part.values, at);
      at += part.values.length;
    }
    return { kind: "numbers", values };
  }
  const known = new Map<string, number>();
  const codes = new Int32Array(rows);
  let at = 0;
  for (const { codes: own_, names } of parts as Extract<Column, { kind: "categories" }>[]) {
    const map = names.map((text) => {
      if (!known.has(text)) known.set(text, known.size);
      return known.get(text)!;
    });
    for (const code of own_) codes[at++] = code < 0 ? -1 : map[code]!;
  }
  return { kind: "categories", codes, names: [...known.keys()] };
}

async function parquetShapes(read: ReadObject): Promise<Features> {
  const file = await read("shapes.parquet");
  if (!file) throw new InvalidLayer("shapes.parquet does not exist");
  return shapesOf(file);
}

/** Shapes: a column of geometries, for circles with one of radii. */
async function shapesOf(file: Uint8Array): Promise<Features> {
  const { names } = await readTable(file, []);
  const found = await readTable(file, [...new Set(["geometry", "radius", ...names])].slice(0, maxColumns));
  const geometry = found.columns.get("geometry");
  if (geometry?.kind !== "bytes") throw new InvalidLayer("its column geometry is missing or not in WKB");
  const builder = new GeometryBuilder();
  for (let row = 0; row < found.rows; row++) {
    const bytes = geometry.entries[geometry.codes[row]!];
    if (bytes) addWkb(builder, bytes);
    builder.next();
  }
  const columns = [...found.columns].filter(([name]) => name !== "geometry" && !name.startsWith("__"));
  const table = new Table(
    found.rows,
    new Map(columns.map(([name, column]) => [name, parquetColumn(column)])),
  );
  const radius = found.columns.get("radius");
  return withRadii(featuresOf(table, builder), radius?.kind === "numbers" ? radius.values : undefined);
}

function withRadii(features: Features, radii: Float64Array | undefined): Features {
  if (!radii) return features;
  const { points } = features;
  return {
    ...features,
    points: { ...points, radii: Float64Array.from(points.features, (i) => radii[i] || 0) },
  };
}

/** Shapes of the first version, as arrays: coordinates and where polygons and their parts begin. */
async function zarrShapes(group: ZarrGroup, signal: AbortSignal): Promise<Features> {
  const numbers = async (name: string, shape: readonly (number | null)[]) =>
    readNumbers(await group.open(name, { kind: "array", signal }), shape, signal);
  const geos = own(own(group.attributes, "spatialdata_attrs"), "geos");
  const type = own(geos, "type");
  const coordinates = await numbers("coords", [null, null]);
  const { shape } = await group.open("coords", { kind: "array", signal });
  const rank = shape[1]!;
  if (rank !== 2 && rank !== 3) throw new InvalidLayer("its coordinates do not have two or three columns");
  const builder = new GeometryBuilder();
  if (type === 0) {
    const radii = await numbers("radius", [shape[0]!]);
    for (let i = 0; i < coordinates.length; i += rank) {
      builder.point(coordinates[i]!, coordinates[i + 1]!);
      builder.next();
    }
    return withRadii(featuresOf(new Table(shape[0]!, new Map()), builder), radii);
  }
  if (type !== 3 && type !== 6) throw new InvalidLayer("its shapes are of an unknown type");
  const offsets = await Promise.all(
    (type === 3 ? ["offset0", "offset1"] : ["offset0", "offset1", "offset2"]).map((name) =>
      numbers(name, [null]),
    ),
  );
  return polygonsOf(builder, { coordinates, rank, vertices: shape[0]!, offsets });
}

interface RaggedPolygons {
  readonly coordinates: Float64Array;
  readonly rank: number;
  readonly vertices: number;
  /** First vertices of rings, first rings of polygons, and first polygons of features. */
  readonly offsets: readonly Float64Array[];
}

/** Polygons in the layout of shapely's ragged arrays. */
function polygonsOf(
  builder: GeometryBuilder,
  { coordinates, rank, vertices, offsets }: RaggedPolygons,
): Features {
  const limits = [vertices, ...offsets.map(({ length }) => length - 1)];
  for (const [i, list] of offsets.entries())
    for (let k = 0; k < list.length; k++) {
      const [at, before] = [list[k]!, k === 0 ? 0 : list[k - 1]!];
      if (!Number.isInteger(at) || at < before || at > limits[i]!)
        throw new InvalidLayer("the offsets of its polygons do not ascend");
    }
  const [rings, polygons, features] = offsets as [Float64Array, Float64Array, Float64Array | undefined];
  const addPolygon = (polygon: number) => {
    for (let ring = polygons[polygon]!; ring < polygons[polygon + 1]!; ring++) {
      builder.begin(true);
      for (let i = rings[ring]!; i < rings[ring + 1]!; i++)
        builder.vertex(coordinates[i * rank]!, coordinates[i * rank + 1]!);
      builder.end(ring > polygons[polygon]!);
    }
  };
  const count = Math.max(0, (features ?? polygons).length - 1);
  for (let feature = 0; feature < count; feature++) {
    if (features) for (let i = features[feature]!; i < features[feature + 1]!; i++) addPolygon(i);
    else addPolygon(feature);
    builder.next();
  }
  return featuresOf(new Table(count, new Map()), builder);
}

/** Positions of the observations of AnnData, with their columns. */
async function annData(group: ZarrGroup, signal: AbortSignal): Promise<Features> {
  const array = await group.open("obsm/spatial", { kind: "array", signal });
  const [rows = 0, rank = 0] = array.shape;
  if (rows > featureLimits.features)
    throw new InvalidLayer(`it has more than ${featureLimits.features.toLocaleString("en")} observations`);
  const positions = await readNumbers(array, [null, null], signal);
  if (rank < 2 || rank > 3) throw new InvalidLayer("obsm/spatial does not have two or three columns");
  const table = await readFrame(await group.open("obs", { kind: "group", signal }), rows, signal);
  const builder = new GeometryBuilder();
  for (let row = 0; row < rows; row++) {
    builder.point(positions[row * rank]!, positions[row * rank + 1]!);
    builder.next();
  }
  return { ...featuresOf(table, builder), isFromEdge: true };
}

const featuresOf = (table: Table, builder: GeometryBuilder): Features => ({
  count: table.rows,
  ...builder.geometry,
  columns: [...table.columns.keys()],
  column: (name) => table.columns.get(name),
  text: (row) => table.text(row),
  isFromEdge: true,
});

/** Maximum nesting of sequences of transformations. */
const maxDepth = 8;
const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** The transformation to the coordinate system "global", or else the first one. */
function toPicture(list: unknown): Matrix {
  if (!Array.isArray(list) || list.length === 0) return identity;
  const isGlobal = (one: unknown) => textAt(own(one, "output"), "name") === "global";
  return matrixOf(list.find(isGlobal) ?? list[0], axesOf(own(list.find(isGlobal) ?? list[0], "input")), 0);
}

/** Names of the axes of a coordinate system. Default: x and y. */
function axesOf(system: unknown): string[] {
  const axes = own(system, "axes");
  const names = Array.isArray(axes) ? axes.map((axis) => String(own(axis, "name"))) : [];
  return names.includes("x") && names.includes("y") ? names : ["x", "y"];
}

function matrixOf(step: unknown, axes: readonly string[], depth: number): Matrix {
  const [x, y] = [axes.indexOf("x"), axes.indexOf("y")];
  const numbers = (name: string): [number, number] => {
    const list = own(step, name);
    const found = Array.isArray(list) ? [list[x], list[y]] : [];
    if (found.length === 2 && found.every(Number.isFinite)) return found as [number, number];
    throw new InvalidLayer(`its transformation has no valid ${name}`);
  };
  const type = textAt(step, "type");
  if (type === "identity") return identity;
  if (type === "scale") {
    const [a, d] = numbers("scale");
    return [a, 0, 0, d, 0, 0];
  }
  if (type === "translation") return [1, 0, 0, 1, ...numbers("translation")];
  if (type === "affine") return affineOf(step, axes);
  const steps = own(step, "transformations");
  if (type !== "sequence" || !Array.isArray(steps) || depth >= maxDepth)
    throw new InvalidLayer(`its transformation of type ${type ?? "unknown"} is not supported`);
  return steps
    .slice(0, maxFiles)
    .map((one) =>
      matrixOf(
        one,
        own(own(one, "input"), "axes") === undefined ? axes : axesOf(own(one, "input")),
        depth + 1,
      ),
    )
    .reduce((first, then) => product(then, first), identity);
}

/** An affine transformation has a row for each axis of the output, and a last column of shifts. */
function affineOf(step: unknown, axes: readonly string[]): Matrix {
  const rows = own(step, "affine");
  const outputs = own(own(step, "output"), "axes") === undefined ? axes : axesOf(own(step, "output"));
  const entry = (output: string, column: number): number => {
    const row: unknown = Array.isArray(rows) ? rows[outputs.indexOf(output)] : undefined;
    const value: unknown = Array.isArray(row) && row.length === axes.length + 1 ? row[column] : undefined;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw new InvalidLayer("its transformation has no valid affine");
  };
  const [x, y, last] = [axes.indexOf("x"), axes.indexOf("y"), axes.length];
  return [entry("x", x), entry("y", x), entry("x", y), entry("y", y), entry("x", last), entry("y", last)];
}

/** The second transformation applied to the result of the first. */
function product([a, b, c, d, e, f]: Matrix, [p, q, r, s, t, u]: Matrix): Matrix {
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
}
