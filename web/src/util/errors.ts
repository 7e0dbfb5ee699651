/**
 * Errors: one class hierarchy, distinguished by `_tag` and, more finely, by `code`.
 *
 * Every error that this library throws on purpose is a {@link ZarrError}, except an abort, which rethrows the
 * signal's own reason. docs/errors.md lists tags and codes.
 */

import type { ErrorCode, ErrorTag } from "./error-codes.js";

export type { ErrorCode, ErrorTag } from "./error-codes.js";

/** Facts that an error may carry in addition to its message. */
export interface ErrorDetails<T extends ErrorTag = ErrorTag> {
  /** Stable short name of the exact cause, for programs: `"checksum-mismatch"`, `"http-status"`. */
  code?: ErrorCode<T> | undefined;
  /** Name of the codec concerned. */
  codec?: string | undefined;
  /** Store key of the chunk concerned. */
  chunkKey?: string | undefined;
  /**
   * Offset of the error in the input of `codec` when it decodes. The last codec of the chain decodes first,
   * and its input is the encoded chunk; the input of any other codec is the output of the codec after it.
   */
  byteOffset?: number | undefined;
  /** HTTP status of the response, for `Network`. */
  status?: number | undefined;
  /** The error that caused this one. */
  cause?: unknown;
}

/** Maximum length of a message: messages quote names from documents, which may be of any length. */
const maxMessage = 4096;

/** An error of this library. Undefined fields are missing, so that consoles do not print them. */
export class ZarrError<T extends ErrorTag = ErrorTag> extends Error {
  /**
   * The name that consoles show, also in minified programs. Not a static field: next build turns those into
   * assignments, which fail here.
   */
  static override get name(): string {
    return "ZarrError";
  }

  declare readonly _tag: T;
  declare readonly code: ErrorCode<T>;
  declare readonly codec: string | undefined;
  declare readonly chunkKey: string | undefined;
  declare readonly byteOffset: number | undefined;
  declare readonly status: number | undefined;
  /** For a failed `set`: how many of the chunks had been written (or found to be all fill value). */
  declare readonly written?: { readonly chunks: number; readonly totalChunks: number };

  constructor(tag: T, message: string, details: ErrorDetails<T> = {}) {
    // V8 keeps 10 frames by default, too few to reach the caller of `get` or `set`.
    const { stackTraceLimit } = Error;
    limitStacks(3 * stackTraceLimit);
    super(
      message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message,
      details.cause === undefined ? undefined : details,
    );
    limitStacks(stackTraceLimit);
    Object.defineProperty(this, "name", { value: "ZarrError", configurable: true, writable: true });
    const { code = kebab(tag), codec, chunkKey, byteOffset, status } = details;
    const fields = { _tag: tag, code, codec, chunkKey, byteOffset, status };
    for (const [key, value] of Object.entries(fields)) if (value !== undefined) Reflect.set(this, key, value);
  }
}

/** Sets the number of frames in stacks of new errors; no-op in engines without such a limit. */
function limitStacks(frames: number): void {
  if (frames > 0) Reflect.set(Error, "stackTraceLimit", frames);
}

/** Errors with one of these tags: a union, in which `_tag` determines the type of `code`. */
export type ZarrErrorWith<T extends ErrorTag = ErrorTag> = T extends ErrorTag ? ZarrError<T> : never;

/** "ChecksumMismatch" → "checksum-mismatch". */
export function kebab(name: string): string {
  return name.replace(/(?<!^)([A-Z])/g, "-$1").toLowerCase();
}

/**
 * Returns whether a value is a ZarrError.
 * @param tags if given, only errors with one of these tags match.
 */
export function isZarrError<T extends ErrorTag = ErrorTag>(
  error: unknown,
  ...tags: T[]
): error is ZarrErrorWith<T> {
  return (
    isError(error) && error instanceof ZarrError && (tags.length === 0 || tags.includes(error._tag as T))
  );
}

/**
 * Whether a thrown value is an error with a message. Stores may throw anything, even proxies and throwing
 * getters.
 */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error && typeof value.message === "string";
  } catch {
    return false;
  }
}

/** Returns a function that makes errors with a tag. */
/* @__NO_SIDE_EFFECTS__ */
function maker<T extends ErrorTag>(tag: T) {
  return (message: string, details?: ErrorDetails<T>): ZarrError<T> => new ZarrError(tag, message, details);
}

export const notFound = maker("NotFound");
export const invalidMetadata = maker("InvalidMetadata");
export const unknownCodec = maker("UnknownCodec");
export const unsupported = maker("Unsupported");
export const corruptChunk = maker("CorruptChunk");
export const invalidSelection = maker("InvalidSelection");
export const invalidArgument = maker("InvalidArgument");
export const networkError = maker("Network");
export const limitExceeded = maker("LimitExceeded");
export const engineFailed = maker("EngineFailed");
export const alreadyExists = maker("AlreadyExists");
export const conflict = maker("Conflict");
export const readOnly = maker("ReadOnly");
export const encodeFailed = maker("EncodeFailed");

/**
 * Adds missing facts to an error and returns it: lower layers know the cause, higher ones the location. The
 * error keeps its identity and its stack. Other values are returned unchanged.
 * @param place prefix of the message, such as "the index: "; ignored if the chunk's key is added instead.
 */
export function withDetails(error: unknown, details: ErrorDetails, place = ""): unknown {
  if (!isZarrError(error) || Object.isFrozen(error)) return error;
  const { message, stack } = error;
  const where =
    details.chunkKey !== undefined && error.chunkKey === undefined
      ? chunkBefore(message, details.chunkKey)
      : place;
  const facts: ErrorDetails = error as ZarrError;
  for (const name of ["codec", "chunkKey", "byteOffset", "status", "cause"] as const)
    if (details[name] !== undefined) facts[name] ??= details[name] as never;
  error.message = where + message;
  // Some engines copy the message into the stack when the error is created.
  if (where !== "" && stack?.includes(message)) error.stack = stack.replace(message, () => error.message);
  return error;
}

/**
 * Returns the prefix that names the chunk; short if the message already begins with the key, as messages of
 * stores do.
 */
const chunkBefore = (message: string, key: string): string =>
  message.startsWith(`${key}: `) ? "chunk " : `chunk ${key}: `;

/** Returns the message of an error, or of any other thrown value. */
export function messageOf(error: unknown): string {
  try {
    return isError(error) ? error.message : String(error);
  } catch {
    return describeValue(error); // it cannot be converted to a string
  }
}

/** Formats a value for messages; describes only the type of values that may not convert to a string. */
export function describeValue(value: unknown): string {
  const isText = value === null || !["object", "function", "symbol"].includes(typeof value);
  if (isText) return String(value);
  try {
    return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
  } catch {
    return "a revoked proxy";
  }
}

/** A warning about something irregular that was read nonetheless. */
export interface ZarrWarning {
  /** Stable short name: `"v1-order"`, `"duplicate-key"`. */
  code: string;
  message: string;
}

/** Receives warnings. Without it they are dropped. */
export type OnWarning = (warning: ZarrWarning) => void;
