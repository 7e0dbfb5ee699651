/** References that one document lists. */

import { KeyIndex } from "../../store/key-index.js";
import type { MaybePromise } from "../../store/store.js";
import { untilAborted } from "../../util/abort.js";
import { inSlices, runSlice, type Steps, withTurns } from "../../util/slices.js";
import type { Reference } from "../parquet/reference.js";
import type { ReferenceTable } from "./document.js";
import { readReference, targetName } from "./read.js";
import type { References } from "./references.js";

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
