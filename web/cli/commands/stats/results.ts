/** Prints the results of reductions: as a table, as CSV, or as JSON in the form of xarray's `to_dict()`. */
import { DType } from "zarr-wasm";
import type { LabelledRegion } from "zarr-wasm/compute";
import { context } from "../../text/context.js";
import { note, printable } from "../../text/output.js";
import { type Column, columnOf, csvLines, tableRows } from "../csv.js";
import { decodeRegion } from "../decode.js";
import { batched, type ReadRegion, scalars, toJson } from "../formats.js";

type Coordinate = LabelledRegion["coordinates"][string];

/** Results of the same shape by the names of their columns. */
export type Results = ReadonlyMap<string, LabelledRegion>;

export function printResults(results: Results, format: "text" | "json" | "csv"): void {
  const { stdout } = context();
  if (format === "json") return void stdout.write(`${jsonText(results)}\n`);
  const columns = labelColumns([...results.values()][0]!);
  const values = [...results].map(([name, region]) => [name, plainRegion(region)] as const);
  if (format === "csv") for (const piece of batched(csvLines(columns, values))) stdout.write(piece);
  else printTable([...tableRows(columns, values)]);
}

/** Elements as bytes, or as a list if they are of variable length. */
function plainRegion({ data, dtype, shape }: LabelledRegion | Coordinate): ReadRegion {
  if (!ArrayBuffer.isView(data)) return { data: data as readonly unknown[], dtype, shape };
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const isWidened = data instanceof Float32Array && dtype.core.includes("float");
  return { bytes, dtype: isWidened ? DType.simple("float32") : dtype, shape };
}

/** Coordinates with their CF attributes decoded. */
function decodedCoordinate(name: string, coordinate: Coordinate): ReadRegion {
  const { attributes, dtype } = coordinate;
  const array = { attributes, dtype, fillValue: null, zarrFormat: 3 as const, path: name };
  return decodeRegion(array, plainRegion(coordinate), { fillValueIsMissing: false });
}

/** Returns the columns of coordinates, or indices, and those of the other coordinates. */
function labelColumns({ shape, dimensionNames, coordinates }: LabelledRegion): Column[] {
  const rank = shape.length;
  const column = (name: string) => {
    const coordinate = coordinates[name]!;
    const places = coordinate.dimensionNames.map((dimension) => dimensionNames.indexOf(dimension));
    return columnOf(name, decodedCoordinate(name, coordinate), places, rank);
  };
  const isIndex = (name: string) =>
    coordinates[name]!.dimensionNames.length === 1 && coordinates[name]!.dimensionNames[0] === name;
  const labels = dimensionNames.map((name, axis) => {
    if (name !== null && Object.hasOwn(coordinates, name) && isIndex(name)) return column(name);
    const texts = Array.from({ length: shape[axis]! }, (_, i) => String(i));
    return { name: name ?? `dim_${axis}`, texts, steps: shape.map((_, other) => (other === axis ? 1 : 0)) };
  });
  const used = new Set(labels.map(({ name }) => name));
  const others = Object.keys(coordinates).filter((name) => !used.has(name));
  return [...labels, ...others.map(column)];
}

/** Tables with more rows lack their middle. */
const maxRows = 1000;
const shownRows = 10;

/** Prints rows in columns; numbers line up on the right. */
function printTable(rows: string[][]): void {
  const total = rows.length - 1;
  const isCut = total > maxRows;
  const shown = isCut ? [...rows.slice(0, shownRows + 1), ...rows.slice(-shownRows)] : rows;
  const texts = shown.map((row) => row.map((text) => (text === "" ? "NaN" : printable(text))));
  const widths = texts[0]!.map((_, i) => texts.reduce((width, row) => Math.max(width, row[i]!.length), 0));
  const lines = texts.map((row) => row.map((text, i) => text.padStart(widths[i]!)).join("  "));
  if (isCut) lines.splice(shownRows + 1, 0, "...");
  context().stdout.write(`${lines.join("\n")}\n`);
  if (isCut) note(`abbreviated ${total} rows; pass --format csv to print every one`);
}

/** Returns the results as `xarray.Dataset.from_dict` reads them; missing values are null. */
function jsonText(results: Results): string {
  const [first] = results.values();
  const dimensions = first!.dimensionNames.map((name, axis) => name ?? `dim_${axis}`);
  const coords = Object.entries(first!.coordinates).map(([name, coordinate]) => {
    return [name, dictOf(coordinate.dimensionNames, coordinate)];
  });
  const variables = [...results].map(([name, region]) => [name, dictOf(dimensions, region)]);
  return toJson({ coords: Object.fromEntries(coords), data_vars: Object.fromEntries(variables) });
}

function dictOf(dims: readonly string[], region: LabelledRegion | Coordinate) {
  const { _ARRAY_DIMENSIONS: _, ...attrs } = region.attributes; // of Zarr v2
  return { dims, attrs, data: nested(plainRegion(region)) };
}

/** Elements as nested lists; a single one without dimensions. */
function nested(region: ReadRegion): unknown {
  let list: unknown[] = Array.from(scalars(region), (value) => (Number.isNaN(value) ? null : value));
  for (const length of region.shape.slice(1).toReversed()) {
    const rows = length === 0 ? 0 : list.length / length;
    list = Array.from({ length: rows }, (_, i) => list.slice(i * length, (i + 1) * length));
  }
  return region.shape.length === 0 ? list[0] : list;
}
