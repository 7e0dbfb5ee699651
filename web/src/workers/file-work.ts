/**
 * Copies the chunks of a box from files to files on any thread (Node, Deno, Bun). Chunks pass through wasm memory only, and
 * are not sent to other threads. The caller renames the written files to their final names.
 */

import { getSession } from "../engine/engine.js";
import type { PlanWords } from "../engine/plan.js";
import type { CodecSession, Placement, Slab } from "../engine/session.js";
import { BlockingFiles, type BlockingFs, Latency } from "../store/file/blocking.js";
import { isSameBytes } from "../util/bytes.js";
import type { FileOutcome, KnownPlans, PoolTask, WorkMessage, WorkResult } from "./messages.js";
import type { WorkerPool } from "./pool.js";
import { isSameSlab } from "./recode-work.js";

interface Plans<P = PlanWords> {
  readonly plan: P;
  /** The plan of the fill value, for missing files. */
  readonly missing: P;
}

const mapPlans = <P, Q>({ plan, missing }: Plans<P>, map: (plan: P) => Q): Plans<Q> => ({
  plan: map(plan),
  missing: map(missing),
});

/** A chunk of the source. */
export interface ReadStep<P = PlanWords> extends Placement, Plans<P> {
  readonly file: string;
  readonly maxBytes: number;
}

/** A chunk of the target. */
export interface WriteStep<P = PlanWords> extends Placement, Plans<P> {
  /** Name of the new file. Not written if the chunk contains only the fill value. */
  readonly file: string;
}

export interface FileWork<P = PlanWords> {
  /** Size of the box. */
  readonly bytes: number;
  readonly reads: readonly ReadStep<P>[];
  readonly writes: readonly WriteStep<P>[];
  /** Whether to encode chunks that contain only the fill value. */
  readonly keepsFill: boolean;
  /** Whether to read and decode the written files, and to compare their elements with the box. */
  readonly verify: boolean;
  /** Mean time to open a file so far, in milliseconds. */
  readonly latency: number;
}

/**
 * Copies the chunks on a worker, or without a pool on this thread.
 * @returns undefined after any failure and on slow file systems; some files may have been written.
 */
export async function copyFiles(
  work: FileWork,
  fs: BlockingFs,
  pool: WorkerPool | undefined,
): Promise<FileOutcome | undefined> {
  const task = fileTask(work, fs);
  // No signal: the caller must wait for the worker before it removes files.
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
    pack: (known): FileWork<number> => {
      const plans = (step: Plans) => mapPlans(step, (plan) => known.planNumber(plan));
      return {
        ...work,
        reads: reads.map((step) => ({ ...step, ...plans(step) })),
        writes: writes.map((step) => ({ ...step, ...plans(step) })),
      };
    },
  };
}

function isOutcome(files: WorkResult["files"], count: number): boolean {
  return files === undefined || (Array.isArray(files.sizes) && files.sizes.length === count);
}

/** Unpacks the message in the worker. */
export function unpackFiles(known: KnownPlans, { work }: WorkMessage): FileWork {
  const { reads, writes, ...rest } = work as FileWork<number>;
  const plans = (step: Plans<number>) => mapPlans(step, (plan) => known.get(plan));
  return {
    ...rest,
    reads: reads.map((step) => ({ ...step, ...plans(step) })),
    writes: writes.map((step) => ({ ...step, ...plans(step) })),
  };
}

let files: BlockingFiles | undefined;

/** Runs the work on this thread. */
export function runFiles(session: CodecSession, work: FileWork, fs: BlockingFs): FileOutcome | undefined {
  const slabs: Slab[] = [];
  try {
    for (let i = 0; i < (work.verify ? 2 : 1); i++) slabs.push(session.makeSlab(work.bytes));
    return copySlab(session, slabs[0]!, slabs[1], work, fs);
  } catch {
    return undefined;
  } finally {
    for (const slab of slabs) session.freeSlab(slab);
  }
}

/** @param again receives the elements of the written files. */
function copySlab(
  session: CodecSession,
  slab: Slab,
  again: Slab | undefined,
  work: FileWork,
  fs: BlockingFs,
): FileOutcome {
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
    let written: Uint8Array | undefined;
    const write = (bytes: Uint8Array) => {
      files!.write(step.file, bytes);
      checkLatency(files!);
      written = again ? readBack(files!, step.file, bytes) : bytes;
      return bytes as Uint8Array<ArrayBuffer>;
    };
    session.encodePlaced(slab, step, work.keepsFill, write);
    if (again) session.place(again, { ...step, plan: written ? step.plan : step.missing, encoded: written });
    return written?.byteLength ?? 0;
  });
  if (again && !isSameSlab(session, slab, again)) throw new Error("elements change when they are encoded");
  return { read, sizes, latency: files.latency.mean };
}

function readBack(files: BlockingFiles, file: string, bytes: Uint8Array): Uint8Array {
  const found = files.read(file, bytes.byteLength);
  if (!found || !isSameBytes(found, bytes)) throw new Error(`${file} differs from the written bytes`);
  return found;
}

function checkLatency({ latency }: BlockingFiles): void {
  if (latency.isHigh) throw new Error("the file system is slow");
}
