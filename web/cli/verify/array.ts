/** Decoding every chunk of an array, whatever is wrong with some. */

import { isZarrError, type ZarrArray } from "zarr-wasm";
import {
  type ArrayReader,
  type ChunkCodec,
  defaultCoalescing,
  type Leaf,
  Limiter,
  positionsIn,
  releaseBytes,
  withSession,
} from "#internal";
import { cellsOf, elementsOf } from "../copy/boxes.js";
import { inLanes, lanesFor } from "../copy/lanes.js";
import type { ObjectBox } from "../part.js";
import { messageOf } from "../printable.js";

/** A chunk, or a whole stored object, that cannot be read. */
export interface Bad {
  /** Of the array. */
  readonly path: string;
  /** Store key of the chunk or its shard. */
  readonly key: string;
  /** Position in the grid of chunks; missing where all of an object is bad. */
  readonly chunk?: readonly number[];
  readonly tag: string;
  readonly reason: string;
}

export interface Findings {
  chunks: number;
  /** Chunks that are not stored. */
  missing: number;
  bytesRead: number;
  onBad(bad: Bad): void;
  /** Called with the decoded bytes of each chunk. */
  onBytes(bytes: number): void;
}

/** Bytes of chunks that are decoded at a time, about. */
const memory = 64 * 2 ** 20;

/** Decodes the chunks in boxes of stored objects. Nothing that is wrong with them is thrown. */
export async function verifyArray(
  array: ZarrArray,
  boxes: readonly ObjectBox[],
  findings: Findings,
): Promise<void> {
  const { reader, path } = array;
  const chunkBytes = array.chunkShape.reduce((a, b) => a * b, array.dtype.itemBytes || 128);
  const decoder = new Decoder();
  const lanes = lanesFor(chunkBytes, memory);
  const fetching = {
    signal: undefined,
    limiter: new Limiter(lanes),
    requests: new Limiter(16),
    coalescing: { ...defaultCoalescing, maxBytes: 2 ** 23 },
    onBytes: (bytes: number) => {
      findings.bytesRead += bytes;
    },
  };
  await inLanes(objectsIn(boxes), Math.min(lanes, 8), async (object) => {
    const key = reader.objectKey(object);
    const tasks = tasksOf(reader, object);
    const seen = new Set<object>();
    const isBad = (error: unknown, chunk?: readonly number[]) =>
      findings.onBad({ path, key, ...(chunk && { chunk }), ...reasonOf(error) });
    try {
      await reader.readObject(object, tasks, fetching, async (task, { codec, encoded }) => {
        seen.add(task);
        findings.chunks++;
        findings.onBytes(chunkBytes);
        if (!encoded) {
          findings.missing++;
          return;
        }
        try {
          await decoder.decode(codec, encoded);
        } catch (error) {
          isBad(error, task.coordinates);
        } finally {
          releaseBytes(encoded);
        }
      });
    } catch (error) {
      findings.chunks += tasks.length - seen.size;
      isBad(error);
    }
  });
}

function* objectsIn(boxes: readonly ObjectBox[]): Generator<number[]> {
  for (const box of boxes) yield* positionsIn(box);
}

function tasksOf({ axes, objectAxes }: ArrayReader, object: readonly number[]) {
  const elements = elementsOf({ from: object, to: object.map((at) => at + 1) }, objectAxes);
  return [...positionsIn(cellsOf(elements, axes))].map((coordinates) => ({ coordinates }));
}

/** Decodes chunks into memory that is used again and again. */
class Decoder {
  #out = new Uint8Array(0);

  async decode(codec: Leaf, encoded: Uint8Array): Promise<void> {
    const any: ChunkCodec = codec;
    if (codec.type === "vlen") {
      await withSession(any, (session) => void any.decode(session, encoded));
      return;
    }
    const bytes = codec.plan.decodedBytes;
    if (this.#out.byteLength < bytes) this.#out = new Uint8Array(bytes);
    const out = this.#out.subarray(0, bytes);
    await withSession(any, (session) => any.decodeInto(session, encoded, out));
  }
}

function reasonOf(error: unknown): Pick<Bad, "tag" | "reason"> {
  return { tag: isZarrError(error) ? error._tag : "Error", reason: messageOf(error) };
}
