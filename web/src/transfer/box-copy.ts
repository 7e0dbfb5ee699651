/**
 * Copies boxes of whole target objects: each is read, written and verified as a whole. If one module has both codecs, chunks
 * are decoded to their places in wasm memory and encoded from there, on workers if there are any. All other values take the
 * way of `get` and `set`.
 */

import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import { set } from "../edit/edit.js";
import { getSession } from "../engine/engine.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { get } from "../hierarchy/get.js";
import { type RegionTask, selectedCount } from "../plan/projections.js";
import { type Selection, slice } from "../plan/selection.js";
import { chunkPlace, type Job, Jobs } from "../plan/slabs.js";
import { assemble } from "../read/assemble.js";
import { projectionsOf, readBytesInto, resolveWanted } from "../read/read-region.js";
import { defaultCoalescing } from "../read/reader.js";
import { deleteObject, keepsBytes, writeObject } from "../store/write.js";
import { isSameBytes } from "../util/bytes.js";
import { isZarrError, withDetails } from "../util/errors.js";
import { type Box, stridesOf } from "../util/shapes.js";
import { BoxChunks } from "../walk/box-chunks.js";
import { countIn, inLanes, lanesFor } from "../walk/boxes.js";
import { type Outcome, poolEncoders } from "../workers/encode-work.js";
import { StepFailure } from "../workers/messages.js";
import { recode } from "../workers/recode-work.js";
import type { Encoded } from "../write/encoder.js";
import { resolveRegion } from "../write/region.js";
import { changeShard } from "../write/shard.js";
import { type WriteRegionOptions, writeRegion } from "../write/write-region.js";
import { elementBytes } from "./array-copy.js";
import { type CopiedArray, type FileBoxes, slabOf } from "./box-files.js";
import { differsError } from "./destination.js";

export interface BoxCopy extends CopiedArray {
  /** Position in the view of the first element of the array that is written. */
  readonly origin: readonly number[];
  readonly memory: number;
  /** Copies from files to files. Default: through the stores. */
  readonly files?: FileBoxes | undefined;
}

/** Elements of a box in C order: packed bytes, or values. */
type BoxData = Uint8Array | readonly unknown[];

const coalescing = { ...defaultCoalescing, maxBytes: 2 ** 22 };

/** Memory that boxes use one after the other: fresh memory for each would wait for the garbage collector. */
class Memory {
  #bytes = new Uint8Array(0);

  of(length: number): Uint8Array<ArrayBuffer> {
    if (this.#bytes.byteLength < length) this.#bytes = new Uint8Array(length);
    return this.#bytes.subarray(0, length);
  }
}

/** Copies boxes, one at a time. */
export class BoxCopier {
  readonly #read = new Memory();
  readonly #written = new Memory();
  readonly #lanes: { readonly read: number; readonly write: number };
  /** Whether elements are lists of values: data types of variable length, or values stored as such. */
  readonly #asValues: boolean;
  readonly #fitsSlab: boolean;
  readonly #fitsFiles: boolean;

  constructor(private readonly copy: BoxCopy) {
    const { from, to, memory } = copy;
    const chunkBytes = ({ chunkShape }: ZarrArray) => chunkShape.reduce((a, b) => a * b, elementBytes(to));
    const objectBytes = (to.shardShape ?? to.chunkShape).reduce((a, b) => a * b, elementBytes(to));
    this.#lanes = {
      read: lanesFor(chunkBytes(from.array), memory / 4),
      write: lanesFor(objectBytes, memory / 4),
    };
    this.#asValues = [from.array, to].some(({ reader }) => reader.firstCodec.type === "vlen");
    this.#fitsSlab = fitsSlab(from.array, to);
    this.#fitsFiles = this.#fitsSlab && !from.array.spec.isSharded && !to.spec.isSharded;
  }

  async box(box: Box): Promise<void> {
    if (this.#fitsFiles && (await this.copy.files?.copy(this.copy, box, this.#place(box)))) return;
    if (this.#fitsSlab && (await this.#boxInSlab(box))) return;
    const { to, verify, signal, writeEmptyChunks = false } = this.copy;
    const data = await this.#readSource(box);
    const concurrency = this.#lanes.write;
    const options = { concurrency, conflicts: "ignore", signal, writeEmptyChunks } as const;
    if (data instanceof Uint8Array) await this.#write(box, data, options);
    else await set(to, this.#place(box), data, options);
    if (verify) this.#check(box, data, await this.#readTarget(box));
  }

  /** @returns false if there is no room for the box in wasm memory. */
  async #boxInSlab(box: Box): Promise<boolean> {
    const { to } = this.copy;
    const { counts, parts } = resolveRegion(to.reader, this.#place(box));
    const jobs = [...new Jobs(to.reader, parts, to.dtype.itemBytes).inOrder(undefined)];
    const outcomes = await this.copy.from.array.reader.again(() => this.#recode(box, counts, jobs));
    if (!outcomes) return false;
    if (outcomes.some(isDifferent)) throw differsError(boxText(box));
    const encoded = new Map(jobs.flatMap(({ tasks }) => tasks).map((task, i) => [task, outcomes[i]!]));
    await this.#writeObjects(jobs, encoded);
    return true;
  }

  /** Returns the results of encoding the chunks of the jobs; undefined without room for the box. */
  async #recode(box: Box, counts: readonly number[], jobs: readonly Job[]): Promise<Outcome[] | undefined> {
    const { from, onRead, pool, signal, to, verify, writeEmptyChunks = false } = this.copy;
    const { dtype, reader } = from.array;
    const { itemBytes } = dtype;
    const projections = projectionsOf(resolveWanted(reader, from.selectionFor(box)));
    const chunks = new BoxChunks(from.array, slabOf(projections.map(selectedCount), itemBytes));
    const slab = slabOf(counts, itemBytes);
    const work = {
      ...{ bytes: countIn(box) * itemBytes, steps: chunks.steps, verify },
      chunks: jobs.flatMap(({ object, tasks }) => {
        const { plan } = to.reader.layoutOf(object).leaf as CoreChunkCodec;
        return tasks.map(({ projections }) => ({ plan, ...chunkPlace(projections, undefined, slab) }));
      }),
      // An undefined fill value could be read as any value by other readers.
      keepsFill: writeEmptyChunks || to.spec.fill.value === null,
    };
    const reading = { concurrency: this.#lanes.read, coalescing, signal, onProgress: chunks.onProgress };
    try {
      await assemble({ reader, projections, itemBytes }, chunks, reading);
      const room = keepsBytes(to.store) ? 0 : chunks.encodedBytes;
      return await recode(work, this.#written.of(room), pool, signal);
    } catch (error) {
      throw error instanceof StepFailure ? chunks.located(error) : error;
    } finally {
      onRead(chunks.bytesRead);
      chunks.release();
    }
  }

  async #writeObjects(jobs: readonly Job[], outcomes: ReadonlyMap<RegionTask, Outcome>): Promise<void> {
    const { signal, to } = this.copy;
    const { reader, store } = to;
    const sizes = new Map();
    const replace = (task: RegionTask): Encoded => {
      const outcome = outcomes.get(task)!;
      if ("error" in outcome) throw outcome.error;
      return outcome.encoded as Encoded;
    };
    const make = async ({ object, tasks }: Job) => {
      const { levels } = reader.layoutOf(object);
      if (levels.length === 0) return replace(tasks[0]!);
      const session = await getSession("full");
      const work = { session, limits: reader.limits, replace, concurrency: 1, sizes };
      return changeShard(work, levels, undefined, tasks, reader.positionsOf(object, tasks));
    };
    const write = async (job: Job) => {
      const key = reader.objectKey(job.object);
      try {
        const bytes = await make(job);
        if (bytes) await writeObject(store, key, bytes, { signal });
        else await deleteObject(store, key, { signal });
      } catch (error) {
        throw signal?.aborted && error === signal.reason ? error : withDetails(error, { chunkKey: key });
      }
    };
    await inLanes(jobs, this.#lanes.write, write, signal);
  }

  /** Compares a box of the written array with the source. */
  async compare(box: Box): Promise<void> {
    this.#check(box, await this.#readSource(box), await this.#readTarget(box));
  }

  /** Reads a box of the source: values, or packed bytes in memory that the next box reuses. */
  async #readSource(box: Box): Promise<BoxData> {
    const { from, onRead } = this.copy;
    return this.#box(from.array, from.selectionFor(box), box, this.#read, onRead);
  }

  /** Reads a box of the written array, into memory that the next box reuses. */
  #readTarget(box: Box): Promise<BoxData> {
    return this.#box(this.copy.to, this.#place(box), box, this.#written, () => {});
  }

  #check(box: Box, wanted: BoxData, found: BoxData): void {
    const isSame =
      wanted instanceof Uint8Array && found instanceof Uint8Array
        ? isSameBytes(wanted, found)
        : exactText(wanted) === exactText(found);
    if (!isSame) throw differsError(boxText(box));
  }

  async #box(
    array: ZarrArray,
    selection: Selection,
    box: Box,
    memory: Memory,
    onRead: (bytes: number) => void,
  ): Promise<BoxData> {
    const concurrency = this.#lanes.read;
    const { pool, signal } = this.copy;
    let read = 0;
    const onProgress = ({ bytes }: { bytes: number }) => {
      read = bytes;
    };
    const options = { concurrency, pool, signal, onProgress };
    let data: BoxData;
    if (this.#asValues) data = (await get<readonly unknown[]>(array, selection, options)).data;
    else {
      data = memory.of(countIn(box) * array.dtype.itemBytes);
      const wanted = resolveWanted(array.reader, selection);
      await readBytesInto(array.reader, wanted, data, { ...options, coalescing });
    }
    onRead(read);
    return data;
  }

  async #write(
    box: Box,
    content: Uint8Array,
    options: Pick<WriteRegionOptions, "concurrency" | "conflicts" | "signal" | "writeEmptyChunks">,
  ): Promise<void> {
    const { to, pool } = this.copy;
    const region = resolveRegion(to.reader, this.#place(box));
    const width = to.dtype.itemBytes;
    const values = { content, width, strides: stridesOf(region.counts, width), isScalar: false };
    await writeRegion(to.store, to.reader, region, values, {
      ...options,
      onProgress: undefined,
      encoders: pool && poolEncoders(pool),
    });
  }

  /** Selection of the written array for a box. */
  #place({ from, to }: Box): Selection {
    const { origin } = this.copy;
    return from.map((start, axis) => slice(start - origin[axis]!, to[axis]! - origin[axis]!));
  }
}

const boxText = ({ from, to }: Box): string =>
  `at [${from.map((start, axis) => `${start}:${to[axis]}`).join(", ")}]`;

const isDifferent = (outcome: Outcome): boolean =>
  "error" in outcome && isZarrError(outcome.error) && outcome.error.code === "differs";

/** Whether one module has both codecs, and encodes from slabs. */
function fitsSlab(from: ZarrArray, to: ZarrArray): boolean {
  const [source, target] = [from.reader.firstCodec, to.reader.firstCodec];
  if (source.type !== "core" || target.type !== "core" || target.chain.toBytes.type !== "core") return false;
  const modules = [source.decodeModule, target.encodeModule, target.decodeModule];
  return !modules.includes("images");
}

/** Prints values completely: equal strings mean equal values. NaN equals NaN, and 0 differs from -0. */
export function exactText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(exactText).join()}]`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value})`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, entry]) => `${JSON.stringify(name)}:${exactText(entry)}`).join()}}`;
}
