/**
 * Means of blocks. Integers: exact, rounded to the nearest, ties to even. Floats: the sum in C order in
 * float64, divided and rounded once, without NaNs; the mean of NaNs only is NaN. Complex numbers: real and
 * imaginary parts separately.
 */
import type { DType } from "../../../dtypes/dtype.js";
import { isConverted } from "../../../dtypes/elements.js";
import { floatsOf } from "../../../dtypes/floats.js";
import { type KernelMaker, type NumberData, smallIntegers, wideMean } from "./reduce.js";

/** Adding and subtracting it rounds a float64 below 2⁵¹ to an integer, ties to even. */
const rounding = 1.5 * 2 ** 52;

const sums: { row: Float64Array } = { row: new Float64Array(0) };

/** Returns memory for the sums of a row's blocks. The next row reuses it. */
function rowOfSums(length: number): Float64Array {
  if (sums.row.length < length) sums.row = new Float64Array(length);
  return sums.row;
}

export function meanKernel(dtype: DType): KernelMaker | undefined {
  const { core } = dtype;
  if (core === "int64" || core === "uint64")
    return (source, out) => wideMean(source as BigInt64Array, out as BigInt64Array, core === "int64");
  if (smallIntegers.test(core)) return (source, out) => smallMean(source as Uint16Array, out as Uint16Array);
  if (core === "int32" || core === "uint32")
    return (source, out) => integerMean(source as Uint32Array, out as Uint32Array);
  const isComplex = core.startsWith("complex");
  if (!floatsOf(dtype) && core !== "float64" && core !== "complex128") return undefined;
  // Float32 may represent a smaller type: the mean is then rounded to float32 (to odd) before it is rounded
  // to that type.
  const round = isConverted(dtype) ? roundToOdd : undefined;
  return (source, out) => floatMean(source as Float64Array, out as Float64Array, isComplex ? 2 : 1, round);
}

/** Integers of at most 16 bits: the sums of two rows' pairs are 32-bit integers. */
function smallMean<T extends Uint8Array | Int8Array | Uint16Array | Int16Array>(source: T, out: T) {
  const others = integerMean(source, out);
  return (starts: readonly number[], length: number, factor: number, at: number): void => {
    if (starts.length === 2 && factor === 2) {
      meanOfPairs(source, starts[0]!, starts[1]!, length >> 1, out, at);
      if (length % 2 !== 0) out[at + (length >> 1)] = integerBlock(source, starts, length - 1, 1);
    } else others(starts, length, factor, at);
  };
}

/** Blocks of 2 × 2, the usual case of pyramids. */
function meanOfPairs(
  source: Uint8Array | Int8Array | Uint16Array | Int16Array,
  first: number,
  second: number,
  count: number,
  out: Uint8Array | Int8Array | Uint16Array | Int16Array,
  at: number,
): void {
  for (let i = 0, p = first, q = second; i < count; i++, p += 2, q += 2) {
    const sum = source[p]! + source[p + 1]! + source[q]! + source[q + 1]!;
    out[at + i] = (sum + 1 + ((sum >> 2) & 1)) >> 2;
  }
}

/**
 * Integers of at most 32 bits: float64 holds their sums exactly, and a quotient is a half only if it is
 * exact.
 */
function integerMean(source: NumberData, out: NumberData) {
  return (starts: readonly number[], length: number, factor: number, at: number): void => {
    const full = Math.floor(length / factor);
    const row = rowOfSums(full);
    addRows(source, starts, full, factor, row);
    const count = starts.length * factor;
    for (let i = 0; i < full; i++) out[at + i] = row[i]! / count + rounding - rounding;
    const rest = length - full * factor;
    if (rest > 0) out[at + full] = integerBlock(source, starts, full * factor, rest);
  };
}

/** Returns the mean of one block. @param offset start of the block in each row. */
function integerBlock(source: NumberData, starts: readonly number[], offset: number, length: number): number {
  let sum = 0;
  for (const start of starts) for (let k = 0; k < length; k++) sum += source[start + offset + k]!;
  return sum / (starts.length * length) + rounding - rounding;
}

/** Sums a row's whole blocks, in C order. */
function addRows(
  source: NumberData,
  starts: readonly number[],
  count: number,
  factor: number,
  row: Float64Array,
): void {
  for (let r = 0; r < starts.length; r++) {
    let p = starts[r]!;
    if (factor === 2) {
      if (r === 0) for (let i = 0; i < count; i++, p += 2) row[i] = source[p]! + source[p + 1]!;
      else for (let i = 0; i < count; i++, p += 2) row[i] = row[i]! + source[p]! + source[p + 1]!;
      continue;
    }
    for (let i = 0; i < count; i++) {
      let sum = r === 0 ? source[p++]! : row[i]! + source[p++]!;
      for (let k = 1; k < factor; k++) sum += source[p++]!;
      row[i] = sum;
    }
  }
}

type Round = (mean: number) => number;

/** @param width number of values per element: 2 for complex numbers, whose parts are averaged separately. */
function floatMean(source: NumberData, out: NumberData, width: 1 | 2, round: Round | undefined) {
  return (starts: readonly number[], length: number, factor: number, at: number): void => {
    const done = width === 1 ? Math.floor(length / factor) : 0;
    if (width === 1) floatRow(source, starts, done, factor, out, at, round);
    for (let i = done; i * factor < length; i++) {
      const size = Math.min(factor, length - i * factor);
      for (let part = 0; part < width; part++) {
        const mean = floatBlock(source, starts, i * factor, size, width, part);
        out[(at + i) * width + part] = round ? round(mean) : mean;
      }
    }
  };
}

/** Computes a row's whole blocks. Blocks without a finite sum are computed again, element by element. */
function floatRow(
  source: NumberData,
  starts: readonly number[],
  count: number,
  factor: number,
  out: NumberData,
  at: number,
  round: Round | undefined,
): void {
  const row = rowOfSums(count);
  addFloatRows(source, starts, count, factor, row);
  const size = starts.length * factor;
  for (let i = 0; i < count; i++) {
    const sum = row[i]!;
    // The difference is 0 for finite sums only.
    const mean = sum - sum === 0 ? sum / size : floatBlock(source, starts, i * factor, factor, 1, 0);
    out[at + i] = round ? round(mean) : mean;
  }
}

/** The same as addRows, for floats: engines compile each function for the array types that it has seen. */
function addFloatRows(
  source: NumberData,
  starts: readonly number[],
  count: number,
  factor: number,
  row: Float64Array,
): void {
  for (let r = 0; r < starts.length; r++) {
    let p = starts[r]!;
    if (factor === 2) {
      if (r === 0) for (let i = 0; i < count; i++, p += 2) row[i] = source[p]! + source[p + 1]!;
      else for (let i = 0; i < count; i++, p += 2) row[i] = row[i]! + source[p]! + source[p + 1]!;
      continue;
    }
    for (let i = 0; i < count; i++) {
      let sum = r === 0 ? source[p++]! : row[i]! + source[p++]!;
      for (let k = 1; k < factor; k++) sum += source[p++]!;
      row[i] = sum;
    }
  }
}

/** Returns the mean of one block's numbers; for complex elements, of one part. */
function floatBlock(
  source: NumberData,
  starts: readonly number[],
  offset: number,
  length: number,
  width: 1 | 2,
  part: number,
): number {
  let count = 0;
  let sum = Number.NaN;
  let areFinite = true;
  const add = (share: number) => {
    for (const start of starts) {
      for (let k = 0; k < length; k++) {
        const value = source[(start + offset + k) * width + part]!;
        if (Number.isNaN(value)) continue;
        sum = count++ === 0 ? value / share : sum + value / share;
        areFinite &&= Number.isFinite(value);
      }
    }
  };
  add(1);
  if (!areFinite || Number.isFinite(sum) || count === 0) return sum / Math.max(count, 1);
  // The sum of finite numbers exceeds float64, but their mean does not.
  const share = count;
  count = 0;
  add(share);
  return sum;
}

const single = new Float32Array(1);
const singleBits = new Int32Array(single.buffer);

/**
 * Rounds to odd: a number that is not a float32 becomes the neighbouring float32 whose last bit is 1.
 * Rounding that to a type with fewer bits gives the same result as rounding the number directly.
 */
function roundToOdd(value: number): number {
  single[0] = value;
  const nearest = single[0]!;
  if (nearest === value || !Number.isFinite(nearest) || (singleBits[0]! & 1) === 1) return nearest;
  singleBits[0]! += Math.abs(nearest) < Math.abs(value) ? 1 : -1;
  return single[0]!;
}
