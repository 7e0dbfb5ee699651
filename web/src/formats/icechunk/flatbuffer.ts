/**
 * Reads FlatBuffers in place: every offset is checked against the buffer and the table before it is followed.
 * Spec: FlatBuffers "internals"; Icechunk 1 and 2.
 *
 * Positions are byte offsets in the buffer; 0 means "absent", as the offset of the root table is stored there.
 */
import { invalidMetadata, type ZarrError } from "../../util/errors.js";
import { textDecoder } from "../../util/platform.js";

/** The error for bytes that violate the format. */
export function malformed(name: string, what: string): ZarrError {
  return invalidMetadata(`${name}: ${what}`, { code: "bad-icechunk" });
}

/** Maximum number of fields in Icechunk's tables; later ones are unknown here. */
const maxFields = 16;

export class FlatBuffer {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #length: number;
  /** The vtable last read: adjacent tables share theirs. */
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
  /** Reads an unsigned 64-bit integer; Infinity above 2⁵³, where numbers are not exact. */
  u64(at: number): number {
    const value = this.u32(at + 4) * 2 ** 32 + this.u32(at);
    return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
  }

  /**
   * Returns the position of a field in a table; 0 if it is absent.
   * @param width bytes of the field in the table.
   */
  field(table: number, id: number, width = 4): number {
    this.#useVtable(table);
    const slot = id < this.#fields ? this.#slots[id]! : 0;
    if (slot === 0) return 0;
    if (slot < 4 || slot + width > this.#tableBytes) this.fail(`field ${id} lies outside of its table`);
    return table + slot;
  }

  /** Returns the position of a required field. */
  required(table: number, id: number, width = 4): number {
    return this.field(table, id, width) || this.fail(`a table lacks its field ${id}`);
  }

  /** Follows a field, or an entry of a vector of tables, to its table. */
  table(at: number): number {
    return this.#follow(at);
  }

  /**
   * Returns the start of a vector: a 4-byte count, then the elements. All of them are in the buffer.
   * @param width bytes of an element.
   */
  vector(at: number, width: number): number {
    const start = this.#follow(at);
    const count = this.u32(start);
    if (count * width > this.#length - start - 4) this.fail(`a list of ${count} entries is cut off`);
    return start;
  }

  /** Number of entries of a vector. */
  count(vector: number): number {
    return this.u32(vector);
  }

  /** Returns an entry of a vector of tables. */
  tableIn(vector: number, index: number): number {
    return this.#follow(vector + 4 + 4 * index);
  }

  /** Returns a view of a vector of bytes or of a string. */
  bytesAt(at: number): Uint8Array {
    const start = this.vector(at, 1);
    return this.bytes.subarray(start + 4, start + 4 + this.u32(start));
  }

  /** Reads a string. @throws InvalidMetadata for invalid UTF-8 and for more than `maxBytes` bytes. */
  text(at: number, maxBytes: number): string {
    const bytes = this.bytesAt(at);
    if (bytes.byteLength > maxBytes) this.fail(`a text has ${bytes.byteLength} bytes`);
    return utf8(bytes) ?? this.fail("a text is not UTF-8");
  }

  /** Reads a string field; "" if it is absent. */
  textField(table: number, id: number, maxBytes: number): string {
    const at = this.field(table, id);
    return at === 0 ? "" : this.text(at, maxBytes);
  }

  /** Returns a view of a struct of bytes in a table. */
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

  /** Follows an offset, which counts forwards from its own position. */
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
    this.#vtable = -1; // until it is checked
    for (let id = 0; id < fields; id++) this.#slots[id] = view.getUint16(vtable + 4 + 2 * id, true);
    this.#fields = fields;
    this.#tableBytes = tableBytes;
    this.#vtable = vtable;
  }
}

/** Decodes UTF-8; undefined for invalid bytes. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return textDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
