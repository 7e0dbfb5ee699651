/** The registry of all codecs, and the errors for names that it lacks. */

import { coreCodecs } from "../engine/codec-table.js";
import { closestTo, didYouMean } from "../util/arguments.js";
import { unknownCodec, unsupported, type ZarrError } from "../util/errors.js";
import { categorize } from "./categorize.js";
import {
  CodecList,
  commonCodecs,
  coreCodec,
  type FoundCodec,
  implicitCodecs,
  objectCodec,
  shards,
} from "./codec-list.js";
import type { CodecDefinition, CodecKind, DefinitionsIn, ZarrVersion } from "./definition.js";
import { makeConditional, reshape } from "./extensions.js";
import { fitsRice, makeFitsQuantize } from "./fits.js";
import { grib2, gribberish } from "./grib.js";
import { hdf5Bitshuffle, hdf5Lz4, hdf5Lzf, hdf5Nbit, hdf5ScaleOffset, hdf5Szip } from "./hdf5.js";
import {
  imagecodecsAliases,
  imageJpeg,
  imageJpeg2k,
  imageLerc,
  imagePng,
  imageWebp,
  lzw,
  tiffPackbits,
} from "./images.js";
import { json2 } from "./json2.js";
import { compressedSegmentation } from "./labels.js";
import { msgpack2 } from "./msgpack.js";
import { n5Default } from "./n5.js";
import {
  astype,
  bitround,
  castValue,
  delta,
  fixedscaleoffset,
  quantize,
  scaleOffset,
} from "./numeric-filters.js";
import {
  adler32,
  base64,
  bz2,
  crc32,
  fletcher32,
  jenkinsLookup3,
  lzma,
  pcodec,
  snappy,
} from "./rare-compressors.js";
import { chunky, deltas, numcodecsPackbits, packbits, planes } from "./tiff.js";
import type { VlenCodecDefinition } from "./vlen-codec.js";
import { vlenArray, vlenBytes, vlenUtf8 } from "./vlen-items.js";
import { zfp, zfpy } from "./zfp.js";

export const objectCodecs: readonly VlenCodecDefinition[] = [
  vlenUtf8,
  vlenBytes,
  vlenArray,
  json2,
  msgpack2,
  categorize,
];

export type { FoundCodec } from "./codec-list.js";

const conditional = makeConditional((name, version) =>
  codecDefinitions.find((d) => d.names[version]?.includes(name)),
);

/** Less common codecs, and codecs that are loaded together with them. */
const rareCodecs = {
  bz2,
  lzma,
  delta,
  astype,
  fixedscaleoffset,
  quantize,
  bitround,
  numcodecs_packbits: numcodecsPackbits,
  packbits,
  reshape,
  crc32,
  adler32,
  fletcher32,
  jenkins_lookup3: jenkinsLookup3,
  scale_offset: scaleOffset,
  cast_value: castValue,
  base64,
  snappy,
  conditional,
  zfp: [zfp, zfpy],
  pcodec,
  lzw,
  tiff_packbits: tiffPackbits,
  horizontal_delta: deltas,
  floatpred: planes,
  chunky,
  imagecodecs_jpeg: imageJpeg,
  imagecodecs_lerc: imageLerc,
  imagecodecs_webp: imageWebp,
  imagecodecs_jpeg2k: imageJpeg2k,
  imagecodecs_png: imagePng,
  hdf5_lzf: hdf5Lzf,
  hdf5_lz4: hdf5Lz4,
  hdf5_bitshuffle: hdf5Bitshuffle,
  hdf5_scaleoffset: hdf5ScaleOffset,
  hdf5_nbit: hdf5Nbit,
  hdf5_szip: hdf5Szip,
  grib2: [grib2, gribberish],
  fits_rice: fitsRice,
  fits_quantize: makeFitsQuantize(conditional),
  labels: compressedSegmentation,
} satisfies DefinitionsIn<"rare">;

const definitions: DefinitionsIn<"usual" | "rare"> = { ...commonCodecs, ...rareCodecs };

/** Definitions of the core's codecs, in the list's order; imagecodecs' names for some of them at the end. */
export const codecDefinitions: readonly CodecDefinition[] = [
  ...coreCodecs.flatMap(({ core }) => definitions[core]),
  ...imagecodecsAliases,
];

/** Every codec, in the order of messages and documents. */
const everyCodec = new CodecList([
  ...codecDefinitions.map(coreCodec),
  ...objectCodecs.map(objectCodec),
  shards,
  { type: "blocks", definition: n5Default },
]);

/** Returns the codec with this name in a Zarr version. */
export function findCodec(name: string, version: ZarrVersion): FoundCodec | undefined {
  return everyCodec.find(name, version);
}

/** Returns all names of a Zarr version, or those of one kind, in the registry's order. */
export function codecNames(version: ZarrVersion, kind?: CodecKind): string[] {
  return everyCodec.names(version, kind);
}

/** Returns Unsupported for codecs known by name, UnknownCodec for others. */
export function unknownError(name: string, version: ZarrVersion): ZarrError {
  if (Object.hasOwn(unsupportedCodecs, name)) {
    return unsupported(`codec "${name}" is not supported: ${unsupportedCodecs[name]}`, {
      code: "unsupported-codec",
      codec: name,
    });
  }
  const isNamed = (known: string) => version === 3 || !implicitCodecs.includes(known);
  const known = codecNames(version).filter(isNamed);
  const hint = didYouMean(closestTo(name, known)) || `; supported codecs include ${commonNames(known)}`;
  return unknownCodec(`unknown codec "${name}" for Zarr v${version}${hint}`, { codec: name });
}

const commonNames = (known: readonly string[]): string =>
  ["zstd", "blosc", "gzip", "zlib", "lz4"].filter((name) => known.includes(name)).join(", ");

/** Known but unsupported codecs, with the reason, by their names in all Zarr versions. */
const pickle = "a pickle can run any code when it is read, and is refused for safety";
const gdeflate = "GDeflate needs a library that is not built in";
const experiment = "it is an experiment of zarrs, without a specification";
const proposal = "its proposal to zarr-extensions is not settled";

/** Formats of imagecodecs without a decoder, by id, with the reason. */
const images: Readonly<Record<string, string>> = {
  htj2k: "HTJ2K has no decoder that is tested, imagecodecs_jpeg2k reads JPEG 2000",
  jpegxl: "JPEG XL has no decoder in images.wasm",
  jpegxr: "JPEG XR has no decoder in images.wasm",
  jpegls: "JPEG-LS has no decoder in images.wasm",
  jpegxs: "JPEG XS has no decoder in images.wasm",
  ljpeg: "lossless JPEG has no decoder in images.wasm, which reads JPEG of 8 bits",
  jpeg12: "JPEG of 12 bits has no decoder in images.wasm, which reads JPEG of 8 bits",
  jetraw: "Jetraw is not free",
  avif: "AVIF has no decoder in images.wasm",
  heif: "HEIF has no decoder in images.wasm",
  apng: "animations are not supported, imagecodecs_png is",
};

export const unsupportedCodecs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(images).flatMap(([id, reason]) => [
      [`imagecodecs_${id}`, reason],
      [`numcodecs.imagecodecs_${id}`, reason],
    ]),
  ),
  jpegxl: images["jpegxl"]!,
  pickle,
  "numcodecs.pickle": pickle,
  gdeflate,
  "zarrs.gdeflate": gdeflate,
  "numcodecs.gdeflate": gdeflate,
  "zarrs.optional": experiment,
  "zarrs.squeeze": experiment,
  "zarrs.vlen": experiment,
  "zarrs.vlen_v2": experiment,
  "arrow-ipc": proposal,
  label_multiset: proposal,
  n5_label_multiset: proposal,
  n5_varlen: proposal,
  optional: proposal,
  pad: proposal,
  singleton_dim: proposal,
};
