/** Parses datatype messages. Spec: HDF5 File Format Specification, IV.A.2.d. */

import { countOf } from "../../util/shapes.js";
import { badFile, type Cursor, textOf, unsupportedFile } from "../file/cursor.js";
import type { CompoundMember, Datatype, EnumType, FloatType, IntegerType, Padding } from "./types.js";

/** Maximum depth of types in types. */
const maxDepth = 32;

/** Reads a datatype at the position of a cursor. @param offsetBytes bytes of an address of the file. */
export function readDatatype(cursor: Cursor, offsetBytes: number, depth = 0): Datatype {
  if (depth > maxDepth) throw badFile(`${cursor.what} has datatypes nested deeper than ${maxDepth} levels`);
  const head = cursor.u8();
  const [typeClass, version] = [head & 15, head >> 4];
  if (version < 1 || version > 5)
    throw unsupportedFile(`${cursor.what} has a datatype of version ${version}`);
  const flags = cursor.uint(3);
  const size = cursor.u32();
  if (size === 0) throw badFile(`${cursor.what} has a datatype of 0 bytes`);
  const base = () => readDatatype(cursor, offsetBytes, depth + 1);
  const read = classes[typeClass];
  if (!read) throw unsupportedFile(`${cursor.what} has the unknown datatype class ${typeClass}`);
  const type = read({ cursor, version, flags, size, base });
  checkSize(cursor, type, offsetBytes);
  return type;
}

interface Form {
  readonly cursor: Cursor;
  readonly version: number;
  readonly flags: number;
  readonly size: number;
  /** Reads the datatype that follows. */
  base(): Datatype;
}

/** Readers by class. */
const classes: readonly ((form: Form) => Datatype)[] = [
  readInteger,
  readFloat,
  ({ cursor, size }) => {
    cursor.skip(2);
    return { kind: "time", size, tag: "" };
  },
  ({ flags, size }) => ({
    kind: "string",
    size,
    padding: paddingOf(flags & 15),
  }),
  readInteger,
  ({ cursor, flags, size }) => ({ kind: "opaque", size, tag: cursor.text(flags & 255) }),
  readCompound,
  ({ flags, size }) => ({ kind: "reference", size, tag: String(flags & 15) }),
  readEnum,
  ({ flags, size, base }) => ({
    kind: "variable",
    size,
    isString: (flags & 15) === 1,
    padding: paddingOf((flags >> 4) & 15),
    base: base(),
  }),
  readArray,
  readComplex,
];

const paddingOf = (code: number): Padding =>
  code === 0 ? "nul-terminated" : code === 1 ? "nul-padded" : "space-padded";

function readInteger({ cursor, flags, size }: Form): IntegerType {
  const [bitOffset, precision] = [cursor.u16(), cursor.u16()];
  const isSigned = (flags & 8) !== 0;
  return { kind: "integer", size, isLittle: (flags & 1) === 0, isSigned, bitOffset, precision };
}

/** The forms of floats with a name: bytes, bits and position of exponent and mantissa, bias, position of the sign. */
const floats: Readonly<Record<string, FloatType["name"]>> = {
  "8 11 52 52 0 1023 63": "float64",
  "4 8 23 23 0 127 31": "float32",
  "2 5 10 10 0 15 15": "float16",
  "2 8 7 7 0 127 15": "bfloat16",
  "1 5 2 2 0 15 7": "float8_e5m2",
};

function readFloat({ cursor, flags, size }: Form): FloatType {
  const [bitOffset, precision] = [cursor.u16(), cursor.u16()];
  const [exponentBit, exponentBits, mantissaBit, mantissaBits] = cursor.take(4);
  const bias = cursor.u32();
  const form = [size, exponentBits, mantissaBits, exponentBit, mantissaBit, bias, (flags >> 8) & 255].join(
    " ",
  );
  // The first bit of the mantissa is not stored; VAX has another order of bytes.
  const isPlain =
    bitOffset === 0 && precision === 8 * size && ((flags >> 4) & 3) === 2 && (flags & 0x40) === 0;
  const name = isPlain ? floats[form] : undefined;
  return { kind: "float", size, isLittle: (flags & 1) === 0, precision, name };
}

/** Reads a name that NUL ends; before version 3 it is padded to a multiple of 8 bytes. */
function readName({ cursor, version }: Form): string {
  const end = cursor.bytes.indexOf(0, cursor.at);
  if (end < 0) throw badFile(`${cursor.what} has a name without end`);
  const length = end - cursor.at;
  const name = textOf(cursor.take(length));
  cursor.skip(version < 3 ? 8 - (length % 8) : 1);
  return name;
}

function readCompound(form: Form): Datatype {
  const { cursor, version, flags, size } = form;
  const offsetWidth = version < 3 ? 4 : size < 2 ** 8 ? 1 : size < 2 ** 16 ? 2 : size < 2 ** 24 ? 3 : 4;
  const members: CompoundMember[] = [];
  for (let left = flags & 0xffff; left > 0; left--) {
    const name = readName(form);
    const offset = cursor.uint(offsetWidth);
    const shape = version === 1 ? readOldShape(cursor) : [];
    const base = form.base();
    const type: Datatype = shape.length > 0 ? arrayOf(base, shape) : base;
    if (offset + type.size > size)
      throw badFile(`${cursor.what}: member "${name}" exceeds its compound type`);
    members.push({ name, offset, type });
  }
  return { kind: "compound", size, members };
}

/** Reads the shape of a member of version 1. */
function readOldShape(cursor: Cursor): number[] {
  const rank = cursor.u8();
  cursor.skip(11);
  const shape = [cursor.u32(), cursor.u32(), cursor.u32(), cursor.u32()];
  if (rank > 4) throw badFile(`${cursor.what} has a member with ${rank} dimensions`);
  return shape.slice(0, rank);
}

const arrayOf = (base: Datatype, shape: readonly number[]): Datatype => ({
  kind: "array",
  size: countOf(shape) * base.size,
  base,
  shape,
});

function readEnum(form: Form): EnumType {
  const { cursor, flags, size } = form;
  const base = form.base();
  const count = flags & 0xffff;
  const names = Array.from({ length: count }, () => readName(form));
  const values = names.map(() => cursor.take(base.size));
  return { kind: "enum", size, base, names, values };
}

function readArray({ cursor, version, size, base }: Form): Datatype {
  const rank = cursor.u8();
  if (version < 3) cursor.skip(3);
  const shape = Array.from({ length: rank }, () => cursor.u32());
  if (version < 3) cursor.skip(4 * rank);
  const type = arrayOf(base(), shape);
  if (type.size !== size) throw badFile(`${cursor.what} has an array type whose size is not its elements'`);
  return type;
}

/** Complex numbers are read like a compound of their parts. */
function readComplex({ size, base }: Form): Datatype {
  const type = base();
  const members = [
    { name: "r", offset: 0, type },
    { name: "i", offset: type.size, type },
  ];
  return { kind: "compound", size, members };
}

/** Checks that the parts of a type fit its size. */
function checkSize({ what }: Cursor, type: Datatype, offsetBytes: number): void {
  const isValid =
    type.kind === "integer"
      ? type.precision > 0 && type.bitOffset + type.precision <= 8 * type.size
      : type.kind === "enum"
        ? type.base.size === type.size
        : type.kind === "variable"
          ? type.size === 8 + offsetBytes
          : type.kind === "compound"
            ? type.members.every((member) => member.offset + member.type.size <= type.size)
            : true;
  if (!isValid) throw badFile(`${what} has an invalid ${type.kind} datatype`);
}
