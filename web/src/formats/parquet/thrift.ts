/** Reads Thrift's compact protocol, the encoding of Parquet's metadata. Sizes are checked before memory is allocated. */

import { textDecoder } from "../../util/platform.js";
import { badFile } from "./fields.js";

type Value = boolean | number | Uint8Array | readonly Value[] | ThriftStruct;

/** A struct: values by field id. All accessors throw InvalidMetadata for missing fields and other types. */
export class ThriftStruct {
  constructor(private readonly values: Readonly<Record<number, Value>>) {}

  has(id: number): boolean {
    return this.values[id] !== undefined;
  }

  /** Returns a number; NaN if it is missing or of another type. */
  number(id: number): number {
    const value = this.values[id];
    return typeof value === "number" ? value : Number.NaN;
  }

  /** Returns a non-negative integer. */
  count(id: number): number {
    const value = this.number(id);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw badFile("its metadata has invalid counts");
  }

  /** Returns a boolean. Default: true. */
  isNotFalse(id: number): boolean {
    return this.values[id] !== false;
  }

  struct(id: number): ThriftStruct {
    return asStruct(this.values[id]);
  }

  structs(id: number): ThriftStruct[] {
    return this.#list(id).map(asStruct);
  }

  text(id: number): string {
    return asText(this.values[id]);
  }

  texts(id: number): string[] {
    return this.#list(id).map(asText);
  }

  #list(id: number): readonly Value[] {
    const value = this.values[id];
    if (Array.isArray(value)) return value;
    throw damaged();
  }
}

function asStruct(value: Value | undefined): ThriftStruct {
  if (value instanceof ThriftStruct) return value;
  throw damaged();
}

function asText(value: Value | undefined): string {
  if (value instanceof Uint8Array) return textDecoder().decode(value);
  throw damaged();
}

const damaged = () => badFile("its metadata is damaged");

/** Maximum nesting. Parquet's metadata has less than ten levels. */
const maxDepth = 32;
/** Maximum length of a 64-bit number. */
const maxVarintBytes = 10;
const maxFieldId = 0x7fff;
/** Greatest id that is kept: Parquet's are lower. Objects with large indices would take kilobytes each. */
const maxKeptId = 31;
/** Maximum number of structs, lists and strings: a column in a row group has about twenty. */
const maxObjects = 2 ** 22;

const Type = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
};

/** Reads structs that follow one another. Byte strings are views of the input. */
export class ThriftReader {
  offset = 0;
  #objects = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Reads a struct and moves past it. @throws InvalidMetadata. */
  struct(depth = 0): ThriftStruct {
    if (depth > maxDepth) throw badFile("its metadata is nested too deeply");
    const values: Record<number, Value> = {};
    for (let id = 0; ; ) {
      const head = this.#byte();
      const type = head & 15;
      if (type === Type.stop) return new ThriftStruct(values);
      id = head >> 4 === 0 ? this.#integer() : id + (head >> 4);
      if (!(id >= 0 && id <= maxFieldId)) throw damaged();
      const isBoolean = type === Type.true || type === Type.false; // of a field: in its type
      const value = isBoolean ? type === Type.true : this.#value(type, depth);
      if (id <= maxKeptId) values[id] = value;
    }
  }

  #value(type: number, depth: number): Value {
    if (type >= Type.binary && ++this.#objects > maxObjects) throw badFile("its metadata has too many parts");
    switch (type) {
      case Type.true:
      case Type.false: // of a list: a byte for each
        return this.#byte() === 1;
      case Type.byte:
        return (this.#byte() << 24) >> 24;
      case Type.i16:
      case Type.i32:
      case Type.i64:
        return this.#integer();
      case Type.double: {
        const { buffer, byteOffset } = this.#take(8);
        return new DataView(buffer, byteOffset).getFloat64(0, true);
      }
      case Type.binary:
        return this.#take(this.#varint());
      case Type.list:
        return this.#list(depth);
      case Type.struct:
        return this.struct(depth + 1);
      default:
        throw damaged();
    }
  }

  #list(depth: number): Value[] {
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#varint() : head >> 4;
    // Every element has at least one byte.
    if (count > this.bytes.byteLength - this.offset) throw damaged();
    if (depth > maxDepth) throw badFile("its metadata is nested too deeply");
    return Array.from({ length: count }, () => this.#value(head & 15, depth + 1));
  }

  /** Reads a signed number: its lowest bit is the sign. Numbers above 2⁵³ are rounded. */
  #integer(): number {
    const isNegative = (this.bytes[this.offset]! & 1) === 1;
    const half = Math.floor(this.#varint() / 2);
    return isNegative ? -half - 1 : half;
  }

  #varint(): number {
    let value = 0;
    for (let i = 0; i < maxVarintBytes; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw badFile("it contains a number of too many bytes");
  }

  #byte(): number {
    return this.#take(1)[0]!;
  }

  #take(count: number): Uint8Array {
    const end = this.offset + count;
    if (end > this.bytes.byteLength) throw badFile("its metadata ends too early");
    const taken = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }
}
