/** Writes MessagePack: the counterpart of msgpack-read.ts. Spec: msgpack.org, "spec.md". */

import { invalidArgument } from "../util/errors.js";
import { isWellFormed } from "../util/own-property.js";
import { kept, textEncoder } from "../util/platform.js";

export interface MsgpackForms {
  /** Writes fractions as float32. */
  readonly singleFloat: boolean;
  /** Writes byte strings as bin rather than str. */
  readonly binType: boolean;
}

const maxDepth = 64;
const encoder = kept(() => textEncoder());

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
      this.#view.setFloat32(this.#take(4), value);
    } else {
      this.#byte(0xcb);
      this.#view.setFloat64(this.#take(8), value);
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
      throw invalidArgument(`codec ${this.codec}: a ${typeof value} has no form in MessagePack`);
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
