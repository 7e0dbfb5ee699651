/** Array-likes of booleans and of strings of fixed length, over their bytes, as zarrita has them. */

import { utf32String } from "../../dtypes/padded.js";
import { invalidArgument, shown } from "../../util/errors.js";
import { textDecoder, textEncoder } from "../../util/platform.js";

function isBuffer(value: unknown): value is ArrayBufferLike {
  const isShared = typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer;
  return value instanceof ArrayBuffer || isShared;
}

/** What the three share: items of one width over bytes. */
abstract class PackedArray<T, B extends ArrayBufferLike> {
  readonly #width: number;
  readonly #bytes: Uint8Array<B>;

  constructor(width: number, source: number | B | Iterable<T>, byteOffset?: number, length?: number) {
    if (!Number.isSafeInteger(width) || width < 0)
      throw invalidArgument(`strings of ${shown(width)} characters cannot be`);
    this.#width = width;
    if (isBuffer(source)) {
      this.#bytes = new Uint8Array(source as B, byteOffset, length && length * width);
      return;
    }
    const isIterable = typeof (source as Iterable<T> | null | undefined)?.[Symbol.iterator] === "function";
    if (!(isIterable || (Number.isSafeInteger(source) && (source as number) >= 0)))
      throw invalidArgument(`an array is made of a length, a buffer or values, not of ${shown(source)}`);
    const values = typeof source === "number" ? undefined : [...(source as Iterable<T>)];
    this.#bytes = new Uint8Array((values?.length ?? (source as number)) * width) as Uint8Array<B>;
    values?.forEach((value, i) => {
      this.set(i, value);
    });
  }

  get BYTES_PER_ELEMENT(): number {
    return this.#width;
  }
  protected get bytes(): Uint8Array<B> {
    return this.#bytes;
  }
  get buffer(): B {
    return this.bytes.buffer;
  }
  get byteOffset(): number {
    return this.bytes.byteOffset;
  }
  get byteLength(): number {
    return this.bytes.byteLength;
  }
  get length(): number {
    return this.BYTES_PER_ELEMENT === 0 ? 0 : this.bytes.byteLength / this.BYTES_PER_ELEMENT;
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
      throw new RangeError(`there is no element ${index} among ${this.length}`);
    return this.bytes.subarray(index * this.BYTES_PER_ELEMENT, (index + 1) * this.BYTES_PER_ELEMENT);
  }

  /** Writes an item, padded with NULs. @throws InvalidArgument where it does not fit. */
  protected setItem(index: number, item: Uint8Array): void {
    const width = this.BYTES_PER_ELEMENT;
    if (item.byteLength > width)
      throw invalidArgument(`a string of ${item.byteLength} bytes does not fit ${width}`);
    this.item(index).fill(0).set(item);
  }
}

/** Booleans, a byte each. */
export class BoolArray<B extends ArrayBufferLike = ArrayBufferLike> extends PackedArray<boolean, B> {
  static override get name(): string {
    return "BoolArray";
  }

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
  static override get name(): string {
    return "ByteStringArray";
  }

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
    // Shared memory cannot be decoded as it is.
    return textDecoder().decode(this.item(index).slice()).replaceAll("\0", "");
  }
  set(index: number, value: string): void {
    this.setItem(index, textEncoder().encode(value));
  }
}

/** Unicode strings of `chars` code points of 4 bytes. */
export class UnicodeStringArray<B extends ArrayBufferLike = ArrayBufferLike> extends PackedArray<string, B> {
  static override get name(): string {
    return "UnicodeStringArray";
  }

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
