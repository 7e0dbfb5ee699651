/**
 * Nodes that the parsers of array files produce: groups and arrays with documents of Zarr v3, and chunks as ranges of
 * files. All reads are lazy.
 */

import type { ByteReader } from "../../store/source/byte-reader.js";
import type { MaybePromise } from "../../store/store.js";
import type { OnWarning } from "../../util/errors.js";
import type { JsonObject } from "../../util/json.js";
import type { Limits } from "../../util/limits.js";
import type { BlockCache } from "./blocks.js";
import type { ArrayParts } from "./documents.js";

export interface FileGroup {
  readonly kind: "group";
  /** Returns the attributes. */
  attributes(signal: AbortSignal | undefined): MaybePromise<JsonObject>;
  /** Returns the names of the members in the order of the file. Names contain no "/" and are not empty. */
  members(signal: AbortSignal | undefined): MaybePromise<readonly string[]>;
  /** Returns a member; undefined if there is none of this name. */
  member(name: string, signal: AbortSignal | undefined): MaybePromise<FileNode | undefined>;
}

export interface FileArray {
  readonly kind: "array";
  /**
   * Returns the contents of the array's document. Called for each chunk: parsers cache the result.
   * @throws Unsupported for arrays that cannot be mapped exactly.
   */
  describe(signal: AbortSignal | undefined): MaybePromise<ArrayParts>;
  /**
   * Returns the location of a stored chunk; undefined for a missing one, whose elements have the fill value.
   * @param at index of the chunk per dimension, below the number of chunks.
   */
  chunk(at: readonly number[], signal: AbortSignal | undefined): MaybePromise<FileChunk | undefined>;
}

export type FileNode = FileGroup | FileArray;

/** A byte range of a file. */
export interface FilePart {
  readonly offset: number;
  readonly length: number;
  /** The file. Default: the one that was opened. */
  readonly file?: ByteReader | undefined;
}

/** Bytes of a chunk in a file: a range, the bytes themselves, or several of them joined. */
export type ChunkBytes =
  | FilePart
  | { readonly bytes: Uint8Array }
  | { readonly parts: readonly ChunkBytes[] };

/** The bytes of a chunk, or a separate object that holds it, which may be missing. */
export type FileChunk = ChunkBytes | { readonly object: ByteReader };

/** A file and its options, for a parser. */
export interface FileContext {
  /** Name of the file for messages. */
  readonly name: string;
  /** The file through the block cache: metadata. */
  readonly blocks: BlockCache;
  readonly limits: Limits;
  readonly onWarning: OnWarning | undefined;
  /** Opens a file beside this one by a relative name without "..": undefined if the source has no neighbours. */
  sibling(name: string): ByteReader | undefined;
}

/** Parser of a format. */
export interface FileFormat {
  /** Returns the root of a file; an array if the format holds a single one. @throws InvalidMetadata ("bad-file"), Unsupported, LimitExceeded */
  open(context: FileContext, signal: AbortSignal | undefined): Promise<FileNode>;
}
