/**
 * Copies a box within wasm memory: chunks of the source are decoded to their places in a slab, and chunks of the copy are
 * encoded from there, without copies in JavaScript memory. The values of any other array take the way of `get` and `set`.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import { getSession } from "../engine/engine.js";
import type { CodecSession, Copy, Slab } from "../engine/session.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { type RegionChunk, type RegionTask, selectedCount } from "../plan/projections.js";
import type { Selection } from "../plan/selection.js";
import { chunkPlace, type Job, Jobs, type PlaceBox } from "../plan/slabs.js";
import { type AssembleOptions, assemble, type Sink } from "../read/assemble.js";
import { projectionsOf, resolveWanted } from "../read/read-region.js";
import { releaseBytes } from "../store/read.js";
import { deleteObject, keepsBytes, writeObject } from "../store/write.js";
import type { BufferPool } from "../util/buffers.js";
import { withDetails } from "../util/errors.js";
import { stridesOf } from "../util/shapes.js";
import { encoding } from "../write/encoder.js";
import { resolveRegion } from "../write/region.js";
import { changeShard } from "../write/shard.js";
import { tryMakeSlab } from "../write/write-slabs.js";
import { inLanes } from "./array-copy.js";

/** Whether boxes can be copied in this way: one module has both codecs, and encodes from slabs. */
export function fitsSlab(from: ZarrArray, to: ZarrArray): boolean {
  const [source, target] = [from.reader.firstCodec, to.reader.firstCodec];
  if (source.type !== "core" || target.type !== "core" || target.chain.toBytes.type !== "core") return false;
  return source.decodeModule !== "images" && target.encodeModule !== "images";
}

export interface SlabCopy {
  readonly from: ZarrArray;
  readonly to: ZarrArray;
  /** Selections of the box in either array. */
  readonly read: Selection;
  readonly written: Selection;
  /** Bytes of the box. */
  readonly bytes: number;
  readonly reading: AssembleOptions;
  /** Objects that are encoded and written in parallel. */
  readonly lanes: number;
  readonly writeEmptyChunks: boolean;
  /** Memory of encoded chunks, for stores that do not keep it. */
  readonly buffers: BufferPool;
}

/** @returns false if there is no room for the box in wasm memory. */
export async function copyInSlab(copy: SlabCopy): Promise<boolean> {
  const session = await getSession("full");
  const slab = tryMakeSlab(session, copy.bytes);
  if (!slab) return false;
  try {
    await readIntoSlab(copy, session, slab);
    await writeFromSlab(copy, session, slab);
    return true;
  } finally {
    session.freeSlab(slab);
  }
}

async function readIntoSlab({ from, read, reading }: SlabCopy, session: CodecSession, slab: Slab) {
  const { reader, dtype } = from;
  const projections = projectionsOf(resolveWanted(reader, read));
  const { itemBytes } = dtype;
  const strides = stridesOf(projections.map(selectedCount), itemBytes);
  const box = { origin: projections.map(() => 0), strides };
  await reader.again(() =>
    assemble({ reader, projections, itemBytes }, new BoxSink(session, slab, box), reading),
  );
}

/** Decodes the chunks of a region into a slab that holds all of it. */
class BoxSink implements Sink {
  constructor(
    private readonly session: CodecSession,
    private readonly slab: Slab,
    private readonly box: PlaceBox,
  ) {}

  async start(): Promise<void> {}

  put({ task, codec, encoded, start }: RegionChunk): void {
    const place = chunkPlace(task.projections, start, this.box);
    (codec as CoreChunkCodec).decodePlaced(this.session, encoded, this.slab, place);
    if (encoded) releaseBytes(encoded);
  }

  end(): void {}
}

async function writeFromSlab(
  { to, written, reading: { signal }, lanes, writeEmptyChunks, buffers }: SlabCopy,
  session: CodecSession,
  slab: Slab,
): Promise<void> {
  const { reader, store } = to;
  const { itemBytes } = to.dtype;
  const { counts, parts } = resolveRegion(reader, written);
  const box = { origin: counts.map(() => 0), strides: stridesOf(counts, itemBytes) };
  // An undefined fill value could be read as any value by other readers.
  const keepsFill = writeEmptyChunks || to.spec.fill.value === null;
  const sizes = new Map();
  const isReused = !to.spec.isSharded && !keepsBytes(store);
  const copyInto: Copy = (bytes) => {
    const size = bytes.byteLength;
    const copy = new Uint8Array(buffers.take(size, 2 * size) ?? new ArrayBuffer(size + (size >> 2)), 0, size);
    copy.set(bytes);
    return copy;
  };
  const make = async ({ object, tasks }: Job) => {
    const { levels, leaf } = reader.layoutOf(object);
    const { plan } = leaf as CoreChunkCodec;
    const encode = ({ projections }: RegionTask, _: unknown, copy?: Copy) =>
      encoding(() =>
        session.encodePlaced(slab, { plan, ...chunkPlace(projections, undefined, box) }, keepsFill, copy),
      );
    if (levels.length === 0) return encode(tasks[0]!, undefined, isReused ? copyInto : undefined);
    const work = { session, limits: reader.limits, replace: encode, concurrency: 1, sizes };
    return changeShard(work, levels, undefined, tasks, reader.positionsOf(object, tasks));
  };
  const write = async (job: Job) => {
    const key = reader.objectKey(job.object);
    try {
      const bytes = await make(job);
      if (!bytes) return await deleteObject(store, key, { signal });
      await writeObject(store, key, bytes, { signal });
      if (isReused) buffers.give(bytes.buffer as ArrayBuffer, lanes);
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? error : withDetails(error, { chunkKey: key });
    }
  };
  await inLanes(new Jobs(reader, parts, itemBytes).inOrder(undefined), lanes, write, signal);
}
