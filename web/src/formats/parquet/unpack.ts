/** Pages without their compression. */

import { decodeBytes } from "../../engine/bytes.js";
import type { ChainStep } from "../../engine/plan.js";
import { isZarrError, limitExceeded, unsupported } from "../../util/errors.js";
import { bad } from "./fields.js";

/** How many bytes a file's pages may still have, without compression. */
export class Budget {
  #left: number;

  constructor(readonly bytes: number) {
    this.#left = bytes;
  }

  /** @throws LimitExceeded. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0)
      throw limitExceeded(`a Parquet file holds more than the limit of ${this.bytes} bytes`);
  }
}

/** The error of what Parquet has and references do not use. */
export const notHere = (what: string): Error =>
  unsupported(`${what} in Parquet files of references are not supported`, { code: "parquet-references" });

/** By their numbers; a text names what the core does not have. */
const codecs: readonly (readonly ChainStep[] | string)[] = [
  [],
  [{ core: "snappy", params: [], name: "snappy" }],
  [{ core: "gzip", params: [6], name: "gzip" }],
  "LZO",
  "Brotli",
  "LZ4 (as Hadoop frames it)",
  [{ core: "zstd", params: [0, 0], name: "zstd" }],
  [{ core: "lz4", params: [1], name: "lz4" }],
];
const rawLz4 = 7;

/**
 * Unpacks a page.
 * @param size how many bytes it says will come out.
 * @returns those, in a buffer of their own.
 * @throws InvalidMetadata; Unsupported; LimitExceeded.
 */
export async function unpack(
  packed: Uint8Array,
  codec: number,
  size: number,
  budget: Budget,
): Promise<Uint8Array> {
  if (!(Number.isSafeInteger(size) && size >= 0)) throw bad("a page has a header that is not valid");
  budget.take(size);
  const steps = codecs[codec] ?? `compression ${codec}`;
  if (typeof steps === "string") throw notHere(`pages in ${steps}`);
  // Writers compress no values, too, or leave them out.
  const isEmpty = size === 0 && packed.byteLength === 0;
  const page = steps.length === 0 || isEmpty ? packed : await decoded(packed, steps, codec, size);
  if (page.byteLength !== size) throw bad("a page has another size than its header says");
  return page !== packed && page.byteLength === page.buffer.byteLength ? page : new Uint8Array(page);
}

async function decoded(
  packed: Uint8Array,
  steps: readonly ChainStep[],
  codec: number,
  size: number,
): Promise<Uint8Array> {
  const limit = Math.max(size, 1); // decoders have room for a byte at least
  try {
    return await decodeBytes(steps, codec === rawLz4 ? withSize(packed, size) : packed, limit, size);
  } catch (error) {
    if (isZarrError(error, "CorruptChunk")) throw bad(`a page cannot be decompressed: ${error.message}`);
    if (isZarrError(error, "LimitExceeded") && error.code === "limit-exceeded")
      throw bad("a page has another size than its header says");
    throw error;
  }
}

/** A block of LZ4 with its size before it, as the core has them. */
function withSize(block: Uint8Array, size: number): Uint8Array {
  const sized = new Uint8Array(4 + block.byteLength);
  new DataView(sized.buffer).setUint32(0, size, true);
  sized.set(block, 4);
  return sized;
}
