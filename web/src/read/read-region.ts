/**
 * Implements `get`, `getBytes` and `getChunk` after their arguments were checked. The bytes of a chunk are
 * passed directly from the store to the decoder, which writes to the chunk's place in the result.
 */

import {
  type ChunkCodec,
  type Content,
  type CoreChunkCodec,
  type VlenChunkCodec,
  withSession,
} from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import {
  checkElements,
  checkValues,
  type ElementData,
  isConverted,
  readElements,
  toBytes,
  toElements,
} from "../dtypes/elements.js";
import { packStrings } from "../dtypes/strings.js";
import { getSession } from "../engine/engine.js";
import {
  type AxisPicks,
  type ChunkTask,
  type FetchedChunk,
  type Projection,
  pickCount,
  pickElements,
  projectPicks,
  type RegionChunk,
  type RegionTask,
  selectedCount,
} from "../plan/projections.js";
import { type AxisSelection, resolveSelection, type Selection } from "../plan/selection.js";
import { chunkPlace } from "../plan/slabs.js";
import { ownBuffer } from "../store/read.js";
import { Limiter } from "../util/async.js";
import { isZarrError, limitExceeded, withDetails } from "../util/errors.js";
import { preload } from "../util/lazy.js";
import { countOf, stridesOf } from "../util/shapes.js";
import { type AssembleOptions, assemble, type DecodePool, ResultBytes, type Sink } from "./assemble.js";
import type { FetchOptions } from "./object-reader.js";
import { type ArrayReader, defaultCoalescing } from "./reader.js";
import { isNativeCopy, NativeSink, SlabSink } from "./slab-sink.js";

/** Checked options of a read. */
export interface RegionOptions extends AssembleOptions {
  readonly pool?: DecodePool | undefined;
}

/** A resolved selection: the elements to read, and those to pick from them. */
export interface Wanted {
  /** Shape of the result. */
  readonly shape: readonly number[];
  readonly axes: readonly AxisPicks[];
}

/** An axis without elements to read. */
const nothing: AxisPicks = { projections: [], length: 0, picks: undefined };

/** @throws InvalidSelection, LimitExceeded. */
export function resolveWanted(reader: ArrayReader, selection: Selection | undefined): Wanted {
  const { spec, axes } = reader;
  const ranges = resolveSelection(selection, spec.shape, spec.dimensionNames, true);
  const shape = ranges.filter((range) => !range.dropped).map((range) => range.count);
  // Whatever the lengths of the other axes, their chunks are not listed.
  if (ranges.some((range) => range.count === 0)) return { shape, axes: ranges.map(() => nothing) };
  // Checked before chunks are listed.
  checkSize(countOf(shape) * (spec.dtype.itemBytes || 8), reader);
  checkChunks(countChunks(ranges, reader), reader);
  return { shape, axes: ranges.map((range, axis) => projectPicks(range, axes[axis]!)) };
}

/**
 * Returns the number of chunks that a selection touches, including inner chunks of shards. @throws
 * InvalidSelection.
 */
export function chunksTouched(reader: ArrayReader, selection: Selection | undefined): number {
  const { shape, dimensionNames } = reader.spec;
  return countChunks(resolveSelection(selection, shape, dimensionNames, true), reader);
}

const countChunks = (ranges: readonly AxisSelection[], { axes }: ArrayReader): number =>
  countOf(ranges.map((range, axis) => pickCount(range, axes[axis]!)));

export const projectionsOf = ({ axes }: Wanted): readonly (readonly Projection[])[] =>
  axes.map((axis) => axis.projections);
const hasLists = ({ axes }: Wanted): boolean => axes.some((axis) => axis.picks !== undefined);
const readCount = ({ axes }: Wanted): number => countOf(axes.map((axis) => axis.length));

/** @throws LimitExceeded. */
function checkSize(bytes: number, { limits }: ArrayReader): void {
  if (!(bytes <= limits.resultBytes))
    throw limitExceeded(`the selection has ${bytes} bytes, more than the limit of ${limits.resultBytes}`);
}

function checkChunks(count: number, { limits }: ArrayReader): void {
  if (!(count <= limits.readChunks))
    throw limitExceeded(`the selection touches ${count} chunks, more than the limit of ${limits.readChunks}`);
}

/** Destination of the result's elements. */
interface OutOptions {
  readonly out?: ElementData | unknown[] | undefined;
  readonly useSharedArrayBuffer?: boolean | undefined;
}

/**
 * Reads a region as elements, into `out` if given. @throws InvalidArgument for an `out` that does not fit.
 */
export async function readElementsOf(
  reader: ArrayReader,
  wanted: Wanted,
  options: RegionOptions,
  { out, useSharedArrayBuffer }: OutOptions,
): Promise<ElementData | unknown[]> {
  const { dtype } = reader.spec;
  const count = countOf(wanted.shape);
  if (dtype.isVariable) {
    if (out !== undefined) checkValues(dtype, out, count, "out");
    return readValues(reader, wanted, options, out as unknown[] | undefined);
  }
  if (out !== undefined) checkElements(dtype, out, count, "out");
  // Types with another JavaScript representation are assembled as stored first.
  const direct = out !== undefined && !isConverted(dtype);
  const given = direct ? toBytes(dtype, out) : undefined;
  const result = given
    ? new ResultBytes(given.byteLength, given)
    : newBytes(reader, count, useSharedArrayBuffer);
  await readInto(reader, wanted, result, options);
  if (direct) return out;
  if (out === undefined) return toElements(dtype, result.bytes);
  readElements(dtype, result.bytes, out);
  return out;
}

/** Reads a region as packed bytes. */
export async function readBytesOf(
  reader: ArrayReader,
  wanted: Wanted,
  options: RegionOptions,
  { useSharedArrayBuffer }: OutOptions,
): Promise<Uint8Array> {
  const result = newBytes(reader, countOf(wanted.shape), useSharedArrayBuffer);
  await readInto(reader, wanted, result, options);
  return result.bytes;
}

/** Reads a region as packed bytes into the caller's memory, which must have exactly that size. */
export function readBytesInto(
  reader: ArrayReader,
  wanted: Wanted,
  out: Uint8Array,
  options: RegionOptions,
): Promise<void> {
  return readInto(reader, wanted, new ResultBytes(out.byteLength, out), options);
}

/** Reads the stored bytes of a selection. */
async function readInto(
  reader: ArrayReader,
  wanted: Wanted,
  target: ResultBytes,
  options: RegionOptions,
): Promise<void> {
  const { dtype } = reader.spec;
  if (reader.firstCodec.type === "vlen") {
    // Strings of fixed length that are stored as values (labels of a categorize filter).
    target.bytes.set(packStrings(dtype, (await readValues(reader, wanted, options)) as string[]));
    return;
  }
  if (!hasLists(wanted)) return readProjections(reader, wanted, target, options);
  const { itemBytes } = dtype;
  const read = newBytes(reader, readCount(wanted), false);
  await readProjections(reader, wanted, read, options);
  pickElements(wanted.axes, (from, to, count) => {
    const start = from * itemBytes;
    target.bytes.set(read.bytes.subarray(start, start + count * itemBytes), to * itemBytes);
  });
}

/** Reads the projections, without picking. */
async function readProjections(
  reader: ArrayReader,
  wanted: Wanted,
  target: ResultBytes,
  options: RegionOptions,
): Promise<void> {
  const codec = reader.firstCodec as CoreChunkCodec;
  const projections = projectionsOf(wanted);
  const located = (error: unknown, { coordinates }: RegionTask) => {
    if (isZarrError(error, "CorruptChunk")) reader.distrust(coordinates);
    return withDetails(error, { chunkKey: reader.keyOf(coordinates) });
  };
  const plan = { reader, projections, itemBytes: reader.spec.dtype.itemBytes };
  await reader.again(() => {
    if (isNativeCopy(codec, projections))
      return assemble(plan, new NativeSink(codec, projections, target), fewRawChunks(codec, options));
    const { pool } = options;
    const pooled = pool?.makeSink(codec, projections, target, located);
    if (pooled) return assemble(plan, pooled, { ...options, transport: pool!.transport });
    return assemble(plan, new SlabSink(codec, projections, target), options);
  });
}

/** Size of raw chunks that may be in memory together, and their minimum number. */
const maxRawBytes = 64 * 2 ** 20;
const minRawChunks = 4;

/** Bounds the memory of large chunks that are only copied: touching more of it takes longer than copying them. */
function fewRawChunks({ plan }: CoreChunkCodec, options: RegionOptions): RegionOptions {
  const count = Math.max(minRawChunks, Math.floor(maxRawBytes / Math.max(1, plan.decodedBytes)));
  return { ...options, concurrency: Math.min(options.concurrency, count) };
}

interface ReadChunkOptions {
  readonly signal?: AbortSignal | undefined;
  readonly pool?: DecodePool | undefined;
  readonly onMissing?: ((coordinates: readonly number[]) => void) | undefined;
}

/** The elements of one whole chunk, with its shape. */
interface ChunkElements {
  readonly data: ElementData | readonly unknown[];
  readonly shape: readonly number[];
}

/** Reads and decodes one whole chunk; filled with the fill value if it is not stored. */
export async function readChunkElements(
  reader: ArrayReader,
  coordinates: readonly number[],
  { signal, pool, onMissing }: ReadChunkOptions,
): Promise<ChunkElements> {
  const { dtype } = reader.spec;
  // Decodes during the read of the object, because a chunk that fails to decode can reveal an outdated shard
  // index.
  const { firstCodec } = reader;
  const isPooled = firstCodec.type === "core" && pool?.takes(firstCodec, "decode");
  const asked = { signal, transport: isPooled ? pool!.transport : undefined };
  if (!isPooled && firstCodec.usesCore) preload(() => getSession(firstCodec.decodeModule)); // during the request
  return visitChunk(reader, coordinates, asked, async ({ codec, encoded }) => {
    if (!encoded) onMissing?.(coordinates);
    const content = await decodeChunk(codec, encoded, pool, signal);
    return { data: await elementsOf(content), shape: codec.shape };
  });

  async function elementsOf(content: Content): Promise<ElementData | readonly unknown[]> {
    if (content instanceof Uint8Array) return toElements(dtype, content);
    if (dtype.isVariable) return content;
    return toElements(dtype, packStrings(dtype, content as string[]));
  }
}

function decodeChunk(
  codec: LeafChunkCodec,
  encoded: Uint8Array | undefined,
  pool: DecodePool | undefined,
  signal: AbortSignal | undefined,
): Content | Promise<Content> {
  if (!encoded) return codec.missing();
  if (codec.type === "core" && pool?.takes(codec, "decode")) return pool.decode(codec, encoded, signal);
  const decoder: ChunkCodec = codec;
  return withSession(decoder, (session) => decoder.decode(session, encoded));
}

/** Reads one whole chunk as stored, in a separate buffer; undefined if it is missing. */
export function readEncodedChunk(
  reader: ArrayReader,
  coordinates: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  return visitChunk(reader, coordinates, { signal }, ({ encoded }) => encoded && ownBuffer(encoded));
}

/**
 * Reads one whole chunk and returns the result of a function of it. @throws errors that name the chunk's key.
 */
async function visitChunk<T>(
  reader: ArrayReader,
  coordinates: readonly number[],
  { signal, transport }: Pick<FetchOptions, "signal" | "transport">,
  use: (chunk: FetchedChunk<ChunkTask>) => T | Promise<T>,
): Promise<T> {
  const options = {
    signal,
    transport,
    limiter: new Limiter(1),
    requests: new Limiter(1),
    coalescing: defaultCoalescing,
  };
  let made: T | undefined;
  try {
    await reader.again(() =>
      reader.readChunk(coordinates, options, async (chunk) => {
        made = await use(chunk);
      }),
    );
  } catch (error) {
    if (signal?.aborted && error === signal.reason) throw error;
    throw withDetails(error, { chunkKey: reader.keyOf(coordinates) });
  }
  return made as T;
}

function newBytes(reader: ArrayReader, count: number, isShared = false): ResultBytes {
  const bytes = count * reader.spec.dtype.itemBytes;
  checkSize(bytes, reader);
  return new ResultBytes(bytes, { isShared });
}

/** Reads a region as a list of values. */
async function readValues(
  reader: ArrayReader,
  wanted: Wanted,
  options: RegionOptions,
  out?: unknown[],
): Promise<unknown[]> {
  const count = countOf(wanted.shape);
  const read = hasLists(wanted) ? newList(reader, readCount(wanted)) : (out ?? newList(reader, count));
  const projections = projectionsOf(wanted);
  // Minimum size of an element: a reference.
  const plan = { reader, projections, itemBytes: 8 };
  await reader.again(() => assemble(plan, new VlenSink(projections, read), options));
  if (!hasLists(wanted)) return read;
  const picked = out ?? new Array<unknown>(count);
  pickElements(wanted.axes, (from, to, run) => {
    for (let i = 0; i < run; i++) picked[to + i] = read[from + i];
  });
  return picked;
}

/** Engines store longer lists as hash tables, with ten times the memory, and crash at some length. */
const maxListLength = 2 ** 25;

function newList(reader: ArrayReader, count: number): unknown[] {
  checkSize(8 * count, reader);
  if (count > maxListLength)
    throw limitExceeded(`a list of ${count} values is longer than the limit of ${maxListLength}`);
  return new Array<unknown>(count).fill(null);
}

class VlenSink implements Sink {
  readonly #box: { readonly origin: readonly number[]; readonly strides: readonly number[] };

  /** @param out the result, in C order. */
  constructor(
    projections: readonly (readonly Projection[])[],
    private readonly out: unknown[],
  ) {
    this.#box = { origin: projections.map(() => 0), strides: stridesOf(projections.map(selectedCount)) };
  }

  async start(): Promise<void> {}

  put({ task, codec, encoded }: RegionChunk): void | Promise<void> {
    const leaf = codec as VlenChunkCodec;
    const place = chunkPlace(task.projections, undefined, this.#box);
    // Missing chunks need no decoder.
    if (!encoded) return leaf.decodePlaced(undefined, undefined, this.out, place);
    return withSession(leaf, (session) => leaf.decodePlaced(session, encoded, this.out, place));
  }

  end(): void {}
}
