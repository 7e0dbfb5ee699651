/** Errors for codecs that are unknown or not supported. */

import { closestTo, didYouMean } from "../util/closest.js";
import { unknownCodec, unsupported, type ZarrError } from "../util/errors.js";
import { implicitCodecs } from "./codec-list.js";
import type { ZarrVersion } from "./definition.js";
import { codecNames } from "./registry.js";

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
