/**
 * Checksums of four bytes: crc32c (Zarr v3 core), crc32, adler32, fletcher32 and jenkins_lookup3 of
 * numcodecs. All are verified when a chunk is decoded.
 */
import { type ConfigReader, show } from "./config.js";
import type { CodecDefinition, ZarrVersion } from "./definition.js";
import type { CoreCodec } from "./table.js";

/** Where the checksum stands; the core's numbers. */
const places = ["start", "end"];
const end = 1;
/** Most bytes of a jenkins_lookup3 prefix. */
const maxPrefix = 4096;

const extended = (id: string) => ({ 2: [id], 3: [`numcodecs.${id}`] });

/** The size of data with its checksum. */
const withChecksum = (bytes: number) => bytes + 4;

/** A checksum that may stand before or after the data. */
function placed(
  core: CoreCodec,
  names: { readonly [V in ZarrVersion]?: readonly string[] },
  fallback: "start" | "end",
): CodecDefinition {
  return {
    core,
    kind: "bytes-to-bytes",
    names,
    encodedBytes: withChecksum,
    parse(config) {
      config.only("location");
      return { params: [config.choice("location", places, fallback)] };
    },
  };
}

/** The v3 specification knows no location; other implementations write one all the same. */
export const crc32c = placed("crc32c", { 2: ["crc32c"], 3: ["crc32c", "numcodecs.crc32c"] }, "end");
export const crc32 = placed("crc32", extended("crc32"), "start");
export const adler32 = placed("adler32", extended("adler32"), "start");

export const fletcher32: CodecDefinition = {
  core: "fletcher32",
  kind: "bytes-to-bytes",
  names: extended("fletcher32"),
  encodedBytes: withChecksum,
  parse(config) {
    config.only();
    return { params: [end] };
  },
};

export const jenkinsLookup3: CodecDefinition = {
  core: "jenkins_lookup3",
  kind: "bytes-to-bytes",
  names: extended("jenkins_lookup3"),
  encodedBytes: withChecksum,
  parse(config) {
    config.only("initval", "prefix");
    const prefix = readPrefix(config);
    return { params: [config.integer("initval", 0, 2 ** 32 - 1, 0), prefix.length, ...wordsOf(prefix)] };
  },
};

/** `prefix` as a list of bytes or as base64 text: numcodecs takes bytes, for which JSON has no form. */
function readPrefix(config: ConfigReader): readonly number[] {
  const value = config.get("prefix") ?? [];
  const bytes = typeof value === "string" ? fromBase64(value) : value;
  const isByte = (item: unknown) =>
    Number.isInteger(item) && (item as number) >= 0 && (item as number) <= 255;
  if (!Array.isArray(bytes) || bytes.length > maxPrefix || !bytes.every(isByte)) {
    const wanted = `at most ${maxPrefix} bytes, as a list of integers or as base64 text`;
    throw config.error(`"prefix" must be ${wanted}, not ${show(value)}`);
  }
  return bytes;
}

function fromBase64(text: string): number[] | undefined {
  try {
    return Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function wordsOf(bytes: readonly number[]): number[] {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  return [...new Uint32Array(padded.buffer)];
}
