/** Codecs in metadata. Spec: Zarr v3 core, "extension points". */

import { isRecord, own } from "../util/arguments.js";
import { invalidMetadata } from "../util/errors.js";
import { type Configuration, show } from "./config.js";

/** A codec in metadata. */
export interface CodecMetadata {
  readonly name: string;
  readonly configuration?: Configuration;
  /** False if readers that do not know the codec may skip it (Zarr v3). */
  readonly mustUnderstand?: false;
}

/**
 * Parses a list of codecs: objects `{ name, configuration?, must_understand? }`, or bare names.
 * @param what name of the list in messages.
 * @param alias another name of `must_understand`, for lists given by programs.
 * @throws InvalidMetadata for any other value.
 */
export function parseCodecs(value: unknown, what: string, alias = "must_understand"): CodecMetadata[] {
  if (!Array.isArray(value)) {
    throw invalidMetadata(`${what} must be a list of codecs, not ${show(value)}`, { code: "bad-codecs" });
  }
  // Array.from visits holes too, which are rejected
  return Array.from(value, (entry) => parseCodec(entry, what, alias));
}

function parseCodec(entry: unknown, what: string, alias: string): CodecMetadata {
  if (typeof entry === "string") return { name: entry };
  const object = isRecord(entry) ? entry : {};
  const name = own(object, "name");
  const configuration = own(object, "configuration");
  const mustUnderstand = own(object, "must_understand") ?? own(object, alias);
  const known = ["name", "configuration", "must_understand", alias];
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  const valid =
    typeof name === "string" &&
    (configuration === undefined || isRecord(configuration)) &&
    (mustUnderstand === undefined || typeof mustUnderstand === "boolean") &&
    unknown === undefined;
  if (!valid) {
    throw invalidMetadata(`${what}: ${show(entry)} is not a codec with a name and a configuration`, {
      code: "bad-codecs",
    });
  }
  return {
    name,
    ...(configuration === undefined ? {} : { configuration }),
    ...(mustUnderstand === false ? { mustUnderstand } : {}),
  };
}
