/** The headers of NIfTI-1 and NIfTI-2 files. Spec: nifti1.h and nifti2.h, https://nifti.nimh.nih.gov */

import { jsonObject } from "../../metadata/print.js";
import { limitExceeded } from "../../util/errors.js";
import { type Json, JsonNumber } from "../../util/json.js";
import type { Limits } from "../../util/limits.js";
import { badFile, Cursor, unsupportedFile } from "../file/cursor.js";
import { floatJson } from "../file/documents.js";

/** Maximum size of a header. */
export const headerBytes = 540;

export interface PixelType {
  readonly name: string;
  readonly bytes: number;
  /** Number of samples of `name` in an element of `bytes` bytes; more than one for colors. */
  readonly samples?: number;
}

const types: Readonly<Record<number, PixelType | string>> = {
  1: "BINARY",
  2: { name: "uint8", bytes: 1 },
  4: { name: "int16", bytes: 2 },
  8: { name: "int32", bytes: 4 },
  16: { name: "float32", bytes: 4 },
  32: { name: "complex64", bytes: 8 },
  64: { name: "float64", bytes: 8 },
  128: { name: "uint8", bytes: 3, samples: 3 },
  256: { name: "int8", bytes: 1 },
  512: { name: "uint16", bytes: 2 },
  768: { name: "uint32", bytes: 4 },
  1024: { name: "int64", bytes: 8 },
  1280: { name: "uint64", bytes: 8 },
  1536: "FLOAT128",
  1792: { name: "complex128", bytes: 16 },
  2048: "COMPLEX256",
  2304: { name: "uint8", bytes: 4, samples: 4 },
};

/** Names of the axes, the fastest one first. */
export const axisNames = ["x", "y", "z", "t", "u", "v", "w"];

/** Reads a field. */
type Read = (cursor: Cursor) => Json | undefined;
type Field = readonly [name: string, at1: number, at2: number, read1: Read, read2: Read];

const int: Read = (cursor) => new JsonNumber(String(cursor.i32()));
const short: Read = (cursor) => new JsonNumber(String((cursor.u16() << 16) >> 16));
const byte: Read = (cursor) => new JsonNumber(String(cursor.u8()));
const long: Read = (cursor) => new JsonNumber(String(BigInt.asIntN(64, cursor.big64())));
const single: Read = (cursor) => floatJson(cursor.f32());
const double: Read = (cursor) => floatJson(cursor.f64());
const list =
  (read: Read, length: number): Read =>
  (cursor) =>
    Array.from({ length }, () => read(cursor)!);
const text =
  (length: number): Read =>
  (cursor) =>
    cursor.text(length).trimEnd() || undefined;

/** Fields that become attributes, with their positions and types in NIfTI-1 and NIfTI-2. */
const fields: readonly Field[] = [
  ["descrip", 148, 240, text(80), text(80)],
  ["aux_file", 228, 320, text(24), text(24)],
  ["intent_name", 328, 508, text(16), text(16)],
  ["intent_code", 68, 504, short, int],
  ["intent_p1", 56, 80, single, double],
  ["intent_p2", 60, 88, single, double],
  ["intent_p3", 64, 96, single, double],
  ["dim_info", 39, 524, byte, byte],
  ["pixdim", 76, 104, list(single, 8), list(double, 8)],
  ["xyzt_units", 123, 500, byte, int],
  ["cal_max", 124, 192, single, double],
  ["cal_min", 128, 200, single, double],
  ["slice_code", 122, 496, byte, int],
  ["slice_start", 74, 224, short, long],
  ["slice_end", 120, 232, short, long],
  ["slice_duration", 132, 208, single, double],
  ["toffset", 136, 216, single, double],
  ["scl_slope", 112, 176, single, double],
  ["scl_inter", 116, 184, single, double],
  ["qform_code", 252, 344, short, int],
  ["sform_code", 254, 348, short, int],
  ["quatern_b", 256, 352, single, double],
  ["quatern_c", 260, 360, single, double],
  ["quatern_d", 264, 368, single, double],
  ["qoffset_x", 268, 376, single, double],
  ["qoffset_y", 272, 384, single, double],
  ["qoffset_z", 276, 392, single, double],
  ["srow_x", 280, 400, list(single, 4), list(double, 4)],
  ["srow_y", 296, 432, list(single, 4), list(double, 4)],
  ["srow_z", 312, 464, list(single, 4), list(double, 4)],
];

export interface Header {
  readonly isLittle: boolean;
  /** Whether the image is in a separate file. */
  readonly isPair: boolean;
  /** Lengths of the axes, the fastest one first. */
  readonly lengths: readonly number[];
  readonly type: PixelType;
  /** Offset of the image. */
  readonly offset: number;
  /** Size of the image in bytes. */
  readonly bytes: number;
  readonly attributes: ReadonlyMap<string, Json>;
  /** Returns a number of the attributes, or of a list there. */
  number(name: string, index?: number): number;
}

/** Parses the header of a file whose magic number has been checked. @throws InvalidMetadata ("bad-file"), Unsupported. */
export function parseHeader(name: string, bytes: Uint8Array, limits: Limits): Header {
  const cursor = new Cursor(bytes, `the header of ${name}`);
  const isOne = bytes[4] !== 0x6e || bytes[6] !== 0x32; // "n+2"
  const isLittle = cursor.u32() === (isOne ? 348 : 540);
  cursor.at = 0;
  cursor.isLittle = isLittle;
  if (cursor.u32() !== (isOne ? 348 : 540)) throw badFile(`${name} has another sizeof_hdr than 348 or 540`);
  const at = (one: number, two: number) => {
    cursor.at = isOne ? one : two;
    return cursor;
  };
  const isPair = at(345, 5).u8() === 0x69;
  const attributes = new Map<string, Json>();
  for (const [field, one, two, read1, read2] of fields) {
    const value = (isOne ? read1 : read2)(at(one, two));
    if (value !== undefined) attributes.set(field, value);
  }
  const dimensions = Array.from(
    { length: 8 },
    (_, i) => ((isOne ? short : long)(at(40 + 2 * i, 16 + 8 * i)) as JsonNumber).value,
  );
  const lengths = lengthsOf(name, dimensions, limits.rank);
  const type = typeOf(name, at(70, 12).u16());
  const offset = isOne ? at(108, 0).f32() : at(0, 168).u64();
  if (!Number.isSafeInteger(offset) || offset < (isPair ? 0 : isOne ? 348 : 540))
    throw badFile(`${name} has vox_offset ${offset}`);
  const size = lengths.reduce((product, length) => product * length, type.bytes);
  if (!Number.isSafeInteger(offset + size)) throw badFile(`the image of ${name} is too large`);
  const number = (field: string, index?: number) => {
    const value = attributes.get(field);
    return ((index === undefined ? value : (value as readonly Json[])[index]) as JsonNumber).value;
  };
  return { isLittle, isPair, lengths, type, offset, bytes: size, attributes, number };
}

function lengthsOf(name: string, [rank, ...lengths]: readonly number[], maxRank: number): readonly number[] {
  if (!(rank! >= 1 && rank! <= 7)) throw badFile(`${name} has ${rank} dimensions; expected 1 to 7`);
  if (rank! > maxRank)
    throw limitExceeded(`${name} has ${rank} dimensions, more than the limit of ${maxRank}`);
  const own = lengths.slice(0, rank);
  const bad = own.find((length) => !(Number.isSafeInteger(length) && length >= 0));
  if (bad !== undefined) throw badFile(`${name} has a dimension of length ${bad}`);
  return own;
}

function typeOf(name: string, code: number): PixelType {
  const type = types[code];
  if (typeof type === "object") return type;
  if (type === undefined) throw badFile(`${name} has datatype ${code}`);
  throw unsupportedFile(`${name} has the data type ${type} (${code}), which Zarr does not have`);
}

/** Returns the attributes of the array: fields of the header, scale and offset as in CF, and the affine matrix. */
export function attributesOf(name: string, header: Header, affine: readonly (readonly number[])[]) {
  const { attributes, type } = header;
  const [scale, offset] = [header.number("scl_slope"), header.number("scl_inter")];
  const isScaled = scale !== 0 && Number.isFinite(scale) && !type.samples;
  if (isScaled && !Number.isFinite(offset))
    throw badFile(`${name} has scl_slope ${scale} and scl_inter ${offset}`);
  // Readers of CF add an offset to both parts of a complex number.
  const isMapped = isScaled && !(type.name.startsWith("complex") && offset !== 0);
  const listed = [...attributes].filter(([field]) => !isMapped || !field.startsWith("scl_"));
  return jsonObject([
    ...listed,
    ["scale_factor", isMapped && scale !== 1 ? floatJson(scale) : undefined],
    ["add_offset", isMapped && offset !== 0 ? floatJson(offset) : undefined],
    ["affine", affine.map((row) => row.map(floatJson))],
  ]);
}
