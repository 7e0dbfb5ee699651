/**
 * Reads and writes metadata documents: on the condition that they have not changed since they were read, and
 * finding out whether a write without an answer was applied.
 *
 * For this, documents end with stamps of 32 whitespace characters, which JSON readers ignore: first the origin,
 * which all versions share since the document was created or a program dropped its stamps; then the last write
 * of each of up to 24 stores.
 */

import { parseDocument } from "../metadata/document.js";
import { printDocument } from "../metadata/print.js";
import {
  conflictError,
  existsError,
  inTurn,
  isConflict,
  isOutcomeUnknown,
  outcomeUnknown,
  retryConflicts,
} from "../store/concurrency.js";
import { handleOf, innermostStore } from "../store/handle.js";
import { joinKey, type ObjectVersion, type Store, type StoreSetOptions } from "../store/store.js";
import { readObject, supportsConditions, writeObject } from "../store/write.js";
import { invalidMetadata, isZarrError, limitExceeded } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { defaultLimits, type Limits, resolveLimits } from "../util/limits.js";
import { textDecoder } from "../util/platform.js";

export type Stamps = readonly string[];

const symbols = " \t\n\r";
const stampLength = 32;
/** Number of symbols that identify the store in the stamp of a write; the others identify the write. */
const writerLength = 20;
const maxWrites = 24;
/** First symbol of origins: of new documents, and of those whose stamps another program has dropped. */
const origins = { created: " ", dropped: "\t" } as const;

/** A document as read, with the version for a conditional write. */
export interface ReadDocument {
  readonly object: JsonObject;
  readonly version: ObjectVersion;
  readonly stamps: Stamps;
  /** Stored length in bytes. */
  readonly bytes: number;
}

/** Reads a document. @returns undefined if there is none. */
export async function readDocument(
  store: Store,
  path: string,
  key: string,
  signal: AbortSignal | undefined,
  limits: Limits = resolveLimits(undefined),
): Promise<ReadDocument | undefined> {
  const version: ObjectVersion = {};
  const full = joinKey(path, key);
  const bytes = await readObject(store, full, { signal, version, maxBytes: limits.metadataBytes });
  if (!bytes) return undefined;
  if (bytes.byteLength > limits.metadataBytes)
    throw limitExceeded(
      `${full} has ${bytes.byteLength} bytes, more than the limit of ${limits.metadataBytes}`,
    );
  try {
    const object = parseDocument(bytes, full, { limits });
    return { object, version, stamps: stampsIn(bytes), bytes: bytes.byteLength };
  } catch (cause) {
    throw invalidMetadata(`${full} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the stamps of a document in their order. */
export function stampsIn(document: Uint8Array): Stamps {
  let end = document.byteLength;
  const least = Math.max(0, end - 1 - (1 + maxWrites) * stampLength);
  while (end > least && symbols.includes(String.fromCharCode(document[end - 1]!))) end--;
  const count = (document.byteLength - end - 1) / stampLength;
  if (!Number.isInteger(count)) return [];
  const text = textDecoder().decode(document.subarray(end + 1));
  return Array.from({ length: count }, (_, i) => text.slice(i * stampLength, (i + 1) * stampLength));
}

/** Returns the origin of a new document, which identifies it as long as it is changed and not replaced. */
export const newOrigin = (): string => origins.created + randomSymbols(stampLength - 1);

/** Returns the origin of a document that was created with one; undefined if another program has dropped it since. */
export const creationStamp = ([origin]: Stamps): string | undefined =>
  origin?.startsWith(origins.created) ? origin : undefined;

/** Returns the origin of a document: its stamp, or a hash of its ETag. */
function originOf({ stamps, version }: ReadDocument): string {
  if (stamps[0] !== undefined) return stamps[0];
  const { etag = "" } = version;
  let hash = 0x811c9dc5;
  const symbol = () => {
    for (let i = 0; i < etag.length; i++) hash = Math.imul(hash ^ etag.charCodeAt(i), 0x01000193) + 1;
    return symbols[hash >>> 30];
  };
  return origins.dropped + Array.from({ length: stampLength - 1 }, symbol).join("");
}

/** Returns the stamp of a new write. */
function writeStamp(store: Store): string {
  const handle = handleOf(innermostStore(store));
  handle.writerId ??= randomSymbols(writerLength);
  return handle.writerId + randomSymbols(stampLength - writerLength);
}

const randomSymbols = (count: number): string =>
  Array.from({ length: count }, () => symbols[Math.floor(4 * Math.random())]).join("");

/** Returns the stamps of a document that replaces another one, in a store that stamps all writes. */
function stampsAfter(before: ReadDocument, own: string): Stamps {
  const writer = own.slice(0, writerLength);
  const others = before.stamps.slice(1).filter((stamp) => !stamp.startsWith(writer));
  return [originOf(before), ...others.slice(1 - maxWrites), own];
}

function stamped(document: Uint8Array, stamps: Stamps): Uint8Array {
  const end = Uint8Array.from(stamps.join(""), (symbol) => symbol.charCodeAt(0));
  const size = document.byteLength + end.byteLength;
  if (end.byteLength === 0 || size > defaultLimits.metadataBytes) return document;
  const bytes = new Uint8Array(size);
  bytes.set(document);
  bytes.set(end, document.byteLength);
  return bytes;
}

interface DocumentWrite {
  readonly signal: AbortSignal | undefined;
  /** The document that is replaced; undefined for a new one. */
  readonly before: ReadDocument | undefined;
  /** Origin of a new document, in stores with conditional writes. */
  readonly origin?: string | undefined;
}

/** Maximum attempts of a write that fails despite all retries of the store while the server answers reads. */
const rounds = 3;

/**
 * Writes a document. In stores whose conditional writes can have an unknown outcome, the document is stamped,
 * and read back after every write that such a store has not confirmed: a refusal may answer the repetition of a
 * request that was applied.
 * @throws AlreadyExists or Conflict if the document differs from `before` and this write was not applied;
 *   Network ("unknown-outcome") if that is unknown, or the write may still be applied; errors of the store.
 */
export async function writeDocument(
  store: Store,
  path: string,
  key: string,
  object: JsonObject,
  { signal, before, origin }: DocumentWrite,
): Promise<void> {
  const full = joinKey(path, key);
  const condition = writeCondition(store, before);
  const isConditional = condition.ifVersion !== undefined;
  const own = isConditional && store.ambiguous ? writeStamp(store) : undefined;
  let stamps = before?.stamps ?? (origin !== undefined && isConditional ? [origin] : []);
  if (own !== undefined) stamps = before ? stampsAfter(before, own) : [origin ?? newOrigin(), own];
  const bytes = stamped(printDocument(object), stamps);
  for (let round = 1; ; round++) {
    try {
      return await writeObject(store, full, bytes, { signal, ...condition });
    } catch (error) {
      const isRefused = isConflict(error);
      if (own === undefined || !(isRefused || isOutcomeUnknown(error))) throw error;
      const outcome = await outcomeOf(own, before, () => readDocument(store, path, key, signal));
      signal?.throwIfAborted();
      if (outcome === "applied") return;
      // Refused after it was applied if the client or a proxy has sent the request twice.
      if (isRefused) throw outcome === "unreadable" ? outcomeUnknown(full, error) : error;
      if (outcome === "replaced") throw before ? conflictError(full, error) : existsError(full);
      if (outcome !== "unchanged" || round === rounds) throw error;
    }
  }
}

/**
 * Returns the condition for replacing the document that was read, or for creating it; empty if the store does
 * not support it.
 */
function writeCondition(store: Store, read: ReadDocument | undefined): StoreSetOptions {
  const ifVersion = read?.version ?? "absent";
  return supportsConditions(store, ifVersion) ? { ifVersion } : {};
}

/** Reads a document after a write that was not confirmed, and determines whether the write was applied. */
async function outcomeOf(
  own: string,
  before: ReadDocument | undefined,
  read: () => Promise<ReadDocument | undefined>,
): Promise<"applied" | "replaced" | "unchanged" | "unknown" | "unreadable"> {
  let now: ReadDocument | undefined;
  try {
    now = await read();
  } catch {
    return "unreadable";
  }
  if (!now) return before ? "replaced" : "unchanged";
  if (now.stamps.includes(own)) return "applied";
  if (before && before.version.etag === now.version.etag) return "unchanged";
  // Another writer has created the document if it has other stamps. Without stamps, it may be a later version
  // of this one.
  if (!before) return now.stamps.length > 0 ? "replaced" : "unknown";
  // Unknown if another program has dropped the stamps, or too many writes followed. Older stamps are dropped before
  // newer ones.
  const [origin, ...writes] = now.stamps;
  const isComplete = writes.length < maxWrites || writes.some((stamp) => before.stamps.includes(stamp));
  return isComplete && origin === originOf(before) ? "replaced" : "unknown";
}

/** Whether a write that failed may have been applied, or may still be. */
export function mayBeApplied(store: Store, error: unknown, signal: AbortSignal | undefined): boolean {
  return (
    isOutcomeUnknown(error) || (store.ambiguous === true && signal?.aborted === true && !isZarrError(error))
  );
}

export interface ReplaceOptions {
  readonly signal: AbortSignal | undefined;
  /** How to handle a document that another program has written since it was read. Default: "retry". */
  readonly conflicts?: "retry" | "error" | undefined;
}

/**
 * Replaces a document by the result of `change`. Calls for the same document within this process take turns;
 * writes of other programs are detected if the store supports conditional writes.
 * @param change gets undefined if there is no document; returns undefined for no change.
 * @throws Conflict if other programs have changed the document at every attempt, or at the first one if
 *   conflicts are errors; Network ("unknown-outcome").
 */
export function replaceDocument(
  store: Store,
  path: string,
  key: string,
  change: (
    object: JsonObject | undefined,
    read: ReadDocument | undefined,
  ) => JsonObject | undefined | Promise<JsonObject | undefined>,
  { signal, conflicts = "retry" }: ReplaceOptions,
): Promise<void> {
  // A refusal by a store without versions is final: archives never replace an entry.
  const mode = store.conditional === true ? conflicts : "error";
  const replace = async () => {
    const before = await readDocument(store, path, key, signal);
    const changed = await change(before?.object, before);
    if (changed === undefined) return;
    const write = writeDocument(store, path, key, changed, { signal, before });
    await write.finally(() => handleOf(store).metadataWrites++);
  };
  return inTurn(store, path, signal, () => retryConflicts(joinKey(path, key), mode, signal, replace));
}
