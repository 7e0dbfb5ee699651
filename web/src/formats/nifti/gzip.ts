/** Files in gzip: they have no ranges, so they are read whole and kept in memory. */

import { SingleFlight } from "../../util/async.js";
import { limitExceeded } from "../../util/errors.js";
import { streamed } from "../../util/inflate.js";
import type { Limits } from "../../util/limits.js";
import type { BlockCache } from "../file/blocks.js";
import { badFile } from "../file/cursor.js";

/** Compressed and decompressed sizes of the start of a file. */
const [headInput, headOutput] = [2 ** 16, 2 ** 12];
/** Maximum expansion of any DEFLATE stream. */
const maxRatio = 1032;

export class GzipFile {
  readonly #flights = new SingleFlight<Uint8Array>();
  #bytes: Uint8Array | undefined;

  constructor(
    private readonly name: string,
    private readonly blocks: BlockCache,
    private readonly limits: Limits,
  ) {}

  /** Returns the first bytes, decompressed. */
  async head(signal: AbortSignal | undefined): Promise<Uint8Array> {
    return this.#gunzip(await this.blocks.head(headInput, signal), headOutput);
  }

  /**
   * Returns the first `length` bytes, decompressed; the same in each call.
   * @throws LimitExceeded above `indexBytes`, compressed or not; InvalidMetadata ("bad-file").
   */
  async read(length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    return this.#bytes ?? this.#flights.run("", signal, (shared) => this.#load(length, shared));
  }

  async #load(length: number, signal: AbortSignal): Promise<Uint8Array> {
    const { file, version } = this.blocks;
    const { indexBytes: maxBytes } = this.limits;
    await this.blocks.head(headInput, signal); // tells the size
    const { fileSize = maxBytes } = this.blocks;
    const most = Math.max(length, fileSize);
    if (most > maxBytes)
      throw limitExceeded(
        `${this.name}: reading ${most} bytes in gzip, more than the limit of ${maxBytes} (limits.indexBytes)`,
      );
    const deflated = await file.read({ offset: 0, length: fileSize }, { signal, version, maxBytes });
    if (!deflated) throw badFile(`${this.name} does not exist`);
    if (length > deflated.byteLength * maxRatio) throw this.#endsEarly(length);
    const bytes = await this.#gunzip(deflated, length);
    if (bytes.byteLength < length) throw this.#endsEarly(length);
    this.#bytes = bytes;
    return bytes;
  }

  #endsEarly(length: number): Error {
    return badFile(`${this.name} ends before byte ${length} of its content`);
  }

  async #gunzip(deflated: Uint8Array, length: number): Promise<Uint8Array> {
    try {
      return await streamed(new DecompressionStream("gzip"), deflated, length);
    } catch (cause) {
      throw badFile(`${this.name} cannot be decompressed: it is damaged, or has several members`, cause);
    }
  }
}
