/**
 * Chunk codecs: what turns the bytes of one kind of chunk into elements and back. Everything that reads or writes
 * chunks does it by one of these: `get`, `getChunk`, pools of workers, `zarr-wasm/codecs`.
 *
 * Their work is synchronous, in a session of the core that is had beforehand ({@link withSession}).
 */

import { withDecoder } from "../engine/engine.js";
import type { ModuleName } from "../engine/module.js";
import type { CodecSession, Place, Slab } from "../engine/session.js";
import { stridesOf } from "../util/strides.js";

/** The elements of a chunk in C order: as packed bytes in native byte order, or as a list of values. */
export type Content = Uint8Array | readonly unknown[];

/** Where elements are put: a slab in the core's memory, or a list of values. */
export type Target = Slab | unknown[];

export interface ChunkCodec {
  /** Length of each dimension of a chunk. */
  readonly shape: readonly number[];
  /** False where the core has nothing to do when it decodes: no session is needed then. */
  readonly usesCore: boolean;
  /** The modules that can do it. */
  readonly decodeModule: ModuleName;
  readonly encodeModule: ModuleName;
  /** Says that a chunk turned out to need the full module: from now on all are decoded there. */
  requireFullModule(): void;
  /** Checks and prepares what the session will run. */
  prepare(session: CodecSession): void;
  /** @throws CorruptChunk, naming the codec; NeedsFullModule. */
  decode(session: CodecSession | undefined, encoded: Uint8Array): Content;
  /** Decodes into bytes, or a list, of exactly the chunk's size; nothing is written on failure. */
  decodeInto(session: CodecSession | undefined, encoded: Uint8Array, out: Uint8Array | unknown[]): void;
  /** @throws InvalidArgument for elements that a codec has no form for; Unsupported. */
  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer>;
}

/** The codec of chunks that hold elements, not other chunks. */
export interface LeafCodec extends ChunkCodec {
  /** No chunk that a writer of note has made is longer when encoded: what stores may refuse without looking. */
  readonly encodedBound: number;
  /** The content of a chunk that is not stored. */
  missing(): Content;
  /**
   * Decodes a chunk and puts the part of it where it belongs that `place` names; fill value for a chunk that is not
   * stored. Nothing is written on failure.
   */
  decodePlaced(
    session: CodecSession | undefined,
    encoded: Uint8Array | undefined,
    target: Target,
    place: Place,
  ): void;
}

/** Decodes with a chunk codec in this thread; where a chunk turns out to need the full module, once more with that. */
export function withSession<T>(
  codec: ChunkCodec,
  work: (session: CodecSession | undefined) => T,
): T | Promise<T> {
  return codec.usesCore ? withDecoder(codec, work) : work(undefined);
}

/** All of a chunk, packed. @param width bytes of an element, or 1 entry of a list. */
export function wholePlace(shape: readonly number[], width = 1): Place {
  const strides = stridesOf(shape, width);
  return { offset: 0, axes: shape.map((length, axis) => [0, 1, length, strides[axis]!]) };
}
