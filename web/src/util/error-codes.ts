/**
 * Codes of errors by tag. Every error can also have its tag in kebab case as code. docs/errors.md explains the codes; a
 * test compares both.
 */
export interface ErrorCodes {
  NotFound:
    | "wrong-kind"
    | "not-ome"
    | "not-georeferenced"
    | "not-sparse"
    | "no-coordinate-system"
    | "no-transformation"
    | "no-repository"
    | "no-version";
  InvalidMetadata:
    | "not-json"
    | "not-object"
    | "missing-key"
    | "unknown-dtype"
    | "missing-endian"
    | "codec-order"
    | "codec-dtype"
    | "must-understand"
    | "unknown-codec"
    | "unknown-data-type"
    | `bad-${string}`;
  UnknownCodec: never;
  Unsupported:
    | "object-dtype"
    | "unknown-dtype"
    | "empty-dtype"
    | "variable-length"
    | "codec-order"
    | "unsupported-codec"
    | "unsupported-image"
    | "encode-unsupported"
    | "no-shared-memory"
    | "unknown-chunk-grid"
    | "unknown-chunk-key-encoding"
    | "unknown-storage-transformer"
    | "n5-mode"
    | "no-listing"
    | "zip-method"
    | "zip-encrypted"
    | "zip-parts"
    | "zip-read"
    | "zip-delete"
    | "no-conditions"
    | "unusable-etag"
    | "no-atomic-write"
    | "reference-template"
    | "reference-target"
    | "reference-version"
    | "parquet-references"
    | "calendar"
    | "time-unit"
    | "ome-transformation"
    | "ome-version"
    | "not-invertible"
    | "v1-order"
    | "mixed-endian"
    | "bad-method"
    | "no-shards"
    | "no-rank"
    | "no-groups"
    | "bad-fill-value"
    | "bad-dimension-names"
    | "irregular-coordinates"
    | "crs";
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
  InvalidSelection:
    | "no-such-label"
    | "no-such-dimension"
    | "no-coordinates"
    | "not-a-label"
    | "unsorted-coordinates";
  InvalidArgument:
    | "bad-path"
    | "bad-range"
    | "bad-placement"
    | "bad-option"
    | "closed"
    | "encode-failed"
    | "bad-attributes"
    | "mixed-versions"
    | "bad-axes"
    | "bad-levels"
    | "bad-level"
    | "bad-transformation"
    | "other-options"
    | "no-path"
    | ErrorCode<"InvalidMetadata" | "CorruptChunk">;
  Network:
    | "http-status"
    | "fetch-failed"
    | "timeout"
    | "truncated-answer"
    | "bad-range"
    | "content-coding"
    | "html-page"
    | "redirect"
    | "changed"
    | "outdated"
    | "offline"
    | "file-failed"
    | "missing-target"
    | "short-target"
    | "disk-full"
    | "bad-listing"
    | "sink-failed"
    | "store-failed"
    | "bad-answer"
    | "unknown-outcome"
    | "outdated-consolidated";
  LimitExceeded:
    | "out-of-memory"
    | "text-too-long"
    | "too-many-labels"
    | "sparse-bytes"
    | "too-many-transformations"
    | "transformation-bytes"
    | "tile-chunks";
  EngineFailed: "trap";
  AlreadyExists: "node-exists" | "not-empty" | "parent-is-array";
  Conflict: "locked" | "destination-locked" | "other-node";
  ReadOnly: "no-set" | "no-delete" | "no-put" | "permission-denied" | "no-conditions";
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
