/**
 * Copies a box within wasm memory: chunks of the source are decoded to their places in a slab, and chunks of the copy are
 * encoded from there, on workers if there are any. The values of any other array take the way of `get` and `set`.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import { getSession } from "../engine/engine.js";
import type { PlacedStep } from "../engine/session.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { type RegionChunk, type RegionTask, selectedCount } from "../plan/projections.js";
import type { Selection } from "../plan/selection.js";
import { chunkPlace, type Job, Jobs, type PlaceBox } from "../plan/slabs.js";
import { type AssembleOptions, assemble, type Sink } from "../read/assemble.js";
import { projectionsOf, resolveWanted } from "../read/read-region.js";
import { releaseBytes } from "../store/read.js";
import { deleteObject, keepsBytes, writeObject } from "../store/write.js";
import { isZarrError, withDetails } from "../util/errors.js";
import { stridesOf } from "../util/shapes.js";
import { inLanes } from "../walk/lanes.js";
import type { Outcome } from "../workers/encode-work.js";
import { StepFailure } from "../workers/messages.js";
import type { WorkerPool } from "../workers/pool.js";
import { recode } from "../workers/recode-work.js";
import type { Encoded } from "../write/encoder.js";
import { resolveRegion, type WrittenRegion } from "../write/region.js";
import { changeShard } from "../write/shard.js";

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
  /** Objects that are written in parallel. */
  readonly lanes: number;
  readonly writeEmptyChunks: boolean;
  readonly pool: WorkerPool | undefined;
  /** Returns memory for encoded chunks, which the next box reuses. */
  memory(bytes: number): Uint8Array<ArrayBuffer>;
}

/** @returns false if there is no room for the box in wasm memory. */
export async function copyInSlab(copy: SlabCopy): Promise<boolean> {
  const { to, written } = copy;
  const region = resolveRegion(to.reader, written);
  const jobs = [...new Jobs(to.reader, region.parts, to.dtype.itemBytes).inOrder(undefined)];
  const outcomes = await copy.from.reader.again(() => recodeChunks(copy, region, jobs));
  if (!outcomes) return false;
  const encoded = new Map(jobs.flatMap(({ tasks }) => tasks).map((task, i) => [task, outcomes[i]!]));
  await writeChunks(copy, jobs, encoded);
  return true;
}

/** Returns the results of encoding the chunks of the jobs; undefined without room for the box. */
async function recodeChunks(
  { bytes, from, memory, pool, read, reading, to, writeEmptyChunks }: SlabCopy,
  { counts }: WrittenRegion,
  jobs: readonly Job[],
): Promise<Outcome[] | undefined> {
  const { dtype, reader } = from;
  const { itemBytes } = dtype;
  const projections = projectionsOf(resolveWanted(reader, read));
  const chunks = new BoxChunks(from, boxOf(projections.map(selectedCount), itemBytes));
  const box = boxOf(counts, itemBytes);
  const work = {
    ...{ bytes, steps: chunks.steps },
    chunks: jobs.flatMap(({ object, tasks }) => {
      const { plan } = to.reader.layoutOf(object).leaf as CoreChunkCodec;
      return tasks.map(({ projections }) => ({ plan, ...chunkPlace(projections, undefined, box) }));
    }),
    // An undefined fill value could be read as any value by other readers.
    keepsFill: writeEmptyChunks || to.spec.fill.value === null,
  };
  try {
    await assemble({ reader, projections, itemBytes }, chunks, reading);
    const room = keepsBytes(to.store) ? 0 : chunks.encodedBytes;
    return await recode(work, memory(room), pool, reading.signal);
  } catch (error) {
    throw error instanceof StepFailure ? chunks.located(error) : error;
  } finally {
    chunks.release();
  }
}

const boxOf = (shape: readonly number[], itemBytes: number): PlaceBox => ({
  origin: shape.map(() => 0),
  strides: stridesOf(shape, itemBytes),
});

/** Gathers the encoded chunks of a box. */
class BoxChunks implements Sink {
  readonly steps: PlacedStep[] = [];
  encodedBytes = 0;
  /** Task of each step. */
  readonly #tasks: RegionTask[] = [];
  readonly #encoded: Uint8Array[] = [];

  constructor(
    private readonly array: ZarrArray,
    private readonly box: PlaceBox,
  ) {}

  async start(): Promise<void> {}

  put({ task, codec, encoded, start }: RegionChunk): void {
    const place = chunkPlace(task.projections, start, this.box);
    for (const step of (codec as CoreChunkCodec).placed(encoded, place)) {
      this.steps.push(step);
      this.#tasks.push(task);
    }
    if (!encoded) return;
    this.#encoded.push(encoded);
    this.encodedBytes += encoded.byteLength;
  }

  end(): void {}

  /** Adds the chunk's key to the error of a step. */
  located({ error, step }: StepFailure): unknown {
    const { reader } = this.array;
    const { coordinates } = this.#tasks[step]!;
    if (isZarrError(error, "CorruptChunk")) reader.distrust(coordinates);
    return withDetails(error, { chunkKey: reader.keyOf(coordinates) });
  }

  release(): void {
    for (const encoded of this.#encoded) releaseBytes(encoded);
  }
}

async function writeChunks(
  { lanes, reading: { signal }, to: { reader, store } }: SlabCopy,
  jobs: readonly Job[],
  outcomes: ReadonlyMap<RegionTask, Outcome>,
): Promise<void> {
  const sizes = new Map();
  const replace = (task: RegionTask): Encoded => {
    const outcome = outcomes.get(task)!;
    if ("error" in outcome) throw outcome.error;
    return outcome.encoded as Encoded;
  };
  const make = async ({ object, tasks }: Job) => {
    const { levels } = reader.layoutOf(object);
    if (levels.length === 0) return replace(tasks[0]!);
    const session = await getSession("full");
    const work = { session, limits: reader.limits, replace, concurrency: 1, sizes };
    return changeShard(work, levels, undefined, tasks, reader.positionsOf(object, tasks));
  };
  const write = async (job: Job) => {
    const key = reader.objectKey(job.object);
    try {
      const bytes = await make(job);
      if (bytes) await writeObject(store, key, bytes, { signal });
      else await deleteObject(store, key, { signal });
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? error : withDetails(error, { chunkKey: key });
    }
  };
  await inLanes(jobs, lanes, write, signal);
}
