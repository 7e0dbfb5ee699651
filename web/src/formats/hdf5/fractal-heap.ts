/** Fractal heaps: links and attributes of objects that have many. Spec: HDF5 File Format Specification, III.G. */

import { badFile, Cursor } from "../file/cursor.js";
import { NodeCache, once } from "../file/node-cache.js";
import { BTree2 } from "./btree2.js";
import { checkedStructure, checkSum } from "./checksum.js";
import { checkSignature, checkVersion, type HdfFile } from "./file.js";

/** Sizes of the blocks: row 0 and 1 of the table have blocks of the start size, each further row doubles them. */
interface Table {
  readonly width: number;
  readonly startBytes: number;
  /** Number of rows of direct blocks. */
  readonly directRows: number;
}

/** An indirect block: `rows` rows of addresses of blocks. */
interface IndirectBlock {
  readonly address: number;
  /** Offset of its first byte in the heap. */
  readonly start: number;
  readonly rows: number;
}

interface DirectBlock {
  readonly address: number;
  readonly start: number;
  readonly bytes: number;
}

interface Header {
  readonly idBytes: number;
  readonly hasChecksums: boolean;
  /** Bytes of offsets and lengths in the ids of managed objects. */
  readonly offsetBytes: number;
  readonly objectLengthBytes: number;
  readonly table: Table;
  /** The root block, which is direct if `rows` is 0; undefined if there are no managed objects. */
  readonly root: number | undefined;
  readonly rows: number;
  /** B-tree of huge objects; undefined if there are none. */
  readonly hugeTree: number | undefined;
}

const log2 = (value: number): number => Math.floor(Math.log2(value));
const isPowerOf2 = (value: number): boolean => value > 0 && 2 ** log2(value) === value;

export class FractalHeap {
  readonly #blocks = new NodeCache<Uint8Array>();
  readonly #indirect = new NodeCache<Cursor>();
  readonly #hugeTree = once(() => this.#openHugeTree());

  private constructor(
    private readonly file: HdfFile,
    private readonly address: number,
    private readonly header: Header,
  ) {}

  static async open(file: HdfFile, address: number): Promise<FractalHeap> {
    return new FractalHeap(file, address, await readHeader(file, address));
  }

  /** Bytes of the ids of objects. */
  get idBytes(): number {
    return this.header.idBytes;
  }

  /** Reads the root block, which most objects need. */
  async readRoot(): Promise<void> {
    const { root, rows, table } = this.header;
    if (root === undefined) return;
    if (rows > 0) await this.#indirectAt({ address: root, start: 0, rows });
    else await this.#directAt({ address: root, start: 0, bytes: table.startBytes });
  }

  /** Returns the bytes of an object, which the caller must not change. */
  async object(id: Uint8Array): Promise<Uint8Array> {
    const cursor = new Cursor(id, `an id of the fractal heap at ${this.address}`);
    const first = cursor.u8();
    if (first >> 6 !== 0) throw badFile(`${cursor.what} has the version ${first >> 6}`);
    const kind = (first >> 4) & 3;
    if (kind === 0) return this.#managed(cursor);
    if (kind === 1) return this.#huge(cursor);
    if (kind === 2) return tinyObject(cursor, first & 15);
    throw badFile(`${cursor.what} has the type ${kind}`);
  }

  async #managed(id: Cursor): Promise<Uint8Array> {
    const offset = id.uint(this.header.offsetBytes);
    const length = id.uint(this.header.objectLengthBytes);
    const block = await this.#blockOf(offset);
    const at = offset - block.start;
    if (at + length > block.bytes) throw badFile(`${id.what} exceeds its block`);
    const bytes = await this.#directAt(block);
    return bytes.subarray(at, at + length);
  }

  /** Returns the direct block that holds an offset. */
  async #blockOf(offset: number): Promise<DirectBlock> {
    const { root, rows, table } = this.header;
    const what = `the fractal heap at ${this.address}`;
    if (root === undefined) throw badFile(`${what} has no blocks`);
    if (rows === 0) return { address: root, start: 0, bytes: table.startBytes };
    const rowBytes = table.width * table.startBytes;
    for (let block: IndirectBlock = { address: root, start: 0, rows }; ; ) {
      const within = offset - block.start;
      let row = 0;
      for (let end = rowBytes; end <= within; end *= 2) row++;
      const bytes = table.startBytes * 2 ** Math.max(row - 1, 0);
      const rowStart = row === 0 ? 0 : bytes * table.width;
      const column = Math.floor((within - rowStart) / bytes);
      if (row >= block.rows) throw badFile(`${what} ends before the offset ${offset}`);
      const address = await this.#entry(block, row, column);
      if (address === undefined) throw badFile(`${what} has no block for the offset ${offset}`);
      const start = block.start + rowStart + column * bytes;
      if (row < table.directRows) return { address, start, bytes };
      block = { address, start, rows: log2(bytes / rowBytes) + 1 };
    }
  }

  /** Returns the address of a block that an indirect block names. */
  async #entry(block: IndirectBlock, row: number, column: number): Promise<number | undefined> {
    const cursor = await this.#indirectAt(block);
    cursor.at = this.#prefixBytes + (row * this.header.table.width + column) * this.file.offsetBytes;
    return this.file.address(cursor);
  }

  /** Bytes before the entries of an indirect block: signature, version, address of the heap, offset in the heap. */
  get #prefixBytes(): number {
    return 5 + this.file.offsetBytes + this.header.offsetBytes;
  }

  #indirectAt(block: IndirectBlock): Promise<Cursor> {
    return this.#indirect.get(block.address, () => this.#readIndirect(block));
  }

  #directAt(block: DirectBlock): Promise<Uint8Array> {
    return this.#blocks.get(block.address, () => this.#readDirect(block));
  }

  async #readIndirect({ address, rows }: IndirectBlock): Promise<Cursor> {
    const entries = rows * this.header.table.width;
    const length = this.#prefixBytes + entries * this.file.offsetBytes + 4;
    const what = "indirect block";
    const cursor = await checkedStructure(this.file, { address, length, what, signature: "FHIB" });
    this.#checkOwner(cursor);
    return cursor;
  }

  async #readDirect({ address, bytes: length }: DirectBlock): Promise<Uint8Array> {
    const cursor = await this.file.cursor(address, length, "direct block");
    const { bytes } = cursor;
    checkSignature(cursor, "FHDB");
    this.#checkOwner(cursor);
    if (!this.header.hasChecksums) return bytes;
    cursor.at = this.#prefixBytes;
    const stored = cursor.u32();
    const copy = bytes.slice();
    copy.fill(0, cursor.at - 4, cursor.at);
    checkSum(cursor, copy, stored);
    return bytes;
  }

  #checkOwner(cursor: Cursor): void {
    checkVersion(cursor, 0);
    if (this.file.address(cursor) !== this.address) throw badFile(`${cursor.what} belongs to another heap`);
  }

  async #huge(id: Cursor): Promise<Uint8Array> {
    const { file } = this;
    const place = this.#isDirectId ? id : new Cursor(await this.#hugeRecord(id), id.what);
    const address = file.address(place);
    const length = place.uint(file.lengthBytes);
    if (address === undefined) throw badFile(`${id.what} lacks its object`);
    return (await file.cursor(address, length, "object of a heap")).bytes;
  }

  /** Whether ids of huge objects hold address and length. */
  get #isDirectId(): boolean {
    return this.file.offsetBytes + this.file.lengthBytes < this.header.idBytes;
  }

  async #hugeRecord(id: Cursor): Promise<Uint8Array> {
    const { file, header } = this;
    const key = id.uint(Math.min(header.idBytes - 1, 8));
    const tree = await this.#hugeTree();
    const keyAt = file.offsetBytes + file.lengthBytes;
    const keyOf = (record: Uint8Array) => new Cursor(record, id.what, true, keyAt).uint(file.lengthBytes);
    const record = await tree.find((record) => keyOf(record) - key);
    if (!record) throw badFile(`${id.what} names no object of the heap`);
    return record;
  }

  async #openHugeTree(): Promise<BTree2> {
    const { file, address, header } = this;
    const what = `the fractal heap at ${address}`;
    if (header.hugeTree === undefined) throw badFile(`${what} has no huge objects`);
    const tree = await BTree2.open(file, header.hugeTree);
    if (tree.recordBytes !== file.offsetBytes + 2 * file.lengthBytes)
      throw badFile(`${what} has a B-tree of another kind`);
    return tree;
  }
}

/** Returns an object that its id holds. The length has four bits, or twelve if ids have more than 17 bytes. */
function tinyObject(id: Cursor, bits: number): Uint8Array {
  const length = id.bytes.length <= 17 ? bits : bits * 256 + id.u8();
  return id.take(length + 1);
}

async function readHeader(file: HdfFile, address: number): Promise<Header> {
  const { offsetBytes, lengthBytes } = file;
  const what = "fractal heap";
  const start = await file.cursor(address, 9, what);
  checkSignature(start, "FRHP");
  start.skip(3);
  if (start.u16() > 0) throw file.unsupported(`${start.what} has filters`);
  const length = 26 + 12 * lengthBytes + 3 * offsetBytes;
  const cursor = await checkedStructure(file, { address, length, what, signature: "FRHP" });
  checkVersion(cursor, 0);
  const idBytes = cursor.u16();
  cursor.skip(2);
  const flags = cursor.u8();
  const maxObject = cursor.u32();
  cursor.skip(lengthBytes);
  const hugeTree = file.address(cursor);
  cursor.skip(lengthBytes + offsetBytes + 8 * lengthBytes);
  const width = cursor.u16();
  const startBytes = cursor.uint(lengthBytes);
  const directBytes = cursor.uint(lengthBytes);
  const heapBits = cursor.u16();
  cursor.skip(2);
  const root = file.address(cursor);
  const rows = cursor.u16();
  if (!(isPowerOf2(width) && isPowerOf2(startBytes) && isPowerOf2(directBytes) && directBytes >= startBytes))
    throw badFile(`${cursor.what} has blocks of ${startBytes} to ${directBytes} bytes, ${width} in a row`);
  const table = { width, startBytes, directRows: log2(directBytes / startBytes) + 2 };
  const maxRows = heapBits - log2(width * startBytes) + 1;
  if (!(idBytes > 0 && heapBits > 0 && heapBits <= 64 && rows <= maxRows))
    throw badFile(`${cursor.what} claims ${rows} rows of blocks and 2^${heapBits} bytes`);
  return {
    ...{ idBytes, table, root, rows, hugeTree, hasChecksums: (flags & 2) !== 0 },
    offsetBytes: Math.ceil(heapBits / 8),
    objectLengthBytes: Math.min(Math.ceil(log2(directBytes) / 8), Math.floor(log2(maxObject) / 8) + 1),
  };
}

/** An object of a heap, and the record of the B-tree that names it. */
interface DenseObject {
  readonly record: Uint8Array;
  /** Undefined if the record has no id of this heap. */
  readonly bytes: Uint8Array | undefined;
}

/** Objects read in parallel: their blocks may be far apart. */
const parallel = 64;

/**
 * Yields the objects of a heap, which a message names with a B-tree.
 * @param indexBytes bytes of the maximum creation index in the message.
 * @param idAt returns the offset of the id in a record; undefined for records without id.
 */
export async function* denseObjects(
  file: HdfFile,
  message: Cursor,
  indexBytes: number,
  idAt: (record: Uint8Array) => number | undefined,
): AsyncGenerator<DenseObject> {
  checkVersion(message, 0);
  if (message.u8() & 1) message.skip(indexBytes);
  const [address, names] = [file.address(message), file.address(message)];
  if (address === undefined || names === undefined) return;
  const [heap, tree] = await Promise.all([FractalHeap.open(file, address), BTree2.open(file, names)]);
  await Promise.all([heap.readRoot(), tree.readRoot()]);
  const object = async (record: Uint8Array): Promise<DenseObject> => {
    const at = idAt(record);
    const bytes = at === undefined ? undefined : await heap.object(record.subarray(at, at + heap.idBytes));
    return { record, bytes };
  };
  let batch: Uint8Array[] = [];
  for await (const record of tree.records()) {
    await file.turn();
    batch.push(record);
    if (batch.length < parallel) continue;
    yield* await Promise.all(batch.map(object));
    batch = [];
  }
  yield* await Promise.all(batch.map(object));
}
