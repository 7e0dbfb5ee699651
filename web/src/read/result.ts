/** The bytes of a result. */
import { limitExceeded, unsupported } from "../util/errors.js";

/**
 * Bytes that are had when they are first needed. Where all of them come out of the module with one copy, that
 * copy becomes the result: memory that is made and then written to is touched twice.
 */
export class ResultBytes {
  #bytes: Uint8Array | undefined;
  readonly #adopts: boolean;

  /** @param given the caller's own bytes; or whether new ones are to be shared between threads. */
  constructor(
    readonly byteLength: number,
    private readonly given: Uint8Array | { readonly isShared: boolean },
  ) {
    if (given instanceof Uint8Array) this.#bytes = given;
    this.#adopts = !(given instanceof Uint8Array) && !given.isShared;
  }

  /** @throws LimitExceeded ("out-of-memory"); Unsupported where no memory is shared. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#make();
    return this.#bytes;
  }

  /** The bytes where new ones are shared between threads: nobody else sees them before the read is done. */
  get shared(): Uint8Array<SharedArrayBuffer> | undefined {
    const isOurs = !(this.given instanceof Uint8Array) && this.given.isShared;
    return isOurs ? (this.bytes as Uint8Array<SharedArrayBuffer>) : undefined;
  }

  /** Takes a copy of all the bytes for the result; false where that has been made already, or must not be taken. */
  adopt(copy: () => Uint8Array): boolean {
    if (!this.#adopts || this.#bytes) return false;
    this.#bytes = copy();
    return true;
  }

  #make(): Uint8Array {
    const { byteLength, given } = this;
    const isShared = !(given instanceof Uint8Array) && given.isShared;
    // Engines hide it from pages that are not isolated.
    if (isShared && typeof SharedArrayBuffer === "undefined")
      throw unsupported("there is no SharedArrayBuffer here: the page must be cross-origin isolated", {
        code: "no-shared-memory",
      });
    try {
      return new Uint8Array(isShared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength));
    } catch (cause) {
      throw limitExceeded(`no memory for a result of ${byteLength} bytes`, { code: "out-of-memory", cause });
    }
  }
}
