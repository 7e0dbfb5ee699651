/**
 * Copies the chunks of a box from files to files on any thread (Node, Deno, Bun). Their bytes and elements pass through wasm
 * memory only, and no bytes are sent to other threads. The caller gives the written files their names.
 */

import { getSession } from "../engine/engine.js";
import type { PlanWords } from "../engine/plan.js";
import type { CodecSession, Placement, Slab } from "../engine/session.js";
import { BlockingFiles, type BlockingFs, Latency } from "../store/file/blocking.js";
import type { KnownPlans, PoolTask, WorkMessage, WorkResult } from "./messages.js";
import type { WorkerPool } from "./pool.js";

/** A chunk of the source. */
export interface ReadStep<P = PlanWords> extends Placement {
  readonly plan: P;
  /** Writes the fill value if the file is missing. */
  readonly missing: P;
  readonly file: string;
  readonly maxBytes: number;
}

/** A chunk of the target. */
export interface WriteStep<P = PlanWords> extends Placement {
  readonly plan: P;
  /** A new file, which is not written for a chunk that contains only the fill value. */
  readonly file: string;
}

export interface FileWork<P = PlanWords> {
  /** Size of the box. */
  readonly bytes: number;
  readonly reads: readonly ReadStep<P>[];
  readonly writes: readonly WriteStep<P>[];
  /** Whether to encode chunks that contain only the fill value. */
  readonly keepsFill: boolean;
  /** Mean time to open a file so far, in milliseconds. */
  readonly latency: number;
}

export interface FileOutcome {
  /** Encoded bytes that were read. */
  readonly read: number;
  /** Sizes of the written files; 0 for chunks that were not encoded. */
  readonly sizes: readonly number[];
  readonly latency: number;
}

/**
 * Copies the chunks on a worker, or without a pool on this thread.
 * @returns undefined if anything failed or the file system is slow, whether files were written or not.
 */
export async function copyFiles(
  work: FileWork,
  fs: BlockingFs,
  pool: WorkerPool | undefined,
): Promise<FileOutcome | undefined> {
  const task = fileTask(work, fs);
  // Without a signal: files that a worker has written must be known to be removed.
  return pool ? pool.submit(task, undefined) : task.run(await getSession("full"));
}

function fileTask(work: FileWork, fs: BlockingFs): PoolTask<FileOutcome | undefined> {
  const { bytes, reads, writes } = work;
  return {
    kind: "files",
    module: "full",
    inputBytes: 0,
    workBytes: 2 * bytes,
    read: ({ files }) => (isOutcome(files, writes.length) ? { outcome: files } : undefined),
    run: (session) => runFiles(session, work, fs),
    pack: (known): FileWork<number> => ({
      ...work,
      reads: reads.map((step) => ({
        ...step,
        plan: known.planNumber(step.plan),
        missing: known.planNumber(step.missing),
      })),
      writes: writes.map((step) => ({ ...step, plan: known.planNumber(step.plan) })),
    }),
  };
}

function isOutcome(files: WorkResult["files"], count: number): boolean {
  return files === undefined || (Array.isArray(files.sizes) && files.sizes.length === count);
}

/** Decodes the message in the worker. */
export function unpackFiles(known: KnownPlans, { work }: WorkMessage): FileWork {
  const { reads, writes, ...rest } = work as FileWork<number>;
  return {
    ...rest,
    reads: reads.map((step) => ({ ...step, plan: known.get(step.plan), missing: known.get(step.missing) })),
    writes: writes.map((step) => ({ ...step, plan: known.get(step.plan) })),
  };
}

let files: BlockingFiles | undefined;

/** Runs the work on this thread. */
export function runFiles(session: CodecSession, work: FileWork, fs: BlockingFs): FileOutcome | undefined {
  let slab: Slab | undefined;
  try {
    slab = session.makeSlab(work.bytes);
    return copySlab(session, slab, work, fs);
  } catch {
    return undefined;
  } finally {
    if (slab) session.freeSlab(slab);
  }
}

function copySlab(session: CodecSession, slab: Slab, work: FileWork, fs: BlockingFs): FileOutcome {
  files ??= new BlockingFiles(fs);
  files.latency = new Latency(work.latency);
  let read = 0;
  for (const { plan, missing, file, maxBytes, offset, axes } of work.reads) {
    const encoded = files.read(file, maxBytes);
    checkLatency(files);
    read += encoded?.byteLength ?? 0;
    session.place(slab, { plan: encoded ? plan : missing, encoded, offset, axes });
  }
  const sizes = work.writes.map((step) => {
    let size = 0;
    const write = (bytes: Uint8Array) => {
      files!.write(step.file, bytes);
      checkLatency(files!);
      size = bytes.byteLength;
      return bytes as Uint8Array<ArrayBuffer>;
    };
    session.encodePlaced(slab, step, work.keepsFill, write);
    return size;
  });
  return { read, sizes, latency: files.latency.mean };
}

function checkLatency({ latency }: BlockingFiles): void {
  if (latency.isHigh) throw new Error("the file system is slow");
}
