/** Codec chains on typed arrays, without a store. */

import { parseCodecs } from "../codecs/definition.js";
import { loadCodecs, namesIn } from "../codecs/lookup.js";
import type { DType } from "../dtypes/dtype.js";
import {
  checkElements,
  checkValues,
  type ElementData,
  type Elements,
  type ElementsLike,
  isConverted,
  type ReadAs,
  readElements,
  toBytes,
  toElements,
} from "../dtypes/elements.js";
import { parseLooseFill } from "../dtypes/fill.js";
import type { DTypeFields, DTypeInput, DTypeName, DTypeNamed, NumpyTypestr } from "../dtypes/names.js";
import { fromPlain, parseDataType } from "../dtypes/v3.js";
import { largerModule, type ModuleName } from "../engine/compile.js";
import { getSession, loadedSession } from "../engine/engine.js";
import type { CodecSession } from "../engine/session.js";
import { checkConstructor, type OptionNames } from "../util/arguments.js";
import { asBytes, isBytes } from "../util/bytes.js";
import { invalidArgument } from "../util/errors.js";
import { type Limits, resolveLimits } from "../util/limits.js";
import { countOf } from "../util/shapes.js";
import type { CodecMetadata } from "./chain.js";
import type { ChunkCodec, Content } from "./chunk-codec.js";
import { ChunkLayouts, layoutArray } from "./layout.js";
import { wholeCodec } from "./shards.js";

/** Zarr v3 data type: a name such as "int16" or "r24", a name with a configuration, or a DType. */
export type CodecChainDType = Exclude<DTypeInput, NumpyTypestr | DTypeFields>;

export interface CodecChainOptions<T extends CodecChainDType = CodecChainDType> {
  /** Data type of the elements. The `bytes` codec determines their byte order. */
  dtype: T;
  /** Length of each dimension of a decoded chunk. */
  shape: readonly number[];
  /** The chain in encoding order, as in Zarr v3 metadata. A bare name means a codec without configuration. */
  codecs: readonly (CodecMetadata | string)[];
  /** Value of elements that are not stored; codecs inside the chain may need it. Default: zeros. */
  fillValue?: unknown;
  /**
   * "both" loads the module that can decode and encode; "decode" loads the smaller module if it has the
   * chain's decoders, and `encode` may then throw Unsupported. Default: "both".
   */
  direction?: "both" | "decode" | undefined;
  /** Verifies checksums in the data when decoding, as in `open`. Default: true. */
  verifyChecksums?: boolean | undefined;
  limits?: Partial<Limits> | undefined;
}

const chainOptions: OptionNames<CodecChainOptions> = {
  dtype: "datatype",
  shape: true,
  codecs: true,
  fillValue: true,
  direction: true,
  verifyChecksums: true,
  limits: true,
};

/**
 * A codec chain bound to one chunk shape and data type. All calls are synchronous. `D` is the name of the data
 * type, known from `createCodecChain`, and `In` its elements. Elements of variable length are lists of values.
 */
export interface CodecChain<D extends DTypeName = DTypeName, In extends Elements = ElementsLike<D>> {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /**
   * Decodes a chunk into a new typed array (or list), in C order and native byte order.
   * @throws CorruptChunk, naming the codec.
   */
  decode<T extends Elements = ReadAs<D>>(encoded: Uint8Array): T;
  /** Decodes into the caller's typed array (or list), which must have the type and length that decode returns. */
  decodeInto<T extends In>(encoded: Uint8Array, out: T): T;
  /** Encodes a chunk from elements in C order, in the form that decode returns. */
  encode(elements: In): Uint8Array<ArrayBuffer>;
}

/**
 * Creates a codec chain: checks it, loads the WebAssembly module, prepares the plan.
 * @throws UnknownCodec, InvalidMetadata, Unsupported, LimitExceeded for an invalid or unsupported chain;
 *   EngineFailed.
 */
export async function createCodecChain<const T extends CodecChainDType>(
  options: CodecChainOptions<T>,
): Promise<CodecChain<DTypeNamed<T>>> {
  checkConstructor(options, "codec chain", chainOptions);
  const { shape, direction = "both" } = options;
  const limits = resolveLimits(options.limits);
  const isLength = (length: unknown) => Number.isSafeInteger(length) && (length as number) >= 1;
  // Array.from turns holes into undefined, which is rejected
  const valid = Array.isArray(shape) && Array.from(shape).every(isLength);
  if (!valid || shape.length > limits.rank)
    throw invalidArgument(`shape must be a list of at most ${limits.rank} positive integers`);
  if (direction !== "both" && direction !== "decode")
    throw invalidArgument('direction must be "both" or "decode"');
  const dtype = parseDataType(options.dtype);
  const codecs = parseCodecs(options.codecs, "codecs", "mustUnderstand");
  await loadCodecs(namesIn(codecs, limits.shardDepth), 3);
  const codec = makeCodec(dtype, codecs, options, limits);
  const { decodeModule, encodeModule } = codec;
  const module = direction === "both" ? largerModule(decodeModule, encodeModule) : decodeModule;
  const session = await getSession(module);
  codec.prepare(session);
  return new BoundChain(dtype, [...shape], codec, module);
}

/** Returns the codec of the chain: of a single chunk, or of a shard. */
function makeCodec(
  dtype: DType,
  codecs: readonly CodecMetadata[],
  options: CodecChainOptions,
  limits: Limits,
): ChunkCodec {
  const array = layoutArray(dtype, parseLooseFill(dtype, fromPlain(options.fillValue ?? null)));
  const { verifyChecksums } = options;
  const layouts = new ChunkLayouts(codecs, array, { version: 3, limits, verifyChecksums });
  return wholeCodec(layouts.of(options.shape), array, limits);
}

class BoundChain implements CodecChain {
  readonly #count: number;

  constructor(
    readonly dtype: DType,
    readonly shape: readonly number[],
    private readonly codec: ChunkCodec,
    private readonly module: ModuleName,
  ) {
    this.#count = countOf(shape);
  }

  decode<T extends Elements>(encoded: Uint8Array): T {
    const content = this.#decoded(encoded);
    return (content instanceof Uint8Array ? toElements(this.dtype, content) : content) as T;
  }

  decodeInto<T extends Elements>(encoded: Uint8Array, out: T): T {
    this.#check(out, "out");
    if (isConverted(this.dtype)) {
      readElements(this.dtype, this.#decoded(encoded) as Uint8Array, out as ElementData);
      return out;
    }
    const bytes = checkBytes(encoded);
    const target = Array.isArray(out) ? (out as unknown[]) : toBytes(this.dtype, out as ElementData);
    this.#run((session) => this.codec.decodeInto(session, bytes, target));
    return out;
  }

  encode(elements: Elements): Uint8Array<ArrayBuffer> {
    this.#check(elements, "the elements to encode");
    const content = Array.isArray(elements) ? elements : toBytes(this.dtype, elements as ElementData);
    return this.#run((session) => this.codec.encode(session, content));
  }

  #decoded(encoded: Uint8Array): Content {
    const bytes = checkBytes(encoded);
    return this.#run((session) => this.codec.decode(session, bytes));
  }

  #check(elements: unknown, what: string): void {
    if (this.dtype.isVariable) checkValues(this.dtype, elements, this.#count, what);
    else checkElements(this.dtype, elements, this.#count, what);
  }

  /** After a trap, calls fail until a new instance has started, which takes a few turns of the event loop. */
  #run<T>(work: (session: CodecSession) => T): T {
    return work(loadedSession(this.module));
  }
}

function checkBytes(encoded: unknown): Uint8Array {
  const bytes = isBytes(encoded) ? asBytes(encoded) : undefined;
  if (!bytes) throw invalidArgument("encoded chunks must be Uint8Arrays");
  return bytes;
}
