/** Chunks of elements of variable length: a codec in TypeScript, and codecs of the core behind it. */

import { withDetails } from "../base/errors.js";
import type { Limits } from "../base/limits.js";
import { countOf, indices, stridesOf } from "../base/strides.js";
import type { VlenCodec } from "../codecs/vlen/definition.js";
import { decodeBytesIn, encodeBytesIn } from "../engine/bytes.js";
import type { ModuleName } from "../engine/module.js";
import { type ChainStep, moduleFor, Plan } from "../engine/plan.js";
import type { CodecSession, Place } from "../engine/session.js";
import type { Content, LeafCodec } from "./chunk-codec.js";

/** What a chunk of elements of variable length is made of. */
export interface VlenParts {
  readonly shape: readonly number[];
  /** Encoded axis i is the array's axis `axes[i]`. */
  readonly axes: readonly number[];
  readonly name: string;
  readonly codec: VlenCodec;
  readonly after: readonly ChainStep[];
  /** What elements of chunks are that are not stored. */
  readonly fill: unknown;
  readonly limits: Limits;
}

export class VlenChunkCodec implements LeafCodec {
  readonly type = "vlen";
  readonly shape: readonly number[];
  readonly after: readonly ChainStep[];
  readonly encodeModule: ModuleName;
  /** No metadata says how long the elements are. */
  readonly encodedBound: number;
  #decodeModule: ModuleName;
  #order: Uint32Array | undefined;

  constructor(private readonly parts: VlenParts) {
    this.shape = parts.shape;
    this.after = parts.after;
    this.encodedBound = parts.limits.encodedBytes;
    this.#decodeModule = moduleFor(parts.after, "decode");
    this.encodeModule = moduleFor(parts.after, "encode");
  }

  get usesCore(): boolean {
    return this.after.length > 0;
  }
  get decodeModule(): ModuleName {
    return this.#decodeModule;
  }
  requireFullModule(): void {
    this.#decodeModule = "full";
  }

  prepare(session: CodecSession): void {
    if (this.usesCore) session.prepare(Plan.bytesOnly(this.after, 1));
  }

  missing(): unknown[] {
    return new Array<unknown>(countOf(this.shape)).fill(this.parts.fill);
  }

  decode(session: CodecSession | undefined, encoded: Uint8Array): unknown[] {
    const values = this.#values(session, encoded);
    return Array.from(this.#stored(), (at) => values[at]);
  }

  decodeInto(session: CodecSession | undefined, encoded: Uint8Array, out: unknown[]): void {
    this.decode(session, encoded).forEach((value, i) => {
      out[i] = value;
    });
  }

  decodePlaced(
    session: CodecSession | undefined,
    encoded: Uint8Array | undefined,
    out: unknown[],
    { offset, axes }: Place,
  ): void {
    const values = encoded && this.#values(session, encoded);
    const strides = this.#strides();
    for (const index of indices(axes.map(([, , count]) => count))) {
      let [from, to] = [0, offset];
      for (let axis = 0; axis < axes.length; axis++) {
        const [start, step, , stride] = axes[axis]!;
        from += (start + index[axis]! * step) * strides[axis]!;
        to += index[axis]! * stride;
      }
      out[to] = values ? values[from] : this.parts.fill;
    }
  }

  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    const { axes, codec, shape } = this.parts;
    const values = new Array<unknown>(countOf(shape));
    this.#stored().forEach((at, i) => {
      values[at] = content[i];
    });
    const storedShape = axes.map((axis) => shape[axis]!);
    return encodeBytesIn(session, this.after, codec.encode(values, storedShape));
  }

  /** The values in the order in which they are stored. */
  #values(session: CodecSession | undefined, encoded: Uint8Array): unknown[] {
    const { codec, limits, name, shape } = this.parts;
    const bytes = decodeBytesIn(session, this.after, encoded, limits.chunkBytes);
    try {
      return codec.decode(bytes, countOf(shape));
    } catch (error) {
      throw withDetails(error, { codec: name });
    }
  }

  /** Distance between neighbours along each axis of the array, in the order in which values are stored. */
  #strides(): number[] {
    const { axes, shape } = this.parts;
    const stored = stridesOf(axes.map((axis) => shape[axis]!));
    return shape.map((_, axis) => stored[axes.indexOf(axis)]!);
  }

  /** Where each value of a chunk is stored, in C order of the array's axes. */
  #stored(): Uint32Array {
    if (this.#order) return this.#order;
    const strides = this.#strides();
    const order = new Uint32Array(countOf(this.shape));
    let i = 0;
    for (const index of indices(this.shape))
      order[i++] = index.reduce((sum, at, axis) => sum + at * strides[axis]!, 0);
    this.#order = order;
    return order;
  }
}
