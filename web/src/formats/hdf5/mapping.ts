/** Maps datatypes of HDF5 to data types of Zarr v3. Types without an exact equal are refused by name. */

import type { DType } from "../../dtypes/dtype.js";
import { printFill } from "../../dtypes/fill-print.js";
import { swappedItem } from "../../dtypes/fill-value.js";
import { parseDataType } from "../../dtypes/v3.js";
import { isSameBytes } from "../../util/bytes.js";
import type { Json, PlainJson } from "../../util/json.js";
import { countOf } from "../../util/shapes.js";
import { bytesCodec, named } from "../file/documents.js";
import type { HdfFile } from "./file.js";
import type { CompoundType, Datatype, EnumType, FloatType, IntegerType, RawType } from "./types.js";

/** How elements of a datatype are read. */
export interface Mapping {
  readonly dataType: Json;
  readonly dtype: DType;
  /** The codec from elements to bytes. */
  readonly codec: Json;
  readonly isLittle: boolean;
  /** Shape of an element of an array type, [] for others: these dimensions follow the ones of the dataset. */
  readonly shape: readonly number[];
}

type TypeJson = string | { name: string; configuration: Record<string, PlainJson> };

/** A part of a mapping: undefined byte order fits both. */
interface Part {
  readonly json: TypeJson;
  readonly isLittle: boolean | undefined;
}

/** @throws Unsupported for types without an equal in Zarr. */
export function mapDatatype(file: HdfFile, type: Datatype): Mapping {
  let item = type;
  const shape: number[] = [];
  while (item.kind === "array") {
    shape.push(...item.shape);
    item = item.base;
  }
  const isVariable = item.kind === "variable";
  const { json, isLittle = true } = partOf(file, item, isVariable);
  const dataType = typeof json === "string" ? json : named(json.name, json.configuration);
  const dtype = parseDataType(json);
  const codec = isVariable
    ? named(dtype.name === "string" ? "vlen-utf8" : "vlen-bytes")
    : bytesCodec(isLittle);
  return { dataType, dtype, codec, isLittle, shape };
}

/** @param allowsVariable whether values may have variable length: not within a compound. */
function partOf(file: HdfFile, type: Datatype, allowsVariable: boolean): Part {
  switch (type.kind) {
    case "integer":
      return { json: integerName(file, type), isLittle: orderOf(type) };
    case "float": {
      const json = type.name;
      if (!json) throw file.unsupported(`floats of ${type.precision} bits in this form are not read`);
      return { json, isLittle: orderOf(type) };
    }
    case "enum":
      return isBooleanEnum(type) ? { json: "bool", isLittle: undefined } : partOf(file, type.base, false);
    case "string":
      return { json: withLength("null_terminated_bytes", type.size), isLittle: undefined };
    case "variable":
      return { json: variableName(file, type, allowsVariable), isLittle: undefined };
    case "compound":
      return compoundPart(file, type);
    case "opaque":
      return opaquePart(type);
    case "reference":
      return { json: rawName(type.size), isLittle: undefined };
    default:
      throw file.unsupported(`values of the datatype class ${type.kind} are not read`);
  }
}

const rawName = (bytes: number): string => `r${8 * bytes}`;

const withLength = (name: string, length: number): TypeJson => ({
  name,
  configuration: { length_bytes: length },
});

const orderOf = ({ size, isLittle }: { size: number; isLittle: boolean }): boolean | undefined =>
  size === 1 ? undefined : isLittle;

function integerName(file: HdfFile, { size, isSigned, bitOffset, precision }: IntegerType): string {
  // Bits above the precision of an unsigned number are zeros.
  const isWhole = bitOffset === 0 && (precision === 8 * size || !isSigned);
  if (!isWhole || ![1, 2, 4, 8].includes(size))
    throw file.unsupported(`integers of ${precision} bits in ${size} bytes are not read`);
  return `${isSigned ? "int" : "uint"}${8 * size}`;
}

/** Whether an enum is what h5py writes for booleans. */
export function isBooleanEnum({ base, names, values }: EnumType): boolean {
  const numberOf = (name: string) => values[names.indexOf(name)]?.[0];
  return base.size === 1 && names.length === 2 && numberOf("FALSE") === 0 && numberOf("TRUE") === 1;
}

function variableName(
  file: HdfFile,
  type: Extract<Datatype, { kind: "variable" }>,
  isAllowed: boolean,
): string {
  if (!isAllowed) throw file.unsupported("values of variable length within compounds are not read");
  if (type.isString) return "string";
  const isBytes = type.base.kind === "opaque" || (type.base.kind === "integer" && !type.base.isSigned);
  if (type.base.size === 1 && isBytes) return "bytes";
  throw file.unsupported(`lists of variable length of the datatype class ${type.base.kind} are not read`);
}

function opaquePart({ size, tag }: RawType): Part {
  // h5py writes times of NumPy like this.
  const [, order, kind, factor, unit] = /^NUMPY:([<>|=])?([mM])8\[(\d*)([A-Za-z]+)\]$/.exec(tag) ?? [];
  if (!unit || size !== 8) return { json: rawName(size), isLittle: undefined };
  const name = kind === "M" ? "numpy.datetime64" : "numpy.timedelta64";
  return {
    json: { name, configuration: { unit, scale_factor: Number(factor || 1) } },
    isLittle: order !== ">",
  };
}

/** A compound becomes a struct; a pair of floats r and i a complex number. */
function compoundPart(file: HdfFile, type: CompoundType): Part {
  const complex = complexName(type);
  if (complex) return { json: complex, isLittle: (type.members[0]!.type as FloatType).isLittle };
  if (valueCount(type) > maxValues)
    throw file.unsupported(`compounds of more than ${maxValues} values are not read`);
  const fields: PlainJson[] = [];
  let isLittle: boolean | undefined;
  let end = 0;
  const addPadding = (to: number) => {
    if (to > end) fields.push({ name: `padding_${end}`, data_type: rawName(to - end) });
  };
  for (const { name, offset, type: member } of type.members.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < end) throw file.unsupported("compounds with overlapping members are not read");
    addPadding(offset);
    const part = fieldPart(file, member);
    if (part.isLittle !== undefined && isLittle !== undefined && part.isLittle !== isLittle)
      throw file.unsupported("compounds of members with both byte orders are not read");
    isLittle ??= part.isLittle;
    fields.push({ name, data_type: part.json });
    end = offset + member.size;
  }
  addPadding(type.size);
  return { json: { name: "struct", configuration: { fields } }, isLittle };
}

/** Maximum number of values of a compound: each becomes a field. */
const maxValues = 2 ** 14;

/** Returns the number of values that an element consists of. */
function valueCount(type: Datatype): number {
  if (type.kind === "array") return (type.size / type.base.size) * valueCount(type.base);
  if (type.kind !== "compound") return 1;
  return type.members.reduce((sum, { type: member }) => sum + valueCount(member), 0);
}

/** An array within a compound becomes a struct whose fields are named by their index. */
function fieldPart(file: HdfFile, type: Datatype): Part {
  if (type.kind !== "array") return partOf(file, type, false);
  const [length = 1, ...rest] = type.shape;
  const { base } = type;
  const size = base.size * countOf(rest);
  const part = fieldPart(file, rest.length > 0 ? { kind: "array", size, base, shape: rest } : base);
  const fields = Array.from({ length }, (_, i) => ({ name: String(i), data_type: part.json }));
  return { json: { name: "struct", configuration: { fields } }, isLittle: part.isLittle };
}

function complexName({ size, members }: CompoundType): string | undefined {
  const [real, imaginary] = members;
  if (members.length !== 2 || real?.type.kind !== "float" || imaginary?.type.kind !== "float")
    return undefined;
  const isPair =
    real.name === "r" &&
    imaginary.name === "i" &&
    real.offset === 0 &&
    imaginary.offset === real.type.size &&
    size === 2 * real.type.size &&
    real.type.isLittle === imaginary.type.isLittle;
  const part = real.type.name;
  if (!isPair || part !== imaginary.type.name) return undefined;
  if (part === "float32") return "complex64";
  if (part === "float64") return "complex128";
  return part && `complex_${part}`;
}

/** Returns the fill value of a document. @param bytes as stored; undefined for zeros. */
export function fillJson(
  file: HdfFile,
  mapping: Mapping,
  type: Datatype,
  bytes: Uint8Array | undefined,
): Json {
  const { dtype, isLittle } = mapping;
  const { itemBytes } = dtype;
  if (dtype.isVariable) return "";
  if (bytes && bytes.byteLength !== type.size)
    throw file.unsupported(
      `a fill value of ${bytes.byteLength} bytes for elements of ${type.size} is not read`,
    );
  const item = bytes?.subarray(0, itemBytes) ?? new Uint8Array(itemBytes);
  for (let at = itemBytes; bytes && at < type.size; at += itemBytes)
    if (!isSameBytes(item, bytes.subarray(at, at + itemBytes)))
      throw file.unsupported("fill values of arrays with different elements are not read");
  const value = swappedItem(dtype, item, isLittle ? "little" : "big");
  return printFill(dtype, { value: 0, item: value }, 3, "little");
}
