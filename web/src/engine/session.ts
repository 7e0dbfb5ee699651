/**
 * A session with the core: the only file that accesses the WebAssembly memory.
 *
 * Views of that memory are borrowed. They become invalid when the memory grows, so each is created after the
 * last call that may grow it and used at once; none is stored, returned or kept across an `await`.
 */

import { isBytes, sizeOf } from "../util/bytes.js";
import {
  type ErrorCode,
  type ErrorTag,
  engineFailed,
  invalidArgument,
  kebab,
  limitExceeded,
  ZarrError,
} from "../util/errors.js";
import { keepAlive, uninitialised } from "../util/platform.js";
import type { Core } from "../wasm/core.js";
import type { ModuleName } from "./compile.js";
import type { PiecePlan, Plan, PlanWords } from "./plan.js";

/**
 * Position of a part of a chunk in its destination: along each axis, `count` elements start, start + step, …
 * of the chunk, `stride` apart. Strides and the offset of the first element are in bytes of a slab, or in
 * entries of a list.
 */
export interface Placement {
  readonly offset: number;
  readonly axes: readonly (readonly [start: number, step: number, count: number, stride: number])[];
}

/** A step that writes a chunk to a slab; a session of any thread can run it. */
export interface PlacedStep extends Placement {
  readonly plan: PlanWords;
  /** undefined for the plan's fill value. */
  readonly encoded: Uint8Array | undefined;
}

/** Memory in the core in which a part of a result is assembled. Must be freed. */
export interface Slab {
  readonly id: number;
  readonly bytes: number;
}

/** Thrown if a chunk needs a decoder that only the full module has. */
export class NeedsFullModule extends Error {}

/** Maximum number of prepared plans per session; the least recently used one is evicted. */
const maxPlans = 512;

/** Number of bytes of a frame passed to the core at a time. */
const framePiece = 2 ** 18;
/** The codec that errors name for frames without a plan. */
const zstdFrame: PlanWords = { words: new Uint32Array(0), steps: [{ name: "zstd" }] };
/** Errors of kernels name no codec. */
const noCodec: PlanWords = { words: new Uint32Array(0), steps: [] };

/** Memory of the core that is not reserved yet. */
const unreserved = { address: 0, size: 0 };

export type Copy = (bytes: Uint8Array) => Uint8Array<ArrayBuffer>;

/** Copies to new memory. V8 zeroes the memory of `slice()` first, but not the memory of this constructor. */
function copyBytes(view: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view);
}

/** Reads a C string of the core. */
export function textAt({ HEAPU8 }: Core, address: number): string {
  return String.fromCharCode(...HEAPU8.subarray(address, HEAPU8.indexOf(0, address)));
}

export class CodecSession {
  /** False after a trap: the instance must not be used again. */
  usable = true;
  /** Set after a trap, or when the memory is larger than needed: new work must use another session. */
  isSpent = false;
  readonly #plans = new Map<PlanWords, number>();
  #input = unreserved;
  #openBytes = 0;
  #calls = 0;
  /** Number of calls when the running timer of `#watch` was started; 0 if none runs. */
  #watched = 0;

  /** @param onSpent called when the session should no longer be handed out. */
  constructor(
    readonly core: Core,
    readonly module: ModuleName,
    chunkBytes: number,
    private readonly demand = new HeapDemand(),
    private readonly onSpent: () => void = () => {},
  ) {
    core.start(chunkBytes);
  }

  /** Size of the instance's memory in bytes, which never shrinks. */
  get memoryBytes(): number {
    return this.core.HEAPU8.byteLength;
  }

  /** Checks and prepares a plan unless this session has done so before. */
  prepare(plan: PlanWords): void {
    this.#call(() => this.#planId(plan));
  }

  /** Decodes a chunk into a new array of plan.decodedBytes bytes; for bytes-only plans, at most that many. */
  decode(plan: Plan, encoded: Uint8Array): Uint8Array<ArrayBuffer> {
    const bytes = checkedSize(encoded);
    const { pieces } = plan;
    if (pieces && bytes === plan.decodedBytes) return this.#decodePieces(pieces, encoded);
    return this.#call(() => copyBytes(this.#decoded(plan, encoded)), bytes + plan.decodedBytes);
  }

  /** Decodes a large chunk whose elements keep their places; the last piece may overlap the one before it. */
  #decodePieces({ plan, bytes }: PiecePlan, encoded: Uint8Array): Uint8Array<ArrayBuffer> {
    const size = sizeOf(encoded);
    const out = uninitialised(size); // on failure it is never returned, so no uninitialised memory leaks
    for (let at = 0; at < size; at += bytes) {
      const start = Math.min(at, size - bytes);
      this.decodeInto(plan, encoded.subarray(start, start + bytes), out.subarray(start, start + bytes));
    }
    return out;
  }

  /**
   * Decodes a chunk into the caller's buffer of exactly plan.decodedBytes bytes (at least as many, for
   * bytes-only plans). Writes nothing on failure.
   */
  decodeInto(plan: Plan, encoded: Uint8Array, out: Uint8Array): void {
    const bytes = checkedSize(encoded) + checkedSize(out);
    this.#call(() => {
      const decoded = this.#decoded(plan, encoded);
      if (decoded.byteLength > sizeOf(out)) throw invalidArgument(tooShort(out, decoded.byteLength));
      out.set(decoded);
    }, bytes);
  }

  /** Writes a part of a decoded chunk, or its fill value, to a slab. Writes nothing on failure. */
  place(slab: Slab, { plan, encoded, offset, axes }: PlacedStep): void {
    this.placeChunks(plan, placementWords(slab, offset, axes, encoded), 1, encoded);
  }

  /**
   * Writes parts of chunks, or fill values, to a slab, until one fails.
   * @param words placements of the chunks (bindings/session.hpp).
   * @param input bytes that hold the chunks.
   */
  placeChunks(plan: PlanWords, words: ArrayLike<number>, count: number, input?: Uint8Array): void {
    this.#call(() => {
      const id = this.#planId(plan);
      const bytes = input ? this.#setInput(input) : 0;
      this.#setWords(words);
      this.demand.note(bytes + this.core.decodedBytes(id) + this.#openBytes);
      this.#check(this.core.placeChunks(id, count, bytes), plan);
    });
  }

  /** Encodes a decoded chunk of plan.decodedBytes bytes (at most, for bytes-only plans) into a new array. */
  encode(plan: Plan, decoded: Uint8Array): Uint8Array<ArrayBuffer> {
    return this.#call(() => {
      const id = this.#planId(plan);
      const bytes = this.#expectInput(decoded);
      const encoded = this.core.encode(id, decoded, bytes);
      if (!encoded) this.#fail(this.core.errorCode(), plan, true);
      return copyBytes(encoded);
    }, 2 * checkedSize(decoded));
  }

  /**
   * Encodes a chunk from a slab, in the full module: the elements named by the step, surrounded by fill
   * value.
   * @param keepsFill if false, returns undefined if all named elements are fill value.
   * @param copy copies the encoded bytes out of the core's memory, which is only borrowed.
   */
  encodePlaced(
    slab: Slab,
    { plan, offset, axes }: Omit<PlacedStep, "encoded">,
    keepsFill: boolean,
    copy: Copy = copyBytes,
  ): Uint8Array<ArrayBuffer> | undefined {
    return this.#call(() => {
      const id = this.#planId(plan);
      const { core } = this;
      this.#setWords(placementWords(slab, offset, axes));
      const isFill = keepsFill ? 0 : core.isFillPlaced(id);
      if (isFill === 1) return undefined;
      if (isFill !== 0) this.#check(core.errorCode(), plan, true);
      const bytes = core.decodedBytes(id);
      this.demand.note(2 * bytes + this.#openBytes);
      this.#check(core.encodePlaced(id), plan, true);
      return copy(this.#output());
    });
  }

  /** @throws InvalidArgument for an invalid size; LimitExceeded ("out-of-memory"). */
  makeSlab(bytes: number): Slab {
    if (!isWord(bytes))
      throw invalidArgument(`the size of a slab must be an integer from 0 to 2^32 - 1, got ${bytes}`);
    return this.#call(() => {
      const id = this.core.makeSlab(bytes);
      if (id === 0) throw outOfMemory(bytes);
      this.#openBytes += Math.max(1, bytes);
      return { id, bytes };
    });
  }

  freeSlab(slab: Slab): void {
    if (!this.usable) return;
    this.#call(() => {
      this.core.freeSlab(slab.id);
      this.demand.note(this.#openBytes);
      this.#openBytes -= Math.max(1, slab.bytes);
    });
  }

  /** Returns a copy of the whole slab. */
  copySlab(slab: Slab): Uint8Array<ArrayBuffer> {
    return copyBytes(this.#slabBytes(slab));
  }

  /** Passes the memory of a slab to `access`, which must finish synchronously. */
  withSlab(slab: Slab, access: (bytes: Uint8Array) => void): void {
    access(this.#slabBytes(slab));
  }

  /** @throws InvalidArgument for a freed slab. */
  #slabBytes({ id, bytes }: Slab): Uint8Array {
    const start = this.core.slabAddress(id);
    if (start === 0) throw invalidArgument("the slab has been freed");
    return this.core.HEAPU8.subarray(start, start + bytes);
  }

  /**
   * Runs a kernel of the full module; those of slabs are in the images module as well.
   * @param words parameters (bindings/session.hpp).
   * @param bytes size of the input.
   * @param fill writes the input to the given memory, which is only borrowed.
   * @param take receives the output of "reduce" and "evaluate", which is only borrowed.
   */
  run(
    kernel: "reduce" | "evaluate" | "accumulate" | "mergeState" | "histogram",
    words: readonly number[],
    bytes: number,
    fill: (input: Uint8Array) => void,
    take?: (output: Uint8Array) => void,
  ): void {
    if (!words.every(isWord) || !isWord(bytes))
      throw invalidArgument("lengths and factors must be integers from 0 to 2^32 - 1");
    this.#call(() => {
      this.#reserveInput(bytes);
      this.#setWords(words);
      const { address } = this.#input;
      fill(this.core.HEAPU8.subarray(address, address + bytes));
      this.#check(this.core[kernel](bytes), noCodec);
      take?.(this.#output());
    }, 2 * bytes);
  }

  /**
   * Decodes one zstd frame of any content size piece by piece, in the full module. The input must be exactly
   * one frame.
   * @param take receives each piece, which is only borrowed; an exception from it stops decoding.
   * @throws CorruptChunk.
   */
  expandFrame(
    frame: Uint8Array,
    dictionary: Uint8Array | undefined,
    take: (piece: Uint8Array) => void,
  ): void {
    const { core } = this;
    this.#call(() => {
      const check = (code: number) => this.#check(code, zstdFrame);
      check(core.startFrame(this.#setInput(dictionary ?? new Uint8Array(0))));
      for (let at = 0; at < sizeOf(frame); at += framePiece) {
        check(core.feedFrame(this.#setInput(frame.subarray(at, at + framePiece))));
        for (;;) {
          check(core.readFrame());
          if (core.outputBytes() === 0) break;
          take(this.#output());
        }
      }
      check(core.endFrame());
    }, framePiece);
  }

  /** Decodes and returns a borrowed view of the result in the module's memory. */
  #decoded(plan: Plan, encoded: Uint8Array): Uint8Array<ArrayBuffer> {
    const id = this.#planId(plan);
    const decoded = this.core.decode(id, encoded, this.#expectInput(encoded));
    return decoded ?? this.#fail(this.core.errorCode(), plan);
  }

  /** Returns the size of bytes that the core copies to its input buffer, which it may move. */
  #expectInput(bytes: Uint8Array): number {
    const size = checkedSize(bytes);
    if (size > this.#input.size) this.#input = unreserved;
    return size;
  }

  #output(): Uint8Array<ArrayBuffer> {
    const address = this.core.outputAddress();
    return this.core.HEAPU8.subarray(address, address + this.core.outputBytes());
  }

  /** Copies bytes to the core's input buffer and returns their number: the core may read exactly those. */
  #setInput(bytes: Uint8Array): number {
    const size = checkedSize(bytes);
    this.#reserveInput(size);
    if (size > 0) this.core.HEAPU8.set(bytes, this.#input.address); // throws if the bytes are detached
    return size;
  }

  #reserveInput(size: number): void {
    if (size <= this.#input.size && this.#input.address !== 0) return;
    this.#input = unreserved; // a failed reservation also invalidates the old buffer
    const address = this.core.reserveInput(size);
    if (address === 0) throw outOfMemory(size);
    this.#input = { address, size };
  }

  #setWords(words: ArrayLike<number>): void {
    const address = this.core.reserveWords(words.length);
    if (address === 0) throw limitExceeded("a codec chain or placement has too many parameters");
    new Uint32Array(this.core.HEAPU8.buffer, address, words.length).set(words);
  }

  #planId(plan: PlanWords): number {
    const known = this.#plans.get(plan);
    if (known !== undefined) return known;
    if (this.#plans.size >= maxPlans) this.#forgetOldest();
    this.#setWords(plan.words);
    const id = this.core.prepare(plan.words.length);
    if (id < 0) this.#check(this.core.errorCode(), plan);
    this.#plans.set(plan, id);
    return id;
  }

  #forgetOldest(): void {
    const [oldest] = this.#plans;
    this.core.release(oldest![1]);
    this.#plans.delete(oldest![0]);
  }

  #check(code: number, plan: PlanWords, encodes = false): void {
    if (code !== 0) this.#fail(code, plan, encodes);
  }

  /**
   * Throws the error that a status code of the core stands for, naming the codec.
   * @param encodes whether the core was encoding: then invalid data is the caller's, not a corrupt chunk
   */
  #fail(code: number, plan: PlanWords, encodes = false): never {
    const name = textAt(this.core, this.core.statusName(code));
    if (name === "NeedsFullModule") throw new NeedsFullModule();
    const codec = plan.steps[this.core.errorStep()]?.name;
    const byteOffset = this.core.errorAt();
    const message = `${codec ? `codec ${codec}: ` : ""}${textAt(this.core, this.core.statusMessage(code))}`;
    const tag = textAt(this.core, this.core.statusTag(code)) as ErrorTag;
    const whose = encodes && tag === "CorruptChunk" ? "InvalidArgument" : tag;
    // Metadata that TypeScript has accepted: callers cannot tell the causes apart.
    const own = tag === "InvalidMetadata" ? undefined : (kebab(name) as ErrorCode);
    throw new ZarrError(whose, message, { code: own, codec, byteOffset });
  }

  /**
   * Runs a piece of work; a trap in the core marks the session as unusable.
   * @param bytes memory held while it runs, in addition to slabs
   */
  #call<T>(work: () => T, bytes = 0): T {
    if (!this.usable) throw engineFailed("the WebAssembly instance failed earlier and is being replaced");
    this.#calls++;
    try {
      return work();
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
      this.usable = false;
      this.#spend();
      throw engineFailed(`the WebAssembly instance failed: ${cause.message}`, { code: "trap", cause });
    } finally {
      this.demand.note(bytes + this.#openBytes);
      if (this.usable && this.#openBytes === 0) {
        if (this.demand.settle(this.memoryBytes)) this.#spend();
        else if (this.memoryBytes > keptBytes) this.#watch();
      }
    }
  }

  /** Replaces a large instance after a pause, however large the work before it was. */
  #watch(): void {
    if (this.#watched > 0) return;
    this.#watched = this.#calls;
    const timer = setTimeout(() => {
      const isIdle = this.#calls === this.#watched;
      this.#watched = 0;
      if (this.#openBytes > 0) return; // freeing the slab is a call, which watches again
      if (isIdle) this.#spend();
      else this.#watch();
    }, pause);
    keepAlive(timer, false);
  }

  #spend(): void {
    if (this.isSpent) return;
    this.isSpent = true;
    this.onSpent();
  }
}

const isWord = (value: number): boolean => value >>> 0 === value;

/**
 * Returns the position of one chunk as words (bindings/session.hpp). Numbers that are not 32-bit integers would be
 * truncated silently, so they are rejected here.
 */
function placementWords(
  { id }: Slab,
  offset: number,
  axes: Placement["axes"],
  encoded?: Uint8Array,
): readonly number[] {
  // Of a missing chunk, the length is 2^32 - 1.
  const words = [id, axes.length, 0, encoded ? checkedSize(encoded) : 0xffffffff, offset, ...axes.flat()];
  if (!words.every(isWord))
    throw invalidArgument("slab offsets, counts and strides must be integers from 0 to 2^32 - 1");
  return words;
}

/** Returns the size of a Uint8Array. @throws InvalidArgument for any other value, including look-alikes. */
export function checkedSize(bytes: Uint8Array): number {
  if (!isBytes(bytes)) throw invalidArgument("the bytes of a chunk must be a Uint8Array");
  return sizeOf(bytes);
}

function tooShort(out: Uint8Array, bytes: number): string {
  return `${sizeOf(out)} bytes are too few for a chunk of ${bytes}`;
}

function outOfMemory(bytes: number): ZarrError {
  return limitExceeded(`no memory for ${bytes} bytes inside the WebAssembly module`, {
    code: "out-of-memory",
  });
}

/** An instance may always keep this much memory. */
const keptBytes = 64 * 2 ** 20;
/** Milliseconds without calls after which an instance keeps no more than that. */
const pause = 3000;
/** Above that, the allowed ratio of memory to demand: buffers of all stages, and fragmentation. */
const spread = 4;
/** Factor by which the recorded demand decays with each smaller piece of work. */
const fading = 0.75;

/** The recent memory demand of a module; passed from one instance to the next. */
export class HeapDemand {
  #peak = 0;
  #usual = 0;

  /** Records the bytes held by a piece of work: its input, its output, open slabs. */
  note(bytes: number): void {
    if (bytes > this.#peak) this.#peak = bytes;
  }

  /**
   * Called when nothing is held any more. Returns whether there is far more memory than the work before this
   * piece needed: at once after a single outsized chunk; after many large ones, when some smaller ones have
   * followed.
   */
  settle(memoryBytes: number): boolean {
    if (this.#peak === 0) return false;
    const isTooMuch = memoryBytes > Math.max(keptBytes, spread * this.#usual);
    this.#usual = Math.max(this.#peak, fading * this.#usual);
    this.#peak = 0;
    return isTooMuch;
  }
}
