/** What a ReferenceStore asks of the references behind it, whatever they are written in. */

import { KeyIndex } from "../../store/key-index.js";
import type { MaybePromise } from "../../store/store.js";
import { untilAborted } from "../../util/abort.js";
import { inSlices, runSlice, type Steps, withTurns } from "../../util/slices.js";
import type { Reference } from "../parquet/fields.js";
import { type ReferenceTable, readReference, targetName } from "./document.js";

export interface References {
  /**
   * What a key stands for; undefined for nothing.
   * @param path the key, normalised, with its leading "/".
   * @throws InvalidMetadata ("bad-reference") for a reference that cannot be read; for those that are in files of their
   *   own, what reading these throws.
   */
  find(path: string, signal: AbortSignal | undefined): MaybePromise<Reference | undefined>;
  /** The keys that can be told without reading more, each with its leading "/". */
  keys(): Iterable<string>;
  /** Names of the folders directly below a folder, sorted. */
  children(folder: string): Promise<string[]>;
  /** What the references name, each once, null being the object that needs no name; those that cannot be read are left out. */
  named(): AsyncIterable<string | null>;
}

export class ListedReferences implements References {
  readonly #steps: Steps<void>;
  #state: "loading" | "loaded" | "failed" = "loading";
  #failure: unknown;
  #loading: Promise<void> | undefined;
  #index: KeyIndex | undefined;

  /**
   * Begins to read a document. Small ones are complete at once.
   * @param steps what adds the references to the table.
   * @throws InvalidMetadata, Unsupported or LimitExceeded for a document that cannot be read, as far as that has shown.
   */
  constructor(
    private readonly table: ReferenceTable,
    steps: Steps<void>,
  ) {
    this.#steps = steps;
    runSlice(this.#rest());
  }

  /** Reads the document to its end. @throws as the constructor; the signal's reason. */
  async load(signal: AbortSignal | undefined): Promise<void> {
    // Shared by concurrent callers; aborting one must not cancel the others.
    this.#loading ??= inSlices(this.#rest());
    await untilAborted(this.#loading, signal);
  }

  find(path: string, signal: AbortSignal | undefined): MaybePromise<Reference | undefined> {
    if (this.#state === "loaded") return readReference(this.table, path);
    return this.load(signal).then(() => readReference(this.table, path));
  }

  /** The keys. While a large document is still being read, each takes as long as it takes to get there. */
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

  /** Goes on reading. @returns whether there is more to read. */
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
