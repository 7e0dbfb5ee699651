/** zarrita's errors, made from this library's. */
import { isError, isZarrError, type ZarrError } from "../../util/errors.js";

abstract class ZarritaError<T extends string> extends Error {
  abstract readonly _tag: T;
}

/** Nothing is stored there, or not what was asked for. */
export class NotFoundError extends ZarritaError<"NotFoundError"> {
  static override get name(): string {
    return "NotFoundError";
  }
  override readonly _tag = "NotFoundError" as const;
  override readonly name = "NotFoundError";
  readonly path: string | undefined;
  readonly found: "array" | "group" | undefined;
  constructor(context: string, options: { path?: string; found?: "array" | "group"; cause?: unknown } = {}) {
    super(`Not found: ${context}`, causeOf(options));
    this.path = options.path;
    this.found = options.found;
  }
}

/** Metadata that cannot be read. */
export class InvalidMetadataError extends ZarritaError<"InvalidMetadataError"> {
  static override get name(): string {
    return "InvalidMetadataError";
  }
  override readonly _tag = "InvalidMetadataError" as const;
  override readonly name = "InvalidMetadataError";
  readonly path: string | undefined;
  constructor(message: string, options: { path?: string; cause?: unknown } = {}) {
    super(message, causeOf(options));
    this.path = options.path;
  }
}

/** A codec that is not known. */
export class UnknownCodecError extends ZarritaError<"UnknownCodecError"> {
  static override get name(): string {
    return "UnknownCodecError";
  }
  override readonly _tag = "UnknownCodecError" as const;
  override readonly name = "UnknownCodecError";
  constructor(
    readonly codec: string,
    options: { cause?: unknown } = {},
  ) {
    super(`Unknown codec: ${codec}`, causeOf(options));
  }
}

/** A chunk that cannot be decoded or encoded; the reason is its `cause`. */
export class CodecPipelineError extends ZarritaError<"CodecPipelineError"> {
  static override get name(): string {
    return "CodecPipelineError";
  }
  override readonly _tag = "CodecPipelineError" as const;
  override readonly name = "CodecPipelineError";
  readonly direction: "encode" | "decode";
  readonly codec: string | undefined;
  readonly chunkPath: string | undefined;
  constructor(options: {
    direction: "encode" | "decode";
    codec?: string | undefined;
    chunkPath?: string | undefined;
    cause: unknown;
  }) {
    const { direction, codec, chunkPath, cause } = options;
    const via = codec === undefined ? "" : ` via codec "${codec}"`;
    const at = chunkPath === undefined ? "" : ` at ${chunkPath}`;
    super(`Failed to ${direction} chunk${via}${at}`, { cause });
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
  override readonly _tag = "InvalidSelectionError" as const;
  override readonly name = "InvalidSelectionError";
}

/** What cannot be done here. */
export class UnsupportedError extends ZarritaError<"UnsupportedError"> {
  static override get name(): string {
    return "UnsupportedError";
  }
  override readonly _tag = "UnsupportedError" as const;
  override readonly name = "UnsupportedError";
  constructor(
    readonly feature: string,
    options: { cause?: unknown } = {},
  ) {
    super(`Unsupported: ${feature}`, causeOf(options));
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

/** Error keeps an own "cause" only where one is given. */
function causeOf({ cause }: { cause?: unknown }): ErrorOptions | undefined {
  return cause === undefined ? undefined : { cause };
}

/**
 * What zarrita would have thrown, with this library's error as the cause. Errors that zarrita has no class
 * for (Network, LimitExceeded, InvalidArgument, EngineFailed) and those of others stay what they are.
 */
export function asZarrita(error: unknown, path: string): unknown {
  if (!isZarrError(error)) return error;
  if (isError(error.cause) && error.cause instanceof ZarritaError) return error.cause; // of a codec of the application's, behind the store
  const make = makers[error._tag];
  return make ? make(error, path) : error;
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

/** Runs work whose errors are to look like zarrita's. */
export async function likeZarrita<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asZarrita(error, path);
  }
}
