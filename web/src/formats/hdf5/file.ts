/** An HDF5 file: addresses relative to its base, sizes of offsets and lengths, checks of its end. */

import type { MaybePromise } from "../../store/store.js";
import { limitExceeded, type ZarrError } from "../../util/errors.js";
import { badFile, Cursor, unsupportedFile } from "../file/cursor.js";
import type { FileContext } from "../file/model.js";
import { Turns } from "../file/turns.js";

/** The form of a file, from its superblock. */
interface FileForm {
  /** Offset of address 0 in the file: the length of the user block. */
  readonly base: number;
  /** Bytes of an address. */
  readonly offsetBytes: number;
  /** Bytes of a length. */
  readonly lengthBytes: number;
  /** Address of the end of the file. */
  readonly end: number;
}

export class HdfFile {
  readonly #turns = new Turns();

  constructor(
    readonly context: FileContext,
    readonly form: FileForm,
  ) {}

  get offsetBytes(): number {
    return this.form.offsetBytes;
  }

  get lengthBytes(): number {
    return this.form.lengthBytes;
  }

  /** Lets other tasks run from time to time: to be called in long loops whose reads are cached. */
  turn(): Promise<void> | undefined {
    return this.#turns.next();
  }

  /** Returns the offset in the file of bytes at an address. @throws InvalidMetadata ("bad-file") beyond the end. */
  locate(address: number, length: number): number {
    if (!(address >= 0 && length >= 0 && address + length <= this.form.end))
      throw badFile(
        `${this.context.name} ends at ${this.form.end}, before ${length} bytes at address ${address}`,
      );
    return this.form.base + address;
  }

  /** Returns bytes at an address, which the caller must not change. */
  read(address: number, length: number): MaybePromise<Uint8Array> {
    return this.context.blocks.read(this.locate(address, length), length, undefined);
  }

  /**
   * Returns a cursor on metadata at an address. @param what names it: "the heap at 96" if it is "heap".
   * @throws LimitExceeded for more than `limits.metadataBytes`.
   */
  async cursor(address: number, length: number, what: string): Promise<Cursor> {
    const { metadataBytes } = this.context.limits;
    const name = `the ${what} at ${address}`;
    if (length > metadataBytes)
      throw limitExceeded(`${name} has ${length} bytes, more than the limit of ${metadataBytes}`);
    return new Cursor(await this.read(address, length), name);
  }

  /** Reads an address; undefined if it is the undefined one. */
  address(cursor: Cursor): number | undefined {
    return definedUint(cursor, this.form.offsetBytes);
  }

  /** Reads a length; undefined if all bits are set. */
  length(cursor: Cursor): number | undefined {
    return definedUint(cursor, this.form.lengthBytes);
  }

  /** Returns the error of a feature of the file that the library does not read. */
  unsupported(what: string): ZarrError {
    return unsupportedFile(`${this.context.name}: ${what}`);
  }
}

/** Reads an unsigned integer; undefined if all bits are set. */
export function definedUint(cursor: Cursor, width: number): number | undefined {
  const { at } = cursor;
  if (cursor.take(width).every((byte) => byte === 0xff)) return undefined;
  cursor.at = at;
  return cursor.uint(width);
}

/** Bounds the memory of values that come from few bytes, such as many references to one object. */
export class Budget {
  /** @param message of the error if `left` bytes are exceeded. */
  constructor(
    private left: number,
    private readonly message: string,
  ) {}

  /** @throws LimitExceeded if the bytes of all calls exceed the budget. */
  spend(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw limitExceeded(this.message);
  }
}

/** Checks the signature of a structure. */
export function checkSignature(cursor: Cursor, signature: string): void {
  const found = String.fromCharCode(...cursor.take(signature.length));
  if (found !== signature) throw badFile(`${cursor.what} does not start with ${signature}`);
}

/** Reads a one-byte version. @throws Unsupported for others. */
export function checkVersion(cursor: Cursor, ...known: readonly number[]): number {
  const version = cursor.u8();
  if (!known.includes(version)) throw unsupportedFile(`${cursor.what} has the unknown version ${version}`);
  return version;
}
