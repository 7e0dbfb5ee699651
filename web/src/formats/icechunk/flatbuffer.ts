/**
 * Reads FlatBuffers in place: every offset is checked against the buffer and the table before it is followed. Positions
 * are byte offsets in the buffer; 0 means "absent", as the offset of the root table is stored there.
 *
 * Also reads the subset of FlexBuffers that the configuration of a repository uses: maps, untyped vectors and strings.
 * Spec: FlatBuffers "internals" and "FlexBuffers"; Icechunk 1 and 2.
 */

import { utf8Text } from "../../util/bytes.js";
import { invalidMetadata, type ZarrError } from "../../util/errors.js";

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
    if (slot < 4 || slot + width > this.#tableBytes) this.fail(`field ${id} lies outside its table`);
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
    if (count * width > this.#length - start - 4) this.fail(`a list of ${count} entries is truncated`);
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
    if (bytes.byteLength > maxBytes)
      this.fail(`a string has ${bytes.byteLength} bytes, more than the limit of ${maxBytes}`);
    return utf8Text(bytes) ?? this.fail("a string is not UTF-8");
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
    if (!(at >= 0 && at + width <= this.#length)) this.fail("an offset points outside the file");
  }

  /** Follows an offset, which counts forwards from its own position. */
  #follow(at: number): number {
    const offset = this.u32(at);
    const target = at + offset;
    if (offset === 0 || target + 4 > this.#length) this.fail("an offset points outside the file");
    return target;
  }

  #useVtable(table: number): void {
    const vtable = table - this.i32(table);
    if (vtable !== this.#vtable) this.#readVtable(vtable);
    if (table + this.#tableBytes > this.#length) this.fail("a table is truncated");
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

const maxDepth = 16;
/** Maximum number of values in a document. */
const maxValues = 100_000;
/** Maximum size of a string, and of all strings read: many values may point at the same one. */
const [maxText, maxTexts] = [2 ** 16, 2 ** 22];

const types = { key: 4, string: 5, map: 9, vector: 10 } as const;

/** A value of a FlexBuffer; null for types other than strings, maps and lists. */
export type FlexValue = string | null | FlexValue[] | Map<string, FlexValue>;

/** @throws InvalidMetadata for an invalid FlexBuffer. */
export function readFlexBuffer(bytes: Uint8Array, name: string): FlexValue {
  return new FlexReader(bytes, name).read();
}

class FlexReader {
  readonly #view: DataView;
  #values = 0;
  #texts = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly name: string,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads the root from the end: its value, its type and its width. */
  read(): FlexValue {
    const { byteLength } = this.bytes;
    if (byteLength < 3) throw this.#fault();
    const [type, width] = [this.bytes[byteLength - 2]!, this.bytes[byteLength - 1]!];
    return this.#value(byteLength - 2 - width, width, type, 0);
  }

  /** @param at position of the value, or of the offset to it. */
  #value(at: number, parentWidth: number, packed: number, depth: number): FlexValue {
    if (depth > maxDepth || ++this.#values > maxValues) throw this.#fault();
    const [type, width] = [packed >> 2, 1 << (packed & 3)];
    if (type !== types.key && type !== types.string && type !== types.map && type !== types.vector)
      return null;
    const target = at - this.#uint(at, parentWidth);
    if (type === types.key) return this.#key(target);
    const count = this.#uint(target - width, width);
    if (
      !(target >= width && target + count * (type === types.string ? 1 : width + 1) <= this.bytes.byteLength)
    )
      throw this.#fault();
    if (type === types.string) return this.#text(target, count);
    const values = Array.from({ length: count }, (_, i) =>
      this.#value(target + i * width, width, this.bytes[target + count * width + i]!, depth + 1),
    );
    return type === types.vector ? values : this.#map(target, width, values);
  }

  /** Reads a map. Its values follow the offset of its keys, their width, and the count. */
  #map(target: number, width: number, values: FlexValue[]): Map<string, FlexValue> {
    const place = target - 3 * width;
    const keys = place - this.#uint(place, width);
    const keyWidth = this.#uint(target - 2 * width, width);
    return new Map(
      values.map((value, i) => {
        const at = keys + i * keyWidth;
        return [this.#key(at - this.#uint(at, keyWidth)), value];
      }),
    );
  }

  #key(at: number): string {
    if (!(at >= 0)) throw this.#fault();
    const length = this.bytes.subarray(at, at + maxText + 1).indexOf(0);
    if (length < 0) throw this.#fault();
    return this.#text(at, length);
  }

  #text(at: number, bytes: number): string {
    this.#texts += bytes;
    if (bytes > maxText || this.#texts > maxTexts) throw this.#fault();
    const text = utf8Text(this.bytes.subarray(at, at + bytes));
    if (text === undefined) throw this.#fault();
    return text;
  }

  #uint(at: number, width: number): number {
    if (!(at >= 0 && at + width <= this.bytes.byteLength)) throw this.#fault();
    if (width === 1) return this.bytes[at]!;
    if (width === 2) return this.#view.getUint16(at, true);
    if (width === 4) return this.#view.getUint32(at, true);
    if (width === 8) return this.#view.getUint32(at, true) + 2 ** 32 * this.#view.getUint32(at + 4, true);
    throw this.#fault();
  }

  #fault() {
    return malformed(this.name, "its configuration is damaged");
  }
}
