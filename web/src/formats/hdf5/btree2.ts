/** B-trees of version 2. Spec: HDF5 File Format Specification, III.A.2. */

import { firstIndex } from "../../util/search.js";
import { badFile, type Cursor } from "../file/cursor.js";
import { NodeCache } from "../file/node-cache.js";
import { checkedStructure } from "./checksum.js";
import { checkVersion, type HdfFile } from "./file.js";

/** Sizes of the nodes of a level; level 0 are the leaves. */
interface Level {
  readonly maxRecords: number;
  /** Maximum number of records of a node and all nodes below. */
  readonly maxTotal: number;
  /** Bytes of a child's address and counts. */
  readonly pointerBytes: number;
}

interface Node {
  readonly cursor: Cursor;
  readonly count: number;
  readonly level: number;
}

/** A node to be read. */
interface Child {
  readonly address: number;
  readonly count: number;
  readonly level: number;
}

/** Signature, version and type before the records; the checksum after them. */
const prefixBytes = 6;
const overhead = prefixBytes + 4;

/** Number of bytes of counts up to a maximum. */
const countBytes = (max: number): number => (max < 256 ? 1 : 1 + countBytes(Math.floor(max / 256)));

export class BTree2 {
  readonly #nodes = new NodeCache<Node>();

  private constructor(
    private readonly file: HdfFile,
    /** Type of the records. */
    readonly type: number,
    readonly recordBytes: number,
    private readonly levels: readonly Level[],
    private readonly root: Child | undefined,
    /** Number of all records. */
    private readonly total: number,
  ) {}

  static async open(file: HdfFile, address: number): Promise<BTree2> {
    const length = 22 + file.offsetBytes + file.lengthBytes;
    const what = "B-tree";
    const head = await checkedStructure(file, { address, length, what, signature: "BTHD" });
    checkVersion(head, 0);
    const type = head.u8();
    const nodeBytes = head.u32();
    const recordBytes = head.u16();
    const depth = head.u16();
    head.skip(2);
    const root = file.address(head);
    const count = head.u16();
    const total = head.uint(file.lengthBytes);
    if (recordBytes === 0 || total * recordBytes > file.form.end)
      throw badFile(`${head.what} claims ${total} records of ${recordBytes} bytes`);
    const levels = levelsOf(head, { nodeBytes, recordBytes, depth }, file.offsetBytes);
    const isEmpty = root === undefined || total === 0;
    const child = isEmpty ? undefined : { address: root, count, level: depth };
    return new BTree2(file, type, recordBytes, levels, child, total);
  }

  /** Reads the root node, which all searches need. */
  async readRoot(): Promise<void> {
    if (this.root) await this.#read(this.root);
  }

  /**
   * Returns a record with a key; undefined if there is none. Reads one node of each level.
   * @param compare returns a negative number for records before the key, 0 for those with the key.
   */
  async find(compare: (record: Uint8Array) => number): Promise<Uint8Array | undefined> {
    let child = this.root;
    while (child) {
      const node = await this.#read(child);
      const i = firstIndex(node.count, (middle) => compare(this.#record(node, middle)) >= 0);
      if (i < node.count && compare(this.#record(node, i)) === 0) return this.#record(node, i);
      child = node.level === 0 ? undefined : this.#child(node, i);
    }
    return undefined;
  }

  /** Yields all records in order. */
  async *records(): AsyncGenerator<Uint8Array> {
    if (!this.root) return;
    let count = 0;
    for await (const record of this.#walk(this.root, new Set())) {
      if (++count > this.total) throw badFile(`a B-tree has more than its ${this.total} records`);
      yield record;
    }
  }

  async *#walk(child: Child, visited: Set<number>): AsyncGenerator<Uint8Array> {
    if (visited.has(child.address)) throw badFile(`the B-tree node at ${child.address} has several parents`);
    visited.add(child.address);
    const node = await this.#read(child);
    for (let i = 0; i <= node.count; i++) {
      if (node.level > 0) yield* this.#walk(this.#child(node, i), visited);
      if (i < node.count) yield this.#record(node, i);
    }
  }

  #record({ cursor }: Node, i: number): Uint8Array {
    const start = prefixBytes + i * this.recordBytes;
    return cursor.bytes.subarray(start, start + this.recordBytes);
  }

  #child({ cursor, count, level }: Node, i: number): Child {
    const { pointerBytes } = this.levels[level]!;
    cursor.at = prefixBytes + count * this.recordBytes + i * pointerBytes;
    const address = this.file.address(cursor);
    if (address === undefined) throw badFile(`${cursor.what} lacks a child`);
    return { address, count: cursor.uint(countBytes(this.levels[0]!.maxRecords)), level: level - 1 };
  }

  async #read(child: Child): Promise<Node> {
    const node = await this.#nodes.get(child.address, () => this.#load(child));
    if (node.level !== child.level || node.count !== child.count)
      throw badFile(`${node.cursor.what} has several parents`);
    return node;
  }

  async #load({ address, count, level }: Child): Promise<Node> {
    const { maxRecords, pointerBytes } = this.levels[level]!;
    const what = "B-tree node";
    if (count > maxRecords)
      throw badFile(`the ${what} at ${address} claims ${count} of ${maxRecords} records`);
    const length = overhead + count * this.recordBytes + (level > 0 ? (count + 1) * pointerBytes : 0);
    const signature = level > 0 ? "BTIN" : "BTLF";
    const cursor = await checkedStructure(this.file, { address, length, what, signature });
    checkVersion(cursor, 0);
    if (cursor.u8() !== this.type) throw badFile(`${cursor.what} belongs to another tree`);
    return { cursor, count, level };
  }
}

function levelsOf(
  { what }: Cursor,
  { nodeBytes, recordBytes, depth }: { nodeBytes: number; recordBytes: number; depth: number },
  offsetBytes: number,
): Level[] {
  const most = Math.floor((nodeBytes - overhead) / recordBytes);
  const levels: Level[] = [{ maxRecords: most, maxTotal: most, pointerBytes: 0 }];
  for (let level = 1; level <= depth; level++) {
    const below = levels[level - 1]!;
    const totalBytes = level > 1 ? countBytes(below.maxTotal) : 0;
    const pointerBytes = offsetBytes + countBytes(most) + totalBytes;
    const maxRecords = Math.floor((nodeBytes - overhead - pointerBytes) / (recordBytes + pointerBytes));
    const maxTotal = (maxRecords + 1) * below.maxTotal + maxRecords;
    if (!(maxRecords > 0 && below.maxTotal <= Number.MAX_SAFE_INTEGER))
      throw badFile(`${what} has the depth ${depth} and nodes of ${nodeBytes} bytes`);
    levels.push({ maxRecords, maxTotal, pointerBytes });
  }
  if (!(most > 0)) throw badFile(`${what} has nodes of ${nodeBytes} bytes`);
  return levels;
}
