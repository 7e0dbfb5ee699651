/** Encoding the chunks that a write touches. */
import { encodeFailed, isZarrError } from "../../base/errors.js";
import type { MemoryArray } from "../../base/subarray.js";
import type { CoreChunkCodec } from "../../chain/core-chunk.js";
import type { Leaf } from "../../chain/layout.js";
import { sessionOf } from "../../engine/engine.js";
import type { CodecSession } from "../../engine/session.js";
import type { RegionTask } from "../assemble/task.js";
import { putValues } from "./gather.js";
import type { WrittenRegion } from "./parts.js";
import { ValueSlabs } from "./slabs.js";
import type { Values } from "./values.js";

/** Encodes chunks of one write in a session of this thread. */
export class ChunkEncoder {
  #session!: CodecSession;
  #slabs: ValueSlabs | undefined;
  /** Whole chunks of a scalar by what is the same for all that are encoded alike. */
  readonly #scalars = new Map<string, Uint8Array | undefined>();

  /** @param keepsFill whether chunks that are all fill value are stored, too. */
  constructor(
    private readonly values: Values,
    private readonly region: WrittenRegion,
    private readonly keepsFill: boolean,
  ) {}

  /** @throws what is wrong with the chain, before anything is written. */
  async start(codec: Leaf): Promise<void> {
    this.#session = await sessionOf("full"); // all encoders and all decoders
    codec.prepare(this.#session);
    const { content, isScalar, width } = this.values;
    const { counts, hasLists } = this.region;
    const isPlaced = codec.type === "core" && codec.chain.toBytes.type === "core" && !isScalar && !hasLists;
    if (isPlaced && content instanceof Uint8Array)
      this.#slabs = new ValueSlabs(this.#session, content, counts, width);
  }

  end(): void {
    this.#slabs?.end();
  }

  get session(): CodecSession {
    return this.#session;
  }

  /**
   * Encodes a chunk of which the values cover all that lies in the array; once.
   * @returns undefined for a chunk that is not to be stored.
   * @throws EncodeFailed for values that a codec has no form for.
   */
  whole(task: RegionTask, codec: Leaf): Uint8Array | undefined {
    return encoding(() => {
      if (this.values.isScalar) return this.#scalar(task, codec);
      const placed = this.#slabs
        ? this.#slabs.encode(task, codec as CoreChunkCodec, this.keepsFill)
        : "no room";
      if (placed !== "no room") return placed;
      return this.#encoded(task, codec, codec.missing());
    });
  }

  /** Says that a chunk will be patched, maybe more than once. */
  announcePatched(task: RegionTask): void {
    this.#slabs?.skip(task);
  }

  /**
   * Encodes a chunk with the values that it gets.
   * @param stored what its other elements come from, encoded; without it they are fill value.
   * @returns undefined for a chunk that is not to be stored.
   * @throws CorruptChunk for what is stored; EncodeFailed.
   */
  patched(task: RegionTask, codec: Leaf, stored: Uint8Array | undefined): Uint8Array | undefined {
    const content = stored ? codec.decode(this.#session, stored) : codec.missing();
    return encoding(() => this.#encoded(task, codec, content));
  }

  #scalar(task: RegionTask, codec: Leaf): Uint8Array | undefined {
    const key = `${codec.shape}/${task.projections.map(({ count }) => count)}`;
    if (!this.#scalars.has(key)) this.#scalars.set(key, this.#encoded(task, codec, codec.missing()));
    return this.#scalars.get(key);
  }

  #encoded(
    { projections }: RegionTask,
    codec: Leaf,
    before: Uint8Array | readonly unknown[],
  ): Uint8Array | undefined {
    const content = before as MemoryArray["content"];
    putValues(this.values, projections, { content, shape: codec.shape });
    if (!this.keepsFill && isSame(content, codec.missing())) return undefined;
    return codec.encode(this.#session, content);
  }
}

/** What the core takes for a wrong argument are elements that a codec has no form for. */
function encoding<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isZarrError(error, "InvalidArgument")) throw error;
    throw encodeFailed(error.message, { code: error.code, codec: error.codec, cause: error });
  }
}

function isSame(a: readonly unknown[] | Uint8Array, b: readonly unknown[] | Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !isSameBytes(a[i], b[i])) return false;
  return true;
}

const isSameBytes = (a: unknown, b: unknown): boolean =>
  a instanceof Uint8Array && b instanceof Uint8Array && a.length === b.length && isSame(a, b);
