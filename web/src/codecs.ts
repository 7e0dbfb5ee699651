/**
 * The codec core alone: chains of Zarr v3 codecs on typed arrays, without a store.
 * @packageDocumentation
 */
import type { CodecMetadata } from "./codecs/chain.js";
import { ChunkLayouts, type LayoutArray } from "./codecs/layout.js";
import type { DType } from "./dtypes/dtype.js";
import { checkElements, type ElementData, toBytes, toElements, widensHalf } from "./dtypes/elements.js";
import { parseLooseFill } from "./dtypes/fill.js";
import { fromPlain, parseDataType } from "./dtypes/v3.js";
import { sessionOf } from "./engine/engine.js";
import type { ModuleName } from "./engine/module.js";
import type { Plan } from "./engine/plan.js";
import type { CodecSession } from "./engine/session.js";
import { invalidArgument, unsupported } from "./errors.js";
import { type Limits, resolveLimits } from "./limits.js";
import { countOf } from "./region/strides.js";

export type { CodecMetadata } from "./codecs/chain.js";
export { DType } from "./dtypes/dtype.js";
export type { ElementData } from "./dtypes/elements.js";
export { configureWasm, type WasmSource } from "./engine/module.js";
export { isZarrError, ZarrError } from "./errors.js";

export interface CodecChainOptions {
  /**
   * Zarr v3 data type: a name such as "int16", "complex64" or "r24", or an object with a name and a
   * configuration; or a DType.
   */
  dataType: unknown;
  /** Length of each dimension of a decoded chunk. */
  shape: readonly number[];
  /** The chain in encoding order, as in Zarr v3 metadata. A name alone stands for a codec without configuration. */
  codecs: readonly (CodecMetadata | string)[];
  /** Value of elements that are not stored; codecs inside the chain may need it. Default: zeros. */
  fillValue?: unknown;
  /**
   * "both" (default) loads what decoding and encoding need; "decode" is content with the smaller
   * module where the chain's decoders are in it, and `encode` may then throw Unsupported.
   */
  direction?: "both" | "decode" | undefined;
  limits?: Partial<Limits> | undefined;
}

/** A codec chain bound to one chunk shape and data type. All calls are synchronous. */
export interface CodecChain {
  readonly dataType: DType;
  readonly shape: readonly number[];
  /**
   * Decodes a chunk: C order, native byte order, in a new typed array.
   * @throws CorruptChunk, naming the codec; nothing is returned then.
   */
  decode(encoded: Uint8Array): ElementData;
  /** Decodes into the caller's typed array, which must be of the type and length that decode returns. */
  decodeInto<T extends ElementData>(encoded: Uint8Array, out: T): T;
  /** Encodes a chunk from elements in C order; the typed array must be as decode returns it. */
  encode(elements: ElementData): Uint8Array<ArrayBuffer>;
}

/**
 * Makes a codec chain ready: checks it, loads the WebAssembly module, prepares the plan.
 * @throws UnknownCodec, InvalidMetadata, LimitExceeded for a chain that cannot work; EngineFailed.
 */
export async function createCodecChain(options: CodecChainOptions): Promise<CodecChain> {
  const { shape, direction = "both" } = options;
  const limits = resolveLimits(options.limits);
  const valid = Array.isArray(shape) && shape.every((length) => Number.isSafeInteger(length) && length >= 1);
  if (!valid || shape.length > limits.rank)
    throw invalidArgument(`shape must be a list of at most ${limits.rank} positive integers`);
  if (direction !== "both" && direction !== "decode")
    throw invalidArgument('direction must be "both" or "decode"');
  const dtype = parseDataType(options.dataType);
  const fill = parseLooseFill(dtype, fromPlain(options.fillValue ?? null));
  const codecs = options.codecs.map((codec) => (typeof codec === "string" ? { name: codec } : codec));
  const plan = planOf(codecs, { dtype, fillItem: fill.item }, shape, limits);
  const needsFull = plan.decodeModule === "full" || (direction === "both" && plan.encodeModule === "full");
  const module: ModuleName = needsFull ? "full" : "decode";
  const session = await sessionOf(module);
  session.prepare(plan);
  return new BoundChain(dtype, [...shape], plan, module, session);
}

/** The plan of a chain for single chunks; shards and variable lengths need a store's view of things. */
function planOf(
  codecs: readonly CodecMetadata[],
  array: LayoutArray,
  shape: readonly number[],
  limits: Limits,
): Plan {
  const { levels, leaf } = new ChunkLayouts(codecs, array, { version: 3, limits }).of(shape);
  if (levels.length > 0 || leaf.type !== "core")
    throw unsupported("chains of shards or of elements of variable length", { code: "chain" });
  return leaf.plan;
}

class BoundChain implements CodecChain {
  #session: CodecSession;
  readonly #count: number;

  constructor(
    readonly dataType: DType,
    readonly shape: readonly number[],
    private readonly plan: Plan,
    private readonly module: ModuleName,
    session: CodecSession,
  ) {
    this.#session = session;
    this.#count = countOf(shape);
  }

  decode(encoded: Uint8Array): ElementData {
    checkBytes(encoded);
    return toElements(
      this.dataType,
      this.#run((session) => session.decode(this.plan, encoded)),
    );
  }

  decodeInto<T extends ElementData>(encoded: Uint8Array, out: T): T {
    checkBytes(encoded);
    checkElements(this.dataType, out, this.#count, "out");
    if (widensHalf(this.dataType)) (out as Float32Array).set(this.decode(encoded) as Float32Array);
    else this.#run((session) => session.decodeInto(this.plan, encoded, toBytes(this.dataType, out)));
    return out;
  }

  encode(elements: ElementData): Uint8Array<ArrayBuffer> {
    checkElements(this.dataType, elements, this.#count, "the elements to encode");
    return this.#run((session) => session.encode(this.plan, toBytes(this.dataType, elements)));
  }

  #run<T>(work: (session: CodecSession) => T): T {
    try {
      return work(this.#session);
    } finally {
      if (!this.#session.usable) this.#replaceSession();
    }
  }

  /** After a trap: the next call but one finds a fresh instance. */
  #replaceSession(): void {
    sessionOf(this.module).then(
      (session) => {
        this.#session = session;
      },
      () => {}, // the calls in between keep saying that the instance failed
    );
  }
}

function checkBytes(encoded: unknown): asserts encoded is Uint8Array {
  if (!(encoded instanceof Uint8Array)) throw invalidArgument("encoded chunks must be Uint8Arrays");
}
