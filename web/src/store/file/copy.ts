/** Copies files without reading them, and lets stores block as long as that is faster (Node, Deno, Bun). */

import { nodeModule } from "../../util/platform.js";
import { resolveRange } from "../read.js";
import { fileCalls, type OwnStore, type RangeQuery, type Store } from "../store.js";
import { hiddenName } from "../temp-names.js";
import type { FileInfo } from "../transport.js";
import { type BlockingFs, folderOf, Latency } from "./blocking.js";
import { CallRunner } from "./calls.js";
import { errorCode, fileError } from "./read.js";
import { beside, type FileWriteOptions, statFile, syncFile, syncFolder, writeError } from "./write.js";

type Fs = typeof import("node:fs/promises");

/** Lets stores of files that only the caller uses block the thread while that is faster: see {@link CallRunner}. */
export async function blockForFiles(...stores: readonly Store[]): Promise<void> {
  const runner = await CallRunner.make();
  for (const store of stores) (store as OwnStore)[fileCalls] = runner;
}

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

/** Failures of a copy by the system that reading and writing may not have. */
const uncopiable = new Set(["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EINVAL"]);

/** Copies files of one folder to another. */
export class FileCopier {
  readonly #mode = newFileMode();
  readonly #latency = new Latency();

  private constructor(
    private readonly fs: Fs,
    private readonly blocking: BlockingFs,
    private readonly toUrl: (path: string) => URL,
    private readonly options: Pick<FileWriteOptions, "fsync" | "beforeCommit">,
  ) {}

  static async make(options: Pick<FileWriteOptions, "fsync" | "beforeCommit">): Promise<FileCopier> {
    const fs = await nodeModule<Fs>("node:fs/promises");
    const blocking = await nodeModule<BlockingFs>("node:fs");
    const { pathToFileURL } = await nodeModule<typeof import("node:url")>("node:url");
    return new FileCopier(fs, blocking, pathToFileURL, options);
  }

  /**
   * Copies a file by a call of the system, atomically like {@link writeFileWhole}. File systems that can share the blocks
   * of two files do not copy them.
   * @param from path of a file, like `to`.
   * @param check gets a reader of the finished copy: the source may have changed during the copy.
   * @returns undefined if `check` refuses the copy, and on file systems that cannot copy.
   * @throws also Network ("file-failed") for a source that is not a regular file.
   */
  async copy(from: string, to: string, check: CheckCopy): Promise<"copied" | "missing" | undefined> {
    const { blocking, fs } = this;
    const { fsync, beforeCommit } = this.options;
    const { COPYFILE_EXCL, COPYFILE_FICLONE } = fs.constants;
    const isSlow = this.#latency.isHigh;
    const folder = folderOf(to);
    let unfinished: string | undefined;
    try {
      const source = isSlow ? await statFile(fs, from) : this.#latency.of(() => statNow(blocking, from));
      if (!source || source.isDirectory()) return "missing";
      // Opening a named pipe would wait for a writer.
      if (!source.isFile()) throw fileError(from, "read", "it is not a regular file");
      const folderUrl = () => this.toUrl(folder);
      unfinished = await beside(fs, folder + hiddenName(), folderUrl, undefined, (file) =>
        fs.copyFile(from, file, COPYFILE_EXCL | COPYFILE_FICLONE),
      );
      if ((source.mode & 0o7777) !== this.#mode) await fs.chmod(unfinished, this.#mode);
      const isWhole = await check(isSlow ? partsOf(fs, unfinished) : partsNow(blocking, unfinished));
      if (!isWhole) return undefined;
      if (fsync) await syncFile(fs, unfinished);
      await beforeCommit?.();
      if (isSlow) await fs.rename(unfinished, to);
      else blocking.renameSync(unfinished, to);
      unfinished = undefined;
      if (fsync) await syncFolder(folderUrl());
      return "copied";
    } catch (cause) {
      if (errorCode(cause) === "ENOENT" && !(await statFile(fs, from))) return "missing";
      if (uncopiable.has(errorCode(cause))) return undefined;
      throw writeError(to, "written", cause);
    } finally {
      if (unfinished) await fs.rm(unfinished, { force: true }).catch(() => {});
    }
  }
}

/** Returns undefined for a missing file. */
const statNow = (fs: BlockingFs, file: string): FileInfo | undefined =>
  fs.statSync(file, { throwIfNoEntry: false });

/** Reads parts of a finished copy, whose name only the copier knows. */
const partsOf =
  (fs: Fs, file: string): ReadPart =>
  async (range) => {
    const handle = await fs.open(file, fs.constants.O_RDONLY);
    try {
      const { size } = await handle.stat();
      const { start, end } = resolveRange(range, size);
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.byteLength, start);
      return { bytes: bytes.subarray(0, bytesRead), size };
    } finally {
      await handle.close();
    }
  };

/** As {@link partsOf}, by blocking calls without promises, which take long compared with the calls. */
const partsNow =
  (fs: BlockingFs, file: string): ReadPart =>
  async (range) => {
    const id = fs.openSync(file, fs.constants.O_RDONLY);
    try {
      const { size } = fs.fstatSync(id);
      const { start, end } = resolveRange(range, size);
      const bytes = new Uint8Array(end - start);
      return { bytes: bytes.subarray(0, fs.readSync(id, bytes, 0, bytes.byteLength, start)), size };
    } finally {
      fs.closeSync(id);
    }
  };
