/**
 * Errors: one family, told apart by `_tag` and, more finely, by `code`.
 *
 * Every error that this library throws on purpose is a {@link ZarrError}, except an abort, which
 * rethrows the signal's own reason. docs/errors.md lists tags and codes.
 */

import type { errorTags } from "./error-tags.js";

export type ErrorTag = keyof typeof errorTags;

/** Facts that an error may carry besides its message. */
export interface ErrorDetails {
  /** Stable short name of the exact reason, for programs: `"checksum-mismatch"`, `"http-status"`. */
  code?: string | undefined;
  /** Name of the codec concerned. */
  codec?: string | undefined;
  /** Store key of the chunk concerned. */
  chunkKey?: string | undefined;
  /**
   * Offset at which the trouble was noticed, in what `codec` was given: the encoded chunk for the codec at the chain's
   * end, which is the first to decode; for those before it, what the codec behind them made of it.
   */
  byteOffset?: number | undefined;
  /** HTTP status of the answer, for `Network`. */
  status?: number | undefined;
  /** The error behind this one. */
  cause?: unknown;
}

/** Longest message: names from documents stand in messages, whatever their length. */
const maxMessage = 4096;

/** The base of all errors of this library. */
export class ZarrError extends Error {
  /** What consoles show, also of minified programs. Not a field: next build makes assignments of those, which fail here. */
  static override get name(): string {
    return "ZarrError";
  }

  override readonly name: string = "ZarrError";
  readonly _tag: ErrorTag;
  readonly code: string;
  readonly codec: string | undefined;
  readonly chunkKey: string | undefined;
  readonly byteOffset: number | undefined;
  readonly status: number | undefined;
  /** Of a `set` that has failed: chunks that were written (or found to be all fill value) before, of how many. */
  declare readonly written?: { readonly chunks: number; readonly totalChunks: number };

  constructor(tag: ErrorTag, message: string, details: ErrorDetails = {}) {
    super(
      message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this._tag = tag;
    this.code = details.code ?? kebab(tag);
    this.codec = details.codec;
    this.chunkKey = details.chunkKey;
    this.byteOffset = details.byteOffset;
    this.status = details.status;
  }
}

/** "ChecksumMismatch" → "checksum-mismatch". */
export function kebab(name: string): string {
  return name.replace(/(?<!^)([A-Z])/g, "-$1").toLowerCase();
}

/**
 * Narrows an unknown error.
 * @param tags when given, only errors with one of these tags pass.
 */
export function isZarrError(error: unknown, ...tags: ErrorTag[]): error is ZarrError {
  return isError(error) && error instanceof ZarrError && (tags.length === 0 || tags.includes(error._tag));
}

/** Whether a thrown value is an error with a message. Stores may throw anything, proxies and throwing getters included. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error && typeof value.message === "string";
  } catch {
    return false;
  }
}

export const notFound = (message: string, details?: ErrorDetails) =>
  new ZarrError("NotFound", message, details);
export const invalidMetadata = (message: string, details?: ErrorDetails) =>
  new ZarrError("InvalidMetadata", message, details);
export const unknownCodec = (message: string, details?: ErrorDetails) =>
  new ZarrError("UnknownCodec", message, details);
export const unsupported = (message: string, details?: ErrorDetails) =>
  new ZarrError("Unsupported", message, details);
export const corruptChunk = (message: string, details?: ErrorDetails) =>
  new ZarrError("CorruptChunk", message, details);
export const invalidSelection = (message: string, details?: ErrorDetails) =>
  new ZarrError("InvalidSelection", message, details);
export const invalidArgument = (message: string, details?: ErrorDetails) =>
  new ZarrError("InvalidArgument", message, details);
export const networkError = (message: string, details?: ErrorDetails) =>
  new ZarrError("Network", message, details);
export const limitExceeded = (message: string, details?: ErrorDetails) =>
  new ZarrError("LimitExceeded", message, details);
export const engineFailed = (message: string, details?: ErrorDetails) =>
  new ZarrError("EngineFailed", message, details);
export const alreadyExists = (message: string, details?: ErrorDetails) =>
  new ZarrError("AlreadyExists", message, details);
export const conflict = (message: string, details?: ErrorDetails) =>
  new ZarrError("Conflict", message, details);
export const readOnly = (message: string, details?: ErrorDetails) =>
  new ZarrError("ReadOnly", message, details);
export const encodeFailed = (message: string, details?: ErrorDetails) =>
  new ZarrError("EncodeFailed", message, details);

/**
 * Adds facts to an error where it has none yet, and returns it: lower layers know what went wrong, higher ones know
 * where. It stays the same object, whose stack says where it was thrown. Other values pass unchanged.
 * @param place put before the message, such as "the index: "; a chunk's key names itself.
 */
export function withDetails(error: unknown, details: ErrorDetails, place = ""): unknown {
  if (!isZarrError(error) || Object.isFrozen(error)) return error;
  const { message, stack } = error;
  const where =
    details.chunkKey !== undefined && error.chunkKey === undefined
      ? chunkBefore(message, details.chunkKey)
      : place;
  const facts = error as ErrorDetails;
  for (const name of ["codec", "chunkKey", "byteOffset", "status", "cause"] as const)
    if (details[name] !== undefined) facts[name] ??= details[name] as never;
  error.message = where + message;
  // Engines that begin the stack with the message wrote it when the error was made.
  if (where !== "" && stack?.includes(message)) error.stack = stack.replace(message, () => error.message);
  return error;
}

/** What tells the chunk before a message, which may begin with its key: stores name what they were asked for. */
const chunkBefore = (message: string, key: string): string =>
  message.startsWith(`${key}: `) ? "chunk " : `chunk ${key}: `;

/** What an error, or anything else that was thrown, says. */
export function messageOf(error: unknown): string {
  try {
    return isError(error) ? error.message : String(error);
  } catch {
    return shown(error); // it cannot be made a text
  }
}

/** A value as messages show it: of what may not be made a text only what it is. */
export function shown(value: unknown): string {
  const isText = value === null || !["object", "function", "symbol"].includes(typeof value);
  if (isText) return String(value);
  try {
    return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
  } catch {
    return "a revoked proxy";
  }
}

/** A warning: something odd that was read nonetheless. */
export interface ZarrWarning {
  /** Stable short name: `"v1-order"`, `"duplicate-key"`. */
  code: string;
  message: string;
}

/** Receives warnings; without one they are not shown. */
export type OnWarning = (warning: ZarrWarning) => void;
