/** A folder that is written to, in which a signal leaves no file that is half written. */
import { FileSystemStore } from "zarr-wasm/node";
import { atTheEnd } from "./at-the-end.js";

export class FolderStore extends FileSystemStore {
  readonly #writing = new Set<Promise<unknown>>();
  #isEnding = false;
  /** Signals are not waited for any more. */
  readonly release = atTheEnd(() => this.#end());

  override set(...args: Parameters<FileSystemStore["set"]>): Promise<void> {
    return this.#write(() => super.set(...args));
  }

  override copyFrom(...args: Parameters<FileSystemStore["copyFrom"]>): Promise<boolean> {
    return this.#write(() => super.copyFrom(...args));
  }

  /** What is being written is written whole, and nothing else any more: the process ends. */
  async #end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#writing);
  }

  async #write<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isEnding) return new Promise<never>(() => {});
    const writing = work();
    this.#writing.add(writing);
    try {
      return await writing;
    } finally {
      this.#writing.delete(writing);
    }
  }
}
