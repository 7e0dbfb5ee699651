/** Reductions by the maximum and by the most frequent value. */

import type { DType } from "../../../dtypes/dtype.js";
import { conversionOf, type ElementData } from "../../../dtypes/elements.js";
import { floatsOf } from "../../../dtypes/floats.js";
import { type KernelMaker, type NumberData, type RowKernel, smallIntegers, wideMax } from "./reduce.js";

export function maxKernel(dtype: DType): KernelMaker | undefined {
  const { core } = dtype;
  if (core === "int64" || core === "uint64")
    return (source, out) => wideMax(source as BigInt64Array, out as BigInt64Array, core === "int64");
  const isSmall = smallIntegers.test(core);
  const isFloat = core === "float64" || floatsOf(dtype)?.isComplex === false;
  if (!isSmall && !isFloat && core !== "int32" && core !== "uint32") return undefined;
  const addPairs = isSmall ? addSmallPairs : addNumberPairs;
  return (source, out) => numberMax(source as NumberData, out as NumberData, addPairs);
}

/** Computes the greatest of each pair in a row, or of the pair and the result of the preceding rows. */
type AddPairs = (
  source: NumberData,
  start: number,
  count: number,
  out: NumberData,
  at: number,
  isFirst: boolean,
) => void;

function numberMax(source: NumberData, out: NumberData, addPairs: AddPairs) {
  return (starts: readonly number[], length: number, factor: number, at: number): void => {
    const pairs = factor === 2 ? length >> 1 : 0;
    for (let r = 0; r < starts.length; r++) addPairs(source, starts[r]!, pairs, out, at, r === 0);
    const checked = addPairs === addNumberPairs ? 0 : pairs;
    for (let i = checked; i * factor < length; i++) {
      if (i >= pairs || Number.isNaN(out[at + i]!))
        out[at + i] = maxOfBlock(source, starts, i * factor, Math.min(factor, length - i * factor));
    }
  };
}

/** Integers of at most 16 bits. Without branches, half of which would be mispredicted. */
function addSmallPairs(
  source: NumberData,
  start: number,
  count: number,
  out: NumberData,
  at: number,
  isFirst: boolean,
): void {
  if (isFirst) {
    for (let i = 0, p = start; i < count; i++, p += 2) {
      const a = source[p]!;
      const less = a - source[p + 1]!;
      out[at + i] = a - (less & (less >> 31));
    }
    return;
  }
  for (let i = 0, p = start; i < count; i++, p += 2) {
    const a = source[p]!;
    const less = a - source[p + 1]!;
    const before = out[at + i]!;
    const change = before - a + (less & (less >> 31));
    out[at + i] = before - (change & (change >> 31));
  }
}

/** Other numbers; NaN if one of them is NaN. */
function addNumberPairs(
  source: NumberData,
  start: number,
  count: number,
  out: NumberData,
  at: number,
  isFirst: boolean,
): void {
  for (let i = 0, p = start; i < count; i++, p += 2) {
    const pair = Math.max(source[p]!, source[p + 1]!);
    out[at + i] = isFirst ? pair : Math.max(out[at + i]!, pair);
  }
}

/** Returns the greatest number of one block. @param offset start of the block in each row. */
function maxOfBlock(source: NumberData, starts: readonly number[], offset: number, length: number): number {
  let best = Number.NaN;
  for (const start of starts) {
    for (let p = start + offset; p < start + offset + length; p++) {
      const value = source[p]!;
      if (!Number.isNaN(value)) best = Number.isNaN(best) ? value : Math.max(best, value);
    }
  }
  return best;
}

type Words = Uint8Array | Uint16Array | Uint32Array;

export function modeKernel(dtype: DType): KernelMaker | undefined {
  const width = elementBytes(dtype);
  return (source, out) => {
    const common = width | source.byteOffset | out.byteOffset;
    const bytes = common % 4 === 0 ? 4 : common % 2 === 0 ? 2 : 1;
    const [from, to] = [toWords(source, bytes), toWords(out, bytes)];
    return width === bytes ? wordMode(from, to) : itemMode(from, to, width / bytes);
  };
}

/** Bytes of an element in its JavaScript representation. */
function elementBytes(dtype: DType): number {
  const conversion = conversionOf(dtype);
  if (!conversion) return dtype.itemBytes;
  const numbers = dtype.itemBytes / conversion.storedBytes;
  return numbers * (conversion.array as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
}

/** Returns the elements as unsigned integers. */
function toWords({ buffer, byteOffset, byteLength }: ElementData, bytes: 1 | 2 | 4): Words {
  if (bytes === 1) return new Uint8Array(buffer, byteOffset, byteLength);
  if (bytes === 2) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** Elements of one word. */
function wordMode(source: Words, out: Words): RowKernel {
  const other = itemMode(source, out, 1);
  return (starts, length, factor, at) => {
    if (starts.length === 2 && factor === 2) {
      modeOfPairs(source, starts[0]!, starts[1]!, length >> 1, out, at);
      // The last block has two elements: the first one is the result, whether or not they are equal.
      if (length % 2 !== 0) out[at + (length >> 1)] = source[starts[0]! + length - 1]!;
    } else other(starts, length, factor, at);
  };
}

/** Blocks of 2 × 2. */
function modeOfPairs(
  source: Words,
  first: number,
  second: number,
  count: number,
  out: Words,
  at: number,
): void {
  for (let i = 0, p = first, q = second; i < count; i++, p += 2, q += 2) {
    const a = source[p]!;
    const b = source[p + 1]!;
    const c = source[q]!;
    const d = source[q + 1]!;
    // If the first element occurs twice, no other is more frequent.
    out[at + i] = a === b || a === c || a === d ? a : b === c || b === d ? b : c === d ? c : a;
  }
}

/** Elements of several words, in blocks of any size. */
function itemMode(source: Words, out: Words, width: number): RowKernel {
  const places: number[] = [];
  return (starts, length, factor, at) => {
    for (let from = 0, to = at * width; from < length; from += factor, to += width) {
      const size = Math.min(factor, length - from);
      let best = (starts[0]! + from) * width;
      if (!isUniform(source, starts, from, size, width)) {
        places.length = 0;
        for (const start of starts) for (let k = from; k < from + size; k++) places.push((start + k) * width);
        best = mostFrequent(source, places, width);
      }
      for (let k = 0; k < width; k++) out[to + k] = source[best + k]!;
    }
  };
}

/** Whether all elements of a block are the same, which is the usual case for labels. */
function isUniform(
  source: Words,
  starts: readonly number[],
  from: number,
  size: number,
  width: number,
): boolean {
  const first = (starts[0]! + from) * width;
  for (let r = 0; r < starts.length; r++) {
    const row = (starts[r]! + from) * width;
    for (let p = row; p < row + size * width; p += width)
      for (let k = 0; k < width; k++) if (source[p + k] !== source[first + k]) return false;
  }
  return true;
}

/** Returns the position of the most frequent element, of several the first. */
function mostFrequent(source: Words, places: readonly number[], width: number): number {
  const total = places.length;
  let best = places[0]!;
  let most = 0;
  // Elements found later have too few positions left to be more frequent.
  for (let i = 0; i + most < total; i++) {
    const place = places[i]!;
    let count = 1;
    for (let k = i + 1; k < total; k++) if (isSame(source, place, places[k]!, width)) count++;
    if (count <= most) continue;
    best = place;
    most = count;
  }
  return best;
}

function isSame(source: Words, a: number, b: number, width: number): boolean {
  for (let k = 0; k < width; k++) if (source[a + k] !== source[b + k]) return false;
  return true;
}
