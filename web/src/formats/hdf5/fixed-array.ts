/** Fixed arrays: indexes of chunks of datasets that cannot grow. Spec: HDF5 File Format Specification, VII.C. */

import { badFile } from "../file/cursor.js";
import { checkedStructure } from "./checksum.js";
import { type Block, BlockReader, type EntryArray, hasBit } from "./element-pages.js";
import { checkVersion, type HdfFile } from "./file.js";

interface Header {
  readonly entryBytes: number;
  readonly pageEntries: number;
  readonly count: number;
  /** Undefined if nothing has been written. */
  readonly block: number | undefined;
}

export class FixedArray implements EntryArray {
  readonly #reader: BlockReader;

  private constructor(
    file: HdfFile,
    private readonly header: Header,
  ) {
    this.#reader = new BlockReader(file);
  }

  static async open(file: HdfFile, address: number): Promise<FixedArray> {
    const length = 12 + file.offsetBytes + file.lengthBytes;
    const what = "fixed array";
    const head = await checkedStructure(file, { address, length, what, signature: "FAHD" });
    checkVersion(head, 0);
    head.skip(1);
    const [entryBytes, pageBits] = [head.u8(), head.u8()];
    const count = head.uint(file.lengthBytes);
    const block = file.address(head);
    if (entryBytes < file.offsetBytes) throw badFile(`${head.what} has entries of ${entryBytes} bytes`);
    return new FixedArray(file, { entryBytes, pageEntries: 2 ** pageBits, count, block });
  }

  get entryBytes(): number {
    return this.header.entryBytes;
  }

  async entry(index: number): Promise<Uint8Array | undefined> {
    const { entryBytes, pageEntries, count, block: address } = this.header;
    if (index >= count) throw badFile(`a fixed array of ${count} entries lacks entry ${index}`);
    if (address === undefined) return undefined;
    const block = { address, what: "block of a fixed array", signature: "FADB" };
    const prefixBytes = 6 + this.#reader.file.offsetBytes;
    if (count <= pageEntries) {
      const whole = { ...block, length: prefixBytes + count * entryBytes + 4 };
      return this.#reader.entry(whole, prefixBytes + index * entryBytes, entryBytes);
    }
    const pages = Math.ceil(count / pageEntries);
    const head: Block = { ...block, length: prefixBytes + Math.ceil(pages / 8) + 4 };
    const { bytes } = await this.#reader.read(head);
    const page = Math.floor(index / pageEntries);
    if (!hasBit(bytes.subarray(prefixBytes), page)) return undefined;
    const first = page * pageEntries;
    return this.#reader.entry(
      {
        address: address + head.length + page * (pageEntries * entryBytes + 4),
        length: Math.min(pageEntries, count - first) * entryBytes + 4,
        what: "page of a fixed array",
      },
      ...[(index - first) * entryBytes, entryBytes],
    );
  }
}
