/**
 * n5_default: N5 blocks, each with a header that states its mode and shape. Spec: zarr-extensions
 * "n5_default"; N5 "file-system specification".
 *
 *   header = mode (uint16, 0), number of dimensions (uint16), their lengths (uint32 each); all big-endian
 *
 * Blocks at the edge of an array may be smaller than the chunk; the remainder is fill value. Beyond the specification,
 * `reversed` says that the array has the axes of N5 in reverse order and needs no transpose, as zarr-python 2 reads N5.
 */

import type { Plan } from "../engine/plan.js";
import type { CodecSession, PlacedStep, Placement } from "../engine/session.js";
import { copySubarray, repeated } from "../util/buffers.js";
import type { ErrorCode } from "../util/error-codes.js";
import { corruptChunk, unsupported, withDetails } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import { type CodecContext, type CodecMetadata, type ConfigReader, parseCodecs } from "./definition.js";

const name = "n5_default";
const maxCompressors = 1;

/** Returns the plan of blocks of a shape. @throws LimitExceeded for shapes that are too large. */
type PlanOf = (shape: readonly number[]) => Plan;

export interface BlockConfiguration {
  /** The codecs of the data after the header. */
  readonly codecs: readonly CodecMetadata[];
  /** Returns the {@link BlockFrame} of an array. */
  frame(shape: readonly number[], planOf: PlanOf): BlockFrame;
}

export interface BlockDefinition {
  readonly kind: "array-to-bytes";
  readonly names: { readonly 3: readonly string[] };
  parse(config: ConfigReader, context: CodecContext): BlockConfiguration;
}

export const n5Default: BlockDefinition = {
  kind: "array-to-bytes",
  names: { 3: [name] },
  parse(config, { array }) {
    config.only("codecs", "reversed");
    const codecs = parseCodecs(config.get("codecs"), `codec ${name}: "codecs"`);
    const isReversed = config.boolean("reversed", false);
    const order = array.shape.map((_, axis) => array.shape.length - 1 - axis).join();
    const [bytes, ...rest] = codecs.slice(isReversed ? 0 : 1);
    const isTransposed =
      isReversed || (codecs[0]?.name === "transpose" && String(codecs[0].configuration?.["order"]) === order);
    const valid =
      isTransposed &&
      rest.length <= maxCompressors &&
      bytes?.name === "bytes" &&
      (bytes.configuration?.["endian"] ?? "big") === "big";
    if (!valid) {
      const transpose = isReversed ? "" : "a transpose that reverses the axes, ";
      throw config.error(
        `"codecs" must be ${transpose}bytes in big-endian order, and at most one compressor`,
      );
    }
    return { codecs, frame: (shape, planOf) => new BlockFrame(shape, planOf, isReversed) };
  },
};

/** The blocks of one array. */
export class BlockFrame {
  constructor(
    /** Shape of the chunks. */
    private readonly shape: readonly number[],
    private readonly planOf: PlanOf,
    /** Whether headers have the axes in reverse order. */
    private readonly isReversed: boolean,
  ) {}

  /** Decodes a block to a whole chunk: C order, native byte order. */
  decode(session: CodecSession, encoded: Uint8Array): Uint8Array {
    const { plan, payload } = this.#opened(encoded);
    return this.#fitted(plan, session.decode(plan, payload));
  }

  /**
   * Returns the steps that write a part of a chunk to a slab: the block's share of it, preceded by fill value
   * if the block does not cover it.
   */
  placed(encoded: Uint8Array, { offset, axes }: Placement): readonly PlacedStep[] {
    const { plan, payload } = this.#opened(encoded);
    const { shape } = plan.array;
    const cropped = axes.map(([start, step, count, stride], axis) => {
      const fitting = Math.max(0, Math.min(count, Math.ceil((shape[axis]! - start) / step)));
      return [start, step, fitting, stride] as const;
    });
    const own: PlacedStep = { plan, encoded: payload, offset, axes: cropped };
    if (cropped.every(([, , count], axis) => count === axes[axis]![2])) return [own];
    return [{ plan: this.plan, encoded: undefined, offset, axes }, own];
  }

  /** Encodes a whole chunk. */
  encode(session: CodecSession, content: Uint8Array): Uint8Array<ArrayBuffer> {
    const payload = session.encode(this.plan, content);
    const rank = this.shape.length;
    const block = new Uint8Array(4 + 4 * rank + payload.byteLength);
    const view = new DataView(block.buffer);
    view.setUint16(2, rank);
    this.shape.forEach((length, axis) => {
      view.setUint32(this.#position(axis), length);
    });
    block.set(payload, 4 + 4 * rank);
    return block;
  }

  /** Position of an axis' length in the header. */
  #position(axis: number): number {
    return 4 + 4 * (this.isReversed ? this.shape.length - 1 - axis : axis);
  }

  /** The plan of whole chunks. */
  get plan(): Plan {
    return this.planOf(this.shape);
  }

  /** Returns a block's plan, by the shape in its header, and the data after the header. */
  #opened(encoded: Uint8Array): { plan: Plan; payload: Uint8Array } {
    const { shape, payload } = this.#header(encoded);
    try {
      return { plan: this.planOf(shape), payload };
    } catch (error) {
      throw withDetails(error, { codec: name });
    }
  }

  #header(encoded: Uint8Array): { shape: number[]; payload: Uint8Array } {
    const rank = this.shape.length;
    const size = 4 + 4 * rank;
    if (encoded.byteLength < size)
      throw corrupt("truncated", `the block has ${encoded.byteLength} bytes, fewer than its header`);
    const view = new DataView(encoded.buffer, encoded.byteOffset, size);
    const mode = view.getUint16(0);
    if (mode === 1 || mode === 2)
      throw unsupported(`codec ${name}: blocks of mode ${mode}`, { code: "unsupported-codec", codec: name });
    if (mode !== 0 || view.getUint16(2) !== rank)
      throw corrupt(
        "bad-header",
        `the block's header names mode ${mode} and ${view.getUint16(2)} dimensions`,
      );
    const shape = this.shape.map((_, axis) => view.getUint32(this.#position(axis)));
    if (shape.includes(0))
      throw corrupt("bad-header", `the block's header names the shape [${shape.join(", ")}]`);
    // Whole chunks by writers that list the axes in the other order: no cropped block exceeds the chunk.
    const isOtherOrder = shape.toReversed().every((length, axis) => length === this.shape[axis]);
    return { shape: isOtherOrder ? [...this.shape] : shape, payload: encoded.subarray(size) };
  }

  /** Crops or pads a decoded block to the shape of the chunk. */
  #fitted({ array: { shape, dtype, fillItem } }: Plan, block: Uint8Array): Uint8Array {
    if (shape.every((length, axis) => length === this.shape[axis])) return block;
    const { itemBytes } = dtype;
    const chunk = repeated(fillItem, countOf(this.shape) * itemBytes);
    const common = shape.map((length, axis) => Math.min(length, this.shape[axis]!));
    const origin = shape.map(() => 0);
    copySubarray(
      { content: block, shape },
      origin,
      { content: chunk, shape: this.shape },
      origin,
      common,
      itemBytes,
    );
    return chunk;
  }
}

function corrupt(code: ErrorCode<"CorruptChunk">, message: string) {
  return corruptChunk(`codec ${name}: ${message}`, { code, codec: name });
}
