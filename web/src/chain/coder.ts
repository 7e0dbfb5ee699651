/**
 * Whole chunks in memory, whatever they are made of: single chunks, elements of variable length, shards.
 * All is synchronous: the session is loaded beforehand.
 */

import type { Limits } from "../base/limits.js";
import type { BlockFrame } from "../codecs/n5.js";
import type { DType } from "../dtypes/dtype.js";
import { decodeBytesIn, encodeBytesIn } from "../engine/bytes.js";
import type { ModuleName } from "../engine/module.js";
import { moduleFor, Plan } from "../engine/plan.js";
import type { CodecSession } from "../engine/session.js";
import { type ChunkLayout, type CoreLeaf, storedOrder, type VlenLeaf } from "./layout.js";

/** The elements of a chunk in C order: as stored bytes, or as a list of values. */
export type Content = Uint8Array | readonly unknown[];

export interface ChunkCoder {
  /** The module that can do it. */
  module(direction: "decode" | "encode"): ModuleName;
  /** Checks and prepares what the session will run. */
  prepare(session: CodecSession): void;
  /** @throws CorruptChunk. */
  decode(session: CodecSession, encoded: Uint8Array): Content;
  /** Decodes into bytes of exactly the chunk's size, where that saves a copy; nothing is written on failure. */
  decodeInto?(session: CodecSession, encoded: Uint8Array, out: Uint8Array): void;
  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer>;
}

export interface CoderOptions {
  readonly dtype: DType;
  /** What missing elements of variable length are. */
  readonly fill: unknown;
  readonly limits: Limits;
}

/** The coder of chunks that are not sharded. */
export function leafCoder({ leaf }: ChunkLayout, options: CoderOptions): ChunkCoder {
  if (leaf.type === "objects") return new VlenCoder(leaf, options);
  return leaf.frame ? new BlockCoder(leaf.frame) : new CoreCoder(leaf);
}

class CoreCoder implements ChunkCoder {
  constructor(private readonly leaf: CoreLeaf) {}

  module(direction: "decode" | "encode"): ModuleName {
    const { plan } = this.leaf;
    return direction === "decode" ? plan.decodeModule : plan.encodeModule;
  }
  prepare(session: CodecSession): void {
    session.prepare(this.leaf.plan);
  }
  decode(session: CodecSession, encoded: Uint8Array): Uint8Array {
    return session.decode(this.leaf.plan, encoded);
  }
  decodeInto(session: CodecSession, encoded: Uint8Array, out: Uint8Array): void {
    session.decodeInto(this.leaf.plan, encoded, out);
  }
  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    return session.encode(this.leaf.plan, content as Uint8Array);
  }
}

class BlockCoder implements ChunkCoder {
  constructor(private readonly frame: BlockFrame) {}

  module(direction: "decode" | "encode"): ModuleName {
    const { plan } = this.frame;
    return direction === "decode" ? plan.decodeModule : plan.encodeModule;
  }
  prepare(session: CodecSession): void {
    session.prepare(this.frame.plan);
  }
  decode(session: CodecSession, encoded: Uint8Array): Uint8Array {
    return this.frame.decodeIn(session, encoded);
  }
  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    return this.frame.encodeIn(session, content as Uint8Array);
  }
}

class VlenCoder implements ChunkCoder {
  /** Stored position of each element, in C order of the array's axes. */
  readonly #stored: Uint32Array;

  constructor(
    private readonly leaf: VlenLeaf,
    private readonly options: CoderOptions,
  ) {
    this.#stored = storedOrder(leaf);
  }

  module(direction: "decode" | "encode"): ModuleName {
    return moduleFor(this.leaf.after, direction);
  }
  prepare(session: CodecSession): void {
    if (this.leaf.after.length > 0) session.prepare(Plan.bytesOnly(this.leaf.after, 1));
  }
  decode(session: CodecSession, encoded: Uint8Array): unknown[] {
    const { after, codec } = this.leaf;
    const bytes = decodeBytesIn(session, after, encoded, this.options.limits.chunkBytes);
    const values = codec.decode(bytes, this.#stored.length);
    return Array.from(this.#stored, (at) => values[at]);
  }
  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    const { after, axes, codec, shape } = this.leaf;
    const values = new Array<unknown>(this.#stored.length);
    this.#stored.forEach((at, i) => {
      values[at] = content[i];
    });
    const storedShape = axes.map((axis) => shape[axis]!);
    return encodeBytesIn(session, after, codec.encode(values, storedShape));
  }
}

/** The larger of two modules. */
export function largerModule(a: ModuleName, b: ModuleName): ModuleName {
  return a === "full" || b === "full" ? "full" : "decode";
}
