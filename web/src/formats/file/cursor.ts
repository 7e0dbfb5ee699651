/** Reads numbers and strings from bytes of a file, with checks of the end. */

import { utf8Text } from "../../util/bytes.js";
import { invalidMetadata, unsupported, type ZarrError } from "../../util/errors.js";

/** Returns the error of an invalid file. */
export const badFile = (message: string, cause?: unknown): ZarrError =>
  invalidMetadata(message, { code: "bad-file", cause });

/** Returns the error of a part of a file that is not read, or has no exact form in Zarr. */
export const unsupportedFile = (message: string): ZarrError =>
  unsupported(message, { code: "unsupported-file" });

/** A position in bytes. Reading moves it; reading beyond the end throws InvalidMetadata ("bad-file"). */
export class Cursor {
  readonly #view: DataView;
  /** Whether a read went beyond the end. */
  isShort = false;

  /**
   * @param what names the bytes in messages, such as "the object header at 96".
   * @param isLittle byte order of numbers.
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly what: string,
    public isLittle = true,
    public at = 0,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Number of bytes after the position. */
  get left(): number {
    return this.bytes.byteLength - this.at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), this.isLittle);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), this.isLittle);
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4), this.isLittle);
  }

  f32(): number {
    return this.#view.getFloat32(this.#take(4), this.isLittle);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), this.isLittle);
  }

  /** Reads an unsigned integer of 64 bits. */
  big64(): bigint {
    return this.#view.getBigUint64(this.#take(8), this.isLittle);
  }

  /** Reads an unsigned integer of 64 bits. @throws InvalidMetadata ("bad-file") above 2⁵³ − 1. */
  u64(): number {
    const value = this.big64();
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      throw badFile(`${this.what} has the size or offset ${value}`);
    return Number(value);
  }

  /** Reads an unsigned integer of 1 to 8 bytes. */
  uint(width: number): number {
    if (width === 8) return this.u64();
    const bytes = this.take(width);
    let value = 0;
    for (let i = 0; i < width; i++) value = value * 256 + bytes[this.isLittle ? width - 1 - i : i]!;
    if (value > Number.MAX_SAFE_INTEGER) throw badFile(`${this.what} has the size or offset ${value}`);
    return value;
  }

  /** Returns the next bytes as a view. */
  take(length: number): Uint8Array {
    const start = this.#take(length);
    return this.bytes.subarray(start, start + length);
  }

  skip(length: number): void {
    this.#take(length);
  }

  /** Reads a string of a length in bytes, in UTF-8, or in Latin-1 if it is not valid UTF-8; NUL ends it. */
  text(length: number): string {
    return textOf(this.take(length));
  }

  #take(length: number): number {
    const { at } = this;
    this.isShort = !(length >= 0 && length <= this.left);
    if (this.isShort) throw badFile(`${this.what} ends early`);
    this.at += length;
    return at;
  }
}

/** Returns bytes as text, in UTF-8, or in Latin-1 if they are not valid UTF-8; NUL ends it. */
export function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const own = end < 0 ? bytes : bytes.subarray(0, end);
  return utf8Text(own) ?? Array.from(own, (byte) => String.fromCharCode(byte)).join("");
}
