/** CSV of `zarr-wasm read` and `stats`: a row per element with its coordinates, as `to_dataframe().to_csv()` of xarray. */
import { DType, type Selection, type ZarrArray } from "zarr-wasm";
import type { LabelledRegion, RegionCoordinate } from "zarr-wasm/compute";
import { loadCompute } from "#internal";
import { decodeRegion } from "./decode.js";
import { elementTexts, type ReadRegion } from "./formats.js";

/** Texts of one column, and their step along each dimension of the table; 0 where they repeat. */
export interface Column {
  readonly name: string;
  readonly texts: readonly string[];
  readonly steps: readonly number[];
}

/** Reads the columns of the coordinates that a selection keeps. */
export async function coordinateColumns(array: ZarrArray, selection: Selection): Promise<Column[]> {
  const { selectedCoordinates } = await loadCompute();
  const kept = await selectedCoordinates(array, selection);
  return labelColumns(kept, kept.indexAt);
}

/**
 * Returns the columns of coordinates: those that label the dimensions of a region, or indices, then its others, as in xarray.
 * @param indexAt returns the index of an element along a dimension.
 */
export function labelColumns(
  { shape, dimensionNames, coordinates }: Pick<LabelledRegion, "shape" | "dimensionNames" | "coordinates">,
  indexAt = (_axis: number, i: number): number => i,
): Column[] {
  const column = (name: string): Column => {
    const coordinate = coordinates[name]!;
    const steps = dimensionNames.map((dimension) => {
      const own = coordinate.dimensionNames.indexOf(dimension!);
      return own < 0 ? 0 : coordinate.shape.slice(own + 1).reduce((a, b) => a * b, 1);
    });
    return { name, texts: Array.from(fields(decodedCoordinate(name, coordinate))), steps };
  };
  const labels = dimensionNames.map((name, axis) => {
    const own = name !== null && Object.hasOwn(coordinates, name) ? coordinates[name]! : undefined;
    if (own?.dimensionNames.length === 1 && own.dimensionNames[0] === name) return column(name!);
    const texts = Array.from({ length: shape[axis]! }, (_, i) => String(indexAt(axis, i)));
    return { name: name ?? `dim_${axis}`, texts, steps: shape.map((_, other) => (other === axis ? 1 : 0)) };
  });
  const used = new Set(labels.map(({ name }) => name));
  const others = Object.keys(coordinates).filter((name) => !used.has(name));
  return [...labels, ...others.map(column)];
}

/** Elements as bytes, or as a list if they are of variable length. */
export function plainRegion({ data, dtype, shape }: LabelledRegion | RegionCoordinate): ReadRegion {
  if (!ArrayBuffer.isView(data)) return { data: data as readonly unknown[], dtype, shape };
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const isWidened = data instanceof Float32Array && dtype.core.includes("float");
  return { bytes, dtype: isWidened ? DType.simple("float32") : dtype, shape };
}

/**
 * Coordinates with their CF attributes decoded. One that equals the fill value is valid: xarray writes 0 as the fill value of
 * indexes.
 */
function decodedCoordinate(name: string, coordinate: RegionCoordinate): ReadRegion {
  const { attributes, dtype } = coordinate;
  const array = { attributes, dtype, fillValue: null, zarrFormat: 3 as const, path: name };
  return decodeRegion(array, plainRegion(coordinate), { fillValueIsMissing: false });
}

/** Values of a table by the names of their columns, all of the same shape. */
type Values = readonly (readonly [name: string, region: ReadRegion])[];

/** Yields a header and the rows as lists of texts, in C order. */
export function* tableRows(columns: readonly Column[], values: Values): Generator<string[]> {
  yield [...columns.map((column) => column.name), ...values.map(([name]) => name)];
  const { shape } = values[0]![1];
  const position = shape.map(() => 0);
  const offsets = columns.map(() => 0);
  const [first, ...others] = values.map(([, region]) => fields(region));
  for (const text of first!) {
    const labels = columns.map(({ texts }, i) => texts[offsets[i]!]!);
    yield [...labels, text, ...others.map((other) => String(other.next().value))];
    advance(position, shape, columns, offsets);
  }
}

/** Yields the rows of a table as CSV (RFC 4180). */
export function* csvLines(columns: readonly Column[], values: Values): Generator<string> {
  for (const row of tableRows(columns, values)) yield `${row.map(quoted).join(",")}\n`;
}

/** Moves to the next element in C order. */
function advance(
  position: number[],
  shape: readonly number[],
  columns: readonly Column[],
  offsets: number[],
): void {
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const isEnd = position[axis]! + 1 === shape[axis];
    const by = isEnd ? -position[axis]! : 1;
    position[axis]! += by;
    for (let i = 0; i < columns.length; i++) offsets[i]! += by * columns[i]!.steps[axis]!;
    if (!isEnd) return;
  }
}

/** Yields texts of elements as pandas writes them: missing ones are empty, whole floats end in ".0". */
function* fields(region: ReadRegion): Generator<string> {
  const { core, unit } = region.dtype;
  const isFloat = /^b?float/.test(core);
  for (const text of elementTexts(region)) {
    if (isFloat) yield text === "NaN" ? "" : /^-?\d+$/.test(text) ? `${text}.0` : text;
    else yield unit !== undefined && text === "NaT" ? "" : text;
  }
}

/** Quotes text if necessary. */
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
