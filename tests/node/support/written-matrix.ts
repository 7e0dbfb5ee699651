/** Arrays of every Zarr version, data type, codec, order and byte order, with and without shards, as this library writes them. */
import {
  type CodecInput,
  type CreateOptions,
  create,
  type DTypeInput,
  type ElementData,
  get,
  getBytes,
  isZarrError,
  set,
  type ZarrArray,
} from "zarr-wasm";
import type { ZarrVersion } from "#src/codecs/definition.js";
import { codecNames, findCodec } from "#src/codecs/registry.js";
import { toElements } from "#src/dtypes/elements.js";
import { codecOf, valuesFor } from "./codec-arrays.js";
import { elementsOf, type TriedType, triedTypes } from "./data-types.js";

export const shape = [5, 4];
const length = 20;
const tried = 6;

/** One array of the matrix. */
export interface Cell {
  name: string;
  version: ZarrVersion;
  codec: string;
  type: TriedType;
  options: CreateOptions;
}

/** The contents of an array: bytes of its elements, packed, little-endian, in C order; or values of variable length. */
export type Elements = Uint8Array | unknown[];

/** Codecs that round elements, including differences of floats. */
const rounds = ({ codec, type }: Cell): boolean =>
  /(bitround|quantize|fixedscaleoffset|zfpy|scale_offset)$/.test(codec) ||
  (codec.endsWith("delta") && type.label.startsWith("float"));

/** Names of array-to-bytes codecs and shards, which every chain contains. */
const implied = /^(bytes|endian|transpose|sharding_indexed)$/;

/**
 * The matrix of a version. Every codec is tried with every data type; order, byte order and shards change from one cell
 * to the next, so that each of them meets each codec and each data type. With ZARR_WASM_MATRIX=whole all of them do.
 */
export function* cells(version: ZarrVersion): Generator<Cell> {
  const isWhole = process.env["ZARR_WASM_MATRIX"] === "whole";
  const layouts = layoutsOf(version);
  let turn = 0;
  for (const codec of ["none", ...codecNames(version).filter((name) => !implied.test(name))]) {
    for (const type of triedTypes) {
      turn++;
      const chosen = isWhole ? layouts : [layouts[turn % layouts.length]!];
      for (const layout of chosen) {
        const options = optionsOf(version, codec, type, layout);
        if (options)
          yield { name: `${codec}/${type.label}/${labelOf(layout)}`, version, codec, type, options };
      }
    }
    turn++; // the next codec has another layout for the same type
  }
}

interface Layout {
  readonly order: "C" | "F";
  readonly endian: "<" | ">";
  readonly isSharded: boolean;
}

const labelOf = ({ order, endian, isSharded }: Layout) =>
  `${order}-${endian === "<" ? "little" : "big"}${isSharded ? "-shards" : ""}`;

function layoutsOf(version: ZarrVersion): Layout[] {
  const sharded = version === 3 ? [false, true] : [false];
  return sharded.flatMap((isSharded) =>
    (["C", "F"] as const).flatMap((order) =>
      (["<", ">"] as const).map((endian) => ({ order, endian, isSharded })),
    ),
  );
}

function optionsOf(
  version: ZarrVersion,
  codec: string,
  type: TriedType,
  { order, endian, isSharded }: Layout,
): CreateOptions | undefined {
  const dtype = version === 3 ? type.v3 : type.numpy;
  if (dtype === undefined) return undefined;
  const isCodec = codec !== "none";
  const own = isCodec ? [codecOf(codec, type, version)] : [];
  const isToBytes = isCodec && findCodec(codec, version)!.definition.kind === "array-to-bytes";
  const isAfter = isCodec && findCodec(codec, version)!.definition.kind === "bytes-to-bytes";
  const isSingle = type.dtype.itemBytes === 1 || /^(raw|byte) /.test(type.label);
  const bytes = {
    name: "bytes",
    configuration: isSingle ? {} : { endian: endian === "<" ? "little" : "big" },
  };
  const hasBytes = version === 3 && !isToBytes && !type.dtype.isVariable;
  const codecs: CodecInput[] = hasBytes ? (isAfter ? [bytes, ...own] : [...own, bytes]) : own;
  return {
    shape,
    chunkShape: [2, 3],
    shardShape: isSharded ? [4, 3] : undefined,
    dtype: (version === 3 ? dtype : inOrder(dtype, endian)) as DTypeInput,
    codecs,
    order,
    zarrFormat: version,
    attributes: { of: codec },
  };
}

function inOrder(numpy: unknown, endian: "<" | ">"): unknown {
  if (typeof numpy === "string") return numpy.replace("<", endian);
  return (numpy as [string, unknown][]).map(([name, type]) => [name, inOrder(type, endian)]);
}

/** The written elements: the few elements of each type, repeated in a different order each time. */
function elementsFor({ codec, type }: Cell): Elements {
  const at = Array.from({ length }, (_, i) => (i * i + Math.floor(i / tried)) % tried);
  if (type.dtype.isVariable) {
    const values = valuesFor(codec, type);
    return at.map((i) => values[i]);
  }
  const bytes = elementsOf(type);
  const { itemBytes } = type.dtype;
  const all = new Uint8Array(length * itemBytes);
  at.forEach((from, to) => {
    all.set(bytes.subarray(from * itemBytes, (from + 1) * itemBytes), to * itemBytes);
  });
  return all;
}

/** Bytes or values of an array, as this library reads it. */
export async function read(array: ZarrArray): Promise<Elements> {
  return array.dtype.isVariable ? (await get<unknown[]>(array)).data : (await getBytes(array)).bytes;
}

export interface Written extends Cell {
  array: ZarrArray;
  /** The expected result of a read: the input, or the codec's rounding of it. */
  elements: Elements;
}

/** Creates and fills an array; undefined if the version or the codec cannot represent it. */
export async function write(store: Map<string, Uint8Array>, cell: Cell): Promise<Written | undefined> {
  const given = elementsFor(cell);
  let array: ZarrArray;
  try {
    array = await create(store, { ...cell.options, path: cell.name });
    if (array.dtype.name !== cell.type.dtype.name) return undefined; // the codec changes the element type of |O
    await set(
      array,
      null,
      given instanceof Uint8Array ? toElements(array.dtype, given) : (given as ElementData & unknown[]),
    );
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (isZarrError(error, "Unsupported") || isZarrError(cause, "InvalidMetadata")) return undefined;
    throw error;
  }
  const elements = await read(array);
  if (!rounds(cell) && !same(elements, given)) throw new Error(`${cell.name} is read otherwise than written`);
  return { ...cell, array, elements };
}

/** Whether two arrays have the same elements. */
export function same(a: Elements, b: Elements): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return textOf(a) === textOf(b);
}

/** Values as JSON, bytes in base64. */
export const textOf = (values: Elements): string =>
  JSON.stringify(values, (_, value: unknown) =>
    ArrayBuffer.isView(value)
      ? { b64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") }
      : value,
  );

/** Writes the whole matrix of a version into one store. */
export async function writeMatrix(
  version: ZarrVersion,
): Promise<{ store: Map<string, Uint8Array>; written: Written[] }> {
  const store = new Map<string, Uint8Array>();
  const written: Written[] = [];
  for (const cell of cells(version)) {
    // A separate store for each while it is written, because `create` lists the existing keys.
    const own = new Map<string, Uint8Array>();
    const done = await write(own, cell);
    if (!done) continue;
    for (const [key, bytes] of own) store.set(key, bytes);
    written.push(done);
  }
  return { store, written };
}
