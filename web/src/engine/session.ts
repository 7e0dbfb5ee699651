/**
 * A session with the core: the only file that sees the WebAssembly memory.
 *
 * Views of that memory are loans. They die when the memory grows, so each is made after the last call
 * that may grow it and used at once; none is stored, returned or carried across an `await`.
 */
import { type ErrorTag, engineFailed, kebab, limitExceeded, ZarrError } from "../base/errors.js";
import { uninitialised } from "../base/platform.js";
import type { Core } from "../wasm/core.js";
import { HeapDemand } from "./heap-demand.js";
import type { ModuleName } from "./module.js";
import type { PiecePlan, Plan, PlanWords } from "./plan.js";

/** Where a part of a decoded chunk goes: per axis `[start, step, count, stride in the slab in bytes]`. */
export interface Placement {
  slab: Slab;
  /** Offset of the first element in the slab, in bytes. */
  offset: number;
  axes: readonly (readonly [start: number, step: number, count: number, stride: number])[];
}

/** Memory in the core in which a part of a result is put together. Must be freed. */
export interface Slab {
  readonly id: number;
  readonly bytes: number;
}

/** Thrown when a chunk turns out to need a decoder that only the full module holds. */
export class NeedsFullModule extends Error {}

/** Plans that a session keeps prepared; the least recently used one goes first. */
const maxPlans = 512;

/** A copy in memory of its own. V8 fills the memory of `slice()` with zeros first, that of this it does not. */
function copyOf(view: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(view);
}

/** A text of the core's, which gives the address of its first character. */
export function textAt({ HEAPU8 }: Core, address: number): string {
  return String.fromCharCode(...HEAPU8.subarray(address, HEAPU8.indexOf(0, address)));
}

export class CodecSession {
  /** False after a trap: the instance must not be used again. */
  usable = true;
  /** After a trap, or when its memory is far larger than needed: who starts something new takes another session. */
  isSpent = false;
  readonly #plans = new Map<PlanWords, number>();
  #input = { address: 0, bytes: 0 };
  #words = { address: 0, count: 0 };
  #openBytes = 0;

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

  /** Bytes of the instance's memory, which never shrinks. */
  get memoryBytes(): number {
    return this.core.HEAPU8.byteLength;
  }

  /** Checks and prepares a plan, if this session has not met it yet. */
  prepare(plan: PlanWords): void {
    this.#call(() => this.#planId(plan));
  }

  /** Decodes a chunk into a new array of plan.decodedBytes bytes: exactly, or at most for bytes-only plans. */
  decode(plan: Plan, encoded: Uint8Array): Uint8Array<ArrayBuffer> {
    const { pieces } = plan;
    if (pieces && encoded.byteLength === plan.decodedBytes) return this.#decodePieces(pieces, encoded);
    return this.#call(() => copyOf(this.#decoded(plan, encoded)), encoded.byteLength + plan.decodedBytes);
  }

  /** Decodes a large chunk whose elements keep their places; the last piece may overlap the one before it. */
  #decodePieces({ plan, bytes }: PiecePlan, encoded: Uint8Array): Uint8Array<ArrayBuffer> {
    const out = uninitialised(encoded.byteLength); // all of it is written, or none of it is seen
    for (let at = 0; at < encoded.byteLength; at += bytes) {
      const start = Math.min(at, encoded.byteLength - bytes);
      this.decodeInto(plan, encoded.subarray(start, start + bytes), out.subarray(start, start + bytes));
    }
    return out;
  }

  /** Decodes a chunk into the caller's bytes, exactly plan.decodedBytes; nothing is written on failure. */
  decodeInto(plan: Plan, encoded: Uint8Array, out: Uint8Array): void {
    this.#call(() => out.set(this.#decoded(plan, encoded)), encoded.byteLength + out.byteLength);
  }

  /** Decodes a chunk and puts a part of it into a slab; nothing is written on failure. */
  decodePlaced(plan: PlanWords, encoded: Uint8Array, placement: Placement): void {
    this.#call(() => {
      const id = this.#planId(plan);
      this.#setInput(encoded);
      this.#setPlacement(placement);
      this.demand.note(encoded.byteLength + this.core.decodedBytes(id) + this.#openBytes);
      this.#check(this.core.decodePlaced(id, encoded.byteLength), plan);
    });
  }

  /** Writes the plan's fill value where decodePlaced would put elements. */
  fillPlaced(plan: PlanWords, placement: Placement): void {
    this.#call(() => {
      const id = this.#planId(plan);
      this.#setPlacement(placement);
      this.#check(this.core.fillPlaced(id), plan);
    });
  }

  /** Encodes a decoded chunk (plan.decodedBytes bytes; at most, for bytes-only plans) into a new array. */
  encode(plan: Plan, decoded: Uint8Array): Uint8Array<ArrayBuffer> {
    return this.#call(() => {
      const id = this.#planId(plan);
      this.#setInput(decoded);
      this.#check(this.core.encode(id, decoded.byteLength), plan, true);
      const address = this.core.outputAddress();
      return copyOf(this.core.HEAPU8.subarray(address, address + this.core.outputBytes()));
    }, 2 * decoded.byteLength);
  }

  makeSlab(bytes: number): Slab {
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

  /** A copy of all of a slab. */
  copySlab(slab: Slab): Uint8Array<ArrayBuffer> {
    const start = this.core.slabAddress(slab.id);
    return copyOf(this.core.HEAPU8.subarray(start, start + slab.bytes));
  }

  /** Copies a run of a slab into a result. */
  copyFromSlab(slab: Slab, offset: number, bytes: number, out: Uint8Array, outOffset: number): void {
    const start = this.core.slabAddress(slab.id) + offset;
    out.set(this.core.HEAPU8.subarray(start, start + bytes), outOffset);
  }

  /** Gives back buffers and library contexts inside the module. */
  trim(): void {
    this.#call(() => this.core.trim());
    this.#input = { address: 0, bytes: 0 };
    this.#words = { address: 0, count: 0 };
  }

  /** Decodes and lends the result, which lies in the module's memory. */
  #decoded(plan: Plan, encoded: Uint8Array): Uint8Array<ArrayBuffer> {
    const id = this.#planId(plan);
    this.#setInput(encoded);
    this.#check(this.core.decode(id, encoded.byteLength), plan);
    const address = this.core.outputAddress();
    return this.core.HEAPU8.subarray(address, address + this.core.outputBytes());
  }

  #setInput(bytes: Uint8Array): void {
    if (bytes.byteLength > this.#input.bytes || this.#input.address === 0) {
      const address = this.core.reserveInput(bytes.byteLength);
      if (address === 0) throw outOfMemory(bytes.byteLength);
      this.#input = { address, bytes: bytes.byteLength };
    }
    this.core.HEAPU8.set(bytes, this.#input.address);
  }

  #setWords(words: ArrayLike<number>): void {
    if (words.length > this.#words.count || this.#words.address === 0) {
      const address = this.core.reserveWords(words.length);
      if (address === 0) throw limitExceeded("a codec chain or placement has too many parameters");
      this.#words = { address, count: words.length };
    }
    new Uint32Array(this.core.HEAPU8.buffer, this.#words.address, words.length).set(words);
  }

  #setPlacement({ slab, offset, axes }: Placement): void {
    this.#setWords([slab.id, offset, ...axes.flat()]);
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

  /**
   * Turns a status code of the core into an error that names the codec.
   * @param encodes no stored bytes could be corrupt then: values that do not fit are the caller's
   */
  #check(code: number, plan: PlanWords, encodes = false): void {
    if (code === 0) return;
    const name = textAt(this.core, this.core.statusName(code));
    if (name === "NeedsFullModule") throw new NeedsFullModule();
    const codec = plan.steps[this.core.errorStep()]?.name;
    const byteOffset = this.core.errorAt();
    const message = `${codec ? `codec ${codec}: ` : ""}${textAt(this.core, this.core.statusMessage(code))}`;
    const tag = textAt(this.core, this.core.statusTag(code)) as ErrorTag;
    const whose = encodes && tag === "CorruptChunk" ? "InvalidArgument" : tag;
    throw new ZarrError(whose, message, { code: kebab(name), codec, byteOffset });
  }

  /**
   * Runs a piece of work; a trap in the core marks the session as unusable.
   * @param bytes that it holds while it runs, besides slabs
   */
  #call<T>(work: () => T, bytes = 0): T {
    if (!this.usable) throw engineFailed("the WebAssembly instance failed earlier and is being replaced");
    try {
      return work();
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
      this.usable = false;
      this.#spend();
      throw engineFailed(`the WebAssembly instance failed: ${cause.message}`, { code: "trap", cause });
    } finally {
      this.demand.note(bytes + this.#openBytes);
      if (this.usable && this.#openBytes === 0 && this.demand.settle(this.memoryBytes)) this.#spend();
    }
  }

  #spend(): void {
    if (this.isSpent) return;
    this.isSpent = true;
    this.onSpent();
  }
}

function outOfMemory(bytes: number): ZarrError {
  return limitExceeded(`no memory for ${bytes} bytes inside the WebAssembly module`, {
    code: "out-of-memory",
  });
}
