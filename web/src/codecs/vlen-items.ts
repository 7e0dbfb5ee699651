/** vlen-utf8, vlen-bytes and vlen-array: framed strings, bytes and typed arrays. */

import { componentsOf } from "../dtypes/dtype.js";
import { checkElements, type ElementData, toBytes, toElements } from "../dtypes/elements.js";
import { parseTypestr, type StoredType } from "../dtypes/typestr.js";
import { isWellFormed } from "../util/arguments.js";
import { swapBytes } from "../util/bytes.js";
import { cached, strictUtf8, textEncoder } from "../util/platform.js";
import { type ConfigReader, formatValue } from "./definition.js";
import {
  badValue,
  checkType,
  corrupt,
  frameItems,
  itemBounds,
  textError,
  type VlenCodec,
  type VlenCodecDefinition,
} from "./vlen-codec.js";

const encoder = cached(() => textEncoder());
/**
 * Maximum number of bytes decoded together; longer data is decoded item by item, because engines limit string
 * length.
 */
const maxTextBytes = 2 ** 28;

export const vlenUtf8: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["vlen-utf8"], 3: ["vlen-utf8", "numcodecs.vlen-utf8"] },
  elements: "string",
  parse(config, context) {
    config.only();
    checkType(config, context, ["string", "object"]);
    return codecFor(config.codec);
  },
};

function codecFor(codec: string): VlenCodec {
  return {
    decode: (bytes, count) => {
      const bounds = itemBounds(codec, bytes, count);
      return decodeTogether(bytes, bounds) ?? decodeEach(codec, bytes, bounds);
    },
    encode: (values) =>
      frameItems(
        codec,
        values.map((value, index) => encodeText(codec, value, index)),
      ),
  };
}

/**
 * Decodes all items as one string and splits it: one call of the decoder costs more than most strings. The
 * items are valid if the whole is valid and no item starts within a character.
 * @returns undefined if an item is invalid (decodeEach reports which), or if the data is too long.
 */
export function decodeTogether(bytes: Uint8Array, bounds: Uint32Array): string[] | undefined {
  const count = bounds.length / 2;
  if (bytes.length > maxTextBytes) return undefined;
  const joined = new Uint8Array(bytes.length - 4 - 4 * count);
  const ends = new Uint32Array(count); // in UTF-16 units
  let to = 0;
  let units = 0;
  for (let i = 0; i < count; i++) {
    const start = bounds[2 * i]!;
    const end = bounds[2 * i + 1]!;
    if (start < end && (bytes[start]! & 0xc0) === 0x80) return undefined;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      joined[to++] = byte;
      // A character has one leading byte; from F0 on it takes two units.
      if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
    }
    ends[i] = units;
  }
  let text: string;
  try {
    text = strictUtf8().decode(joined);
  } catch {
    return undefined;
  }
  const values = new Array<string>(count);
  let from = 0;
  for (let i = 0; i < count; i++) {
    values[i] = text.substring(from, ends[i]!);
    from = ends[i]!;
  }
  return values;
}

/**
 * Decodes the items one by one: slower, but with exact errors.
 * @throws CorruptChunk at the first item that is not UTF-8; LimitExceeded at one that is too long for a
 *   string.
 */
export function decodeEach(codec: string, bytes: Uint8Array, bounds: Uint32Array): string[] {
  return Array.from({ length: bounds.length / 2 }, (_, i) => {
    const start = bounds[2 * i]!;
    const item = bytes.subarray(start, bounds[2 * i + 1]!);
    try {
      return strictUtf8().decode(item);
    } catch (cause) {
      throw textError(codec, `element ${i}`, item.byteLength, start, cause);
    }
  });
}

function encodeText(codec: string, value: unknown, index: number): Uint8Array {
  if (typeof value !== "string") throw badValue(codec, "strings", index);
  if (!isWellFormed(value)) throw badValue(codec, "well-formed strings", index);
  return encoder().encode(value);
}

export const vlenBytes: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["vlen-bytes"], 3: ["vlen-bytes", "numcodecs.vlen-bytes"] },
  elements: "bytes",
  parse(config, context) {
    const { codec } = config;
    config.only();
    checkType(config, context, ["bytes", "object"]);
    return {
      decode: (bytes, count) => {
        const bounds = itemBounds(codec, bytes, count);
        return Array.from({ length: count }, (_, i) => bytes.slice(bounds[2 * i]!, bounds[2 * i + 1]!));
      },
      encode: (values) => {
        values.forEach((value, index) => {
          if (!(value instanceof Uint8Array)) throw badValue(codec, "Uint8Arrays", index);
        });
        return frameItems(codec, values as Uint8Array[]);
      },
    };
  },
};

/** `dtype` is the NumPy type string of the items' elements. */
export const vlenArray: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["vlen-array"], 3: ["vlen-array", "numcodecs.vlen-array"] },
  elements: "object",
  parse(config, context) {
    const { codec } = config;
    config.only("dtype");
    checkType(config, context, ["object"]);
    const type = readType(config);
    return {
      decode: (bytes, count) => {
        const bounds = itemBounds(codec, bytes, count);
        return Array.from({ length: count }, (_, i) =>
          decodeItem(codec, type, bytes, bounds[2 * i]!, bounds[2 * i + 1]!),
        );
      },
      encode: (values) =>
        frameItems(
          codec,
          values.map((value, index) => encodeItem(codec, type, value, index)),
        ),
    };
  },
};

function readType(config: ConfigReader): StoredType {
  const text = config.get("dtype");
  if (typeof text !== "string")
    throw config.error(`"dtype" must be a NumPy type string, not ${formatValue(text)}`);
  return parseTypestr(text);
}

function decodeItem(
  codec: string,
  type: StoredType,
  bytes: Uint8Array,
  start: number,
  end: number,
): ElementData {
  if ((end - start) % type.dtype.itemBytes !== 0) {
    throw corrupt(codec, "corrupt", start, `an element is not a multiple of ${type.dtype.itemBytes} bytes`);
  }
  const item = bytes.slice(start, end);
  swap(type, item);
  return toElements(type.dtype, item);
}

function encodeItem(codec: string, type: StoredType, value: unknown, index: number): Uint8Array {
  const { dtype } = type;
  // Fill values of objects, which pad chunks: encoded like numcodecs does.
  if (value === null) return new Uint8Array(0);
  if (value === 0) return new Uint8Array(dtype.itemBytes);
  const length = (value as { byteLength?: unknown } | null)?.byteLength;
  if (typeof length !== "number") throw badValue(codec, "typed arrays", index);
  // Round down: checkElements rejects a partial element.
  const perElement = toElements(dtype, new Uint8Array(dtype.itemBytes)).byteLength;
  checkElements(dtype, value, Math.floor(length / perElement), `codec ${codec}: element ${index}`);
  const item = toBytes(dtype, value).slice();
  swap(type, item);
  return item;
}

/** Converts between stored byte order and little-endian, in place; type strings have one run of components. */
function swap({ dtype, endians }: StoredType, item: Uint8Array): void {
  if (endians[0] === "big") swapBytes(item, componentsOf(dtype)[0]!.bytes);
}
