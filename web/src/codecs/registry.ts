/** All codecs for elements of variable length. */

import { coreCodecs } from "../engine/codec-table.js";
import { castValue } from "./cast-value.js";
import { categorize } from "./categorize.js";
import { adler32, crc32, fletcher32 } from "./checksums.js";
import { CodecList, coreCodec, type FoundCodec, objectCodec } from "./codec-list.js";
import { commonCodecs, shards } from "./common-codecs.js";
import { makeConditional } from "./conditional.js";
import type { CodecDefinition, CodecKind, DefinitionsIn, ZarrVersion } from "./definition.js";
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
import { jenkinsLookup3 } from "./jenkins.js";
import { json2 } from "./json2.js";
import { lzma } from "./lzma.js";
import { msgpack2 } from "./msgpack.js";
import { n5Default } from "./n5.js";
import { astype, bitround, delta, fixedscaleoffset, quantize, scaleOffset } from "./numeric-filters.js";
import { base64, bz2, pcodec, snappy } from "./rare-compressors.js";
import { reshape } from "./reshape.js";
import { chunky, deltas, numcodecsPackbits, packbits, planes } from "./tiff.js";
import type { VlenCodecDefinition } from "./vlen-codec.js";
import { vlenArray } from "./vlen-lists.js";
import { vlenBytes, vlenUtf8 } from "./vlen-strings.js";
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
  conditional: makeConditional((name, version) =>
    codecDefinitions.find((d) => d.names[version]?.includes(name)),
  ),
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
