/** Greatest element of each block; for floats without NaNs, and NaN if there are only NaNs. */
import type { DType } from "../../../dtypes/dtype.js";
import { floatsOf } from "../../../dtypes/floats.js";
import { type KernelMaker, type NumberData, smallIntegers } from "./kernel.js";
import { wideMax } from "./wide.js";

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
