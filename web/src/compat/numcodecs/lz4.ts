/** LZ4 blocks prefixed with a 4-byte length, with the interface of npm `numcodecs/lz4`. */
import { describeValue, invalidArgument } from "../../util/errors.js";
import { type CodecConstructor, checkConfig, NumcodecsCodec, sizeAt } from "./codec.js";

/** The maximum of the LZ4 library. */
const maxAcceleration = 65537;

export interface LZ4Config {
  acceleration?: number | undefined;
}

class LZ4 extends NumcodecsCodec {
  static override get name(): string {
    return "LZ4";
  }
  static readonly codecId = "lz4";
  static readonly DEFAULT_ACCELERATION = 1;
  static readonly max_buffer_size = 0x7e000000;
  readonly max_buffer_size = LZ4.max_buffer_size;
  readonly acceleration: number;

  /**
   * @param acceleration values below 1 count as 1.
   * @throws InvalidArgument.
   */
  constructor(acceleration = LZ4.DEFAULT_ACCELERATION) {
    if (!Number.isInteger(acceleration))
      throw invalidArgument(`acceleration must be an integer, got ${describeValue(acceleration)}`);
    const used = acceleration <= 0 ? LZ4.DEFAULT_ACCELERATION : acceleration;
    super({ core: "lz4", params: [Math.min(used, maxAcceleration)], name: "lz4" }, sizeAt(0, 4));
    this.acceleration = used;
  }

  static fromConfig(config?: LZ4Config): LZ4 {
    const { acceleration } = checkConfig(config);
    return new LZ4(acceleration);
  }
}

LZ4 satisfies CodecConstructor<LZ4Config>;
export default LZ4;
