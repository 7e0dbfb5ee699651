/** gzip (RFC 1952), with the interface of npm `numcodecs/gzip`. */
import { type CodecConstructor, checkConfig, checkInteger, NumcodecsCodec, type ReadSize } from "./codec.js";

export interface GZipConfig {
  level?: number | undefined;
}

/** Estimates the size: the last member stores its own, modulo 2³². */
const memberSize: ReadSize = (frame) =>
  frame.byteLength >= 18 ? frame.getUint32(frame.byteLength - 4, true) : undefined;

class GZip extends NumcodecsCodec {
  static override get name(): string {
    return "GZip";
  }
  static readonly codecId = "gzip";

  /** @throws InvalidArgument. */
  constructor(readonly level = 1) {
    const params = [checkInteger(level, "level", 0, 9)];
    super({ core: "gzip", params, name: "gzip" }, memberSize);
  }

  static fromConfig(config?: GZipConfig): GZip {
    const { level } = checkConfig(config);
    return new GZip(level);
  }
}

GZip satisfies CodecConstructor<GZipConfig>;
export default GZip;
