/** The store that chunks are written to: what is there already stays, and what is written is counted. */
import type { GetOptions, RangeQuery, SetOptions, Store, WriteOptions } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import type { Tally } from "./tally.js";

export class TargetStore implements Store {
  /** Keys that are there, and whole: they are not written again. */
  readonly kept = new Set<string>();
  /** Keys that have been written, until somebody takes them out. */
  readonly written = new Set<string>();
  declare readonly getRange?: NonNullable<Store["getRange"]>;

  /** @param mayHoldMore whether there may be objects that have to be deleted, left by an earlier copy. */
  constructor(
    private readonly store: Store,
    private readonly tally: Tally,
    private readonly mayHoldMore: boolean,
  ) {
    if (!store.getRange) return;
    this.getRange = (key: string, range: RangeQuery, options?: GetOptions) =>
      store.getRange!(key, range, options);
  }

  get conditional(): Store["conditional"] {
    return this.store.conditional;
  }

  locate(key: string): string {
    return this.store.locate?.(key) ?? key;
  }

  get(key: string, options?: GetOptions) {
    return this.store.get(key, options);
  }

  async set(key: string, value: Uint8Array, options?: SetOptions): Promise<void> {
    if (this.kept.has(key)) return;
    await this.store.set!(key, value, options);
    this.written.add(key);
    this.tally.bytesWritten += value.byteLength;
  }

  /** Copies a file as it is, where this is a folder, too. @returns false where that cannot be, or there is none. */
  async copyFrom(source: Store, from: string, key: string, size: number): Promise<boolean> {
    const { store } = this;
    if (!(store instanceof FileSystemStore && source instanceof FileSystemStore)) return false;
    if (this.kept.has(key) || !(await store.copyFrom(source, from, key))) return false;
    this.tally.bytesRead += size;
    this.tally.bytesWritten += size;
    return true;
  }

  async delete(key: string, options?: WriteOptions): Promise<void> {
    if (this.mayHoldMore && !this.kept.has(key)) await this.store.delete!(key, options);
  }
}
