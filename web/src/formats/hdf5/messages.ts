/** Parses the messages of datasets: dataspace, fill value, layout, filters. Spec: HDF5 File Format Specification, IV.A.2. */

import { countOf } from "../../util/shapes.js";
import { badFile, type Cursor } from "../file/cursor.js";
import { checkVersion, type HdfFile } from "./file.js";
import type { ChunkedLayout, ChunkIndex, Dataspace, Filter, Layout } from "./types.js";

/** Maximum number of dimensions of the format. */
const maxRank = 32;

export function readDataspace(file: HdfFile, cursor: Cursor): Dataspace {
  const version = checkVersion(cursor, 1, 2);
  const [rank, flags] = [cursor.u8(), cursor.u8()];
  const isNull = version === 2 ? cursor.u8() === 2 : false;
  if (version === 1) cursor.skip(5);
  if (rank > maxRank) throw badFile(`${cursor.what} has ${rank} dimensions`);
  const shape = Array.from({ length: rank }, () => cursor.uint(file.lengthBytes));
  const maxShape = flags & 1 ? shape.map(() => file.length(cursor)) : shape;
  return { shape: isNull ? undefined : shape, maxShape };
}

/** Reads the fill value as stored; undefined for the default and for none. */
export function readFill(cursor: Cursor): Uint8Array | undefined {
  const version = checkVersion(cursor, 1, 2, 3);
  if (version === 3) return cursor.u8() & 0x20 ? readSized(cursor) : undefined;
  cursor.skip(2);
  const isDefined = cursor.u8() !== 0;
  return isDefined || (version === 1 && cursor.left >= 4) ? readSized(cursor) : undefined;
}

/** Reads a length and as many bytes: the whole message of old versions. */
export function readSized(cursor: Cursor): Uint8Array | undefined {
  const size = cursor.i32();
  return size > 0 ? cursor.take(size) : undefined;
}

export function readFilters(cursor: Cursor): Filter[] {
  const version = checkVersion(cursor, 1, 2);
  const count = cursor.u8();
  if (version === 1) cursor.skip(6);
  return Array.from({ length: count }, () => readFilter(cursor, version));
}

function readFilter(cursor: Cursor, version: number): Filter {
  const id = cursor.u16();
  const nameBytes = version === 1 || id >= 256 ? cursor.u16() : 0;
  const [flags, count] = [cursor.u16(), cursor.u16()];
  const name = cursor.text(version === 1 ? 8 * Math.ceil(nameBytes / 8) : nameBytes);
  const values = Array.from({ length: count }, () => cursor.u32());
  if (version === 1 && count % 2 === 1) cursor.skip(4);
  return { id, name, flags, values };
}

/** Reads the layout. @throws Unsupported for virtual datasets. */
export function readLayout(file: HdfFile, cursor: Cursor): Layout {
  const version = checkVersion(cursor, 1, 2, 3, 4, 5);
  if (version < 3) return readOldLayout(file, cursor);
  const kind = cursor.u8();
  if (kind === 0) return { kind: "compact", bytes: cursor.take(cursor.u16()) };
  if (kind === 1)
    return { kind: "contiguous", address: file.address(cursor), size: cursor.uint(file.lengthBytes) };
  if (kind === 3) throw file.unsupported("virtual datasets are not read");
  if (kind !== 2) throw badFile(`${cursor.what} has the unknown layout class ${kind}`);
  if (version > 3) return readIndexedLayout(file, cursor);
  const rank = readRank(cursor);
  const address = file.address(cursor);
  return treeLayout(cursor, address, rank);
}

function readOldLayout(file: HdfFile, cursor: Cursor): Layout {
  const rank = cursor.u8();
  const kind = cursor.u8();
  cursor.skip(5);
  if (rank > maxRank + 1) throw badFile(`${cursor.what} has ${rank} dimensions`);
  const address = kind === 0 ? undefined : file.address(cursor);
  if (kind === 2 && rank > 0) return treeLayout(cursor, address, rank);
  cursor.skip(4 * rank);
  if (kind === 0) return { kind: "compact", bytes: cursor.take(cursor.u32()) };
  if (kind !== 1) throw badFile(`${cursor.what} has the unknown layout class ${kind}`);
  return { kind: "contiguous", address, size: undefined };
}

/** Reads the number of dimensions of chunks, with the one of the element. */
function readRank(cursor: Cursor): number {
  const rank = cursor.u8();
  if (rank < 2 || rank > maxRank + 1) throw badFile(`${cursor.what} has chunks of ${rank - 1} dimensions`);
  return rank;
}

function readIndexedLayout(file: HdfFile, cursor: Cursor): ChunkedLayout {
  const flags = cursor.u8();
  const rank = readRank(cursor);
  const width = cursor.u8();
  if (width < 1 || width > 8) throw badFile(`${cursor.what} has chunk lengths of ${width} bytes`);
  const lengths = Array.from({ length: rank }, () => cursor.uint(width));
  const index = readIndex(file, cursor, flags);
  return chunkedLayout(cursor, { flags, lengths, address: file.address(cursor), index });
}

/** Kinds of indexes by their number, and the bytes of their parameters. */
const indexes = new Map([
  [2, ["implicit", 0]],
  [3, ["fixed", 1]],
  [4, ["extensible", 5]],
  [5, ["btree2", 6]],
] as const);

function readIndex(file: HdfFile, cursor: Cursor, flags: number): ChunkIndex {
  const number = cursor.u8();
  if (number === 1) {
    const isFiltered = (flags & 2) !== 0;
    const size = isFiltered ? cursor.uint(file.lengthBytes) : undefined;
    return { kind: "single", size, mask: isFiltered ? cursor.u32() : 0 };
  }
  const found = indexes.get(number as 2);
  if (!found) throw file.unsupported(`the chunk index ${number} is not known`);
  cursor.skip(found[1]);
  return { kind: found[0] };
}

/** Reads the lengths of chunks in a B-tree of version 1, which all layouts before version 4 have. */
function treeLayout(cursor: Cursor, address: number | undefined, rank: number): ChunkedLayout {
  const lengths = Array.from({ length: rank }, () => cursor.u32());
  return chunkedLayout(cursor, { flags: 0, lengths, address, index: { kind: "btree1" } });
}

/** @param lengths of a chunk and of an element. */
function chunkedLayout(
  { what }: Cursor,
  {
    lengths,
    ...rest
  }: Pick<ChunkedLayout, "flags" | "address" | "index"> & { readonly lengths: readonly number[] },
): ChunkedLayout {
  const chunkBytes = countOf(lengths);
  if (!(chunkBytes > 0 && chunkBytes <= Number.MAX_SAFE_INTEGER))
    throw badFile(`${what} has chunks of ${chunkBytes} bytes`);
  return { kind: "chunked", chunk: lengths.slice(0, -1), elementBytes: lengths.at(-1)!, chunkBytes, ...rest };
}
