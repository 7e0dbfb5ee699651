/** Downsampling done slowly and plainly: block by block, element by element, integers as bigints. */
import type { DType } from "zarr-wasm";
import { type ElementData, toElements } from "#src/dtypes/elements.js";
import { decodeFloat, encodeFloat, floatsOf } from "#src/dtypes/floats.js";

export type Method = "mean" | "mode" | "max" | "nearest";

type Numbers = readonly (number | bigint)[];

/** Positions of a block's elements in C order. */
function placesOf(index: readonly number[], shape: readonly number[], factors: readonly number[]): number[] {
  let places = [0];
  shape.forEach((length, axis) => {
    const first = index[axis]! * factors[axis]!;
    const end = Math.min(first + factors[axis]!, length);
    places = places.flatMap((place) =>
      Array.from({ length: end - first }, (_, k) => place * length + first + k),
    );
  });
  return places;
}

function indicesOf(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, length) => all.flatMap((index) => Array.from({ length }, (_, i) => [...index, i])),
    [[]],
  );
}

export const reducedShape = (shape: readonly number[], factors: readonly number[]): number[] =>
  shape.map((length, axis) => Math.ceil(length / factors[axis]!));

/** Reduces elements in the form in which `get` gives them. */
export function downsample(
  dtype: DType,
  data: ElementData,
  shape: readonly number[],
  factors: readonly number[],
  method: Method,
): ElementData {
  const count = shape.reduce((a, b) => a * b, 1);
  const width = data.length / count;
  const items = Array.from(
    { length: count },
    (_, i): Numbers => [...(data.subarray(i * width, (i + 1) * width) as Iterable<number | bigint>)],
  );
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const itemBytes = data.byteLength / count;
  const textOf = (place: number) => String(bytes.subarray(place * itemBytes, (place + 1) * itemBytes));
  const made = indicesOf(reducedShape(shape, factors)).map((index): Numbers => {
    const places = placesOf(index, shape, factors);
    if (method === "nearest") return items[places[0]!]!;
    if (method === "mode") return items[modeOf(places, textOf)]!;
    const parts = items[0]!.map((_, part) => places.map((place) => items[place]![part]!));
    return parts.map((values) => (method === "max" ? maxOf(values) : meanOf(dtype, values)));
  });
  const out = toElements(dtype, new Uint8Array(made.length * dtype.itemBytes));
  out.set(made.flat() as never);
  return out;
}

function modeOf(places: readonly number[], textOf: (place: number) => string): number {
  const counts = new Map<string, number>();
  for (const place of places) counts.set(textOf(place), (counts.get(textOf(place)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return places.find((place) => counts.get(textOf(place)) === most)!;
}

function maxOf(values: Numbers): number | bigint {
  let best: number | bigint = Number.NaN;
  for (const value of values)
    if (value > best || Number.isNaN(best) || (Object.is(value, 0) && value === best)) best = value; // +0 over −0
  return best;
}

function meanOf(dtype: DType, values: Numbers): number | bigint {
  const float = floatsOf(dtype);
  if (!float && !/^(float64|complex128)$/.test(dtype.core)) {
    const mean = integerMean(values.map(BigInt));
    return typeof values[0] === "bigint" ? mean : Number(mean);
  }
  const mean = floatMean((values as number[]).filter((value) => !Number.isNaN(value)));
  if (!float || Number.isNaN(mean)) return mean;
  const code = encodeFloat(float.format, mean);
  return code === undefined ? mean : decodeFloat(float.format, code);
}

/** Half to even. */
function integerMean(values: readonly bigint[]): bigint {
  const count = BigInt(values.length);
  const sum = values.reduce((a, b) => a + b, 0n);
  let quotient = sum / count;
  if (quotient * count > sum) quotient -= 1n; // down, not towards zero
  const twice = 2n * (sum - quotient * count);
  return twice > count || (twice === count && quotient % 2n !== 0n) ? quotient + 1n : quotient;
}

function floatMean(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sum = values.reduce((a, b) => a + b);
  if (Number.isFinite(sum) || !values.every(Number.isFinite)) return sum / values.length;
  return values.map((value) => value / values.length).reduce((a, b) => a + b);
}
