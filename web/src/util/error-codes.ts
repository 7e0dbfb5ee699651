/**
 * Codes of errors by tag. Every error can also have its tag in kebab case as code. docs/errors.md explains the codes; a
 * test compares both.
 */
export interface ErrorCodes {
  NotFound: "wrong-kind" | "no-convention" | "no-transformation" | "no-version";
  InvalidMetadata:
    | "not-json"
    | "bad-configuration"
    | "codec-order"
    | "unknown-dtype"
    | "bad-fill-value"
    | "must-understand"
    | "bad-convention"
    | "bad-zip"
    | "bad-reference"
    | "bad-icechunk"
    | "bad-file";
  UnknownCodec: never;
  Unsupported:
    | "unsupported-dtype"
    | "unsupported-codec"
    | "unsupported-image"
    | "unsupported-message"
    | "encode-unsupported"
    | "unknown-extension"
    | "no-shared-memory"
    | "no-listing"
    | "no-conditions"
    | "append-only"
    | "unsupported-zip"
    | "unsupported-reference"
    | "unsupported-file"
    | "parquet-references"
    | "unsupported-time"
    | "unsupported-ome"
    | "not-invertible"
    | "not-in-version";
  CorruptChunk:
    | "truncated"
    | "trailing-bytes"
    | "bad-header"
    | "bad-version"
    | "corrupt"
    | "size-mismatch"
    | "checksum-mismatch"
    | "unknown-inner"
    | "not-representable"
    | "differs";
  InvalidSelection: "no-such-label" | "no-coordinates";
  InvalidArgument:
    | "bad-path"
    | "bad-option"
    | "bad-placement"
    | "bad-expression"
    | "closed"
    | "encode-failed"
    | ErrorCode<"InvalidMetadata" | "CorruptChunk">;
  Network:
    | "http-status"
    | "fetch-failed"
    | "timeout"
    | "truncated-answer"
    | "bad-range"
    | "html-page"
    | "redirect"
    | "changed"
    | "outdated"
    | "offline"
    | "bad-answer"
    | "bad-target"
    | "file-failed"
    | "disk-full"
    | "store-failed"
    | "unknown-outcome"
    | "outdated-consolidated";
  LimitExceeded: "out-of-memory";
  EngineFailed: "trap";
  AlreadyExists: "node-exists" | "parent-is-array";
  Conflict: "locked";
  ReadOnly: "no-set" | "no-delete" | "permission-denied";
  EncodeFailed: ErrorCode<"InvalidArgument">;
  FutureVersion: never;
  NotAllowed: "not-zarr" | "foreign-files" | "protected-folder" | "is-source";
  SourceChanged: "source-unverified";
}

/** "NotFound" becomes "-not-found". */
type Dashed<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Dashed<Rest>}`
  : "";
type Kebab<S extends string> = Dashed<S> extends `-${infer Name}` ? Name : never;

/** Category of an error. */
export type ErrorTag = keyof ErrorCodes;

/** Codes of the errors with a tag. */
export type ErrorCode<T extends ErrorTag = ErrorTag> = T extends ErrorTag ? Kebab<T> | ErrorCodes[T] : never;
