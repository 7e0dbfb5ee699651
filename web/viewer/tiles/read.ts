/** Reads a block of whole chunks, each of which may be missing or damaged. */
import {
  type ElementData,
  get,
  isZarrError,
  type Region,
  slice,
  type WorkerPool,
  type ZarrArray,
} from "zarr-wasm";
import { folds } from "../source/folds.js";
import type { ElementBox, TileGrid } from "./grid.js";
import type { Block, Gap } from "./tile.js";

export interface ReadContext {
  readonly pool: WorkerPool | undefined;
  readonly signal: AbortSignal;
}

/**
 * Maximum gap between chunks of a shard that are read together. Wider gaps would fetch bytes that are never
 * shown.
 */
const maxGap = 32 * 1024;
/** Maximum size of a shard read whole: coarse levels take one request. */
const maxWhole = 2 ** 21;

/**
 * Reads the chunks of a box. @throws errors that affect all chunks, and the signal's reason; other errors
 * become gaps.
 */
export async function readBlock(
  key: string,
  array: ZarrArray,
  grid: TileGrid,
  box: ElementBox,
  context: ReadContext,
): Promise<Block> {
  const missing = new Set<string>();
  const onMissing = (coordinates: readonly number[]) => missing.add(coordinates.join());
  const gaps: Gap[] = [];
  let region: Region;
  try {
    region = await readBox(array, grid, box, { ...context, onMissing });
  } catch (error) {
    context.signal.throwIfAborted();
    if (concernsAll(error)) throw error;
    region = await readSingly(array, grid, box, { ...context, onMissing }, (damaged, reason) =>
      gaps.push({ kind: "damaged", start: damaged.start, stop: damaged.stop, error: reason }),
    );
  }
  if (missing.size > 0) {
    const chunks = [...grid.chunksOf(box)];
    const absent = chunks.filter(({ coordinates }) => missing.has(coordinates.join()));
    for (const { box: part } of absent) gaps.push({ kind: "missing", start: part.start, stop: part.stop });
    if (absent.length === chunks.length) region = flat(region);
  }
  return { key, start: box.start, region, gaps, bytes: byteCount(region) };
}

/** Whether the error would affect every chunk. */
export function concernsAll(error: unknown): boolean {
  if (!isZarrError(error)) return true;
  return ["EngineFailed", "UnknownCodec", "Unsupported", "InvalidSelection", "InvalidArgument"].includes(
    error._tag,
  );
}

const getterOf = (array: ZarrArray): typeof get => folds.get(array)?.get ?? get;

interface BoxContext extends ReadContext {
  readonly onMissing: (coordinates: readonly number[]) => void;
}

/** Returns a single whole chunk unchanged; combines several chunks or parts. */
function readBox(
  array: ZarrArray,
  grid: TileGrid,
  { start, stop }: ElementBox,
  context: BoxContext,
): Promise<Region> {
  if (grid.isChunk)
    return array.getChunk<ElementData>(
      start.map((at, axis) => at / grid.tile[axis]!),
      context,
    );
  const selection = start.map((at, axis) => slice(at, stop[axis]!));
  return getterOf(array)<ElementData>(array, selection, {
    ...context,
    priority: "centre",
    coalesceMaxGap: maxGap,
    wholeShardBytes: maxWhole,
  });
}

/** Reads chunk by chunk into one region after reading them together has failed; damaged ones stay zero. */
async function readSingly(
  array: ZarrArray,
  grid: TileGrid,
  box: ElementBox,
  context: BoxContext,
  onDamage: (part: ElementBox, error: unknown) => void,
): Promise<Region> {
  const shape = box.start.map((at, axis) => box.stop[axis]! - at);
  const stride = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  let whole: Region | undefined;
  for (const { box: part } of grid.chunksOf(box)) {
    try {
      const selection = part.start.map((at, axis) => slice(at, part.stop[axis]!));
      const read = await getterOf(array)<ElementData>(array, selection, context);
      whole ??= { data: emptyLike(read, shape), shape, stride, dtype: read.dtype };
      place(
        read,
        whole,
        part.start.map((at, axis) => at - box.start[axis]!),
      );
    } catch (error) {
      context.signal.throwIfAborted();
      if (concernsAll(error)) throw error;
      onDamage(part, error);
    }
  }
  return whole ?? { data: new Uint8Array(0), shape, stride, dtype: array.dtype };
}

/** One element with strides of 0, for a region of equal elements: missing chunks take no memory. */
function flat(region: Region): Region {
  if (region.data.length === 0) return region;
  const data = (region.data as Uint8Array).slice(0, chunkUnit(region));
  return { ...region, data, stride: region.shape.map(() => 0) };
}

/**
 * Typed array elements per element of a region: 2 for complex numbers, the number of bytes for packed ones.
 */
function chunkUnit({ data, shape }: Region): number {
  return data.length / shape.reduce((a, b) => a * b, 1);
}

function emptyLike(read: Region, shape: readonly number[]): ElementData {
  const count = shape.reduce((a, b) => a * b, chunkUnit(read));
  return new (read.data.constructor as new (length: number) => ElementData)(count);
}

/** Copies a region into a larger one, row by row. */
function place(from: Region, into: Region, at: readonly number[]): void {
  const unit = chunkUnit(from);
  const rank = from.shape.length;
  const row = rank === 0 ? 1 : from.shape[rank - 1]!;
  const index = from.shape.map(() => 0);
  for (let source = 0; source < from.data.length; source += row * unit) {
    const target = index.reduce((sum, i, axis) => sum + (i + at[axis]!) * into.stride[axis]!, 0);
    (into.data as Uint8Array).set(
      (from.data as Uint8Array).subarray(source, source + row * unit),
      target * unit,
    );
    let axis = rank - 2;
    while (axis >= 0 && ++index[axis]! === from.shape[axis]) index[axis--] = 0;
  }
}

const byteCount = ({ data }: Region): number => data.byteLength;
