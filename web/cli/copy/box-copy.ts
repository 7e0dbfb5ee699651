/** Copying a region in boxes of whole target objects: read, written, verified, one box at a time. */

import { isDeepStrictEqual } from "node:util";
import { get, type Selection, set, slice, type WorkerPool, type ZarrArray } from "zarr-wasm";
import {
  type Box,
  defaultCoalescing,
  encodersOf,
  readBytesInto,
  resolveRegion,
  resolveWanted,
  stridesOf,
  type WriteRegionOptions,
  writeRegion,
} from "#internal";
import { countIn, tilesOf } from "./boxes.js";
import { lanesFor } from "./lanes.js";
import type { View } from "./view.js";
import { different, itemBytesOf } from "./work.js";

export interface BoxCopy {
  readonly from: View;
  readonly to: ZarrArray;
  /** Where the array that is written begins, in the coordinates of the view. */
  readonly origin: readonly number[];
  readonly memory: number;
  readonly verify: boolean;
  /** Whether chunks of fill value are stored. Default: false. */
  readonly writeEmptyChunks?: boolean;
  readonly pool: WorkerPool | undefined;
  /** Called with the bytes that were read of the source. */
  onRead(bytes: number): void;
  /** Called with each box before it is written. */
  onData?(box: Box, data: BoxData): void;
}

/** Elements of a box in C order: packed bytes, or values. */
export type BoxData = Uint8Array | readonly unknown[];

const coalescing = { ...defaultCoalescing, maxBytes: 2 ** 22 };

/** Memory that is used for box after box: fresh memory for each would wait to be collected. */
class Memory {
  #bytes = new Uint8Array(0);

  of(length: number): Uint8Array {
    if (this.#bytes.byteLength < length) this.#bytes = new Uint8Array(length);
    return this.#bytes.subarray(0, length);
  }
}

/** Copies boxes of a region, one after the other. */
export class BoxCopier {
  readonly #read = new Memory();
  readonly #written = new Memory();
  readonly #lanes: { readonly read: number; readonly write: number };
  /** Elements of variable length, and of fixed length that are stored as such, go as lists. */
  readonly #asValues: boolean;

  constructor(private readonly copy: BoxCopy) {
    const { from, to, memory } = copy;
    const chunkBytes = ({ chunkShape }: ZarrArray) => chunkShape.reduce((a, b) => a * b, itemBytesOf(to));
    const objectBytes = (to.shardShape ?? to.chunkShape).reduce((a, b) => a * b, itemBytesOf(to));
    this.#lanes = {
      read: lanesFor(chunkBytes(from.array), memory / 4),
      write: lanesFor(objectBytes, memory / 4),
    };
    this.#asValues = [from.array, to].some(({ reader }) => reader.firstCodec.type === "vlen");
  }

  async region(region: Box, boxShape: readonly number[], onBox?: (box: Box) => void): Promise<void> {
    for (const box of tilesOf(region, boxShape)) {
      await this.box(box);
      onBox?.(box);
    }
  }

  async box(box: Box): Promise<void> {
    const { to, verify, onData, writeEmptyChunks = false } = this.copy;
    const data = await this.source(box);
    onData?.(box, data);
    const options = { concurrency: this.#lanes.write, conflicts: "ignore", writeEmptyChunks } as const;
    if (data instanceof Uint8Array) await this.#write(box, data, options);
    else await set(to, this.#place(box), data, options);
    if (verify) this.#check(box, data, await this.target(box));
  }

  /** Reads a box of both, and compares. */
  async compare(box: Box): Promise<void> {
    this.#check(box, await this.source(box), await this.target(box));
  }

  /** A box of what is copied: packed bytes, in memory that the next box is read into, or values. */
  async source(box: Box): Promise<BoxData> {
    const { from, onRead } = this.copy;
    return this.#box(from.array, from.selectionOf(box), box, this.#read, onRead);
  }

  /** Reads a box of the written array, into memory that the next box reuses. */
  target(box: Box): Promise<BoxData> {
    return this.#box(this.copy.to, this.#place(box), box, this.#written, () => {});
  }

  #check(box: Box, wanted: BoxData, found: BoxData): void {
    const isSame =
      wanted instanceof Uint8Array && found instanceof Uint8Array
        ? Buffer.compare(wanted, found) === 0
        : isDeepStrictEqual(wanted, found);
    if (!isSame) throw different(placeText(box));
  }

  async #box(
    array: ZarrArray,
    selection: Selection,
    box: Box,
    memory: Memory,
    onRead: (bytes: number) => void,
  ): Promise<BoxData> {
    const concurrency = this.#lanes.read;
    const { pool } = this.copy;
    let read = 0;
    const onProgress = ({ bytes }: { bytes: number }) => {
      read = bytes;
    };
    const options = { concurrency, pool, onProgress };
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
    options: Pick<WriteRegionOptions, "concurrency" | "conflicts" | "writeEmptyChunks">,
  ): Promise<void> {
    const { to, pool } = this.copy;
    const region = resolveRegion(to.reader, this.#place(box));
    const width = to.dtype.itemBytes;
    const values = { content, width, strides: stridesOf(region.counts, width), isScalar: false };
    await writeRegion(to.store, to.reader, region, values, {
      ...options,
      signal: undefined,
      onProgress: undefined,
      encoders: pool && encodersOf(pool),
    });
  }

  /** Where a box lies in the array that is written. */
  #place({ from, to }: Box): Selection {
    const { origin } = this.copy;
    return from.map((start, axis) => slice(start - origin[axis]!, to[axis]! - origin[axis]!));
  }
}

export const placeText = ({ from, to }: Box): string =>
  `at [${from.map((start, axis) => `${start}:${to[axis]}`).join(", ")}]`;
