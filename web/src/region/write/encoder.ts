/** Encoding the chunks that a write touches. */
import { encodeFailed, isZarrError } from "../../base/errors.js";
import type { MemoryArray } from "../../base/subarray.js";
import type { Leaf } from "../../chain/layout.js";
import { sessionOf } from "../../engine/engine.js";
import type { CodecSession } from "../../engine/session.js";
import type { RegionTask } from "../assemble/task.js";
import { putValues } from "./gather.js";
import type { Values } from "./values.js";

/** Encodes chunks of one write in a session of this thread. */
export class ChunkEncoder {
  #session!: CodecSession;

  /** @param keepsFill whether chunks that are all fill value are stored, too. */
  constructor(
    private readonly values: Values,
    private readonly keepsFill: boolean,
  ) {}

  /** @throws what is wrong with the chain, before anything is written. */
  async start(codec: Leaf): Promise<void> {
    this.#session = await sessionOf("full"); // all encoders and all decoders
    codec.prepare(this.#session);
  }

  get session(): CodecSession {
    return this.#session;
  }

  /**
   * Encodes a chunk with the values that it gets.
   * @param stored what its other elements come from, encoded; without it they are fill value.
   * @returns undefined for a chunk that is not to be stored.
   * @throws CorruptChunk for what is stored; EncodeFailed for values that a codec has no form for.
   */
  encode({ projections }: RegionTask, codec: Leaf, stored: Uint8Array | undefined): Uint8Array | undefined {
    const content = (
      stored ? codec.decode(this.#session, stored) : codec.missing()
    ) as MemoryArray["content"];
    putValues(this.values, projections, { content, shape: codec.shape });
    if (!this.keepsFill && isSame(content, codec.missing())) return undefined;
    try {
      return codec.encode(this.#session, content);
    } catch (error) {
      if (!isZarrError(error, "InvalidArgument")) throw error;
      throw encodeFailed(error.message, { code: error.code, codec: error.codec, cause: error });
    }
  }
}

function isSame(a: readonly unknown[] | Uint8Array, b: readonly unknown[] | Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !isSameBytes(a[i], b[i])) return false;
  return true;
}

const isSameBytes = (a: unknown, b: unknown): boolean =>
  a instanceof Uint8Array && b instanceof Uint8Array && a.length === b.length && isSame(a, b);
