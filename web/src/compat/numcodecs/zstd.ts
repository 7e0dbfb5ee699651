/** zstd (RFC 8878), with the interface of npm `numcodecs/zstd`. */
import { describeValue, invalidArgument } from "../../util/errors.js";
import { type CodecConstructor, checkConfig, NumcodecsCodec, unknownSize } from "./codec.js";

export interface ZstdConfig {
  level?: number | undefined;
  /** Adds a checksum to encoded frames. */
  checksum?: boolean | undefined;
}

class Zstd extends NumcodecsCodec {
  static override get name(): string {
    return "Zstd";
  }
  static readonly codecId = "zstd";
  static readonly DEFAULT_CLEVEL = 1;
  static readonly MAX_CLEVEL = 22;

  /**
   * @param level clamped to 1 to 22.
   * @throws InvalidArgument.
   */
  constructor(
    readonly level = Zstd.DEFAULT_CLEVEL,
    checksum = false,
  ) {
    if (!Number.isInteger(level))
      throw invalidArgument(`level must be an integer, got ${describeValue(level)}`);
    const used = level <= 0 ? Zstd.DEFAULT_CLEVEL : Math.min(level, Zstd.MAX_CLEVEL);
    const step = { core: "zstd", params: [used, checksum ? 1 : 0], name: "zstd" } as const;
    super(step, unknownSize); // the core checks the size in the frame before decoding
  }

  static fromConfig(config?: ZstdConfig): Zstd {
    const { level, checksum } = checkConfig(config);
    return new Zstd(level, checksum);
  }
}

Zstd satisfies CodecConstructor<ZstdConfig>;
export default Zstd;
