/** B-trees of version 1: symbol tables of groups and chunks. Spec: HDF5 File Format Specification, III.A.1. */

import { firstIndex } from "../../util/search.js";
import { badFile, type Cursor } from "../file/cursor.js";
import { NodeCache } from "../file/node-cache.js";
import { checkSignature, type HdfFile } from "./file.js";

/** Types of the nodes. */
export const groupNodes = 0;
export const chunkNodes = 1;

/** An entry of a leaf: the address of a symbol table node, or of a chunk. */
interface Leaf {
  readonly key: Uint8Array;
  readonly address: number;
}

interface Node {
  readonly cursor: Cursor;
  readonly level: number;
  readonly count: number;
}

/** Maximum number of nodes read together. */
const maxAhead = 16;

export class BTree1 {
  readonly #nodes = new NodeCache<Node>();

  /** @param keyBytes number of bytes of a key. */
  constructor(
    private readonly file: HdfFile,
    private readonly root: number,
    private readonly type: number,
    private readonly keyBytes: number,
  ) {}

  /**
   * Returns the entry with the last key that is before a position in the tree; undefined if no key is. Reads one node of
   * each level.
   */
  async find(isBefore: (key: Uint8Array) => boolean): Promise<Leaf | undefined> {
    let node = await this.#node(this.root, undefined);
    for (;;) {
      const child = firstIndex(node.count, (i) => !isBefore(this.#key(node, i))) - 1;
      if (child < 0) return undefined;
      const leaf = { key: this.#key(node, child), address: this.#child(node, child) };
      if (node.level === 0) return leaf;
      this.#readAhead(node, child);
      node = await this.#node(leaf.address, node.level - 1);
    }
  }

  /** Reads nodes before they are needed if those before a child have been read: then chunks are read in order. */
  #readAhead(node: Node, child: number): void {
    const isRead = (i: number) => i >= 0 && this.#nodes.has(this.#child(node, i));
    if (isRead(child)) return;
    let read = 0;
    while (read < maxAhead / 2 && isRead(child - read - 1)) read++;
    for (let i = child; i < Math.min(child + 2 * read, node.count); i++)
      this.#node(this.#child(node, i), node.level - 1).catch(() => {}); // reported if the node is needed
  }

  /** Yields the entries of all leaves in order. */
  async *leaves(): AsyncGenerator<Leaf> {
    yield* this.#walk(await this.#node(this.root, undefined), new Set([this.root]));
  }

  async *#walk(node: Node, visited: Set<number>): AsyncGenerator<Leaf> {
    for (let i = 0; i < node.count; i++) {
      const address = this.#child(node, i);
      if (visited.has(address)) throw badFile(`${node.cursor.what} has a child with several parents`);
      visited.add(address);
      if (node.level === 0) yield { key: this.#key(node, i), address };
      else yield* this.#walk(await this.#node(address, node.level - 1), visited);
    }
  }

  /** Bytes before the first key. */
  get #prefixBytes(): number {
    return 8 + 2 * this.file.offsetBytes;
  }

  #key({ cursor }: Node, i: number): Uint8Array {
    const start = this.#prefixBytes + i * (this.keyBytes + this.file.offsetBytes);
    return cursor.bytes.subarray(start, start + this.keyBytes);
  }

  #child({ cursor }: Node, i: number): number {
    cursor.at = this.#prefixBytes + i * (this.keyBytes + this.file.offsetBytes) + this.keyBytes;
    const address = this.file.address(cursor);
    if (address === undefined) throw badFile(`${cursor.what} lacks a child`);
    return address;
  }

  /** @param level the level that the parent expects; undefined for the root. */
  async #node(address: number, level: number | undefined): Promise<Node> {
    const node = await this.#nodes.get(address, () => this.#load(address));
    if (level !== undefined && node.level !== level)
      throw badFile(`${node.cursor.what} has the level ${node.level}, not ${level}`);
    return node;
  }

  async #load(address: number): Promise<Node> {
    const what = "B-tree node";
    const head = await this.file.cursor(address, this.#prefixBytes, what);
    checkSignature(head, "TREE");
    if (head.u8() !== this.type) throw badFile(`${head.what} belongs to another tree`);
    const [level, count] = [head.u8(), head.u16()];
    const length = this.#prefixBytes + count * (this.keyBytes + this.file.offsetBytes);
    return { cursor: await this.file.cursor(address, length, what), level, count };
  }
}
