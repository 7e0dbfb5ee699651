/** Reads metadata documents of nodes from a store. */
import { type DocumentOptions, readDocument } from "../metadata/document.js";
import { callStore } from "../store/read.js";
import { joinKey, type Store, type StoreGetOptions } from "../store/store.js";
import { invalidMetadata, isZarrError, limitExceeded } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";

/** A requested document: parsed, undefined if it does not exist, or the error of reading it. */
export type Looked =
  | { readonly object?: JsonObject | undefined; readonly error?: never }
  | { readonly error: unknown; readonly object?: never };

/** Requested bytes: undefined if they do not exist, or the error of reading them. */
export type LookedBytes = { readonly bytes: Uint8Array | undefined } | { readonly error: unknown };

/** Returns the document. @throws the error of reading it. */
export function objectOf(looked: Looked): JsonObject | undefined {
  if ("error" in looked && looked.error !== undefined) throw looked.error;
  return looked.object;
}

/** Returns the bytes. @throws the error of reading them. */
export function bytesOf(looked: LookedBytes): Uint8Array | undefined {
  if ("error" in looked) throw looked.error;
  return looked.bytes;
}

type Signal = AbortSignal | undefined;

/**
 * Reads metadata documents of one store, at most `limits.metadataBytes` each. `look` and `lookForBytes`
 * return errors in their results, because the document of another version may be the one that decides.
 */
export class MetadataReader {
  constructor(
    private readonly store: Store,
    private readonly options: DocumentOptions,
  ) {}

  async look(path: string, key: string, signal: Signal): Promise<Looked> {
    try {
      return { object: await this.read(path, key, signal) };
    } catch (error) {
      return { error };
    }
  }

  async lookForBytes(path: string, key: string, signal: Signal): Promise<LookedBytes> {
    try {
      return { bytes: await this.readBytes(path, key, signal) };
    } catch (error) {
      return { error };
    }
  }

  /** Returns the parsed document; undefined if it does not exist. */
  async read(path: string, key: string, signal: Signal): Promise<JsonObject | undefined> {
    const bytes = await this.readBytes(path, key, signal);
    return bytes && readDocument(bytes, key, this.options, signal);
  }

  async readBytes(path: string, key: string, signal: Signal): Promise<Uint8Array | undefined> {
    const full = joinKey(path, key);
    const { metadataBytes } = this.options.limits;
    const bytes = await this.#stored(full, { signal, maxBytes: metadataBytes });
    if (bytes && bytes.byteLength > metadataBytes)
      throw limitExceeded(`${full} has ${bytes.byteLength} bytes, more than the limit of ${metadataBytes}`);
    return bytes;
  }

  /** An HTML page that a server sends instead of a document counts as invalid metadata. */
  async #stored(key: string, options: StoreGetOptions): Promise<Uint8Array | undefined> {
    const { store } = this;
    try {
      return await callStore(store, key, () => store.get(key, options), options.signal);
    } catch (error) {
      if (!isZarrError(error, "Network") || error.code !== "html-page") throw error;
      const name = key.slice(key.lastIndexOf("/") + 1);
      const details = { code: "not-json" as const, status: error.status, cause: error };
      throw invalidMetadata(`${name} is not valid JSON: ${error.message}`, details);
    }
  }
}
