/** zstd: RFC 8878 frames, as npm `numcodecs/zstd` has them. */
import { invalidArgument, shown } from "../../util/errors.js";
import { type CodecConstructor, CoreCodec, optionsOf, type SizeOf } from "./codec.js";

export interface ZstdConfig {
  level?: number | undefined;
  /** Whether frames get a checksum when they are encoded. */
  checksum?: boolean | undefined;
}

/** Nothing: the core compares the frame's own size with its bound before it decodes anything. */
const sizeOf: SizeOf = () => undefined;

class Zstd extends CoreCodec {
  static override get name(): string {
    return "Zstd";
  }
  static readonly codecId = "zstd";
  static readonly DEFAULT_CLEVEL = 1;
  static readonly MAX_CLEVEL = 22;

  /**
   * @param level 0 and less stand for 1, more than 22 for 22.
   * @throws InvalidArgument.
   */
  constructor(
    readonly level = Zstd.DEFAULT_CLEVEL,
    checksum = false,
  ) {
    if (!Number.isInteger(level)) throw invalidArgument(`level must be an integer, not ${shown(level)}`);
    const used = level <= 0 ? Zstd.DEFAULT_CLEVEL : Math.min(level, Zstd.MAX_CLEVEL);
    const step = { core: "zstd", params: [used, checksum ? 1 : 0], name: "zstd" } as const;
    super(step, sizeOf);
  }

  static fromConfig(config?: ZstdConfig): Zstd {
    const { level, checksum } = optionsOf(config);
    return new Zstd(level, checksum);
  }
}

Zstd satisfies CodecConstructor<ZstdConfig>;
export default Zstd;
