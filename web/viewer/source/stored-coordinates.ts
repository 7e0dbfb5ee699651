/** Stored coordinates: read whole if small, otherwise in parts on demand. */
import { get, isZarrError, type Region, slice, strings, type ZarrArray } from "zarr-wasm";
import { type CFRegion, decodeCF } from "zarr-wasm/conventions";
import { briefDates, dateTicks } from "../base/date-ticks.js";
import { text } from "../language/text.js";
import { textAt } from "./attributes.js";
import { axisRole } from "./coordinates.js";
import type { AxisCoordinates, AxisRole, DatasetAxis } from "./dataset.js";

/** Maximum size of coordinates read in advance, in bytes and chunks. */
const little = { bytes: 2 ** 20, chunks: 4 };

type Values = ArrayLike<number | string | undefined>;

/** Coordinates in a one-dimensional array. */
export class ArrayCoordinates implements AxisCoordinates {
  readonly #parts = new Map<number, Values>();
  readonly #reading = new Map<number, Promise<void>>();
  readonly #length: number;
  readonly #perPart: number;
  kind: AxisCoordinates["kind"] = "numbers";
  problem: string | undefined;

  constructor(private readonly array: ZarrArray) {
    const [length] = array.shape as [number];
    const chunk = (array.shardShape ?? array.chunkShape)[0]!;
    this.#length = length;
    this.#perPart = this.isLittle ? Math.max(1, length) : Math.min(chunk, length);
  }

  /** Whether the array is small enough to be read whole. */
  get isLittle(): boolean {
    const { shape, chunkShape, shardShape, dtype } = this.array;
    const chunks = Math.ceil(shape[0]! / (shardShape ?? chunkShape)[0]!);
    return chunks <= little.chunks && shape[0]! * Math.max(dtype.itemBytes, 8) <= little.bytes;
  }

  at(index: number): number | string | undefined {
    const part = Math.floor(index / this.#perPart);
    return this.#parts.get(part)?.[index - part * this.#perPart];
  }

  /** At the turns of the calendar, between elements if need be, and not more than elements. */
  ticks(first: number, last: number, most: number): { at: number; text: string }[] | undefined {
    if (this.kind !== "milliseconds") return undefined;
    const times: number[] = [];
    for (let i = first; i < last; i++) {
      const time = this.at(i);
      if (typeof time !== "number" || !(time > (times.at(-1) ?? Number.NEGATIVE_INFINITY))) return undefined;
      times.push(time);
    }
    if (times.length < 2) return undefined;
    let i = 0;
    return dateTicks(times[0]!, times.at(-1)!, Math.min(most, times.length - 1)).map(({ time, text }) => {
      while (i < times.length - 2 && times[i + 1]! < time) i++;
      return { at: first + i + (time - times[i]!) / (times[i + 1]! - times[i]!), text };
    });
  }

  brief(texts: readonly string[]): readonly string[] {
    return this.kind === "milliseconds" ? briefDates(texts) : texts;
  }

  read(index: number): Promise<void> {
    const part = Math.floor(index / this.#perPart);
    if (this.#parts.has(part) || index < 0 || index >= this.#length) return Promise.resolve();
    let reading = this.#reading.get(part);
    if (!reading) {
      reading = this.#load(part).finally(() => this.#reading.delete(part));
      this.#reading.set(part, reading);
    }
    return reading;
  }

  async #load(part: number): Promise<void> {
    const start = part * this.#perPart;
    const region = await get(this.array, [slice(start, Math.min(start + this.#perPart, this.#length))]);
    const { dtype, data } = region;
    if (dtype.isVariable) this.#keep(part, "texts", data as unknown as Values);
    else if (dtype.core === "fixed_utf32" || dtype.core === "fixed_bytes")
      this.#keep(part, "texts", strings(region));
    else {
      const { region: meant, problem } = decodedCoordinates(this.array, region);
      const { kind } = meant;
      this.problem ??= problem;
      const values = asNumbers(meant);
      const dates = kind === "milliseconds" ? undefined : await toDates(this.array, values);
      if (dates) this.#keep(part, "texts", dates);
      else this.#keep(part, kind === "milliseconds" ? "milliseconds" : "numbers", known(values));
    }
  }

  #keep(part: number, kind: AxisCoordinates["kind"], values: Values): void {
    this.kind = kind;
    this.#parts.set(part, values);
  }
}

/** Decodes numbers and times. Times that are not instants stay counts. */
function decoded(array: CFArray, region: Region): CFRegion {
  // The array's own fill value is a valid coordinate: writers use 0.
  const options = { fillValueIsMissing: false } as const;
  try {
    return decodeCF(array as ZarrArray, region, options);
  } catch (error) {
    if (!isZarrError(error) || error.code !== "unsupported-time") throw error;
    return decodeCF(array as ZarrArray, region, { ...options, times: "counts" });
  }
}

type CFArray = Pick<ZarrArray, "attributes" | "dtype" | "fillValue" | "zarrFormat">;

/**
 * Decodes coordinates, of which none may be missing (CF 1.11, section 2.5.1): one that equals the fill value
 * of the attributes counts if it fits in between the others.
 */
function decodedCoordinates(
  array: ZarrArray,
  region: Region,
): { region: CFRegion; problem: string | undefined } {
  const name = array.path.split("/").at(-1)!;
  const masked = decoded(array, region);
  const missing = asNumbers(masked).filter(Number.isNaN).length;
  if (missing === 0) return { region: masked, problem: undefined };
  const { dtype, fillValue, zarrFormat } = array;
  const { _FillValue, missing_value, ...attributes } = array.attributes;
  const whole = decoded({ attributes, dtype, fillValue, zarrFormat }, region);
  if (!areCoordinates(asNumbers(whole), asNumbers(masked)))
    return { region: masked, problem: text.sources.missing(name, missing) };
  const problem = text.sources.filled(name);
  return { region: whole, problem };
}

const asNumbers = ({ data }: CFRegion): Float64Array =>
  Float64Array.from(data as ArrayLike<number | bigint>, Number);

/** Maximum step to a coordinate that equals the fill value, in steps between the others: numbers like −999 are far away. */
const maxFillSteps = 4;

/** Whether coordinates rise or fall, with the steps to those that are missing in `masked` like the others. */
function areCoordinates(values: Float64Array, masked: Float64Array): boolean {
  const way = Math.sign(values.at(-1)! - values[0]!);
  const steps = Array.from(values.subarray(1), (value, i) => (value - values[i]!) * way);
  const isKnown = (i: number) => !Number.isNaN(masked[i]) && !Number.isNaN(masked[i + 1]);
  const most = steps.reduce((max, step, i) => (isKnown(i) ? Math.max(max, step) : max), 0);
  const limit = most > 0 ? maxFillSteps * most : Number.POSITIVE_INFINITY;
  return way !== 0 && steps.every((step) => step > 0 && step <= limit);
}

/** Dates in model calendars; the code for them is loaded on demand. */
async function toDates({ attributes }: ZarrArray, counts: Float64Array): Promise<Values | undefined> {
  const [units, calendar] = [textAt(attributes, "units"), textAt(attributes, "calendar")];
  if (units === undefined || calendar === undefined) return undefined;
  const { modelDates } = await import("./calendars.js");
  const toDate = modelDates(units, calendar);
  return toDate && Array.from(counts, (at) => (Number.isFinite(at) ? toDate(at) : undefined));
}

/** NaN is not a coordinate. */
const known = (values: Float64Array): Values =>
  values.some(Number.isNaN)
    ? Array.from(values, (value) => (Number.isNaN(value) ? undefined : value))
    : values;

/** An axis with its coordinate array. Coordinates that determine positions on a map are read immediately. */
export async function axisFrom(
  name: string | undefined,
  length: number,
  array: ZarrArray,
): Promise<DatasetAxis> {
  const { attributes } = array;
  const role = axisRole(name, array);
  const coordinates = new ArrayCoordinates(array);
  const isPlace = role !== undefined && role !== "time" && role !== "channel";
  if (length > 0 && (coordinates.isLittle || isPlace))
    await Promise.all([coordinates.read(0), isPlace ? coordinates.read(length - 1) : undefined]);
  const unit = coordinates.kind === "numbers" ? countUnit(attributes) : undefined;
  const isRead = coordinates.at(0) !== undefined && coordinates.kind === "numbers";
  return {
    name,
    length,
    role,
    type: role === "time" ? "time" : isPlace ? "space" : undefined,
    label: textAt(attributes, "long_name") ?? textAt(attributes, "standard_name")?.replaceAll("_", " "),
    unit: unit === "1" ? undefined : unit,
    coordinates,
    ...(isRead ? regularStep(coordinates, length) : {}),
    goesUp: goesUp(role, attributes, coordinates, length),
  };
}

/** The unit of numeric coordinates; counts of time also have a calendar. */
function countUnit(attributes: unknown): string | undefined {
  const [units, calendar] = [textAt(attributes, "units"), textAt(attributes, "calendar")];
  const isCount = calendar !== undefined && / since /.test(units ?? "");
  return isCount ? `${units} (${calendar})` : units;
}

/** Scale and translation of coordinates that are evenly spaced up to rounding. */
function regularStep(
  coordinates: AxisCoordinates,
  length: number,
): Pick<DatasetAxis, "scale" | "translation"> | undefined {
  const [first, last] = [coordinates.at(0), coordinates.at(length - 1)];
  if (typeof first !== "number" || typeof last !== "number" || length < 2) return undefined;
  const scale = (last - first) / (length - 1);
  if (!Number.isFinite(scale) || scale === 0) return undefined;
  for (let i = 1; i < length - 1; i++) {
    const value = coordinates.at(i);
    // Values that have not been read cannot be checked; grids that large are regular.
    if (typeof value === "number" && Math.abs(value - (first + i * scale)) > Math.abs(scale) * 0.02)
      return undefined;
  }
  return { scale, translation: first };
}

/** North and greater heights are up; the depth of water grows downwards. */
function goesUp(
  role: AxisRole | undefined,
  attributes: unknown,
  coordinates: AxisCoordinates,
  length: number,
): boolean {
  const [first, last] = [coordinates.at(0), coordinates.at(length - 1)];
  if (typeof first !== "number" || typeof last !== "number") return false;
  const isAscending = last > first;
  if (role === "latitude" || role === "y") return isAscending;
  if (role !== "z") return false;
  const positive = textAt(attributes, "positive")?.toLowerCase();
  // Pressure falls with height.
  const isPressure = /^(h?pa|mbar|millibars?)$/i.test(textAt(attributes, "units") ?? "");
  if (positive === "down" || isPressure) return !isAscending;
  return positive === "up" && isAscending;
}
