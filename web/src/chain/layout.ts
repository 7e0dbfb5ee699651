/**
 * The layout of one stored chunk: nested shards, down to the chunks that are decoded.
 *
 * Codecs before shards that work element by element, or only permute axes, are equivalent to the same codecs
 * before each inner chunk. So a chain such as `transpose, sharding_indexed(bytes, zstd)` becomes a level of
 * shards, whose index has its axes permuted, over chunks of `transpose, bytes, zstd`: inner chunks can be
 * read one by one, whichever of these codecs precede their shard.
 */

import type { CodecArray, CodecMetadata } from "../codecs/definition.js";
import type { BlockConfiguration } from "../codecs/n5.js";
import type { ShardingConfiguration } from "../codecs/sharding.js";
import { DType } from "../dtypes/dtype.js";
import { type FillValue, missingValue } from "../dtypes/fill-value.js";
import { type ChainStep, Plan } from "../engine/plan.js";
import { invalidMetadata, limitExceeded, unsupported } from "../util/errors.js";
import type { Limits } from "../util/limits.js";
import { countOf } from "../util/shapes.js";
import { type ChainOptions, type ResolvedChain, type ResolvedStep, resolveChain } from "./chain.js";
import { CoreChunkCodec, VlenChunkCodec } from "./chunk-codec.js";

/** One level of shards: objects (or parts of them) that hold inner chunks and an index. */
export interface ShardLevel {
  /** Shape of a shard and of its inner chunks, in the array's axes. */
  readonly shape: readonly number[];
  readonly innerShape: readonly number[];
  /** Axis i of the index is the array's axis `axes[i]`. */
  readonly axes: readonly number[];
  /** Inner chunks along each axis of the index. */
  readonly counts: readonly number[];
  readonly index: ShardIndexLayout;
  /** Codecs applied to the whole shard. If there are any, the shard can only be read whole. */
  readonly after: readonly ChainStep[];
}

export interface ShardIndexLayout {
  /** Decodes to (offset, size) pairs of uint64, in C order of the index axes. */
  readonly plan: Plan;
  /** Size of the encoded index in bytes. */
  readonly bytes: number;
  readonly location: "start" | "end";
}

/** The codec of chunks that hold elements. */
export type LeafChunkCodec = CoreChunkCodec | VlenChunkCodec;

export interface ChunkLayout {
  /** Outermost first; empty if chunks are not in shards. */
  readonly levels: readonly ShardLevel[];
  readonly leaf: LeafChunkCodec;
}

export interface LayoutArray {
  readonly dtype: DType;
  /** One element of fill value; empty for elements of variable length. */
  readonly fillItem: Uint8Array;
  /** Value of missing elements, if chunks hold values instead of bytes. */
  readonly missing?: unknown;
}

/** Returns the properties of an array with this fill value that layouts depend on. */
export function layoutArray(dtype: DType, fill: FillValue): LayoutArray {
  const missing = dtype.isVariable ? missingValue(dtype, fill) : (fill.value ?? "");
  return { dtype, fillItem: fill.item, missing };
}

/** The layouts of an array's chunks, one per chunk shape, created on first use. */
export class ChunkLayouts {
  readonly #known = new Map<string, ChunkLayout>();

  constructor(
    readonly codecs: readonly CodecMetadata[],
    readonly array: LayoutArray,
    private readonly options: ChainOptions,
  ) {}

  /**
   * Returns the layout of chunks of a shape.
   * @throws InvalidMetadata, UnknownCodec, Unsupported or LimitExceeded if such chunks cannot be read.
   */
  of(shape: readonly number[]): ChunkLayout {
    const key = shape.join();
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= maxLayouts) this.#known.clear();
    const layout = makeLayout(this.codecs, this.array, shape, this.options);
    this.#known.set(key, layout);
    return layout;
  }
}

/** Maximum number of cached layouts; arrays have only one, except on rectilinear grids. */
const maxLayouts = 1024;

function makeLayout(
  codecs: readonly CodecMetadata[],
  array: LayoutArray,
  shape: readonly number[],
  options: ChainOptions,
): ChunkLayout {
  const levels: ShardLevel[] = [];
  let chunk = { codecs, shape };
  for (;;) {
    const chain = resolveChain(chunk.codecs, { dtype: array.dtype, shape: chunk.shape }, options);
    const { toBytes } = chain;
    if (toBytes.type !== "shards") return { levels, leaf: makeLeaf(chain, array, chunk.shape, options) };
    if (levels.length >= options.limits.shardDepth)
      throw limitExceeded(`shards are nested deeper than ${options.limits.shardDepth} levels`);
    const level = makeLevel(chain, toBytes.sharding, chunk.shape, options);
    levels.push(level);
    const before = chain.before.map((step) => step.metadata);
    chunk = { codecs: [...before, ...toBytes.sharding.codecs], shape: level.innerShape };
  }
}

function makeLevel(
  chain: ResolvedChain,
  sharding: ShardingConfiguration,
  shape: readonly number[],
  options: ChainOptions,
): ShardLevel {
  const axes = axesThrough(chain.before, shape.length, "shards");
  const innerShape = [...shape];
  axes.forEach((axis, i) => {
    innerShape[axis] = sharding.chunkShape[i]!;
  });
  return {
    shape,
    innerShape,
    axes,
    counts: sharding.counts,
    index: makeIndex(sharding, options),
    after: chain.after,
  };
}

/** Maps each encoded axis to an axis of the array, through codecs that permute axes or work element by element. */
export function axesThrough(steps: readonly ResolvedStep[], rank: number, what: string): number[] {
  let axes = Array.from({ length: rank }, (_, axis) => axis);
  for (const { definition, params, name } of steps) {
    if (definition.core === "transpose") axes = params.map((axis) => axes[axis]!);
    else if (!definition.elementwise) {
      throw unsupported(`codec ${name} is not supported before ${what}`, {
        code: "unsupported-codec",
        codec: name,
      });
    }
  }
  return axes;
}

function makeIndex(sharding: ShardingConfiguration, options: ChainOptions): ShardIndexLayout {
  const { counts, indexCodecs, indexLocation } = sharding;
  const { shardEntries } = options.limits;
  const entries = countOf(counts);
  if (!(entries <= shardEntries)) {
    throw limitExceeded(`a shard of ${entries} inner chunks is larger than the limit of ${shardEntries}`);
  }
  const dtype = DType.simple("uint64");
  const shape = [...counts, 2];
  // The index locates the chunks: its checksum is cheap, and always verified.
  const chain = resolveChain(indexCodecs, { dtype, shape }, { ...options, verifyChecksums: true });
  return {
    plan: new Plan({ dtype, shape, fillItem: new Uint8Array(8) }, coreSteps(chain, "index_codecs")),
    bytes: fixedSize(chain, 16 * entries),
    location: indexLocation,
  };
}

/** Returns the encoded size of an index; rejects codecs whose output size varies. */
function fixedSize({ before, toBytes, after }: ResolvedChain, bytes: number): number {
  const steps = toBytes.type === "core" ? [...before, toBytes.step, ...after] : [];
  return steps.reduce((size, { definition, name }) => {
    if (!definition.encodedBytes) {
      throw invalidMetadata(`codec ${name} in "index_codecs": its output has no fixed size`, {
        code: "codec-order",
        codec: name,
      });
    }
    return definition.encodedBytes(size);
  }, bytes);
}

function coreSteps({ before, toBytes, after }: ResolvedChain, what: string): ResolvedStep[] {
  if (toBytes.type === "core") return [...before, toBytes.step, ...after];
  throw invalidMetadata(`codec ${toBytes.name} is not allowed in ${what}`, {
    code: "codec-order",
    codec: toBytes.name,
  });
}

function makeLeaf(
  chain: ResolvedChain,
  array: LayoutArray,
  shape: readonly number[],
  options: ChainOptions,
): LeafChunkCodec {
  const { limits } = options;
  const { dtype, fillItem, missing: fill } = array;
  if (chain.toBytes.type === "vlen") {
    const { name, codec } = chain.toBytes;
    checkValueCount(shape, name, limits);
    const axes = axesThrough(chain.before, shape.length, "elements of variable length");
    return new VlenChunkCodec({ shape, axes, name, codec, after: chain.after, fill, limits });
  }
  checkChunkBytes({ dtype, shape }, limits);
  if (chain.toBytes.type === "blocks") return blockLeaf(chain, chain.toBytes.blocks, array, shape, options);
  const steps = coreSteps(chain, "a chunk's codecs");
  return new CoreChunkCodec({
    plan: new Plan({ dtype, shape, fillItem }, steps),
    chain,
    encodedBound: Math.min(encodedBound(chain), limits.encodedBytes),
    makeSubarray: (part) =>
      subarrayCodec(steps.slice(0, steps.length - chain.after.length), array, part, options),
  });
}

/** Returns the codec of N5 blocks. The plan is for whole chunks; blocks at the edge of the array have their own. */
function blockLeaf(
  chain: ResolvedChain,
  { codecs, frame: frameOf }: BlockConfiguration,
  array: LayoutArray,
  shape: readonly number[],
  options: ChainOptions,
): LeafChunkCodec {
  const around = [...chain.before, ...chain.after][0];
  if (around)
    throw unsupported(`codec ${around.name} cannot be combined with n5_default`, {
      code: "unsupported-codec",
      codec: around.name,
    });
  const blocks = new ChunkLayouts(codecs, array, options);
  const planOf = (blockShape: readonly number[]) => (blocks.of(blockShape).leaf as CoreChunkCodec).plan;
  const frame = frameOf(shape, planOf);
  // Blocks may be larger than the chunk: their header states the size.
  return new CoreChunkCodec({ plan: frame.plan, chain, frame, encodedBound: options.limits.encodedBytes });
}

/**
 * Returns the codec of a subarray of uncompressed chunks: the chunk's array codecs for an array of the
 * subarray's shape. Only for chains that move whole elements (see read/object-reader.ts).
 */
function subarrayCodec(
  steps: readonly ResolvedStep[],
  array: LayoutArray,
  shape: readonly number[],
  options: ChainOptions,
): CoreChunkCodec {
  const { dtype } = array;
  const chain = resolveChain(
    steps.map((step) => step.metadata),
    { dtype, shape },
    options,
  );
  return makeLeaf(chain, array, shape, options) as CoreChunkCodec;
}

/** Maximum overhead of compressors for incompressible data in several frames, with names and comments. */
const expansion = 2;
const encodedSlack = 2 ** 20;

/** Returns the maximum size of a valid chunk: exact for codecs of fixed output size, generous for the others. */
function encodedBound({ encodedArray, toBytes, after }: ResolvedChain): number {
  const ample = (bytes: number) => expansion * bytes + encodedSlack;
  const bytes = countOf(encodedArray.shape) * Math.max(1, encodedArray.dtype.itemBytes);
  const steps = toBytes.type === "core" ? [toBytes.step, ...after] : after;
  // Slightly oversized chunks are still read, so that decoding can report the exact error.
  return (
    steps.reduce((size, { definition }) => definition.encodedBytes?.(size) ?? ample(size), bytes) +
    encodedSlack
  );
}

/** Minimum memory of an element: a reference and a short string; a typed array, of bytes or numbers. */
const valueBytes = { text: 32, array: 256 };

function checkValueCount(shape: readonly number[], codec: string, { chunkBytes }: Limits): void {
  const count = countOf(shape);
  const each = /bytes|array/.test(codec) ? valueBytes.array : valueBytes.text;
  if (!(each * count <= chunkBytes))
    throw limitExceeded(
      `a chunk of ${shape.join(" × ")} elements of variable length takes more than the limit of ${chunkBytes} bytes`,
    );
}

function checkChunkBytes({ dtype, shape }: CodecArray, { chunkBytes }: Limits): void {
  const bytes = countOf(shape) * dtype.itemBytes;
  if (!(bytes <= chunkBytes)) {
    throw limitExceeded(
      `a chunk of ${shape.join(" × ")} elements of ${dtype} is larger than the limit of ${chunkBytes} bytes`,
    );
  }
}
