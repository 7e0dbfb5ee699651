/** msgpack2: objects in MessagePack. */

import { isWellFormed } from "../util/arguments.js";
import { invalidArgument } from "../util/errors.js";
import { cached, strictUtf8, textEncoder } from "../util/platform.js";
import { flatten, nestedCodec } from "./json2.js";
import { corrupt, textError, type VlenCodecDefinition, valueLimit } from "./vlen-codec.js";

const maxDepth = 64;

/**
 * Reads one value that takes all of `bytes`. Integers beyond ±2⁵³ become bigints; maps become objects, whose
 * keys must be strings or integers.
 * @param options `raw`: whether strings are returned as bytes; `maxValues`: maximum number of values,
 *   including nested ones.
 * @throws CorruptChunk.
 */
export function readMsgpack(
  codec: string,
  bytes: Uint8Array,
  { raw, maxValues }: { raw: boolean; maxValues: number },
): unknown {
  const reader = new Reader(codec, bytes, raw, maxValues);
  const value = reader.value(0);
  reader.finish();
  return value;
}

class Reader {
  readonly #view: DataView;
  #at = 0;

  constructor(
    private readonly codec: string,
    private readonly bytes: Uint8Array,
    private readonly raw: boolean,
    private valuesLeft: number,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  finish(): void {
    if (this.#at !== this.bytes.length) throw corrupt(this.codec, "trailing-bytes", this.#at);
  }

  value(depth: number): unknown {
    if (--this.valuesLeft < 0) throw this.#wrong("more values than its elements may have");
    if (depth > maxDepth) throw this.#wrong(`values nested deeper than ${maxDepth} levels`);
    const tag = this.#view.getUint8(this.#take(1));
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 256;
    if (tag < 0x90) return this.#map(tag & 15, depth);
    if (tag < 0xa0) return this.#array(tag & 15, depth);
    if (tag < 0xc0) return this.#text(tag & 31);
    return this.#tagged(tag, depth);
  }

  #tagged(tag: number, depth: number): unknown {
    const view = this.#view;
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#bytes(this.#length(tag - 0xc4));
      case 0xca:
        return view.getFloat32(this.#take(4));
      case 0xcb:
        return view.getFloat64(this.#take(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#length(tag - 0xcc);
      case 0xcf:
        return small(view.getBigUint64(this.#take(8)));
      case 0xd0:
        return view.getInt8(this.#take(1));
      case 0xd1:
        return view.getInt16(this.#take(2));
      case 0xd2:
        return view.getInt32(this.#take(4));
      case 0xd3:
        return small(view.getBigInt64(this.#take(8)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#length(tag - 0xd9));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#length(tag - 0xdb), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#length(tag - 0xdd), depth);
      default:
        this.#at--;
        throw this.#wrong(`type 0x${tag.toString(16)} (an extension) is not supported`);
    }
  }

  /** Reads an unsigned integer of 2^size bytes. */
  #length(size: number): number {
    const at = this.#take(2 ** size);
    if (size === 0) return this.#view.getUint8(at);
    return size === 1 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return this.bytes.slice(at, at + length);
  }

  #text(length: number): string | Uint8Array {
    if (this.raw) return this.#bytes(length);
    const at = this.#take(length);
    try {
      return strictUtf8().decode(this.bytes.subarray(at, at + length));
    } catch (cause) {
      throw textError(this.codec, "a value", length, at, cause);
    }
  }

  #array(length: number, depth: number): unknown[] {
    this.#need(length);
    const list: unknown[] = [];
    for (let i = 0; i < length; i++) list.push(this.value(depth + 1));
    return list;
  }

  #map(length: number, depth: number): object {
    this.#need(2 * length);
    const object = {};
    for (let i = 0; i < length; i++) {
      const key = this.#key(depth);
      const value = this.value(depth + 1);
      // defineProperty: an assignment to "__proto__" would change the prototype instead.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    }
    return object;
  }

  #key(depth: number): string {
    const start = this.#at;
    const key = this.value(depth + 1);
    if (typeof key === "string" || typeof key === "number" || typeof key === "bigint") return String(key);
    if (key instanceof Uint8Array) {
      // With `raw`, strings in keys are bytes as well, but keys of objects must be strings.
      return Array.from(key, (byte) => String.fromCharCode(byte)).join("");
    }
    this.#at = start;
    throw this.#wrong("a map key is neither a string nor an integer");
  }

  /** Advances by `length` bytes and returns the old position. */
  #take(length: number): number {
    this.#need(length);
    const at = this.#at;
    this.#at += length;
    return at;
  }

  #need(length: number): void {
    if (length > this.bytes.length - this.#at) throw corrupt(this.codec, "truncated", this.#at);
  }

  #wrong(detail: string) {
    return corrupt(this.codec, "corrupt", this.#at, detail);
  }
}

/** Converts a bigint to a number if that is exact. */
function small(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export interface MsgpackForms {
  /** Writes fractions as float32. */
  readonly singleFloat: boolean;
  /** Writes byte strings as bin rather than str. */
  readonly binType: boolean;
}

const encoder = cached(() => textEncoder());

/**
 * Writes a value in its shortest form: null, boolean, number, bigint of 64 bits, string, Uint8Array, array,
 * plain object.
 * @throws InvalidArgument for any other value, and for nesting deeper than 64 levels.
 */
export function writeMsgpack(codec: string, value: unknown, forms: MsgpackForms): Uint8Array<ArrayBuffer> {
  const writer = new Writer(codec, forms);
  writer.value(value, 0);
  return writer.finish();
}

class Writer {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  constructor(
    private readonly codec: string,
    private readonly forms: MsgpackForms,
  ) {}

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at);
  }

  value(value: unknown, depth: number): void {
    if (depth > maxDepth)
      throw invalidArgument(`codec ${this.codec}: values nested deeper than ${maxDepth} levels`);
    if (value === null) this.#byte(0xc0);
    else if (typeof value === "boolean") this.#byte(value ? 0xc3 : 0xc2);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "bigint") this.#integer(value);
    else if (typeof value === "string") this.#text(value);
    else if (value instanceof Uint8Array) this.#binary(value);
    else if (Array.isArray(value)) this.#array(value, depth);
    else this.#map(value, depth);
  }

  #number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.#integer(BigInt(value));
    else if (this.forms.singleFloat) {
      this.#byte(0xca);
      const at = this.#take(4); // first, because it may replace the view
      this.#view.setFloat32(at, value);
    } else {
      this.#byte(0xcb);
      const at = this.#take(8);
      this.#view.setFloat64(at, value);
    }
  }

  #integer(value: bigint): void {
    if (value >= -32n && value < 128n) this.#byte(Number(value) & 255);
    else if (value >= 0n) this.#sized(value, 0xcc, BigInt.asUintN);
    else this.#sized(value, 0xd0, BigInt.asIntN);
  }

  /** Writes an integer in the smallest width from 8 to 64 bits at which `wrap` does not change it. */
  #sized(value: bigint, tag: number, wrap: (bits: number, value: bigint) => bigint): void {
    const size = [8, 16, 32, 64].findIndex((bits) => wrap(bits, value) === value);
    if (size < 0) throw invalidArgument(`codec ${this.codec}: ${value} does not fit 64 bits`);
    this.#byte(tag + size);
    this.#big(BigInt.asUintN(64, value), 2 ** size);
  }

  /** Writes the low bytes of an integer, most significant first. */
  #big(value: bigint, width: number): void {
    const at = this.#take(width);
    for (let i = 0; i < width; i++)
      this.#bytes[at + i] = Number((value >> BigInt(8 * (width - 1 - i))) & 255n);
  }

  /**
   * Writes a tag with a length: in its low bits below `limit`, otherwise after it in the smallest sufficient
   * width.
   */
  #length(length: number, short: number, limit: number, long: number, widths: readonly number[]): void {
    if (length < limit) {
      this.#byte(short | length);
      return;
    }
    const form = widths.findIndex((width) => length < 256 ** width);
    if (form < 0) throw invalidArgument(`codec ${this.codec}: a value of ${length} entries is too large`);
    this.#byte(long + form);
    this.#big(BigInt(length), widths[form]!);
  }

  #text(value: string): void {
    if (!isWellFormed(value)) throw invalidArgument(`codec ${this.codec}: a string is not well-formed`);
    this.#str(encoder().encode(value));
  }

  #str(bytes: Uint8Array): void {
    this.#length(bytes.length, 0xa0, 32, 0xd9, [1, 2, 4]);
    this.#raw(bytes);
  }

  #binary(bytes: Uint8Array): void {
    if (this.forms.binType) {
      this.#length(bytes.length, 0, 0, 0xc4, [1, 2, 4]);
      this.#raw(bytes);
    } else this.#str(bytes);
  }

  #raw(bytes: Uint8Array): void {
    const at = this.#take(bytes.length); // first, because it may replace the array
    this.#bytes.set(bytes, at);
  }

  #array(list: readonly unknown[], depth: number): void {
    this.#length(list.length, 0x90, 16, 0xdc, [2, 4]);
    for (const entry of list) this.value(entry, depth + 1);
  }

  #map(value: unknown, depth: number): void {
    if (typeof value !== "object" || ArrayBuffer.isView(value)) {
      throw invalidArgument(`codec ${this.codec}: a ${typeof value} cannot be represented in MessagePack`);
    }
    const entries = Object.entries(value as object);
    this.#length(entries.length, 0x80, 16, 0xde, [2, 4]);
    for (const [key, entry] of entries) {
      this.#text(key);
      this.value(entry, depth + 1);
    }
  }

  #byte(byte: number): void {
    const at = this.#take(1);
    this.#bytes[at] = byte;
  }

  /** Reserves `length` bytes and returns their position. */
  #take(length: number): number {
    const at = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#at));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}

/**
 * `raw`: strings are read as bytes. `use_single_float`: fractions are written as float32. `use_bin_type`
 * false: byte strings are written as str, the only type for both before MessagePack distinguished them.
 */
export const msgpack2: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["msgpack2"], 3: ["numcodecs.msgpack2"] },
  elements: "object",
  isOrderless: true,
  parse(config, context) {
    const { codec } = config;
    config.only("raw", "use_bin_type", "use_single_float");
    const raw = config.boolean("raw", false);
    const forms = {
      singleFloat: config.boolean("use_single_float", false),
      binType: config.boolean("use_bin_type", true),
    };
    return nestedCodec(config, context, {
      read: (bytes, count) => {
        const list = readMsgpack(codec, bytes, { raw, maxValues: valueLimit(count) });
        return flatten<unknown>(codec, list, count, Array.isArray, (n) => n);
      },
      write: (list) => writeMsgpack(codec, list, forms),
    });
  },
};
