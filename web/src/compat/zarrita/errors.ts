/** zarrita's error classes, made from this library's errors, and checks of arguments. */

import { isStore } from "../../store/store.js";
import { describeValue, invalidArgument, isError, isZarrError, type ZarrError } from "../../util/errors.js";

interface Cause {
  cause?: unknown;
}

abstract class ZarritaError<T extends string> extends Error {
  override readonly name: T;

  constructor(
    readonly _tag: T,
    message: string,
    { cause }: Cause = {},
  ) {
    // An undefined cause would become an own property.
    super(message, cause === undefined ? undefined : { cause });
    this.name = _tag;
  }
}

/** No node, or a node of another kind. */
export class NotFoundError extends ZarritaError<"NotFoundError"> {
  static override get name(): string {
    return "NotFoundError";
  }
  readonly path: string | undefined;
  readonly found: "array" | "group" | undefined;

  constructor(context: string, options: { path?: string; found?: "array" | "group"; cause?: unknown } = {}) {
    super("NotFoundError", `Not found: ${context}`, options);
    this.path = options.path;
    this.found = options.found;
  }
}

/** Metadata that cannot be read. */
export class InvalidMetadataError extends ZarritaError<"InvalidMetadataError"> {
  static override get name(): string {
    return "InvalidMetadataError";
  }
  readonly path: string | undefined;

  constructor(message: string, options: { path?: string; cause?: unknown } = {}) {
    super("InvalidMetadataError", message, options);
    this.path = options.path;
  }
}

export class UnknownCodecError extends ZarritaError<"UnknownCodecError"> {
  static override get name(): string {
    return "UnknownCodecError";
  }
  constructor(
    readonly codec: string,
    options: Cause = {},
  ) {
    super("UnknownCodecError", `Unknown codec: ${codec}`, options);
  }
}

/** A chunk that cannot be decoded or encoded; `cause` has the reason. */
export class CodecPipelineError extends ZarritaError<"CodecPipelineError"> {
  static override get name(): string {
    return "CodecPipelineError";
  }
  readonly direction: "encode" | "decode";
  readonly codec: string | undefined;
  readonly chunkPath: string | undefined;

  constructor(options: {
    direction: "encode" | "decode";
    codec?: string | undefined;
    chunkPath?: string | undefined;
    cause: unknown;
  }) {
    const { direction, codec, chunkPath } = options;
    const via = codec === undefined ? "" : ` via codec "${codec}"`;
    const at = chunkPath === undefined ? "" : ` at ${chunkPath}`;
    super("CodecPipelineError", `Failed to ${direction} chunk${via}${at}`, options);
    this.direction = direction;
    this.codec = codec;
    this.chunkPath = chunkPath;
  }
}

/** A selection that does not fit the array. */
export class InvalidSelectionError extends ZarritaError<"InvalidSelectionError"> {
  static override get name(): string {
    return "InvalidSelectionError";
  }
  constructor(message?: string, options: Cause = {}) {
    super("InvalidSelectionError", message ?? "", options);
  }
}

export class UnsupportedError extends ZarritaError<"UnsupportedError"> {
  static override get name(): string {
    return "UnsupportedError";
  }
  constructor(
    readonly feature: string,
    options: Cause = {},
  ) {
    super("UnsupportedError", `Unsupported: ${feature}`, options);
  }
}

type AnyZarritaError =
  | NotFoundError
  | InvalidMetadataError
  | UnknownCodecError
  | CodecPipelineError
  | InvalidSelectionError
  | UnsupportedError;

/** Narrows an unknown error; with tags, to errors with one of them. */
export function isZarritaError<T extends AnyZarritaError["_tag"]>(
  error: unknown,
  ...tags: T[]
): error is Extract<AnyZarritaError, { _tag: T }> {
  if (!isError(error) || !(error instanceof ZarritaError)) return false;
  return tags.length === 0 || (tags as string[]).includes(error._tag);
}

const makers: Partial<Record<ZarrError["_tag"], (error: ZarrError, path: string) => Error>> = {
  NotFound: (cause, path) => new NotFoundError(cause.message, { path, cause }),
  InvalidMetadata: (cause, path) => new InvalidMetadataError(cause.message, { path, cause }),
  UnknownCodec: (cause) => new UnknownCodecError(cause.codec ?? cause.message, { cause }),
  CorruptChunk: (cause) =>
    new CodecPipelineError({ direction: "decode", codec: cause.codec, chunkPath: cause.chunkKey, cause }),
  EncodeFailed: (cause) =>
    new CodecPipelineError({ direction: "encode", codec: cause.codec, chunkPath: cause.chunkKey, cause }),
  InvalidSelection: (cause) => new InvalidSelectionError(cause.message, { cause }),
  Unsupported: (cause) => new UnsupportedError(cause.message, { cause }),
};

/**
 * Runs work and translates this library's errors to zarrita's, with the original as the cause. Errors that zarrita has
 * no class for (Network, LimitExceeded, InvalidArgument, EngineFailed) and errors of stores pass unchanged.
 */
export async function withZarritaErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isZarrError(error)) throw error;
    // An error thrown by a codec of the application, reported as an error of the store.
    if (isZarritaError(error.cause)) throw error.cause;
    throw makers[error._tag]?.(error, path) ?? error;
  }
}

/** @throws InvalidArgument for a value that is not a function. */
export function checkFunction(value: unknown, what: string): void {
  if (typeof value !== "function")
    throw invalidArgument(`${what} must be a function, got ${describeValue(value)}`);
}

/** @throws InvalidArgument for a value without a method `get`. */
export function checkStore(store: unknown): void {
  if (!isStore(store))
    throw invalidArgument(`expected a store with a method get, got ${describeValue(store)}`);
}

/** @throws InvalidArgument for a key or a path that is not a string. */
export function checkText(value: unknown, what: string): void {
  if (typeof value !== "string")
    throw invalidArgument(`${what} must be a string, got ${describeValue(value)}`);
}

type Options = Readonly<Record<string, unknown>>;

/** Whether two sets of options have the same values. Plain objects, such as headers, are compared by content. */
export function isSame(a: Options, b: Options): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => {
      const [x, y] = [a[key], b[key]];
      return x === y || (isPlain(x) && isPlain(y) && isSame(x, y));
    })
  );
}

function isPlain(value: unknown): value is Options {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
