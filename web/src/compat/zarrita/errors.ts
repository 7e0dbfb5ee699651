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
  readonly path: string | undefined;

  constructor(message: string, options: { path?: string; cause?: unknown } = {}) {
    super("InvalidMetadataError", message, options);
    this.path = options.path;
  }
}

export class UnknownCodecError extends ZarritaError<"UnknownCodecError"> {
  constructor(
    readonly codec: string,
    options: Cause = {},
  ) {
    super("UnknownCodecError", `Unknown codec: ${codec}`, options);
  }
}

interface PipelineOptions extends Cause {
  direction: "encode" | "decode";
  codec?: string | undefined;
  chunkPath?: string | undefined;
}

/** A chunk that cannot be decoded or encoded; `cause` has the reason. */
export class CodecPipelineError extends ZarritaError<"CodecPipelineError"> {
  readonly direction: PipelineOptions["direction"];
  readonly codec: string | undefined;
  readonly chunkPath: string | undefined;

  constructor(options: PipelineOptions) {
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
  constructor(message = "", options: Cause = {}) {
    super("InvalidSelectionError", message, options);
  }
}

export class UnsupportedError extends ZarritaError<"UnsupportedError"> {
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

const pipelineError = (cause: ZarrError, direction: PipelineOptions["direction"]) =>
  new CodecPipelineError({ direction, codec: cause.codec, chunkPath: cause.chunkKey, cause });

const makers: Partial<Record<ZarrError["_tag"], (error: ZarrError, path: string) => Error>> = {
  NotFound: (cause, path) => new NotFoundError(cause.message, { path, cause }),
  InvalidMetadata: (cause, path) => new InvalidMetadataError(cause.message, { path, cause }),
  UnknownCodec: (cause) => new UnknownCodecError(cause.codec ?? cause.message, { cause }),
  CorruptChunk: (cause) => pipelineError(cause, "decode"),
  EncodeFailed: (cause) => pipelineError(cause, "encode"),
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

export type Options = Readonly<Record<string, unknown>>;

/** Whether two sets of options have the same values. Plain objects, such as headers, are compared by content. */
export function isSame(a: Options, b: Options): boolean {
  const keys = Object.keys(a);
  const isEqual = (x: unknown, y: unknown) => x === y || (isPlain(x) && isPlain(y) && isSame(x, y));
  return keys.length === Object.keys(b).length && keys.every((key) => isEqual(a[key], b[key]));
}

const isPlain = (value: unknown): value is Options =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Objects made for sets of options; at most four, because reads with different options share nothing. */
export class ByOptions<T> {
  readonly #entries: { readonly options: Options; readonly made: T }[] = [];

  get(options: Options, make: () => T): T {
    const found = this.#entries.find((entry) => isSame(entry.options, options));
    if (found) return found.made;
    const made = make();
    this.#entries.push({ options, made });
    // Drops the oldest but the first, which usually serves requests without options.
    if (this.#entries.length > 4) this.#entries.splice(1, 1);
    return made;
  }
}
