/** The bytes of a result. */
import { limitExceeded, unsupported } from "../util/errors.js";

/**
 * Allocates the bytes on first use. If a single copy from wasm memory provides all of them, that copy becomes
 * the result: allocating and then filling memory would touch it twice.
 */
export class ResultBytes {
  #bytes: Uint8Array | undefined;
  readonly #adopts: boolean;

  /** @param given the caller's bytes; or whether to share new ones between threads. */
  constructor(
    readonly byteLength: number,
    private readonly given: Uint8Array | { readonly isShared: boolean },
  ) {
    if (given instanceof Uint8Array) this.#bytes = given;
    this.#adopts = !(given instanceof Uint8Array) && !given.isShared;
  }

  /** @throws LimitExceeded ("out-of-memory"); Unsupported if shared memory is not available. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#make();
    return this.#bytes;
  }

  /**
   * The bytes if they are new and shared between threads: the caller does not see them before the read is
   * complete.
   */
  get shared(): Uint8Array<SharedArrayBuffer> | undefined {
    const isOurs = !(this.given instanceof Uint8Array) && this.given.isShared;
    return isOurs ? (this.bytes as Uint8Array<SharedArrayBuffer>) : undefined;
  }

  /** Uses a copy of all the bytes as the result; false if the result already exists or is given. */
  adopt(copy: () => Uint8Array): boolean {
    if (!this.#adopts || this.#bytes) return false;
    this.#bytes = copy();
    return true;
  }

  #make(): Uint8Array {
    const { byteLength, given } = this;
    const isShared = !(given instanceof Uint8Array) && given.isShared;
    // Engines hide it from pages that are not cross-origin isolated.
    if (isShared && typeof SharedArrayBuffer === "undefined")
      throw unsupported("SharedArrayBuffer is not available; the page must be cross-origin isolated", {
        code: "no-shared-memory",
      });
    try {
      return new Uint8Array(isShared ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength));
    } catch (cause) {
      throw limitExceeded(`no memory for a result of ${byteLength} bytes`, { code: "out-of-memory", cause });
    }
  }
}
