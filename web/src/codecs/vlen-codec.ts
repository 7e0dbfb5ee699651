/** Codecs for elements of variable length: their interface, and the framing that numcodecs uses. */

import type { VariableName } from "../dtypes/dtype.js";
import { corruptChunk, invalidArgument, limitExceeded } from "../util/errors.js";
import type { CodecContext, ConfigReader, ZarrVersion } from "./definition.js";

/** A codec for one array. */
export interface VlenCodec {
  /**
   * Decodes all of `bytes` to exactly `count` values, in C order. The values share no memory with `bytes`.
   * @throws CorruptChunk.
   */
  decode(bytes: Uint8Array, count: number): unknown[];
  /**
   * Encodes the values of a chunk of this shape, given in C order.
   * @throws InvalidArgument for values that the codec cannot represent.
   */
  encode(values: readonly unknown[], shape: readonly number[]): Uint8Array<ArrayBuffer>;
}

export interface VlenCodecDefinition {
  readonly kind: "array-to-bytes";
  readonly names: { readonly [V in ZarrVersion]?: readonly string[] };
  /** Element type of Zarr v2 arrays of `|O` with this codec: the name of the variable-length type. */
  readonly elements: VariableName;
  /**
   * Set if chunks nest the values along the chunk's own axes regardless of `order`: Zarr v2 arrays of order
   * "F" are not transposed.
   */
  readonly isOrderless?: true;
  /** Checks a configuration and the data type. @throws InvalidMetadata that names the codec. */
  parse(config: ConfigReader, context: CodecContext): VlenCodec;
}

/** @throws InvalidMetadata unless the array has one of the data types. */
export function checkType(
  config: ConfigReader,
  { array: { dtype } }: CodecContext,
  names: readonly VariableName[],
): void {
  if (dtype.isVariable && names.some((name) => name === dtype.name)) return;
  throw config.error(`data type ${dtype} is not ${names.join(" or ")}`);
}

/** Codes of CorruptChunk errors in the framing. */
type Code = "truncated" | "trailing-bytes" | "size-mismatch" | "corrupt";

const reasons: Readonly<Record<Code, string>> = {
  truncated: "the encoded data ends too early",
  "trailing-bytes": "unexpected bytes after the end of the encoded data",
  "size-mismatch": "the number of elements does not match the array's metadata",
  corrupt: "the encoded data is corrupt",
};

/** Returns a CorruptChunk error of an object codec. */
export function corrupt(codec: string, code: Code, byteOffset?: number, detail?: string) {
  return corruptChunk(`codec ${codec}: ${detail ?? reasons[code]}`, { code, codec, byteOffset });
}

/**
 * Returns the positions of the items: start and end of item i are entries 2i and 2i + 1.
 * @throws CorruptChunk unless `bytes` holds exactly `count` items.
 */
export function itemBounds(codec: string, bytes: Uint8Array, count: number): Uint32Array {
  if (bytes.length < 4) throw corrupt(codec, "truncated", bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = view.getUint32(0, true);
  if (found !== count) throw corrupt(codec, "size-mismatch", 0);
  if (count > (bytes.length - 4) / 4) throw corrupt(codec, "truncated", bytes.length);
  const bounds = new Uint32Array(2 * count);
  let at = 4;
  for (let i = 0; i < count; i++) {
    if (bytes.length - at < 4) throw corrupt(codec, "truncated", at);
    const length = view.getUint32(at, true);
    at += 4;
    if (length > bytes.length - at) throw corrupt(codec, "truncated", at - 4);
    bounds[2 * i] = at;
    at += length;
    bounds[2 * i + 1] = at;
  }
  if (at !== bytes.length) throw corrupt(codec, "trailing-bytes", at);
  return bounds;
}

/**
 * Frames items.
 * @throws LimitExceeded if counts or lengths do not fit 32 bits.
 */
export function frameItems(codec: string, items: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const total = items.reduce((sum, item) => sum + 4 + item.length, 4);
  if (total > 0xffffffff) throw limitExceeded(`codec ${codec}: a chunk of ${total} bytes is too large`);
  const out = new Uint8Array(total);
  const view = new DataView(out.buffer);
  view.setUint32(0, items.length, true);
  let at = 4;
  for (const item of items) {
    view.setUint32(at, item.length, true);
    out.set(item, at + 4);
    at += 4 + item.length;
  }
  return out;
}

/** Returns an InvalidArgument error for a value that a codec cannot encode. */
export function badValue(codec: string, what: string, index: number) {
  return invalidArgument(`codec ${codec} requires ${what}; element ${index} is not valid`);
}

/**
 * Returns the maximum number of values, including nested ones, in a chunk of `count` elements: an empty list
 * takes one to three bytes in its chunk, but about a hundred in memory.
 */
export const valueLimit = (count: number): number => 2 ** 22 + 32 * count;

/**
 * Returns the error for a string that could not be decoded: decoders throw a TypeError for invalid UTF-8, and
 * another error if the string is too long for the engine (512 Mi characters in V8).
 */
export function textError(
  codec: string,
  what: string,
  bytes: number,
  byteOffset: number,
  cause: unknown,
): Error {
  if (cause instanceof TypeError) return corrupt(codec, "corrupt", byteOffset, `${what} is not UTF-8 text`);
  return limitExceeded(
    `codec ${codec}: ${what} has ${bytes} bytes of text, more than the longest string of this engine`,
    { codec, byteOffset, cause },
  );
}
