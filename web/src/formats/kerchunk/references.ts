/** What a ReferenceStore asks of the references behind it, whatever they are written in. */
import type { MaybePromise } from "../../store/store.js";
import type { Reference } from "../parquet/reference.js";

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
