/**
 * Chunk codecs convert the bytes of one kind of chunk to elements and back. All reading and writing of chunks
 * goes through them: `get`, `getChunk`, worker pools, `zarr-wasm/codecs`.
 *
 * They work synchronously, in a session of the core acquired beforehand ({@link withSession}).
 */

import { withDecoder } from "../engine/engine.js";
import type { ModuleName } from "../engine/module.js";
import type { CodecSession, Place, Slab } from "../engine/session.js";
import { stridesOf } from "../util/shapes.js";

/** The elements of a chunk in C order: as packed bytes in native byte order, or as a list of values. */
export type Content = Uint8Array | readonly unknown[];

/** Destination of decoded elements: a slab in wasm memory, or a list of values. */
export type Target = Slab | unknown[];

export interface ChunkCodec {
  /** Length of each dimension of a chunk. */
  readonly shape: readonly number[];
  /** Whether decoding needs the core. If not, no session is required. */
  readonly usesCore: boolean;
  /** The modules that can decode and encode. */
  readonly decodeModule: ModuleName;
  readonly encodeModule: ModuleName;
  /** Records that a chunk needed the full module, so that all later ones are decoded there. */
  requireFullModule(): void;
  /** Checks and prepares the plans that the session will run. */
  prepare(session: CodecSession): void;
  /** @throws CorruptChunk, naming the codec; NeedsFullModule. */
  decode(session: CodecSession | undefined, encoded: Uint8Array): Content;
  /** Decodes into bytes, or a list, of exactly the chunk's size. Writes nothing on failure. */
  decodeInto(session: CodecSession | undefined, encoded: Uint8Array, out: Uint8Array | unknown[]): void;
  /** @throws InvalidArgument for elements that a codec cannot represent; Unsupported. */
  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer>;
}

/** The codec of chunks that hold elements rather than other chunks. */
export interface LeafCodec extends ChunkCodec {
  /** Upper bound on the encoded size of a chunk; stores reject larger objects. */
  readonly encodedBound: number;
  /** Returns the content of a chunk that is not stored. */
  missing(): Content;
  /**
   * Decodes a chunk and writes the part of it that `place` names to the target; fill value for a chunk that
   * is not stored. Writes nothing on failure.
   */
  decodePlaced(
    session: CodecSession | undefined,
    encoded: Uint8Array | undefined,
    target: Target,
    place: Place,
  ): void;
}

/** Decodes with a chunk codec in this thread; retries in the full module if a chunk needs it. */
export function withSession<T>(
  codec: ChunkCodec,
  work: (session: CodecSession | undefined) => T,
): T | Promise<T> {
  return codec.usesCore ? withDecoder(codec, work) : work(undefined);
}

/** Returns the place of a whole packed chunk. @param width bytes per element, or 1 entry of a list. */
export function wholePlace(shape: readonly number[], width = 1): Place {
  const strides = stridesOf(shape, width);
  return { offset: 0, axes: shape.map((length, axis) => [0, 1, length, strides[axis]!]) };
}
