/** zlib (RFC 1950), with the interface of npm `numcodecs/zlib`. */
import { type CodecConstructor, checkConfig, checkInteger, NumcodecsCodec, unknownSize } from "./codec.js";

export interface ZlibConfig {
  level?: number | undefined;
}

class Zlib extends NumcodecsCodec {
  static override get name(): string {
    return "Zlib";
  }
  static readonly codecId = "zlib";

  /** @throws InvalidArgument. */
  constructor(readonly level = 1) {
    const params = [checkInteger(level, "level", -1, 9)];
    super({ core: "zlib", params, name: "zlib" }, unknownSize);
  }

  static fromConfig(config?: ZlibConfig): Zlib {
    const { level } = checkConfig(config);
    return new Zlib(level);
  }
}

Zlib satisfies CodecConstructor<ZlibConfig>;
export default Zlib;
