/** json2: JSON values, one nested list per chunk, whose form msgpack2 shares. Spec: numcodecs json.py. */

import { corruptChunk, isZarrError } from "../util/errors.js";
import { type Json, JsonNumber, numberText, toPlain } from "../util/json.js";
import { parseJson } from "../util/json-reader.js";
import { textEncoder } from "../util/platform.js";
import { countOf } from "../util/shapes.js";
import type { CodecContext, ConfigReader } from "./definition.js";
import {
  badValue,
  checkType,
  corrupt,
  textError,
  type VlenCodec,
  type VlenCodecDefinition,
  valueLimit,
} from "./vlen-codec.js";

/** Maximum nesting depth of a chunk's list. */
const maxDepth = 64;

/** Options of Python's json module when writing. Only the encoding matters to a reader. */
const options = [
  "encoding",
  "skipkeys",
  "ensure_ascii",
  "check_circular",
  "allow_nan",
  "sort_keys",
  "indent",
  "separators",
  "strict",
];
const encodings = ["utf-8", "utf8", "UTF-8", "ascii"];

/**
 * Numbers keep their precision: integers beyond ±2⁵³ are bigints. Reads and writes the bare tokens NaN,
 * Infinity and -Infinity, as Python does.
 */
export const json2: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["json2"], 3: ["numcodecs.json2"] },
  elements: "object",
  isOrderless: true,
  parse(config, context) {
    const { codec } = config;
    config.only(...options);
    config.choice("encoding", encodings, "utf-8");
    return nestedCodec(config, context, {
      read: (bytes, count) => {
        const document = parseChunk(codec, bytes, valueLimit(count));
        return flatten(codec, document, count, isJsonList, asInteger).map(toPlain);
      },
      write: (list) => textEncoder().encode(jsonText(codec, list, 0)),
    });
  },
};

const isJsonList = (value: Json): value is Json[] => Array.isArray(value);
const asInteger = (value: Json): unknown =>
  value instanceof JsonNumber && value.isInteger ? value.value : undefined;

/** Parses the chunk as JSON; errors of the JSON reader become errors of the chunk. */
function parseChunk(codec: string, bytes: Uint8Array, maxValues: number): Json {
  try {
    return parseJson(bytes, { name: "the chunk's text", maxDepth, bareNonFinite: true, maxValues });
  } catch (cause) {
    if (!isZarrError(cause, "InvalidMetadata", "LimitExceeded")) throw cause;
    if (cause.cause) throw textError(codec, "the chunk", bytes.byteLength, 0, cause.cause);
    throw corruptChunk(`codec ${codec}: ${cause.message}`, { code: "corrupt", codec, cause });
  }
}

/** Formats JSON like Python's json module: bare tokens for non-finite numbers, exact bigints. */
function jsonText(codec: string, value: unknown, depth: number): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  const isPlain = typeof value === "object" && !ArrayBuffer.isView(value);
  if (!isPlain || depth >= maxDepth) throw badValue(codec, "JSON values", 0);
  if (Array.isArray(value)) return `[${value.map((entry) => jsonText(codec, entry, depth + 1)).join(",")}]`;
  const fields = Object.entries(value).map(
    ([key, entry]) => `${JSON.stringify(key)}:${jsonText(codec, entry, depth + 1)}`,
  );
  return `{${fields.join(",")}}`;
}

/**
 * Returns the values of a chunk's list.
 * @param toNumber returns the number in an entry of the shape, or undefined if it is not a number.
 */
export function flatten<T>(
  codec: string,
  document: T,
  count: number,
  isList: (value: T) => value is T & readonly T[],
  toNumber: (value: T) => unknown,
): T[] {
  const wrong = (detail: string) => corrupt(codec, "corrupt", undefined, detail);
  if (!isList(document) || document.length < 2)
    throw wrong("a chunk must be a list that ends with type and shape");
  const last = document[document.length - 1]!;
  const shape = isList(last) ? last.map(toNumber) : undefined;
  if (!shape?.every((length): length is number => Number.isSafeInteger(length) && (length as number) >= 0)) {
    throw wrong("the shape at the end of a chunk's list must be a list of lengths");
  }
  if (countOf(shape) !== count) throw corrupt(codec, "size-mismatch");
  const values: T[] = [];
  const collect = (list: readonly T[], end: number, depth: number): void => {
    if (end !== (shape[depth] ?? 1)) throw wrong("a chunk's list does not have the shape stated at its end");
    for (let i = 0; i < end; i++) {
      const entry = list[i]!;
      if (depth >= shape.length - 1) values.push(entry);
      else if (isList(entry)) collect(entry, entry.length, depth + 1);
      else throw wrong("a chunk's list does not have the shape stated at its end");
    }
  };
  collect(document, document.length - 2, 0);
  return values;
}

/** Returns the codec of chunks that are one nested list, of any values or of strings. */
export function nestedCodec(
  config: ConfigReader,
  context: CodecContext,
  {
    read,
    write,
  }: {
    read(bytes: Uint8Array, count: number): unknown[];
    write(list: unknown[]): Uint8Array<ArrayBuffer>;
  },
): VlenCodec {
  const { codec } = config;
  checkType(config, context, ["object", "string"]);
  const isText = context.array.dtype.name === "string";
  return {
    decode(bytes, count) {
      const values = read(bytes, count);
      if (isText && !values.every((value) => typeof value === "string"))
        throw corrupt(codec, "corrupt", undefined, "an element is not a string");
      return values;
    },
    encode(values, shape) {
      values.forEach((value, index) => {
        if (isText && typeof value !== "string") throw badValue(codec, "strings", index);
      });
      return write(nest(values, shape));
    },
  };
}

/** Builds the nested list of a chunk: the inverse of `flatten`. */
function nest(values: readonly unknown[], shape: readonly number[]): unknown[] {
  const build = (from: number, depth: number): unknown[] => {
    const length = shape[depth]!;
    if (depth === shape.length - 1) return values.slice(from, from + length);
    const step = countOf(shape.slice(depth + 1));
    return Array.from({ length }, (_, i) => build(from + i * step, depth + 1));
  };
  return [...(shape.length === 0 ? values : build(0, 0)), "|O", [...shape]];
}
