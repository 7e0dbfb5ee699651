/** Checksums of numcodecs: crc32, adler32, fletcher32, jenkins_lookup3. All are verified when a chunk is decoded. */

import { packWords } from "../engine/plan.js";
import { checksum, withChecksum } from "./compressors.js";
import { type CodecDefinition, type ConfigReader, formatValue } from "./definition.js";

/** Returns the names of a checksum of numcodecs. */
export const extended = (id: string) => ({ 2: [id], 3: [`numcodecs.${id}`] });

export const crc32 = checksum("crc32", extended("crc32"), "start");
export const adler32 = checksum("adler32", extended("adler32"), "start");

export const fletcher32: CodecDefinition = {
  core: "fletcher32",
  kind: "bytes-to-bytes",
  names: extended("fletcher32"),
  encodedBytes: withChecksum,
  parse(config) {
    config.only();
    return { params: [1] }; // at the end
  },
};

/** Maximum length of a prefix in bytes. */
const maxPrefix = 4096;

export const jenkinsLookup3: CodecDefinition = {
  core: "jenkins_lookup3",
  kind: "bytes-to-bytes",
  names: extended("jenkins_lookup3"),
  encodedBytes: withChecksum,
  parse(config) {
    config.only("initval", "prefix");
    const prefix = readPrefix(config);
    return { params: [config.integer("initval", 0, 2 ** 32 - 1, 0), prefix.length, ...packWords(prefix)] };
  },
};

/** Parses `prefix` as a list of bytes or a base64 string: numcodecs uses bytes, which JSON cannot represent. */
function readPrefix(config: ConfigReader): readonly number[] {
  const value = config.given("prefix", []);
  const bytes = typeof value === "string" ? fromBase64(value) : value;
  const isByte = (item: unknown) =>
    Number.isInteger(item) && (item as number) >= 0 && (item as number) <= 255;
  if (!Array.isArray(bytes) || bytes.length > maxPrefix || !bytes.every(isByte)) {
    const wanted = `at most ${maxPrefix} bytes, as a list of integers or as base64 text`;
    throw config.error(`"prefix" must be ${wanted}, not ${formatValue(value)}`);
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
