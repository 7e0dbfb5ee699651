/** Blosc-1 frames, as npm `numcodecs/blosc` has them. */
import { invalidArgument, shown } from "../../util/errors.js";
import { type CodecConstructor, CoreCodec, checkInteger, optionsOf, sizeAt } from "./codec.js";

/** Numbered as the core numbers them. */
const compressors = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];
/** Zarr v3 has names for them. */
const shuffles = ["noshuffle", "shuffle", "bitshuffle"];
const headerBytes = 16;
/** Of numcodecs, which takes every chunk for one of 32-bit elements. */
const defaultTypesize = 4;
/** Frames of zstd before its format was final (Zarr v1 data of 2016); bytes behind the frame (z5py). */
const toleratedFlags = 1 | 2;

export interface BloscConfig {
  blocksize?: number | undefined;
  clevel?: number | undefined;
  cname?: string | undefined;
  /** 0, 1, 2, -1 for "bits for single bytes, else bytes"; or Zarr v3's "noshuffle", "shuffle", "bitshuffle". */
  shuffle?: number | string | undefined;
  /** Bytes of an element, for encoding: 4 where it is not given. */
  typesize?: number | undefined;
}

class Blosc extends CoreCodec {
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
      throw invalidArgument(`cname must be one of ${compressors.join(", ")}, not ${shown(cname)}`);
    // A frame keeps the element size in one byte; c-blosc takes larger ones as 1.
    const width = typesize > 255 ? 1 : typesize;
    const params = [compressor, clevel, shuffleNumber(shuffle, width), width, blocksize, toleratedFlags];
    super({ core: "blosc", params, name: "blosc" }, sizeAt(4, headerBytes));
  }

  static fromConfig(config?: BloscConfig): Blosc {
    const { blocksize, clevel, cname, shuffle, typesize } = optionsOf(config);
    return new Blosc(clevel, cname, shuffle, blocksize, typesize);
  }
}

function shuffleNumber(shuffle: number | string, typesize: number): number {
  const number = typeof shuffle === "string" ? shuffles.indexOf(shuffle) : shuffle;
  if (shuffle !== Blosc.AUTOSHUFFLE && ![0, 1, 2].includes(number))
    throw invalidArgument(
      `shuffle must be 0, 1, 2, -1 or one of ${shuffles.join(", ")}, not ${shown(shuffle)}`,
    );
  if (shuffle !== Blosc.AUTOSHUFFLE) return number;
  return typesize === 1 ? Blosc.BITSHUFFLE : Blosc.SHUFFLE;
}

Blosc satisfies CodecConstructor<BloscConfig>;
export default Blosc;
