/** Every codec, by name and Zarr version. The one list of codecs on the TypeScript side. */
import { base64 } from "./base64.js";
import { blosc } from "./blosc.js";
import { bytes } from "./bytes.js";
import { bz2 } from "./bz2.js";
import { adler32, crc32, crc32c, fletcher32, jenkinsLookup3 } from "./checksums.js";
import { makeConditional } from "./conditional.js";
import type { CodecDefinition, CodecKind, ZarrVersion } from "./definition.js";
import { gzip, zlib } from "./deflate.js";
import { lz4 } from "./lz4.js";
import { lzma } from "./lzma.js";
import { shuffle } from "./shuffle.js";
import { snappy } from "./snappy.js";
import { transpose } from "./transpose.js";
import { zstd } from "./zstd.js";

export const codecDefinitions: readonly CodecDefinition[] = [
  bytes,
  transpose,
  zlib,
  gzip,
  zstd,
  lz4,
  blosc,
  bz2,
  lzma,
  crc32c,
  crc32,
  adler32,
  fletcher32,
  jenkinsLookup3,
  shuffle,
  base64,
  snappy,
  makeConditional((name, version) => codecDefinitions.find((d) => d.names[version]?.includes(name))),
];

const byName = new Map<string, CodecDefinition>();
for (const definition of codecDefinitions) {
  for (const [version, names] of Object.entries(definition.names)) {
    for (const name of names) byName.set(`${version}:${name}`, definition);
  }
}

/** The codec that a Zarr version calls by this name. */
export function findCodec(name: string, version: ZarrVersion): CodecDefinition | undefined {
  return byName.get(`${version}:${name}`);
}

/** All names of a Zarr version, or those of one kind, in the registry's order. */
export function codecNames(version: ZarrVersion, kind?: CodecKind): string[] {
  const chosen = codecDefinitions.filter((definition) => kind === undefined || definition.kind === kind);
  return chosen.flatMap((definition) => definition.names[version] ?? []);
}
