/** Points and shapes of SpatialData, and positions of AnnData, as layers. */
import { isZarrError, type ZarrGroup } from "zarr-wasm";
import { type ParquetTable, readParquet } from "zarr-wasm/formats";
import { formatCount } from "../base/format.js";
import { text } from "../language/text.js";
import { own, textAt, textsAt } from "./attributes.js";
import { parquetColumn, readColumn, readNumbers, Table } from "./columns.js";
import type { Dataset } from "./dataset.js";
import { featureTable, type TableLink, withTable } from "./feature-table.js";
import {
  type FeatureColumn,
  type Features,
  featureLimits,
  GeometryBuilder,
  InvalidLayer,
  transformed,
} from "./features.js";
import { ifReadable } from "./nodes.js";
import { annDataObservations } from "./observations.js";
import { toPicture } from "./spaces.js";
import { spatialSystems } from "./spatial-transform.js";
import { addWkb } from "./wkb.js";

/** Features, and the rows of a table that annotate them. */
export interface LinkedFeatures {
  readonly features: Features;
  readonly link?: TableLink | undefined;
}

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

/** @param image the picture. @throws InvalidLayer, and what reading throws. */
export async function openSpatial(
  group: ZarrGroup,
  image: Dataset,
  read: ReadObject,
  signal: AbortSignal,
): Promise<LinkedFeatures> {
  const encoding = textAt(group.attributes, "encoding-type");
  if (encoding === "anndata") return annData(group, signal);
  const isOld = own(own(group.attributes, "spatialdata_attrs"), "geos") !== undefined;
  const content =
    encoding === "ngff:points"
      ? await parquetPoints(read)
      : isOld
        ? await zarrShapes(group, signal)
        : await parquetShapes(read);
  const names = textsAt(group.attributes, "axes");
  const axes = names.length > 0 ? names : ["x", "y"];
  const systems = spatialSystems(own(group.attributes, "coordinateTransformations"), axes);
  const matrix = toPicture(image, { systems, isFromEdge: true }, axes);
  const features = { ...content, ...(matrix ? transformed(content, matrix) : {}), isFromEdge: true };
  const link = await ifReadable(featureTable(group, features, signal), signal);
  return link ? { features: withTable(features, link), link } : { features };
}

/** Reads a Parquet file of points or shapes that is not part of a store. */
export async function parquetFile(file: Uint8Array): Promise<Features> {
  const head = await readTable(file, []);
  return head.names.includes(geometryColumn(head)) ? shapesOf(file) : pointsOf([file]);
}

/** JSON of the writer. */
function described({ metadata }: ParquetTable, name: string): unknown {
  try {
    return JSON.parse(metadata.get(name) ?? "null") as unknown;
  } catch {
    return undefined; // of another writer
  }
}

/** The column of geometries, by GeoParquet. */
const geometryColumn = (table: ParquetTable): string =>
  textAt(described(table, "geo"), "primary_column") ?? "geometry";

/** The first part of the index of a data frame by pandas: the name of a column, or a range. */
function pandasIndex(table: ParquetTable): unknown {
  const columns = own(described(table, "pandas"), "index_columns");
  return Array.isArray(columns) ? (columns as unknown[])[0] : undefined;
}

/** An index that is a range, which has no column. */
function rangeIndex(table: ParquetTable): FeatureColumn | undefined {
  const range = pandasIndex(table);
  const [start, step] = [own(range, "start"), own(range, "step")];
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(step)) return undefined;
  const at = (row: number) => (start as number) + row * (step as number);
  return { kind: "numbers", values: Float64Array.from({ length: table.rows }, (_, row) => at(row)) };
}

/** The column with the index of a data frame, as pandas and Dask write it; undefined for numbers of rows. */
function indexColumn(table: ParquetTable): string | undefined {
  const first = pandasIndex(table);
  return table.names.find((name) => name === first || /^__(index_level_0|null_dask_index)__$/.test(name));
}

/** Columns that are read and shown: those of the index have technical names unless they were named. */
const isShown = (name: string): boolean => !name.startsWith("__");

/** Reads columns of a file, without those that it lacks: parts of a table may differ. */
async function readTable(file: Uint8Array, columns: readonly string[]): Promise<ParquetTable> {
  const limits = { maxRows: featureLimits.features, maxBytes: 8 * featureLimits.bytes };
  const head = await readParquet(file, { ...limits, columns: [] });
  const found = columns.filter((name) => head.names.includes(name));
  return found.length === 0 ? head : readParquet(file, { ...limits, columns: found });
}

/** Points: one file, or a folder of parts as Dask writes them. */
async function parquetPoints(read: ReadObject): Promise<Features> {
  const files: Uint8Array[] = [];
  let bytes = 0;
  for (let part = 0; part < maxFiles; part++) {
    const file = await read(`points.parquet/part.${part}.parquet`);
    if (!file) break;
    bytes += file.byteLength;
    if (bytes > featureLimits.bytes) throw new InvalidLayer(text.invalidLayer.bytes(featureLimits.bytes));
    files.push(file);
  }
  if (files.length === 0) {
    const file = await read("points.parquet");
    if (!file) throw new InvalidLayer(text.invalidLayer.noFile("points.parquet"));
    files.push(file);
  }
  return pointsOf(files);
}

async function pointsOf(files: readonly Uint8Array[]): Promise<Features> {
  const head = await readTable(files[0]!, []);
  const { names } = head;
  if (!names.includes("x") || !names.includes("y")) throw new InvalidLayer(text.invalidLayer.noPlaces);
  const index = indexColumn(head);
  const columns = [...new Set(["x", "y", ...(index ? [index] : []), ...names.filter(isShown)])].slice(
    0,
    maxColumns,
  );
  const tables: ParquetTable[] = [];
  for (const file of files) tables.push(await readTable(file, columns));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  if (rows > featureLimits.features)
    throw new InvalidLayer(text.invalidLayer.features(formatCount(featureLimits.features)));
  const table = joined(tables, rows, columns);
  const [x, y] = ["x", "y"].map((name) => table.columns.get(name));
  if (x?.kind !== "numbers" || y?.kind !== "numbers") throw new InvalidLayer(text.invalidLayer.noNumbers);
  const builder = new GeometryBuilder();
  for (let row = 0; row < rows; row++) {
    builder.point(x.values[row]!, y.values[row]!);
    builder.next();
  }
  return featuresOf(table, builder, index);
}

/** Tables of several files below one another. */
function joined(tables: readonly ParquetTable[], rows: number, names: readonly string[]): Table {
  const columns = names.flatMap((name) => {
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
  if (!file) throw new InvalidLayer(text.invalidLayer.noFile("shapes.parquet"));
  return shapesOf(file);
}

/** Shapes: a column of geometries, for circles with one of radii. */
async function shapesOf(file: Uint8Array): Promise<Features> {
  const head = await readTable(file, []);
  const [place, index] = [geometryColumn(head), indexColumn(head)];
  const names = [place, "radius", ...(index ? [index] : []), ...head.names.filter(isShown)];
  const found = await readTable(file, [...new Set(names)].slice(0, maxColumns));
  const geometry = found.columns.get(place);
  if (geometry?.kind !== "bytes") throw new InvalidLayer(text.invalidLayer.noWkb(place));
  const builder = new GeometryBuilder();
  for (let row = 0; row < found.rows; row++) {
    const bytes = geometry.entries[geometry.codes[row]!];
    if (bytes) addWkb(builder, bytes);
    builder.next();
  }
  const columns = [...found.columns].filter(([name]) => name !== place);
  const table = new Table(
    found.rows,
    new Map(columns.map(([name, column]) => [name, parquetColumn(column)])),
  );
  const radius = found.columns.get("radius");
  return withRadii(
    featuresOf(table, builder, index ?? rangeIndex(found)),
    radius?.kind === "numbers" ? radius.values : undefined,
  );
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
  if (rank !== 2 && rank !== 3) throw new InvalidLayer(text.invalidLayer.noPairs("coords"));
  const builder = new GeometryBuilder();
  const featuresWith = async (rows: number) => {
    const index = await readColumn(group, "Index", rows, signal);
    return featuresOf(new Table(rows, new Map(index ? [["Index", index]] : [])), builder, "Index");
  };
  if (type === 0) {
    const radii = await numbers("radius", [shape[0]!]);
    for (let i = 0; i < coordinates.length; i += rank) {
      builder.point(coordinates[i]!, coordinates[i + 1]!);
      builder.next();
    }
    return withRadii(await featuresWith(shape[0]!), radii);
  }
  if (type !== 3 && type !== 6) throw new InvalidLayer(text.invalidLayer.shapes);
  const offsets = await Promise.all(
    (type === 3 ? ["offset0", "offset1"] : ["offset0", "offset1", "offset2"]).map((name) =>
      numbers(name, [null]),
    ),
  );
  return featuresWith(addPolygons(builder, { coordinates, rank, vertices: shape[0]!, offsets }));
}

interface RaggedPolygons {
  readonly coordinates: Float64Array;
  readonly rank: number;
  readonly vertices: number;
  /** First vertices of rings, first rings of polygons, and first polygons of features. */
  readonly offsets: readonly Float64Array[];
}

/** Adds polygons in the layout of shapely's ragged arrays. @returns the number of features */
function addPolygons(
  builder: GeometryBuilder,
  { coordinates, rank, vertices, offsets }: RaggedPolygons,
): number {
  const limits = [vertices, ...offsets.map(({ length }) => length - 1)];
  for (const [i, list] of offsets.entries())
    for (let k = 0; k < list.length; k++) {
      const [at, before] = [list[k]!, k === 0 ? 0 : list[k - 1]!];
      if (!Number.isInteger(at) || at < before || at > limits[i]!)
        throw new InvalidLayer(text.invalidLayer.offsets);
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
  return count;
}

/** Positions of the observations of AnnData, with their columns. */
async function annData(group: ZarrGroup, signal: AbortSignal): Promise<LinkedFeatures> {
  const array = await group.open("obsm/spatial", { kind: "array", signal }).catch((error: unknown) => {
    throw isZarrError(error, "NotFound") ? new InvalidLayer(text.invalidLayer.noPositions) : error;
  });
  const [rows = 0, rank = 0] = array.shape;
  if (rows > featureLimits.features)
    throw new InvalidLayer(text.invalidLayer.rows(formatCount(featureLimits.features)));
  const positions = await readNumbers(array, [null, null], signal);
  if (rank < 2 || rank > 3) throw new InvalidLayer(text.invalidLayer.noPairs("obsm/spatial"));
  const observations = await annDataObservations(group, rows, signal);
  const builder = new GeometryBuilder();
  for (let row = 0; row < rows; row++) {
    builder.point(positions[row * rank]!, positions[row * rank + 1]!);
    builder.next();
  }
  const link = { observations, rows: Int32Array.from({ length: rows }, (_, row) => row) };
  return { features: withTable(featuresOf(new Table(rows, new Map()), builder), link), link };
}

/** @param index the identifiers, or the name of their column */
function featuresOf(
  { rows, columns }: Table,
  builder: GeometryBuilder,
  index?: string | FeatureColumn,
): Features {
  const shown = new Table(rows, new Map([...columns].filter(([name]) => isShown(name))));
  return {
    count: rows,
    ...builder.geometry,
    columns: [...shown.columns.keys()],
    column: (name) => shown.columns.get(name),
    text: (row) => shown.text(row),
    index: typeof index === "string" ? columns.get(index) : index,
    isFromEdge: true,
  };
}
