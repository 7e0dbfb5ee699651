/** Copies files by calls of the system, without reading them (Node, Deno, Bun). */

import { nodeModule } from "../../util/platform.js";
import type { ObjectVersion, RangeQuery } from "../store.js";
import { errorCode, type FileHandle, fileError, readFilePart } from "./read.js";
import { beside, type FileWriteOptions, statFile, syncFile, syncFolder, writeError } from "./write.js";

type Fs = typeof import("node:fs/promises");
type BlockingFs = typeof import("node:fs");

/** Part and size of an object. */
export interface ObjectPart {
  readonly bytes: Uint8Array;
  /** Size of the whole object. */
  readonly size: number;
}

/** Reads a part of an object; undefined for a missing object. A range of no bytes asks for the size only. */
export type ReadPart = (range: RangeQuery) => Promise<ObjectPart | undefined>;

/** Whether a finished copy is whole, before it gets its name. */
export type CheckCopy = (read: ReadPart) => Promise<boolean>;

/** Permissions of new files. Asking sets the umask for a moment, in all threads: once per copy. */
const newFileMode = (): number =>
  0o666 & ~((globalThis as { process?: { umask?: () => number } }).process?.umask?.() ?? 0o022);

/** Calls that take microseconds on local file systems. */
type ShortCalls = Pick<Fs, "chmod" | "rename" | "stat"> & {
  open(file: URL, flags: number): Promise<FileHandle>;
};

/** Mean duration of recent calls, in milliseconds, up to which short calls block this thread. */
const maxMean = 0.5;
/** Weight of a call in the mean. */
const weight = 1 / 16;
/** Durations above this count as this: a pause of the thread is not a slow file system. */
const maxDuration = 2;

/**
 * Runs short calls on this thread while they are fast: passing a call to the thread pool and back takes several times as
 * long as the call on a local disk. On slow file systems, calls run in the pool and overlap.
 */
class CallRunner {
  #mean = 0;
  readonly #blocking: ShortCalls;

  constructor(
    private readonly fs: Fs,
    blocking: BlockingFs,
  ) {
    this.#blocking = blockingCalls(blocking, (duration) => {
      this.#mean += weight * (Math.min(duration, maxDuration) - this.#mean);
    });
  }

  /** The calls for the next file. */
  get next(): ShortCalls {
    return this.#mean > maxMean ? this.fs : this.#blocking;
  }
}

type Call = (...given: unknown[]) => unknown;

/** @param note called with the duration of each call. */
function blockingCalls(fs: BlockingFs, note: (duration: number) => void): ShortCalls {
  const run = async (name: string, ...given: unknown[]) => {
    const start = performance.now();
    try {
      return (fs as unknown as Record<string, Call>)[`${name}Sync`]!(...given);
    } finally {
      note(performance.now() - start);
    }
  };
  const calls: Record<string, Call> = {
    async open(...given) {
      const id = await run("open", ...given);
      return {
        stat: run.bind(null, "fstat", id),
        read: async (...part: unknown[]) => ({ bytesRead: await run("read", id, ...part) }),
        close: run.bind(null, "close", id),
      };
    },
  };
  for (const name of ["chmod", "rename", "stat"]) calls[name] = run.bind(null, name);
  return calls as unknown as ShortCalls;
}

/** Failures of a copy by the system that reading and writing may not have. */
const uncopiable = new Set(["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EINVAL"]);

/** Copies files of one folder to another. */
export class FileCopier {
  readonly #mode = newFileMode();

  private constructor(
    private readonly fs: Fs,
    private readonly calls: CallRunner,
    private readonly options: Pick<FileWriteOptions, "fsync" | "beforeCommit">,
  ) {}

  static async make(options: Pick<FileWriteOptions, "fsync" | "beforeCommit">): Promise<FileCopier> {
    const fs = await nodeModule<Fs>("node:fs/promises");
    return new FileCopier(fs, new CallRunner(fs, await nodeModule<BlockingFs>("node:fs")), options);
  }

  /**
   * Copies a file by a call of the system, atomically like {@link writeFileWhole}. File systems that can share the blocks
   * of two files do not copy them.
   * @param check gets a reader of the finished copy: the source may have changed during the copy.
   * @returns undefined if `check` refuses the copy, and on file systems that cannot copy.
   * @throws also Network ("file-failed") for a source that is not a regular file.
   */
  async copy(from: URL, url: URL, check: CheckCopy): Promise<"copied" | "missing" | undefined> {
    const { fs } = this;
    const { fsync, beforeCommit } = this.options;
    const { COPYFILE_EXCL, COPYFILE_FICLONE } = fs.constants;
    const calls = this.calls.next;
    let unfinished: URL | undefined;
    try {
      const source = await statFile(calls, from);
      if (!source || source.isDirectory()) return "missing";
      // Opening a named pipe would wait for a writer.
      if (!source.isFile()) throw fileError(from, "read", "it is not a regular file");
      unfinished = await beside(fs, url, undefined, (file) =>
        fs.copyFile(from, file, COPYFILE_EXCL | COPYFILE_FICLONE),
      );
      if ((source.mode & 0o7777) !== this.#mode) await calls.chmod(unfinished, this.#mode);
      const isWhole = await check(partsOfFile(calls, unfinished));
      if (!isWhole) return undefined;
      if (fsync) await syncFile(fs, unfinished);
      await beforeCommit?.();
      await calls.rename(unfinished, url);
      unfinished = undefined;
      if (fsync) await syncFolder(new URL(".", url));
      return "copied";
    } catch (cause) {
      if (errorCode(cause) === "ENOENT" && !(await statFile(fs, from))) return "missing";
      if (uncopiable.has(errorCode(cause))) return undefined;
      throw writeError(url, "written", cause);
    } finally {
      if (unfinished) await fs.rm(unfinished, { force: true }).catch(() => {});
    }
  }
}

function partsOfFile(calls: ShortCalls, file: URL): ReadPart {
  return async (range) => {
    if ("length" in range && range.length === 0)
      return { bytes: new Uint8Array(0), size: (await calls.stat(file)).size };
    const version: ObjectVersion = {};
    const bytes = await readFilePart(file, { range, version, maxBytes: Number.POSITIVE_INFINITY }, calls);
    return bytes && { bytes, size: version.size! };
  };
}
