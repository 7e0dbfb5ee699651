/** Small numbers in Parquet: runs of one value, and of values packed as bits, side by side. */
import { bad } from "./fields.js";

/** Writers fill the last packed run up to groups of their own size. */
const padding = 512;

/**
 * Reads numbers.
 * @param bytes which must end where the numbers may.
 * @param width bits of each, 32 at most.
 * @param count how many there are; no more memory is taken than that needs, whatever the runs say.
 * @throws InvalidMetadata.
 */
export function readRuns(bytes: Uint8Array, start: number, width: number, count: number): Uint32Array {
  const out = new Uint32Array(count);
  let at = start;
  for (let seen = 0; seen < count; ) {
    const run = readHeader(bytes, at);
    const size = run.isPacked ? (run.values / 8) * width : Math.ceil(width / 8);
    const left = count - seen;
    // Some writers leave out the last bytes of what nobody reads.
    const needed = run.isPacked ? Math.ceil((Math.min(run.values, left) * width) / 8) : size;
    if (
      run.values === 0 ||
      run.values > left + (run.isPacked ? padding : 0) ||
      run.end + needed > bytes.byteLength
    )
      throw doNotFit();
    const end = seen + Math.min(run.values, left);
    // As far as they and the bits before them fit into an integer of the engine's.
    const unpack = width <= 24 ? unpackNarrow : unpackWide;
    if (run.isPacked) unpack(bytes, run.end, width, out.subarray(seen, end));
    else out.fill(numberAt(bytes, run.end, size), seen, end);
    seen = end;
    at = run.end + size;
  }
  return out;
}

interface RunHeader {
  readonly isPacked: boolean;
  readonly values: number;
  /** Where the run's values begin. */
  readonly end: number;
}

function readHeader(bytes: Uint8Array, start: number): RunHeader {
  let header = 0;
  for (let at = start; at < start + 5; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw doNotFit();
    header += (byte & 0x7f) * 2 ** (7 * (at - start));
    if (byte >= 0x80) continue;
    const half = Math.floor(header / 2);
    const isPacked = header % 2 === 1;
    return { isPacked, values: isPacked ? half * 8 : half, end: at + 1 };
  }
  throw doNotFit();
}

function numberAt(bytes: Uint8Array, start: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value += bytes[start + i]! * 2 ** (8 * i);
  return value;
}

/** Numbers whose bits lie one behind the other, the lowest first. */
function unpackNarrow(bytes: Uint8Array, start: number, width: number, out: Uint32Array): void {
  const mask = (1 << width) - 1;
  let at = start;
  let bits = 0;
  let have = 0;
  for (let i = 0; i < out.length; i++) {
    for (; have < width; have += 8) bits |= bytes[at++]! << have;
    out[i] = bits & mask;
    bits >>>= width;
    have -= width;
  }
}

function unpackWide(bytes: Uint8Array, start: number, width: number, out: Uint32Array): void {
  for (let i = 0; i < out.length; i++) {
    const first = i * width;
    const size = Math.ceil(((first % 8) + width) / 8);
    const value = numberAt(bytes, start + Math.floor(first / 8), size);
    out[i] = Math.floor(value / 2 ** (first % 8)) % 2 ** width;
  }
}

const doNotFit = () => bad("it has runs of values that do not fit");
