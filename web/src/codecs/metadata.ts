/** Codecs as metadata names them. Spec: Zarr v3 core, "extension points". */
import { invalidMetadata } from "../util/errors.js";
import { isRecord, own } from "../util/own-property.js";
import { type Configuration, show } from "./config.js";

/** A codec as metadata names it. */
export interface CodecMetadata {
  readonly name: string;
  readonly configuration?: Configuration;
  /** False where a reader that does not know the codec may leave it out (Zarr v3). */
  readonly mustUnderstand?: false;
}

/**
 * Reads a list of codecs: objects `{ name, configuration?, must_understand? }`, or names alone.
 * @param what what the list is called in messages.
 * @param alias another name of `must_understand`: what programs say instead.
 * @throws InvalidMetadata for anything else.
 */
export function parseCodecs(value: unknown, what: string, alias = "must_understand"): CodecMetadata[] {
  if (!Array.isArray(value)) {
    throw invalidMetadata(`${what} must be a list of codecs, not ${show(value)}`, { code: "bad-codecs" });
  }
  return Array.from(value, (entry) => parseCodec(entry, what, alias)); // holes are no codecs
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
