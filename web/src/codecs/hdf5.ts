/**
 * HDF5's filters, for chunks of HDF5 and NetCDF-4 files that Zarr v3 documents refer to. Configurations contain the
 * filters' parameters as HDF5 stores them.
 */

import { unsupported } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import { type CodecContext, type CodecDefinition, type ConfigReader, formatValue } from "./definition.js";
import { float64Words } from "./numpy.js";

const filter = (core: CodecDefinition["core"], parse: CodecDefinition["parse"]): CodecDefinition => ({
  core,
  kind: "bytes-to-bytes",
  names: { 3: [core] },
  parse,
});

const noOptions = (config: ConfigReader) => {
  config.only();
  return { params: [] };
};

export const hdf5Lzf = filter("hdf5_lzf", noOptions);
export const hdf5Lz4 = filter("hdf5_lz4", noOptions);

const bitshuffleCompressors = ["none", "lz4", "zstd"];
/** Maximum size of a block in bytes, the core's limit. */
const maxBlockBytes = 2 ** 31 - 1;

export const hdf5Bitshuffle = filter("hdf5_bitshuffle", (config) => {
  config.only("element_size", "block_size", "compressor");
  const elementBytes = config.integer("element_size", 1, 2 ** 20);
  const block = config.integer("block_size", 0, Math.floor(maxBlockBytes / elementBytes), 0);
  if (block % 8 !== 0) throw config.error(`"block_size" must be a multiple of 8, not ${block}`);
  return { params: [elementBytes, block, config.choice("compressor", bitshuffleCompressors, "none")] };
});

/** Parses a filter's parameters. */
function readParms(config: ConfigReader): number[] {
  const parms = config.get("parms");
  const isWord = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
  if (!Array.isArray(parms) || !parms.every(isWord))
    throw config.error(`"parms" must be a list of integers from 0 to 2^32 - 1, not ${formatValue(parms)}`);
  return parms;
}

/** @throws InvalidMetadata unless a chunk is a whole number of `unit` bytes, and `count` of them if given. */
function checkChunk(config: ConfigReader, { array }: CodecContext, unit: number, count?: number): void {
  const { dtype, shape } = array;
  if (dtype.isVariable) throw config.error(`does not support data type ${dtype}`);
  const bytes = countOf(shape) * dtype.itemBytes;
  if (count === undefined ? bytes % unit !== 0 : bytes !== unit * count)
    throw config.error(
      `a chunk of ${bytes} bytes does not consist of ${count ?? "whole"} elements of ${unit} bytes`,
    );
}

type Words<N extends number, List extends number[] = []> = List["length"] extends N
  ? List
  : Words<N, [...List, number]>;

const checkedByCore = "its parameters must fit the chunk";

const scaleTypes = { decimal: 0, integer: 2 };
const classes = { integer: 0, float: 1, plain: 2 };

export const hdf5ScaleOffset: CodecDefinition = {
  ...filter("hdf5_scaleoffset", (config, context) => {
    config.only("parms");
    const parms = readParms(config);
    if (parms.length !== 20) throw config.error(`"parms" must have 20 numbers, not ${parms.length}`);
    const [scaleType, factor, count, kind, bytes, , order, fill, low, high] = parms as Words<10>;
    const isFloat = kind === classes.float;
    if (isFloat && scaleType !== scaleTypes.decimal) {
      throw unsupported(`codec ${config.codec}: floats with a fixed number of bits are not supported`, {
        code: "unsupported-codec",
        codec: config.codec,
      });
    }
    if (![1, 2, 4, 8].includes(bytes)) throw config.error(`"parms" has elements of ${bytes} bytes`);
    checkChunk(config, context, bytes, count);
    // The filter does not pack integers of which all bits are significant.
    const isPlain = !isFloat && factor === 8 * bytes;
    const type = isPlain ? classes.plain : kind;
    const scale = float64Words(Number(`1e${factor | 0}`));
    return { params: [type, bytes, order, fill, low, high, count, ...scale] };
  }),
  checkedByCore,
};

const nbitResults = ["stored", "unsigned", "signed"];

export const hdf5Nbit: CodecDefinition = {
  ...filter("hdf5_nbit", (config, context) => {
    config.only("parms", "result");
    const parms = readParms(config);
    const [, isPlain, count, , itemBytes] = parms;
    if (!isPlain) checkChunk(config, context, itemBytes ?? 0, count);
    return { params: [config.choice("result", nbitResults, "stored"), ...parms] };
  }),
  checkedByCore,
};

/** Limits of szip's blocks, the core's. */
const maxBlockPixels = 256;
const maxBlocks = 65535;

export const hdf5Szip: CodecDefinition = {
  ...filter("hdf5_szip", (config, context) => {
    config.only("options_mask", "pixels_per_block", "bits_per_pixel", "pixels_per_scanline");
    const options = config.integer("options_mask", 0, 2 ** 32 - 1);
    const block = config.integer("pixels_per_block", 1, maxBlockPixels);
    const bits = config.integer("bits_per_pixel", 1, 64);
    if (bits > 32 && bits < 64) throw config.error(`does not support pixels of ${bits} bits`);
    checkChunk(config, context, bits > 32 ? 8 : bits > 16 ? 4 : bits > 8 ? 2 : 1);
    return { params: [options, block, bits, config.integer("pixels_per_scanline", 1, maxBlocks * block)] };
  }),
  checkedByCore,
};
