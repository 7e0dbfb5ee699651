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
  private constructor(
    private readonly reader: BlockReader,
    private readonly header: Header,
  ) {}

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
    return new FixedArray(new BlockReader(file), { entryBytes, pageEntries: 2 ** pageBits, count, block });
  }

  async entry(index: number): Promise<Uint8Array | undefined> {
    const { entryBytes, pageEntries, count, block: address } = this.header;
    if (index >= count) throw badFile(`a fixed array of ${count} entries lacks entry ${index}`);
    if (address === undefined) return undefined;
    const block = { address, what: "block of a fixed array", signature: "FADB" };
    const prefixBytes = 6 + this.reader.file.offsetBytes;
    if (count <= pageEntries) {
      const whole = { ...block, length: prefixBytes + count * entryBytes + 4 };
      return this.reader.entry(whole, prefixBytes + index * entryBytes, entryBytes);
    }
    const pages = Math.ceil(count / pageEntries);
    const head: Block = { ...block, length: prefixBytes + Math.ceil(pages / 8) + 4 };
    const { bytes } = await this.reader.read(head);
    const page = Math.floor(index / pageEntries);
    if (!hasBit(bytes.subarray(prefixBytes), page)) return undefined;
    const first = page * pageEntries;
    const start = address + head.length + page * (pageEntries * entryBytes + 4);
    const length = Math.min(pageEntries, count - first) * entryBytes + 4;
    const entries = { address: start, length, what: "page of a fixed array" };
    return this.reader.entry(entries, (index - first) * entryBytes, entryBytes);
  }
}
