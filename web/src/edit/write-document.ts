/**
 * Writes metadata documents on the condition that they have not changed since they were read, and resolves
 * unknown outcomes.
 */

import { printDocument } from "../metadata/print.js";
import {
  conflictError,
  existsError,
  isConflict,
  isOutcomeUnknown,
  outcomeUnknown,
} from "../store/concurrency.js";
import { joinKey, type Store } from "../store/store.js";
import { writeObject } from "../store/write.js";
import { isZarrError } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { defaultLimits } from "../util/limits.js";
import {
  type AxisResize,
  documentOrigin,
  isApplied,
  newOrigin,
  type Stamps,
  stampBytes,
  stampsAfter,
  withResizes,
  writerStamp,
} from "./stamps.js";
import { type ReadDocument, readDocument, writeCondition } from "./target.js";

interface DocumentWrite {
  readonly signal: AbortSignal | undefined;
  /** The document that is replaced; undefined for a new one. */
  readonly before: ReadDocument | undefined;
  /** Stamp of a new document, in stores with conditional writes. */
  readonly origin?: string | undefined;
  /** Replaces the stored document even if it has changed. Default: false. */
  readonly isForced?: boolean;
  /** Axes whose lengths `resize` changes. */
  readonly resizes?: readonly AxisResize[];
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
  { signal, before, origin, isForced = false, resizes = [] }: DocumentWrite,
): Promise<void> {
  const full = joinKey(path, key);
  const condition = isForced ? {} : writeCondition(store, before);
  const isConditional = condition.ifVersion !== undefined;
  const own = isConditional && store.ambiguous ? writerStamp(store) : undefined;
  const stamps = nextStamps(before, isConditional ? origin : undefined, own);
  const bytes = stamped(printDocument(object), isConditional ? withResizes(stamps, resizes) : stamps);
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

/** Whether a write that failed may have been applied, or may still be. */
export function mayBeApplied(store: Store, error: unknown, signal: AbortSignal | undefined): boolean {
  return (
    isOutcomeUnknown(error) || (store.ambiguous === true && signal?.aborted === true && !isZarrError(error))
  );
}

function nextStamps(
  before: ReadDocument | undefined,
  origin: string | undefined,
  own: string | undefined,
): Stamps {
  if (own !== undefined && before) return stampsAfter(before.stamps, originIn(before), own);
  if (own !== undefined) return [origin ?? newOrigin(), own];
  return before?.stamps ?? (origin === undefined ? [] : [origin]);
}

const originIn = ({ stamps, version }: ReadDocument): string => documentOrigin(stamps, version.etag ?? "");

function stamped(document: Uint8Array, stamps: Stamps): Uint8Array {
  const end = stampBytes(stamps);
  const size = document.byteLength + end.byteLength;
  if (end.byteLength === 0 || size > defaultLimits.metadataBytes) return document;
  const bytes = new Uint8Array(size);
  bytes.set(document);
  bytes.set(end, document.byteLength);
  return bytes;
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
  const isWritten = isApplied(own, { stamps: before.stamps, origin: originIn(before) }, now.stamps);
  return isWritten === undefined ? "unknown" : isWritten ? "applied" : "replaced";
}
