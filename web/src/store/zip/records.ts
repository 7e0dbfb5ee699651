/**
 * Prints the records of a zip archive: uncompressed objects, names in UTF-8.
 * Spec: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16 (its end), 4.5.3 (zip64).
 */

/** An object in an archive. */
export interface WrittenEntry {
  readonly name: Uint8Array;
  readonly crc: number;
  readonly bytes: number;
  /** Offset of its local header. */
  readonly offset: number;
}

const utf8Names = 0x800;
/** Version needed to extract: 1.0, or 4.5 for zip64. */
const plainVersion = 10;
const zip64Version = 45;
/** Made by Unix: a regular file with read permission for all users. */
const madeBy = (3 << 8) | zip64Version;
const permissions = 0o100644 * 2 ** 16;
/** Larger numbers are in a zip64 field. */
const max32 = 0xffffffff;
const max16 = 0xffff;
/** 1980-01-01 00:00, the first possible time: the same objects always make the same archive. */
const date = (1 << 5) | 1;

/** Writes little-endian numbers. */
class Fields {
  readonly #view: DataView<ArrayBuffer>;
  #at = 0;

  constructor(bytes: number) {
    this.#view = new DataView(new ArrayBuffer(bytes));
  }

  u16(...values: number[]): this {
    for (const value of values) this.#view.setUint16(this.#take(2), value, true);
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) this.#view.setUint32(this.#take(4), value, true);
    return this;
  }

  u64(...values: number[]): this {
    for (const value of values) this.#view.setBigUint64(this.#take(8), BigInt(value), true);
    return this;
  }

  raw(bytes: Uint8Array): this {
    new Uint8Array(this.#view.buffer).set(bytes, this.#take(bytes.byteLength));
    return this;
  }

  #take(bytes: number): number {
    this.#at += bytes;
    return this.#at - bytes;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#view.buffer);
  }
}

const clamp = (value: number) => Math.min(value, max32);

/** Prints the local header of an object. */
export function localHeader({ name, crc, bytes }: WrittenEntry): Uint8Array<ArrayBuffer> {
  const isLarge = bytes >= max32;
  const extra = isLarge ? 20 : 0;
  const fields = new Fields(30 + name.byteLength + extra);
  fields.u32(0x04034b50).u16(isLarge ? zip64Version : plainVersion, utf8Names, 0, 0, date);
  fields.u32(crc, clamp(bytes), clamp(bytes)).u16(name.byteLength, extra).raw(name);
  if (isLarge) fields.u16(1, 16).u64(bytes, bytes);
  return fields.bytes;
}

/** Prints the record of an object in the central directory. */
export function directoryRecord({ name, crc, bytes, offset }: WrittenEntry): Uint8Array<ArrayBuffer> {
  const isLarge = bytes >= max32;
  const large = [...(isLarge ? [bytes, bytes] : []), ...(offset >= max32 ? [offset] : [])];
  const extra = large.length > 0 ? 4 + 8 * large.length : 0;
  const fields = new Fields(46 + name.byteLength + extra);
  fields.u32(0x02014b50).u16(madeBy, extra > 0 ? zip64Version : plainVersion, utf8Names, 0, 0, date);
  fields.u32(crc, clamp(bytes), clamp(bytes)).u16(name.byteLength, extra, 0, 0, 0);
  fields.u32(permissions, clamp(offset)).raw(name);
  if (extra > 0) fields.u16(1, extra - 4).u64(...large);
  return fields.bytes;
}

/** Prints the end of the central directory. */
export function directoryEnd(
  directory: { entries: number; offset: number; bytes: number },
  comment: Uint8Array,
  forceZip64: boolean,
): Uint8Array<ArrayBuffer> {
  const { entries, offset, bytes } = directory;
  const isLarge = forceZip64 || entries >= max16 || offset >= max32 || bytes >= max32;
  const fields = new Fields((isLarge ? 76 : 0) + 22 + comment.byteLength);
  if (isLarge) {
    fields.u32(0x06064b50).u64(44).u16(madeBy, zip64Version).u32(0, 0);
    fields.u64(entries, entries, bytes, offset);
    fields
      .u32(0x07064b50, 0)
      .u64(offset + bytes)
      .u32(1);
  }
  const count = Math.min(entries, max16);
  fields.u32(0x06054b50).u16(0, 0, count, count).u32(clamp(bytes), clamp(offset));
  return fields.u16(comment.byteLength).raw(comment).bytes;
}
