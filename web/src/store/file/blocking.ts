/** Reads and writes whole files by blocking calls of the file system (Node, Deno, Bun). */

import { uninitialised } from "../../util/platform.js";
import { errorCode } from "./read.js";

export type BlockingFs = typeof import("node:fs");

/** Weight of a call in the mean. */
const weight = 1 / 16;
/** Upper bound of a measured duration, in milliseconds: a pause of the thread does not mean a slow file system. */
const maxDuration = 2;
/** Mean duration above which calls should run in other threads, in parallel, in milliseconds. */
const maxMean = 0.5;

/**
 * Measures whether blocking calls are faster: on a local disk, passing a call to the thread pool and back takes longer than
 * the call. On slow file systems, calls in the pool overlap.
 */
export class Latency {
  /** @param mean mean duration of recent calls, in milliseconds. */
  constructor(public mean = 0) {}

  /** Makes a call and measures it. */
  of<T>(call: () => T): T {
    const start = performance.now();
    try {
      return call();
    } finally {
      this.mean += weight * (Math.min(performance.now() - start, maxDuration) - this.mean);
    }
  }

  get isHigh(): boolean {
    return this.mean > maxMean;
  }
}

/** Reads files into reused memory, and writes files. */
export class BlockingFiles {
  #memory = new Uint8Array(0);
  latency = new Latency();

  constructor(private readonly fs: BlockingFs) {}

  /**
   * Returns the content of a file, in memory that the next call reuses; undefined for a missing file.
   * @throws errors of the system; Error for a file that is not regular, longer than `maxBytes`, or truncated during the read.
   */
  read(file: string, maxBytes: number): Uint8Array | undefined {
    const { fs } = this;
    const id = this.latency.of(() => openFile(fs, file));
    if (id === undefined) return undefined;
    try {
      const info = fs.fstatSync(id);
      if (!info.isFile() || info.size > maxBytes)
        throw new Error(`${file} is not a file of at most ${maxBytes} bytes`);
      if (this.#memory.byteLength < info.size) this.#memory = uninitialised(info.size);
      if (fs.readSync(id, this.#memory, 0, info.size, 0) < info.size)
        throw new Error(`${file} was truncated`);
      return this.#memory.subarray(0, info.size);
    } finally {
      fs.closeSync(id);
    }
  }

  /**
   * Writes a new file. Creates its folder.
   * @throws errors of the system; EEXIST for a file that exists: a worker that was stopped may still be writing to it.
   */
  write(file: string, bytes: Uint8Array): void {
    const { fs } = this;
    const id = this.latency.of(() => createFile(fs, file));
    try {
      for (let at = 0; at < bytes.byteLength; ) at += fs.writeSync(id, bytes, at, bytes.byteLength - at);
    } finally {
      fs.closeSync(id);
    }
  }
}

/** Returns the folder of a file, with a separator at the end. */
export const folderOf = (file: string): string =>
  file.slice(0, Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);

/** Opens a file for reading. Without O_NONBLOCK, opening a named pipe waits for a writer. */
function openFile(fs: BlockingFs, file: string): number | undefined {
  const { O_RDONLY, O_NONBLOCK = 0 } = fs.constants;
  try {
    return fs.openSync(file, O_RDONLY | O_NONBLOCK);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw cause;
  }
}

function createFile(fs: BlockingFs, file: string): number {
  try {
    return fs.openSync(file, "wx");
  } catch (cause) {
    if (errorCode(cause) !== "ENOENT") throw cause;
    fs.mkdirSync(folderOf(file), { recursive: true });
    return fs.openSync(file, "wx");
  }
}
