/** Blosc 1, with the interface of npm `numcodecs/blosc`. */
import { describeValue, invalidArgument } from "../../util/errors.js";
import { type CodecConstructor, checkConfig, checkInteger, NumcodecsCodec, sizeAt } from "./codec.js";

/** By their numbers in the core. */
const compressors = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];
/** Names in Zarr v3. */
const shuffles = ["noshuffle", "shuffle", "bitshuffle"];
const headerBytes = 16;
/** The default of numcodecs, which assumes 32-bit elements. */
const defaultTypesize = 4;
/** Accepts zstd frames before the final format (Zarr v1 data of 2016), and bytes after the frame (z5py). */
const toleratedFlags = 1 | 2;

export interface BloscConfig {
  blocksize?: number | undefined;
  clevel?: number | undefined;
  cname?: string | undefined;
  /** 0 (none), 1 (bytes), 2 (bits), −1 (bits for single bytes, otherwise bytes), or a name of Zarr v3. */
  shuffle?: number | string | undefined;
  /** Bytes of an element, for encoding. Default: 4. */
  typesize?: number | undefined;
}

class Blosc extends NumcodecsCodec {
  static override get name(): string {
    return "Blosc";
  }
  static readonly codecId = "blosc";
  static readonly COMPRESSORS = [...compressors];
  static readonly NOSHUFFLE = 0;
  static readonly SHUFFLE = 1;
  static readonly BITSHUFFLE = 2;
  static readonly AUTOSHUFFLE = -1;

  /** @throws InvalidArgument. */
  constructor(
    readonly clevel = 5,
    readonly cname = "lz4",
    readonly shuffle: number | string = Blosc.SHUFFLE,
    readonly blocksize = 0,
    readonly typesize = defaultTypesize,
  ) {
    checkInteger(clevel, "clevel", 0, 9);
    checkInteger(blocksize, "blocksize", 0, 2 ** 31 - 1);
    checkInteger(typesize, "typesize", 1, 2 ** 31 - 1);
    const compressor = compressors.indexOf(cname);
    if (compressor < 0)
      throw invalidArgument(`cname must be one of ${compressors.join(", ")}, got ${describeValue(cname)}`);
    // A frame stores the element size in one byte; c-blosc uses 1 for larger ones.
    const width = typesize > 255 ? 1 : typesize;
    const params = [compressor, clevel, shuffleNumber(shuffle, width), width, blocksize, toleratedFlags];
    super({ core: "blosc", params, name: "blosc" }, sizeAt(4, headerBytes));
  }

  static fromConfig(config?: BloscConfig): Blosc {
    const { blocksize, clevel, cname, shuffle, typesize } = checkConfig(config);
    return new Blosc(clevel, cname, shuffle, blocksize, typesize);
  }
}

function shuffleNumber(shuffle: number | string, typesize: number): number {
  const number = typeof shuffle === "string" ? shuffles.indexOf(shuffle) : shuffle;
  if (shuffle !== Blosc.AUTOSHUFFLE && ![0, 1, 2].includes(number))
    throw invalidArgument(
      `shuffle must be 0, 1, 2, -1 or one of ${shuffles.join(", ")}, got ${describeValue(shuffle)}`,
    );
  if (shuffle !== Blosc.AUTOSHUFFLE) return number;
  return typesize === 1 ? Blosc.BITSHUFFLE : Blosc.SHUFFLE;
}

Blosc satisfies CodecConstructor<BloscConfig>;
export default Blosc;
