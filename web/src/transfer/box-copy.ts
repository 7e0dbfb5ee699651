/** Copies boxes of whole target objects: each is read, written and verified as a whole. */

import { set } from "../edit/edit.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { get } from "../hierarchy/get.js";
import { type Selection, slice } from "../plan/selection.js";
import { readBytesInto, resolveWanted } from "../read/read-region.js";
import { defaultCoalescing } from "../read/reader.js";
import { textEncoder } from "../util/platform.js";
import { type Box, countOf, positionsIn, stridesOf } from "../util/shapes.js";
import { boxLengths, countIn } from "../walk/boxes.js";
import { lanesFor } from "../walk/lanes.js";
import { poolEncoders } from "../workers/encode-work.js";
import type { WorkerPool } from "../workers/pool.js";
import { resolveRegion } from "../write/region.js";
import { type WriteRegionOptions, writeRegion } from "../write/write-region.js";
import { differsError, elementBytes } from "./array-copy.js";
import type { RechunkPlan } from "./rechunk-plan.js";
import { copyInSlab, fitsSlab } from "./slab-box.js";
import type { View } from "./view.js";

export interface BoxCopy {
  readonly from: View;
  readonly to: ZarrArray;
  /** Position in the view of the first element of the array that is written. */
  readonly origin: readonly number[];
  readonly memory: number;
  readonly verify: boolean;
  /** Whether chunks of fill value are stored. Default: false. */
  readonly writeEmptyChunks?: boolean;
  readonly pool: WorkerPool | undefined;
  readonly signal: AbortSignal | undefined;
  /** Called with the number of encoded bytes that were read from the source. */
  onRead(bytes: number): void;
  /** Called with each box before it is written. */
  readonly onData?: ((box: Box, data: BoxData) => void) | undefined;
}

/** Elements of a box in C order: packed bytes, or values. */
export type BoxData = Uint8Array | readonly unknown[];

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

  constructor(private readonly copy: BoxCopy) {
    const { from, to, memory } = copy;
    const chunkBytes = ({ chunkShape }: ZarrArray) => chunkShape.reduce((a, b) => a * b, elementBytes(to));
    const objectBytes = (to.shardShape ?? to.chunkShape).reduce((a, b) => a * b, elementBytes(to));
    this.#lanes = {
      read: lanesFor(chunkBytes(from.array), memory / 4),
      write: lanesFor(objectBytes, memory / 4),
    };
    this.#asValues = [from.array, to].some(({ reader }) => reader.firstCodec.type === "vlen");
    const isSeen = copy.verify || copy.onData !== undefined;
    this.#fitsSlab = !isSeen && fitsSlab(from.array, to);
  }

  async box(box: Box): Promise<void> {
    if (this.#fitsSlab && (await this.#boxInSlab(box))) return;
    const { to, verify, onData, signal, writeEmptyChunks = false } = this.copy;
    const data = await this.readSource(box);
    onData?.(box, data);
    const concurrency = this.#lanes.write;
    const options = { concurrency, conflicts: "ignore", signal, writeEmptyChunks } as const;
    if (data instanceof Uint8Array) await this.#write(box, data, options);
    else await set(to, this.#place(box), data, options);
    if (verify) this.#check(box, data, await this.readTarget(box));
  }

  /** @returns false if there is no room for the box. */
  async #boxInSlab(box: Box): Promise<boolean> {
    const { from, to, onRead, pool, signal, writeEmptyChunks = false } = this.copy;
    let read = 0;
    const onProgress = ({ bytes }: { bytes: number }) => {
      read = bytes;
    };
    const isCopied = await copyInSlab({
      ...{ from: from.array, to, read: from.selectionFor(box), written: this.#place(box) },
      bytes: countIn(box) * to.dtype.itemBytes,
      reading: { concurrency: this.#lanes.read, coalescing, signal, onProgress },
      lanes: this.#lanes.write,
      ...{ writeEmptyChunks, pool },
      memory: (bytes) => this.#written.of(bytes),
    });
    onRead(read);
    return isCopied;
  }

  /** Compares a box of the written array with the source. */
  async compare(box: Box): Promise<void> {
    this.#check(box, await this.readSource(box), await this.readTarget(box));
  }

  /** Reads a box of the source: values, or packed bytes in memory that the next box reuses. */
  async readSource(box: Box): Promise<BoxData> {
    const { from, onRead } = this.copy;
    return this.#box(from.array, from.selectionFor(box), box, this.#read, onRead);
  }

  /** Reads a box of the written array, into memory that the next box reuses. */
  readTarget(box: Box): Promise<BoxData> {
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

export const boxText = ({ from, to }: Box): string =>
  `at [${from.map((start, axis) => `${start}:${to[axis]}`).join(", ")}]`;

/**
 * Compares a copy that goes through intermediate chunks with its source, although the two are read in different boxes, to
 * detect lost or changed intermediate chunks. There is one digest per cell, and boxes of both passes consist of whole cells.
 */
export class CellDigests {
  /** Starts of the cells along each axis, and the end. */
  readonly #cuts: readonly (readonly number[])[];
  readonly #digests: BigUint64Array;

  /** @param itemBytes bytes of an element in packed data. */
  constructor(
    region: Box,
    { into, out }: Extract<RechunkPlan, { type: "staged" }>,
    private readonly itemBytes: number,
  ) {
    this.#cuts = region.from.map((from, axis) => {
      const cuts = new Set<number>([region.to[axis]!]);
      for (const { boxShape } of [into, out])
        for (let at = from; at < region.to[axis]!; at += boxShape[axis]!) cuts.add(at);
      return [...cuts].sort((a, b) => a - b);
    });
    this.#digests = new BigUint64Array(this.#cuts.reduce((count, cuts) => count * (cuts.length - 1), 1));
  }

  /** Adds the digests of a box of the source. */
  add(box: Box, data: BoxData): void {
    for (const { index, cell } of this.#cellsIn(box))
      this.#digests[index] = this.#cellDigest(box, data, cell);
  }

  /** @throws CorruptChunk ("differs") if a box differs from the source. */
  check(box: Box, data: BoxData): void {
    for (const { index, cell } of this.#cellsIn(box))
      if (this.#digests[index] !== this.#cellDigest(box, data, cell)) throw differsError(boxText(cell));
  }

  *#cellsIn(box: Box): Generator<{ index: number; cell: Box }> {
    const find = (at: number, axis: number) => this.#cuts[axis]!.indexOf(at);
    for (const at of positionsIn({ from: box.from.map(find), to: box.to.map(find) })) {
      yield {
        index: at.reduce((index, i, axis) => index * (this.#cuts[axis]!.length - 1) + i, 0),
        cell: {
          from: at.map((i, axis) => this.#cuts[axis]![i]!),
          to: at.map((i, axis) => this.#cuts[axis]![i + 1]!),
        },
      };
    }
  }

  #cellDigest(box: Box, data: BoxData, cell: Box): bigint {
    if (data instanceof Uint8Array) return digestBytes(this.#cellBytes(box, data, cell));
    const values = [...cellRows(box, cell)].flatMap(([start, end]) => data.slice(start, end));
    return digestBytes(textEncoder().encode(exactText(values)));
  }

  #cellBytes(box: Box, data: Uint8Array, cell: Box): Uint8Array {
    const { itemBytes } = this;
    const bytes = new Uint8Array(boxLengths(cell).reduce((a, b) => a * b, itemBytes));
    let at = 0;
    for (const [start, end] of cellRows(box, cell)) {
      bytes.set(data.subarray(start * itemBytes, end * itemBytes), at);
      at += (end - start) * itemBytes;
    }
    return bytes;
  }
}

/** Returns a digest that detects accidental changes; it does not resist attacks. */
function digestBytes(bytes: Uint8Array): bigint {
  const whole = bytes.byteLength >> 2;
  const isAligned = bytes.byteOffset % 4 === 0;
  const words = isAligned
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, whole)
    : new Uint32Array(bytes.slice(0, 4 * whole).buffer);
  let [a, b] = [0x9e3779b9 ^ bytes.byteLength, 0x85ebca6b];
  const mix = (word: number) => {
    a = Math.imul(a ^ word, 0x9e3779b1);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(b ^ word, 0x85ebca77);
    b = (b << 17) | (b >>> 15);
  };
  for (const word of words) mix(word);
  for (const byte of bytes.subarray(4 * whole)) mix(byte);
  return (BigInt(a >>> 0) << 32n) | BigInt(b >>> 0);
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

/** Compares bytes; in Node natively. */
export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  const { Buffer: native } = globalThis as { Buffer?: { compare?(a: Uint8Array, b: Uint8Array): number } };
  if (native?.compare) return native.compare(a, b) === 0;
  return a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i]);
}

/** Runs of elements in a box (in C order) that make up a cell of it, as their starts and ends. */
function* cellRows(box: Box, cell: Box): Generator<[start: number, end: number]> {
  const lengths = boxLengths(box);
  // Trailing axes that the cell covers completely are part of one run.
  let axis = lengths.length - 1;
  while (axis > 0 && cell.to[axis]! - cell.from[axis]! === lengths[axis]) axis--;
  const outer = { from: cell.from.slice(0, Math.max(0, axis)), to: cell.to.slice(0, Math.max(0, axis)) };
  const inner = countOf(lengths.slice(axis + 1));
  const [from, to] =
    axis < 0 ? [0, 1] : [cell.from[axis]! - box.from[axis]!, cell.to[axis]! - box.from[axis]!];
  const length = lengths[axis] ?? 1;
  for (const at of positionsIn(outer)) {
    const row = at.reduce((index, i, k) => index * lengths[k]! + (i - box.from[k]!), 0) * length;
    yield [(row + from) * inner, (row + to) * inner];
  }
}
