/** Prints the results of reductions: as a table, as CSV, or as JSON in the form of xarray's `to_dict()`. */
import type { LabelledRegion, RegionCoordinate } from "zarr-wasm/compute";
import { context } from "../../text/context.js";
import { note, printable } from "../../text/output.js";
import { csvLines, labelColumns, plainRegion, tableRows } from "../csv.js";
import { batched, type ReadRegion, scalars, toJson } from "../formats.js";

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

function dictOf(dims: readonly string[], region: LabelledRegion | RegionCoordinate) {
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
