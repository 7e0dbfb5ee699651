/** The references of a store, and those that one document lists. */

import { KeyIndex } from "../../store/key-index.js";
import type { MaybePromise } from "../../store/store.js";
import { untilAborted } from "../../util/async.js";
import { inSlices, runSlice, type Steps, withTurns } from "../../util/slices.js";
import type { Reference } from "../parquet/fields.js";
import { type ReferenceTable, readReference, targetName } from "./document.js";

export interface References {
  /**
   * Returns the reference of a key, undefined if there is none.
   * @param path the key, normalised, with its leading "/".
   * @throws InvalidMetadata ("bad-reference") for an invalid reference; errors of reading the file that
   *   has the reference.
   */
  find(path: string, signal: AbortSignal | undefined): MaybePromise<Reference | undefined>;
  /** Keys known without further reads, with a leading "/". */
  keys(): Iterable<string>;
  /** Names of the folders directly below a folder, sorted. */
  children(folder: string): Promise<string[]>;
  /** Names of the targets, without duplicates; null is the object without a name. Invalid references are skipped. */
  named(): AsyncIterable<string | null>;
}

export class ListedReferences implements References {
  readonly #steps: Steps<void>;
  #state: "loading" | "loaded" | "failed" = "loading";
  #failure: unknown;
  #loading: Promise<void> | undefined;
  #index: KeyIndex | undefined;

  /**
   * Starts reading a document. Small ones are read synchronously.
   * @param steps add the references to the table.
   * @throws InvalidMetadata, Unsupported or LimitExceeded for errors in the part read.
   */
  constructor(
    private readonly table: ReferenceTable,
    steps: Steps<void>,
  ) {
    this.#steps = steps;
    runSlice(this.#rest());
  }

  /** Reads the rest of the document. @throws as the constructor; the signal's reason. */
  async load(signal: AbortSignal | undefined): Promise<void> {
    // Shared by concurrent callers; aborting one must not cancel the others.
    this.#loading ??= inSlices(this.#rest());
    await untilAborted(this.#loading, signal);
  }

  find(path: string, signal: AbortSignal | undefined): MaybePromise<Reference | undefined> {
    if (this.#state === "loaded") return readReference(this.table, path);
    return this.load(signal).then(() => readReference(this.table, path));
  }

  /** Keys in the order of the document, which is read as far as needed. */
  *keys(): Generator<string> {
    for (let i = 0; ; i++) {
      while (i >= this.table.keys.length) if (!this.#step()) return;
      yield this.table.keys[i]!;
    }
  }

  async children(folder: string): Promise<string[]> {
    await this.load(undefined);
    this.#index ??= await inSlices(KeyIndex.steps(this.table.keys));
    return inSlices(this.#index.children(folder));
  }

  async *named(): AsyncGenerator<string | null> {
    await this.load(undefined);
    const seen = new Set<string | null>();
    for await (const key of withTurns(this.table.keys)) {
      const named = targetName(this.table, key);
      if (named === undefined || seen.has(named)) continue;
      seen.add(named);
      yield named;
    }
  }

  *#rest(): Steps<void> {
    while (this.#step()) yield;
  }

  /** Reads a step. @returns whether there is more to read. */
  #step(): boolean {
    if (this.#state === "failed") throw this.#failure;
    if (this.#state === "loaded") return false;
    try {
      if (!this.#steps.next().done) return true;
    } catch (error) {
      this.#state = "failed";
      this.#failure = error;
      throw error;
    }
    this.#state = "loaded";
    return false;
  }
}
