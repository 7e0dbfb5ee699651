/** Data types and elements in zarrita's forms: array-likes of booleans and of strings of fixed length. */

import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";
import type { FillScalar } from "../../dtypes/fill-value.js";
import { utf32String, withoutPadding } from "../../dtypes/strings.js";
import type { Region, ZarrArray } from "../../hierarchy/array.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import { textDecoder, textEncoder } from "../../util/platform.js";

export const isBuffer = (value: unknown): value is ArrayBufferLike =>
  /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));

/** Properties common to typed arrays and zarrita's arrays of booleans and strings. */
export type Packed = Pick<Uint8Array, "buffer" | "byteOffset" | "byteLength" | "BYTES_PER_ELEMENT">;

/** Items of one width over bytes. */
abstract class PackedArray<T, B extends ArrayBufferLike> implements Packed {
  readonly #width: number;
  readonly #bytes: Uint8Array<B>;

  constructor(width: number, source: number | B | Iterable<T>, byteOffset?: number, length?: number) {
    const [isWidth, isLength] = [width, source].map(
      (size) => Number.isSafeInteger(size) && Number(size) >= 0,
    );
    if (!isWidth)
      throw invalidArgument(
        `the length of strings must be a non-negative integer, got ${describeValue(width)}`,
      );
    const isIterable = typeof (source as Iterable<T> | null | undefined)?.[Symbol.iterator] === "function";
    if (!(isIterable || isLength || isBuffer(source)))
      throw invalidArgument(`expected a length, a buffer or values, got ${describeValue(source)}`);
    const values = isIterable ? [...(source as Iterable<T>)] : [];
    this.#width = width;
    this.#bytes = isBuffer(source)
      ? new Uint8Array(source as B, byteOffset, length && length * width)
      : (new Uint8Array((isIterable ? values.length : (source as number)) * width) as Uint8Array<B>);
    for (const [i, value] of values.entries()) this.set(i, value);
  }

  get BYTES_PER_ELEMENT(): number {
    return this.#width;
  }
  protected get bytes(): Uint8Array<B> {
    return this.#bytes;
  }
  get buffer(): B {
    return this.#bytes.buffer;
  }
  get byteOffset(): number {
    return this.#bytes.byteOffset;
  }
  get byteLength(): number {
    return this.#bytes.byteLength;
  }
  get length(): number {
    return this.#width === 0 ? 0 : this.byteLength / this.#width;
  }

  abstract get(index: number): T;
  abstract set(index: number, value: T): void;

  fill(value: T): void {
    for (let i = 0; i < this.length; i++) this.set(i, value);
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let i = 0; i < this.length; i++) yield this.get(i);
  }

  /** @throws RangeError. */
  protected item(index: number): Uint8Array {
    if (!(index >= 0 && index < this.length))
      throw new RangeError(`index ${index} is out of range for a length of ${this.length}`);
    return this.bytes.subarray(index * this.BYTES_PER_ELEMENT, (index + 1) * this.BYTES_PER_ELEMENT);
  }

  /** Writes an item, padded with NULs. @throws InvalidArgument for an item that is too long. */
  protected setItem(index: number, item: Uint8Array): void {
    const width = this.BYTES_PER_ELEMENT;
    if (item.byteLength > width)
      throw invalidArgument(`a string of ${item.byteLength} bytes exceeds the item size of ${width}`);
    this.item(index).fill(0).set(item);
  }
}

/** Booleans of one byte each. */
export class BoolArray<B extends ArrayBufferLike = ArrayBufferLike> extends PackedArray<boolean, B> {
  constructor(source: number | B | Iterable<boolean>, byteOffset?: number, length?: number) {
    super(1, source, byteOffset, length);
  }
  get(index: number): boolean {
    const byte = this.bytes[index];
    return byte === undefined ? (byte as never) : byte !== 0;
  }
  set(index: number, value: boolean): void {
    this.bytes[index] = value ? 1 : 0;
  }
}

/** Byte strings of `chars` bytes, read and written as UTF-8. */
export class ByteStringArray<B extends ArrayBufferLike = ArrayBufferLike> extends PackedArray<string, B> {
  constructor(
    readonly chars: number,
    source: number | B | Iterable<string>,
    byteOffset?: number,
    length?: number,
  ) {
    super(chars, source, byteOffset, length);
  }
  /** The bytes of all items. */
  get _data(): Uint8Array<B> {
    return this.bytes;
  }
  get(index: number): string {
    // TextDecoder rejects shared memory.
    return textDecoder().decode(this.item(index).slice()).replaceAll("\0", "");
  }
  set(index: number, value: string): void {
    this.setItem(index, textEncoder().encode(value));
  }
}

/** Unicode strings of `chars` code points of 4 bytes. */
export class UnicodeStringArray<B extends ArrayBufferLike = ArrayBufferLike> extends PackedArray<string, B> {
  constructor(
    readonly chars: number,
    source: number | B | Iterable<string>,
    byteOffset?: number,
    length?: number,
  ) {
    super(4 * chars, source, byteOffset, length);
  }
  get(index: number): string {
    return utf32String(this.item(index)).replaceAll("\0", "");
  }
  set(index: number, value: string): void {
    const points = Uint32Array.from(value, (char) => char.codePointAt(0)!);
    this.setItem(index, new Uint8Array(points.buffer));
  }
}

/** zarrita's name of a data type; this library's for types that zarrita lacks. */
export function dtypeName({ dtype, zarrFormat }: Pick<ZarrArray, "dtype" | "zarrFormat">): string {
  if (dtype.core === "fixed_bytes") return `v2:S${dtype.itemBytes}`;
  if (dtype.core === "fixed_utf32") return `v2:U${dtype.itemBytes / 4}`;
  return dtype.isVariable && zarrFormat < 3 ? "v2:object" : dtype.name;
}

/** Returns the metadata of a data type, given zarrita's name, which differs for strings of fixed length. */
export function dataTypeJson(name: string | undefined): unknown {
  const text = /^v2:([US])(\d+)$/.exec(name ?? "");
  if (!text) return name;
  return text[1] === "U"
    ? { name: "fixed_length_utf32", configuration: { length_bytes: 4 * Number(text[2]) } }
    : { name: "null_terminated_bytes", configuration: { length_bytes: Number(text[2]) } };
}

/** Elements in zarrita's form, over the same memory. */
export function wrapElements(
  { core, itemBytes }: DType,
  data: ElementData | readonly unknown[],
): ElementData | readonly unknown[] | BoolArray | ByteStringArray | UnicodeStringArray {
  if (!ArrayBuffer.isView(data)) return data;
  const { buffer, byteOffset, byteLength } = data;
  const count = byteLength / itemBytes;
  if (core === "bool") return new BoolArray(buffer, byteOffset, count);
  if (core === "fixed_bytes") return new ByteStringArray(itemBytes, buffer, byteOffset, count);
  return core === "fixed_utf32" ? new UnicodeStringArray(itemBytes / 4, buffer, byteOffset, count) : data;
}

/** A region of this library, of elements of any kind. */
export type AnyRegion = Region<ElementData | readonly unknown[]>;

/** The element of a region without dimensions; all of its numbers for types that have several per element. */
export function firstElement(data: unknown): unknown {
  if (data instanceof PackedArray) return data.get(0);
  const values = data as ArrayLike<unknown>;
  return values.length === 1 ? values[0] : data;
}

/** A fill value in zarrita's form: byte strings are text. */
export function wrapFill({ core }: DType, fill: FillScalar): unknown {
  if (core !== "fixed_bytes" || !(fill instanceof Uint8Array)) return fill;
  return textDecoder().decode(withoutPadding(fill));
}
