/** Chunks of variable-length elements: a codec in TypeScript, followed by codecs of the core. */

import type { VlenCodec } from "../codecs/vlen-codec.js";
import { decodeBytesIn, encodeBytesIn } from "../engine/bytes.js";
import type { ModuleName } from "../engine/module.js";
import { type ChainStep, moduleFor, Plan } from "../engine/plan.js";
import type { CodecSession, Place } from "../engine/session.js";
import { withDetails } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { countOf, indices, stridesOf } from "../util/shapes.js";
import { type Content, type LeafCodec, wholePlace } from "./chunk-codec.js";

/** Components of a codec of variable-length elements. */
export interface VlenParts {
  readonly shape: readonly number[];
  /** Encoded axis i is the array's axis `axes[i]`. */
  readonly axes: readonly number[];
  readonly name: string;
  readonly codec: VlenCodec;
  readonly after: readonly ChainStep[];
  /** Value of elements of missing chunks. */
  readonly fill: unknown;
  readonly limits: Limits;
}

export class VlenChunkCodec implements LeafCodec {
  readonly type = "vlen";
  readonly shape: readonly number[];
  readonly after: readonly ChainStep[];
  readonly encodeModule: ModuleName;
  /** The store limit, because no metadata states the length of the elements. */
  readonly encodedBound: number;
  #decodeModule: ModuleName;

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
    const out = new Array<unknown>(countOf(this.shape));
    this.decodePlaced(session, encoded, out, wholePlace(this.shape));
    return out;
  }

  decodeInto(session: CodecSession | undefined, encoded: Uint8Array, out: unknown[]): void {
    this.decodePlaced(session, encoded, out, wholePlace(this.shape));
  }

  decodePlaced(
    session: CodecSession | undefined,
    encoded: Uint8Array | undefined,
    out: unknown[],
    place: Place,
  ): void {
    const { fill } = this.parts;
    const values = encoded && this.#values(session, encoded);
    this.#each(place, (stored, to) => {
      out[to] = values ? values[stored] : fill;
    });
  }

  encode(session: CodecSession, content: Content): Uint8Array<ArrayBuffer> {
    const { axes, codec, shape } = this.parts;
    const values = new Array<unknown>(countOf(shape));
    this.#each(wholePlace(shape), (stored, from) => {
      values[stored] = content[from];
    });
    const storedShape = axes.map((axis) => shape[axis]!);
    return encodeBytesIn(session, this.after, codec.encode(values, storedShape));
  }

  /** Returns the values in stored order. */
  #values(session: CodecSession | undefined, encoded: Uint8Array): unknown[] {
    const { codec, limits, name, shape } = this.parts;
    const bytes = decodeBytesIn(session, this.after, encoded, limits.chunkBytes);
    try {
      return codec.decode(bytes, countOf(shape));
    } catch (error) {
      throw withDetails(error, { codec: name });
    }
  }

  /** Visits the values of a place with their stored index and their target index. */
  #each({ offset, axes: placed }: Place, visit: (stored: number, at: number) => void): void {
    const { axes, shape } = this.parts;
    const strides = stridesOf(axes.map((axis) => shape[axis]!));
    const stored = shape.map((_, axis) => strides[axes.indexOf(axis)]!);
    for (const index of indices(placed.map(([, , count]) => count))) {
      let [from, to] = [0, offset];
      for (let axis = 0; axis < placed.length; axis++) {
        const [start, step, , stride] = placed[axis]!;
        from += (start + index[axis]! * step) * stored[axis]!;
        to += index[axis]! * stride;
      }
      visit(from, to);
    }
  }
}
