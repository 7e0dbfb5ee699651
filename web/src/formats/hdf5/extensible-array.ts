/** Extensible arrays: indexes of chunks of datasets with one unlimited dimension. Spec: HDF5 File Format Specification, VII.D. */

import { badFile } from "../file/cursor.js";
import { checkedStructure } from "./checksum.js";
import { type Block, BlockReader, type EntryArray, hasBit } from "./element-pages.js";
import { checkVersion, type HdfFile } from "./file.js";

interface Header {
  readonly entryBytes: number;
  /** Bytes of the offsets in the array that blocks hold. */
  readonly offsetBytes: number;
  /** Number of entries in the index block. */
  readonly indexEntries: number;
  /** Number of entries in the smallest data block. */
  readonly minEntries: number;
  /** Number of super blocks whose data blocks the index block names. */
  readonly directSupers: number;
  readonly supers: number;
  readonly pageEntries: number;
  /** Undefined if nothing has been written. */
  readonly block: number | undefined;
}

/** Super block n has 2^⌊n/2⌋ data blocks, each of minEntries · 2^⌊(n + 1)/2⌋ entries. */
interface Super {
  readonly index: number;
  readonly blocks: number;
  readonly blockEntries: number;
  /** Number of the data block of an entry in it, and of the entry in that. */
  readonly block: number;
  readonly entry: number;
}

export class ExtensibleArray implements EntryArray {
  private constructor(
    private readonly reader: BlockReader,
    private readonly header: Header,
  ) {}

  static async open(file: HdfFile, address: number): Promise<ExtensibleArray> {
    const length = 16 + file.offsetBytes + 6 * file.lengthBytes;
    const what = "extensible array";
    const head = await checkedStructure(file, { address, length, what, signature: "EAHD" });
    checkVersion(head, 0);
    head.skip(1);
    const [entryBytes, bits, indexEntries] = [head.u8(), head.u8(), head.u8()];
    const [minEntries, minPointers, pageBits] = [head.u8(), head.u8(), head.u8()];
    head.skip(6 * file.lengthBytes);
    const block = file.address(head);
    const directSupers = 2 * Math.log2(minPointers);
    const supers = 1 + bits - Math.log2(minEntries);
    const isValid =
      Number.isInteger(supers) && Number.isInteger(directSupers) && bits <= 64 && supers >= directSupers;
    if (!isValid || entryBytes < file.offsetBytes)
      throw badFile(
        `${head.what} has blocks of ${minEntries} entries, ${minPointers} pointers, ${bits} bits`,
      );
    return new ExtensibleArray(new BlockReader(file), {
      ...{ entryBytes, indexEntries, minEntries, directSupers, supers, block },
      ...{ offsetBytes: Math.ceil(bits / 8), pageEntries: 2 ** pageBits },
    });
  }

  async entry(index: number): Promise<Uint8Array | undefined> {
    const { entryBytes, indexEntries, directSupers, block } = this.header;
    if (block === undefined) return undefined;
    const { offsetBytes: addressBytes } = this.reader.file;
    const indexBlock = this.#indexBlock(block);
    const start = 6 + addressBytes;
    if (index < indexEntries) return this.reader.entry(indexBlock, start + index * entryBytes, entryBytes);
    const place = this.#place(index - indexEntries);
    const pointers = start + indexEntries * entryBytes;
    if (place.index < directSupers) {
      const at = pointers + (firstBlock(place.index) + place.block) * addressBytes;
      return this.#inBlock(await this.reader.address(indexBlock, at), place);
    }
    const at = pointers + (firstBlock(directSupers) + place.index - directSupers) * addressBytes;
    const address = await this.reader.address(indexBlock, at);
    return address === undefined ? undefined : this.#inSuper(address, place);
  }

  #indexBlock(address: number): Block {
    const { entryBytes, indexEntries, directSupers, supers } = this.header;
    const pointers = firstBlock(directSupers) + supers - directSupers;
    const { offsetBytes: addressBytes } = this.reader.file;
    const length = 6 + addressBytes + indexEntries * entryBytes + pointers * addressBytes + 4;
    return { address, length, what: "index block", signature: "EAIB" };
  }

  /** Finds an entry that is not in the index block. */
  #place(offset: number): Super {
    const { minEntries, supers } = this.header;
    const index = Math.floor(Math.log2(Math.floor(offset / minEntries) + 1));
    if (index >= supers) throw badFile(`an extensible array lacks entry ${offset}`);
    const blockEntries = minEntries * 2 ** Math.floor((index + 1) / 2);
    const within = offset - minEntries * (2 ** index - 1);
    const block = Math.floor(within / blockEntries);
    return { index, blocks: 2 ** Math.floor(index / 2), blockEntries, block, entry: within % blockEntries };
  }

  /** Bytes before the contents of super blocks and data blocks. */
  get #prefixBytes(): number {
    return 6 + this.reader.file.offsetBytes + this.header.offsetBytes;
  }

  async #inSuper(address: number, place: Super): Promise<Uint8Array | undefined> {
    const { pageEntries } = this.header;
    const { offsetBytes: addressBytes } = this.reader.file;
    const { blocks, blockEntries } = place;
    const pages = blockEntries > pageEntries ? blockEntries / pageEntries : 0;
    const bitmaps = this.#prefixBytes;
    const pointers = bitmaps + blocks * Math.ceil(pages / 8);
    const length = pointers + blocks * addressBytes + 4;
    const superBlock = { address, length, what: "super block", signature: "EASB" };
    const found = await this.reader.address(superBlock, pointers + place.block * addressBytes);
    if (found === undefined || pages === 0) return this.#inBlock(found, place);
    const page = Math.floor(place.entry / pageEntries);
    const { bytes } = await this.reader.read(superBlock);
    if (!hasBit(bytes.subarray(bitmaps), place.block * pages + page)) return undefined;
    return this.#inPage(found, page, place.entry % pageEntries);
  }

  async #inBlock(
    address: number | undefined,
    { blockEntries, entry }: Super,
  ): Promise<Uint8Array | undefined> {
    const { entryBytes } = this.header;
    if (address === undefined) return undefined;
    const length = this.#prefixBytes + blockEntries * entryBytes + 4;
    const block = { address, length, what: "data block", signature: "EADB" };
    return this.reader.entry(block, this.#prefixBytes + entry * entryBytes, entryBytes);
  }

  async #inPage(address: number, page: number, entry: number): Promise<Uint8Array> {
    const { entryBytes, pageEntries } = this.header;
    const length = pageEntries * entryBytes + 4;
    const start = address + this.#prefixBytes + 4 + page * length;
    const block = { address: start, length, what: "page of an extensible array" };
    return this.reader.entry(block, entry * entryBytes, entryBytes);
  }
}

/** Number of data blocks of the super blocks before one. */
const firstBlock = (superBlock: number): number => {
  const half = 2 ** Math.floor(superBlock / 2);
  return superBlock % 2 === 0 ? 2 * (half - 1) : 3 * half - 2;
};
