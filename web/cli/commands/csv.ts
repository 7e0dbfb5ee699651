/** CSV of `zarr-wasm read` and `stats`: a row per element with its coordinates, as `to_dataframe().to_csv()` of xarray. */
import { get, getBytes, isZarrError, open, type Selection, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { type Coordinate, coordinatesOf, dimensionsOf } from "zarr-wasm/conventions";
import { resolveSelection } from "#internal";
import { decodeRegion } from "./decode.js";
import { elementTexts, type ReadRegion } from "./formats.js";

type Axes = ReturnType<typeof resolveSelection>;

/** Texts of one column, and their step along each dimension of the table; 0 where they repeat. */
export interface Column {
  readonly name: string;
  readonly texts: readonly string[];
  readonly steps: readonly number[];
}

/**
 * Reads the columns of coordinates: those that label the dimensions of the result, or indices, then the others of the
 * array as in xarray.
 */
export async function coordinateColumns(array: ZarrArray, selection: Selection): Promise<Column[]> {
  const axes = resolveSelection(selection, array.shape, array.dimensionNames);
  const names = dimensionsOf(array) ?? array.shape.map((_, axis) => array.dimensionNames?.[axis] ?? null);
  const group = await groupAbove(array);
  const found = group ? await coordinatesOf(group, array) : [];
  const kept = axes.flatMap(({ dropped }, axis) => (dropped ? [] : [axis]));
  const labels = kept.map((axis) => {
    const index = found.find(({ isIndex, name }) => isIndex && name === names[axis]);
    return index?.array.shape[0] === array.shape[axis] ? index : undefined;
  });
  const others = found.filter((coordinate) => !labels.includes(coordinate) && fits(coordinate, array, names));
  const along = { axes, names, kept };
  return Promise.all([
    ...kept.map((axis, place) => {
      const label = labels[place];
      return label ? readColumn(label, along) : indexColumn(names[axis] ?? `dim_${axis}`, axis, along);
    }),
    ...others.map((coordinate) => readColumn(coordinate, along)),
  ]);
}

interface Along {
  readonly axes: Axes;
  readonly names: readonly (string | null)[];
  /** Dimensions of the result. */
  readonly kept: readonly number[];
}

async function groupAbove({ store, path, limits, zarrFormat }: ZarrArray): Promise<ZarrGroup | undefined> {
  if (path === "") return undefined;
  const above = path.split("/").slice(0, -1).join("/");
  try {
    return await open(store, { path: above, kind: "group", version: zarrFormat, limits });
  } catch (error) {
    if (!isZarrError(error, "NotFound")) throw error;
    return undefined;
  }
}

/** Whether the lengths of coordinates are those of the array's dimensions. */
function fits({ array, dimensions }: Coordinate, { shape }: ZarrArray, names: Along["names"]): boolean {
  return dimensions.every((dimension, i) => array.shape[i] === shape[names.indexOf(dimension)]);
}

function indexColumn(name: string, axis: number, { axes, kept }: Along): Column {
  const chosen = axes[axis]!;
  const at = (i: number) => ("indices" in chosen ? chosen.indices[i]! : chosen.start + i * chosen.step);
  const texts = Array.from({ length: chosen.count }, (_, i) => String(at(i)));
  return { name, texts, steps: kept.map((other) => (other === axis ? 1 : 0)) };
}

async function readColumn({ name, array, dimensions }: Coordinate, along: Along): Promise<Column> {
  const own = dimensions.map((dimension) => along.names.indexOf(dimension));
  const selection = own.map((axis) => {
    const chosen = along.axes[axis]!;
    if (chosen.dropped) return chosen.start;
    if ("indices" in chosen) return chosen.indices;
    const { start, step, count } = chosen;
    return { start, stop: count === 0 ? start : start + (count - 1) * step + 1, step };
  });
  const read = array.dtype.isVariable
    ? await get<readonly unknown[]>(array, selection)
    : await getBytes(array, selection);
  // A coordinate that equals the fill value is valid: xarray writes 0 as the fill value of indexes.
  const region = decodeRegion(array, read, { fillValueIsMissing: false });
  const places = own.map((axis) => along.kept.indexOf(axis)).filter((place) => place >= 0);
  return columnOf(name, region, places, along.kept.length);
}

/** Returns the column of a region. @param places of the region's dimensions among the `rank` ones of the table. */
export function columnOf(name: string, region: ReadRegion, places: readonly number[], rank: number): Column {
  const steps = new Array<number>(rank).fill(0);
  places.forEach((place, i) => {
    steps[place] = region.shape.slice(i + 1).reduce((a, b) => a * b, 1);
  });
  return { name, texts: Array.from(fields(region)), steps };
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
