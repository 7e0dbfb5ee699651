/** Base of the codecs of `zarr-wasm/numcodecs`: npm `numcodecs`' interface over the codec core. */

import { decodeBytes, encodeBytesIn } from "../../engine/bytes.js";
import { getSession } from "../../engine/engine.js";
import { type ChainStep, moduleFor } from "../../engine/plan.js";
import { asBytes, isBytes } from "../../util/bytes.js";
import { invalidArgument } from "../../util/errors.js";
import { defaultLimits } from "../../util/limits.js";

/** A codec on bytes. */
export interface Codec {
  encode(data: Uint8Array): Uint8Array | Promise<Uint8Array>;
  decode(data: Uint8Array, out?: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** The class of a codec, for registries. */
export interface CodecConstructor<T> {
  fromConfig(config: T & { id: string }): Codec;
  codecId: string;
}

/** Bytes in any container. */
export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView;

/** Reads the decoded size from a frame; undefined if the frame lacks it. */
export type ReadSize = (frame: DataView) => number | undefined;

/** Steps by parameters. Callers make a codec per chunk, and the engine caches plans by the identity of the list. */
const stepLists = new Map<string, readonly ChainStep[]>();

function cachedSteps(step: ChainStep): readonly ChainStep[] {
  const key = `${step.core} ${step.params}`;
  const steps = stepLists.get(key) ?? [step];
  stepLists.set(key, steps);
  return steps;
}

/** A codec of the core for bytes of unknown decoded size. */
export abstract class NumcodecsCodec implements Codec {
  readonly #steps: readonly ChainStep[];
  readonly #readSize: ReadSize;

  constructor(step: ChainStep, sizeOf: ReadSize) {
    this.#steps = cachedSteps(step);
    this.#readSize = sizeOf;
  }

  /** @throws Unsupported, LimitExceeded. */
  async encode(data: Bytes): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = toBytes(data);
    const session = await getSession(moduleFor(this.#steps, "encode"));
    return encodeBytesIn(session, this.#steps, bytes as Uint8Array<ArrayBuffer>);
  }

  /**
   * @param out filled from its start and returned.
   * @throws CorruptChunk; LimitExceeded for more than 1 GiB; InvalidArgument if `out` is too short or not a Uint8Array,
   *   which leaves it unchanged.
   */
  async decode(data: Bytes, out?: Uint8Array): Promise<Uint8Array> {
    const bytes = toBytes(data);
    if (out !== undefined && !isBytes(out)) throw invalidArgument("out must be a Uint8Array");
    const expected = this.#readSize(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const decoded = await decodeBytes(this.#steps, bytes, defaultLimits.chunkBytes, expected);
    if (out === undefined) return decoded;
    if (out.byteLength < decoded.byteLength)
      throw invalidArgument(`out must have at least ${decoded.byteLength} bytes, got ${out.byteLength}`);
    out.set(decoded);
    return out;
  }
}

/** Returns the bytes of any typed array or buffer. */
function toBytes(data: Bytes): Uint8Array {
  const isView = ArrayBuffer.isView(data) && !isBytes(data);
  const bytes = asBytes(isView ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data);
  if (!bytes) throw invalidArgument("the data must be a Uint8Array");
  return bytes;
}

/** Reads the little-endian 32-bit size at an offset, if the frame has a whole header. */
export const sizeAt =
  (offset: number, headerBytes: number): ReadSize =>
  (frame) =>
    frame.byteLength >= headerBytes ? frame.getUint32(offset, true) : undefined;

/** For frames without their size. */
export const unknownSize: ReadSize = () => undefined;

/** Returns the options of a `fromConfig`. @throws InvalidArgument for values other than objects. */
export function checkConfig<T extends object>(config: T | undefined): Partial<T> {
  if (config === undefined) return {};
  if (typeof config !== "object" || config === null)
    throw invalidArgument("a configuration must be an object");
  return config;
}

/** Checks that a value is an integer in a range. @throws InvalidArgument. */
export function checkInteger(value: unknown, name: string, min: number, max: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max)
    throw invalidArgument(`${name} must be an integer from ${min} to ${max}, got ${String(value)}`);
  return value;
}
