/** Copies boxes from folder to folder: each thread reads, decodes, encodes and writes files. */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { Placement } from "../engine/session.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { selectedCount } from "../plan/projections.js";
import { chunkPlace, Jobs, type PlaceBox } from "../plan/slabs.js";
import { anyReadInPart } from "../read/object-reader.js";
import { projectionsOf, resolveWanted } from "../read/read-region.js";
import { folderOf } from "../store/file/blocking.js";
import { normalizePath } from "../store/path.js";
import { hiddenName } from "../store/temp-names.js";
import { deleteObject } from "../store/write.js";
import { type Box, stridesOf } from "../util/shapes.js";
import { countIn } from "../walk/boxes.js";
import { copyFiles, type FileWork, type ReadStep, type WriteStep } from "../workers/file-work.js";
import type { FileOutcome } from "../workers/messages.js";
import type { WorkerPool } from "../workers/pool.js";
import { resolveRegion } from "../write/region.js";
import type { TargetStore } from "./array-copy.js";
import type { FolderPair } from "./destination.js";
import type { View } from "./view.js";

/** An array and the array that is written. */
export interface CopiedArray {
  readonly from: View;
  readonly to: ZarrArray;
  readonly verify: boolean;
  /** Whether chunks of fill value are stored. Default: false. */
  readonly writeEmptyChunks?: boolean;
  readonly pool: WorkerPool | undefined;
  readonly signal: AbortSignal | undefined;
  /** Called with the number of encoded bytes that were read from the source. */
  onRead(bytes: number): void;
}

export const slabOf = (shape: readonly number[], itemBytes: number): PlaceBox => ({
  origin: shape.map(() => 0),
  strides: stridesOf(shape, itemBytes),
});

/** A file to write, with the key of its object. */
interface Written extends WriteStep {
  readonly key: string;
}

const plannedStep = (codec: CoreChunkCodec, place: Placement) => ({
  ...place,
  plan: codec.plan,
  missing: codec.placed(undefined, place)[0]!.plan,
});

/** Makes a call of the file system. @returns false if it failed. */
function attempt(call: () => void): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}

/** Copies the boxes of one array, several at a time. */
export class FileBoxes {
  #latency = 0;
  /** Whether a box could not be copied. */
  #hasFailed = false;

  constructor(
    private readonly folders: FolderPair,
    private readonly store: TargetStore,
  ) {}

  /**
   * Copies a box.
   * @param place selection of the written array.
   * @returns false if nothing was written: copy the box through the stores, which report the reason.
   * @throws Network if the lock is lost; errors of the store; the reason of the signal.
   */
  async copy(copy: CopiedArray, box: Box, place: Parameters<typeof resolveRegion>[1]): Promise<boolean> {
    if (this.#hasFailed) return false;
    const reads = this.#reads(copy, box);
    if (!reads) return false;
    const writes = this.#writes(copy.to, place);
    const keepsFill = (copy.writeEmptyChunks ?? false) || copy.to.spec.fill.value === null;
    const work = {
      bytes: countIn(box) * copy.to.dtype.itemBytes,
      reads,
      writes: writes.map(({ key: _, ...step }) => step),
      keepsFill,
      verify: copy.verify,
      latency: this.#latency,
    };
    const outcome = await this.folders.run(() => this.#run(work, writes, copy));
    this.#hasFailed ||= !outcome;
    if (!outcome) return false;
    copy.onRead(outcome.read);
    // Outside the other write: when the process ends, a write within a write would never finish.
    for (const [i, { key }] of writes.entries())
      if (outcome.sizes[i] === 0) await deleteObject(this.store, key, { signal: copy.signal });
    return true;
  }

  /** Returns undefined if files could not be written. */
  async #run(
    work: FileWork,
    writes: readonly Written[],
    { pool, signal }: CopiedArray,
  ): Promise<FileOutcome | undefined> {
    const { fs, to } = this.folders;
    const unfinished = new Set(writes);
    try {
      const outcome = await copyFiles(work, fs, pool);
      signal?.throwIfAborted();
      if (!outcome) return undefined;
      this.#latency = outcome.latency;
      await this.folders.checkLock();
      for (const [i, write] of writes.entries()) {
        const size = outcome.sizes[i]!;
        if (size > 0 && !attempt(() => fs.renameSync(write.file, to + normalizePath(write.key))))
          return undefined;
        unfinished.delete(write);
        if (size > 0) this.store.note(write.key, size);
      }
      return outcome;
    } finally {
      for (const { file } of unfinished) attempt(() => fs.rmSync(file, { force: true }));
    }
  }

  /** Returns the chunks to read; undefined if they are not whole files that the core decodes. */
  #reads({ from }: CopiedArray, box: Box): ReadStep[] | undefined {
    const { reader, dtype } = from.array;
    const projections = projectionsOf(resolveWanted(reader, from.selectionFor(box)));
    const slab = slabOf(projections.map(selectedCount), dtype.itemBytes);
    const reads: ReadStep[] = [];
    for (const job of new Jobs(reader, projections, dtype.itemBytes).inOrder(undefined)) {
      const codec = reader.layoutOf(job.object).leaf as CoreChunkCodec;
      if (codec.isFramed || anyReadInPart(codec, job)) return undefined;
      const file = this.folders.from + normalizePath(reader.objectKey(job.object));
      const maxBytes = Math.min(codec.encodedBound, reader.limits.encodedBytes, this.folders.maxBytes);
      for (const { projections } of job.tasks) {
        const step = plannedStep(codec, chunkPlace(projections, undefined, slab));
        reads.push({ ...step, file, maxBytes });
      }
    }
    return reads;
  }

  #writes({ dtype, reader }: ZarrArray, place: Parameters<typeof resolveRegion>[1]): Written[] {
    const { counts, parts } = resolveRegion(reader, place);
    const slab = slabOf(counts, dtype.itemBytes);
    const writes: Written[] = [];
    for (const { object, tasks } of new Jobs(reader, parts, dtype.itemBytes).inOrder(undefined)) {
      const key = reader.objectKey(object);
      if (this.store.kept.has(key)) continue;
      const codec = reader.layoutOf(object).leaf as CoreChunkCodec;
      const file = folderOf(this.folders.to + normalizePath(key)) + hiddenName();
      for (const { projections } of tasks)
        writes.push({ ...plannedStep(codec, chunkPlace(projections, undefined, slab)), file, key });
    }
    return writes;
  }
}
