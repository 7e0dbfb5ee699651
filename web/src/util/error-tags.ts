/** The tags of errors. In a separate file because programs that only read do not need the list at run time. */

/** The meaning of each tag; the only list of tags. */
export const errorTags = {
  NotFound: "nothing is stored there",
  InvalidMetadata: "the metadata is not valid",
  UnknownCodec: "a codec is not known",
  Unsupported: "valid, but not supported here",
  CorruptChunk: "a chunk's bytes cannot be decoded",
  InvalidSelection: "a selection does not fit the array",
  InvalidArgument: "an argument does not fit the call",
  Network: "a store could not be read or written",
  LimitExceeded: "a limit is exceeded",
  EngineFailed: "the WebAssembly module could not be loaded or had to be replaced",
  AlreadyExists: "something is stored there already",
  Conflict: "somebody else has written there meanwhile",
  ReadOnly: "a store cannot be written",
  EncodeFailed: "elements could not be encoded",
  FutureVersion: "a newer version of a format than is known here",
  NotAllowed: "not allowed to be read or deleted",
  SourceChanged: "the source of a virtual chunk is not what it was",
} as const;
