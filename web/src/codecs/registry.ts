/**
 * Every codec, by name and Zarr version: the definitions of the codecs in engine/codec-table.ts and the
 * object codecs in vlen-codecs.ts. Loaded through `part.ts`, when metadata names a codec that is not in
 * `common-codecs.ts`.
 */
import { coreCodecs } from "../engine/codec-table.js";
import { astype } from "./astype.js";
import { base64 } from "./base64.js";
import { bitround } from "./bitround.js";
import { bz2 } from "./bz2.js";
import { castValue } from "./cast-value.js";
import { adler32, crc32, fletcher32 } from "./checksums.js";
import { CodecList, coreCodec, type FoundCodec, objectCodec } from "./codec-list.js";
import { commonCodecs, shards } from "./common-codecs.js";
import { makeConditional } from "./conditional.js";
import type { CodecDefinition, CodecKind, DefinitionsIn, ZarrVersion } from "./definition.js";
import { delta } from "./delta.js";
import { fixedscaleoffset } from "./fixedscaleoffset.js";
import { imagecodecsAliases, lzw, tiffPackbits } from "./imagecodecs.js";
import { imageJpeg, imageJpeg2k, imageLerc, imagePng, imageWebp } from "./images.js";
import { jenkinsLookup3 } from "./jenkins.js";
import { lzma } from "./lzma.js";
import { n5Default } from "./n5.js";
import { numcodecsPackbits, packbits } from "./packbits.js";
import { pcodec } from "./pcodec.js";
import { chunky, deltas, planes } from "./predictors.js";
import { quantize } from "./quantize.js";
import { reshape } from "./reshape.js";
import { scaleOffset } from "./scale-offset.js";
import { snappy } from "./snappy.js";
import { objectCodecs } from "./vlen-codecs.js";
import { zfp, zfpy } from "./zfp.js";

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
