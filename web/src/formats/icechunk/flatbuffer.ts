/**
 * FlatBuffers, read where they lie: nothing is built, every offset is held against the buffer and the table before it is
 * followed. Spec: FlatBuffers "internals"; Icechunk 1 and 2.
 *
 * Positions are byte offsets in the buffer; 0, where the offset of the root table stands, means "absent".
 */
import { invalidMetadata, type ZarrError } from "../../util/errors.js";
import { textDecoder } from "../../util/platform.js";

/** The error of bytes that break the format. */
export function malformed(name: string, what: string): ZarrError {
  return invalidMetadata(`${name}: ${what}`, { code: "bad-icechunk" });
}

/** Fields that tables of Icechunk have at most; later ones are unknown here. */
const maxFields = 16;

export class FlatBuffer {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #length: number;
  /** The vtable that was read last: tables side by side share theirs. */
  #vtable = -1;
  #fields = 0;
  #tableBytes = 0;
  readonly #slots = new Uint16Array(maxFields);

  /** @param name of the file, for messages. */
  constructor(
    bytes: Uint8Array,
    readonly name: string,
  ) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#length = bytes.byteLength;
  }

  /** Position of the root table. */
  get root(): number {
    return this.#follow(0);
  }

  fail(what: string): never {
    throw malformed(this.name, what);
  }

  u8(at: number): number {
    this.#need(at, 1);
    return this.bytes[at]!;
  }
  u32(at: number): number {
    this.#need(at, 4);
    return this.#view.getUint32(at, true);
  }
  i32(at: number): number {
    this.#need(at, 4);
    return this.#view.getInt32(at, true);
  }
  /** An unsigned integer of 64 bits; beyond 2⁵³, where numbers are not exact any more, Infinity. */
  u64(at: number): number {
    const value = this.u32(at + 4) * 2 ** 32 + this.u32(at);
    return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
  }

  /**
   * Where a table's field stands; 0 where the table leaves it out.
   * @param width bytes of the field in the table.
   */
  field(table: number, id: number, width = 4): number {
    this.#useVtable(table);
    const slot = id < this.#fields ? this.#slots[id]! : 0;
    if (slot === 0) return 0;
    if (slot < 4 || slot + width > this.#tableBytes) this.fail(`field ${id} lies outside of its table`);
    return table + slot;
  }

  /** Where a field stands that must be there. */
  required(table: number, id: number, width = 4): number {
    return this.field(table, id, width) || this.fail(`a table lacks its field ${id}`);
  }

  /** The table behind a field, or behind an entry of a vector of tables. */
  table(at: number): number {
    return this.#follow(at);
  }

  /**
   * Start of a vector: its count, 4 bytes, and its elements behind it. All of them lie in the buffer.
   * @param width bytes of an element.
   */
  vector(at: number, width: number): number {
    const start = this.#follow(at);
    const count = this.u32(start);
    if (count * width > this.#length - start - 4) this.fail(`a list of ${count} entries is cut off`);
    return start;
  }

  /** Entries of a vector. */
  count(vector: number): number {
    return this.u32(vector);
  }

  /** The table that is entry `index` of a vector of tables. */
  tableIn(vector: number, index: number): number {
    return this.#follow(vector + 4 + 4 * index);
  }

  /** The bytes of a vector of bytes, or of a text: a view. */
  bytesAt(at: number): Uint8Array {
    const start = this.vector(at, 1);
    return this.bytes.subarray(start + 4, start + 4 + this.u32(start));
  }

  /** A text. @throws InvalidMetadata for what is not UTF-8, and for one of more than `maxBytes` bytes. */
  text(at: number, maxBytes: number): string {
    const bytes = this.bytesAt(at);
    if (bytes.byteLength > maxBytes) this.fail(`a text has ${bytes.byteLength} bytes`);
    return utf8(bytes) ?? this.fail("a text is not UTF-8");
  }

  /** The text of a field; "" where it is absent. */
  textField(table: number, id: number, maxBytes: number): string {
    const at = this.field(table, id);
    return at === 0 ? "" : this.text(at, maxBytes);
  }

  /** A struct of bytes in a table: a view. */
  struct(at: number, width: number): Uint8Array {
    this.#need(at, width);
    return this.bytes.subarray(at, at + width);
  }

  /** Compares bytes of the buffer with others, as unsigned numbers; shorter ones come first. */
  compare(at: number, length: number, other: Uint8Array): number {
    const { bytes } = this;
    const common = Math.min(length, other.byteLength);
    for (let i = 0; i < common; i++) {
      const difference = bytes[at + i]! - other[i]!;
      if (difference !== 0) return difference;
    }
    return length - other.byteLength;
  }

  #need(at: number, width: number): void {
    if (!(at >= 0 && at + width <= this.#length)) this.fail("an offset leads out of the file");
  }

  /** Offsets count from where they stand, and lead forwards. */
  #follow(at: number): number {
    const offset = this.u32(at);
    const target = at + offset;
    if (offset === 0 || target + 4 > this.#length) this.fail("an offset leads out of the file");
    return target;
  }

  #useVtable(table: number): void {
    const vtable = table - this.i32(table);
    if (vtable !== this.#vtable) this.#readVtable(vtable);
    if (table + this.#tableBytes > this.#length) this.fail("a table is cut off");
  }

  #readVtable(vtable: number): void {
    this.#need(vtable, 4);
    const view = this.#view;
    const bytes = view.getUint16(vtable, true);
    const tableBytes = view.getUint16(vtable + 2, true);
    if (bytes < 4 || bytes % 2 !== 0 || tableBytes < 4) this.fail("a table's list of fields is damaged");
    this.#need(vtable, bytes);
    const fields = Math.min(maxFields, (bytes - 4) / 2);
    this.#vtable = -1; // until it is known to be sound
    for (let id = 0; id < fields; id++) this.#slots[id] = view.getUint16(vtable + 4 + 2 * id, true);
    this.#fields = fields;
    this.#tableBytes = tableBytes;
    this.#vtable = vtable;
  }
}

/** Text of bytes; undefined for what is not UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return textDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
