/** The filters of HDF5 as codecs of Zarr. */

import type { HdfFile } from "./file.js";
import type { DatasetParts, Datatype, Filter, FilterCodec, IntegerType } from "./types.js";
import { zfpCodecs } from "./zfp.js";

/** A codec of a pipeline, with the bit of the filter in masks of chunks. */
export interface PipelineCodec {
  readonly bit: number;
  readonly codec: FilterCodec;
}

type ToCodec = (values: readonly number[], type: Datatype) => FilterCodec | undefined;

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

const bloscNames = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];
const shuffles = ["noshuffle", "shuffle", "bitshuffle"];

/** Parameters beyond the level matter only to encoders: frames of Blosc contain them. */
const blosc: ToCodec = ([, , itemBytes = 1, , level = 5, shuffle = 1, compressor = 0]) => ({
  name: "blosc",
  configuration: {
    cname: bloscNames[compressor] ?? "blosclz",
    clevel: clamp(level, 0, 9),
    shuffle: shuffles[shuffle] ?? "noshuffle",
    typesize: clamp(itemBytes, 1, 255),
    blocksize: 0,
  },
});

const bitshuffleCompressors = new Map([
  [0, "none"],
  [2, "lz4"],
  [3, "zstd"],
]);

const bitshuffle: ToCodec = ([, , itemBytes, block = 0, number = 0], { size }) => {
  const compressor = bitshuffleCompressors.get(number);
  const configuration = { element_size: itemBytes || size, block_size: block };
  return compressor === undefined
    ? undefined
    : { name: "hdf5_bitshuffle", configuration: { ...configuration, compressor } };
};

const szip: ToCodec = ([mask = 0, block = 0, bits = 0, line = 0]) => ({
  name: "hdf5_szip",
  configuration: {
    options_mask: mask,
    pixels_per_block: block,
    bits_per_pixel: bits,
    pixels_per_scanline: line,
  },
});

const shuffleName = "numcodecs.shuffle";
const nbitId = 5;
const zfpId = 32013;
/** Filters that round values when they write and leave bytes as they are when they read: BitGroom, Granular BitRound. */
const lossyIds: ReadonlySet<number> = new Set([32022, 32023]);

/** Whether a type is an integer with bits to spare, as the filter nbit packs them. */
const isPacked = (type: Datatype): type is IntegerType =>
  type.kind === "integer" && type.precision < 8 * type.size;

/** Lets the codec move the bits of an integer to where they belong. */
const nbitResult = (type: Datatype) =>
  isPacked(type) ? { result: type.isSigned ? "signed" : "unsigned" } : undefined;

const codecsById: Readonly<Record<number, ToCodec>> = {
  1: ([level = 6]) => ({ name: "numcodecs.zlib", configuration: { level: clamp(level, 0, 9) } }),
  2: ([itemBytes], { size }) => ({
    name: shuffleName,
    configuration: { elementsize: itemBytes || size },
  }),
  3: () => ({ name: "numcodecs.fletcher32" }),
  4: szip,
  [nbitId]: (values, type) => ({
    name: "hdf5_nbit",
    configuration: { parms: [...values], ...nbitResult(type) },
  }),
  6: (values) => ({ name: "hdf5_scaleoffset", configuration: { parms: [...values] } }),
  307: ([level = 9]) => ({ name: "bz2", configuration: { level: clamp(level, 1, 9) } }),
  32000: () => ({ name: "hdf5_lzf" }),
  32001: blosc,
  32004: () => ({ name: "hdf5_lz4" }),
  32008: bitshuffle,
  32015: ([level = 3]) => ({
    name: "zstd",
    configuration: { level: clamp(level | 0, -22, 22), checksum: false },
  }),
};

/** Codecs that decode only. */
const withoutEncoder: ReadonlySet<string> = new Set(["hdf5_szip", "hdf5_nbit", "hdf5_scaleoffset"]);

/** Registered filters whose data this library does not decode. */
const refusedNames: Readonly<Record<number, string>> = {
  305: "LZO",
  32002: "MAFISC",
  32006: "CCSDS-123",
  32010: "LPC-Rice",
  32012: "FCIDECOMP",
  32013: "ZFP after another filter",
  32014: "FPZip",
  32016: "B3D",
  32017: "SZ",
  32018: "FCIDECOMP",
  32019: "JPEG",
  32020: "VBZ",
  32021: "FAPEC",
  32024: "SZ3",
  32025: "Delta-Rice",
  32026: "Blosc2",
  32028: "SPERR",
};

/** The codecs of a dataset's filters, in the order of encoding. */
export interface Pipeline {
  /** Codecs that replace `bytes`. */
  readonly array: readonly FilterCodec[];
  readonly codecs: readonly PipelineCodec[];
  /**
   * Shuffles after other filters, which the reader of chunks undoes: the number of bytes need not be a multiple of the
   * item's, as the codec requires.
   */
  readonly shuffles: readonly PipelineCodec[];
  readonly canEncode: boolean;
  /**
   * Whether the reader of chunks undoes all filters: a shuffle within the pipeline gets bytes that are not whole items, as
   * after the checksum that NetCDF-4 puts first.
   */
  readonly isRead: boolean;
}

/** Returns the type of decoded elements: integers have all their bits if the filter nbit has packed them. */
export const decodedType = ({ filters, layout, type }: DatasetParts): Datatype =>
  layout.kind === "chunked" && filters[0]?.id === nbitId && isPacked(type)
    ? { ...type, bitOffset: 0, precision: 8 * type.size }
    : type;

/** Returns the codecs of filters. @throws Unsupported that names the filter. */
export function pipelineOf(
  file: HdfFile,
  filters: readonly Filter[],
  type: Datatype,
  chunk: readonly number[],
): Pipeline {
  const hasZfp = filters[0]?.id === zfpId;
  const codecs = filters.flatMap(({ id, name, values }, bit) => {
    if (lossyIds.has(id) || (hasZfp && bit === 0)) return [];
    const codec = codecsById[id]?.(values, type);
    if (codec) return codec.configuration?.["elementsize"] === 1 ? [] : [{ bit, codec }];
    const known = refusedNames[id] ?? name;
    throw file.unsupported(`the HDF5 filter ${id}${known && ` (${known})`} is not supported`);
  });
  const end = codecs.findLastIndex(({ codec }) => codec.name !== shuffleName) + 1;
  const shuffles = end > 0 ? codecs.splice(end) : [];
  const array = hasZfp ? zfpCodecs(filters[0]!.values, chunk) : [];
  return {
    array,
    codecs,
    shuffles,
    isRead: !hasZfp && codecs.some(({ codec }, i) => isRagged(codec, codecs.slice(0, i))),
    canEncode: !hasZfp && codecs.every(({ codec }) => !withoutEncoder.has(codec.name)),
  };
}

export const isShuffle = ({ codec }: PipelineCodec): boolean => codec.name === shuffleName;

/** Number of bytes that checksums add. */
export const checksumBytes = (codecs: readonly PipelineCodec[]): number =>
  4 * codecs.filter(({ codec }) => codec.name === "numcodecs.fletcher32").length;

/** Whether a codec is a shuffle of bytes that are not whole items. Chunks themselves consist of whole items. */
const isRagged = ({ name, configuration }: FilterCodec, before: readonly PipelineCodec[]): boolean =>
  name === shuffleName && checksumBytes(before) % Number(configuration?.["elementsize"]) !== 0;

/** Returns bytes before a shuffle. Those beyond whole items stay at the end. */
export function unshuffled(bytes: Uint8Array, { configuration }: FilterCodec): Uint8Array {
  const itemBytes = Number(configuration?.["elementsize"]);
  const count = Math.floor(bytes.byteLength / itemBytes);
  const result = bytes.slice();
  for (let byte = 0; byte < itemBytes; byte++)
    for (let i = 0; i < count; i++) result[i * itemBytes + byte] = bytes[byte * count + i]!;
  return result;
}
