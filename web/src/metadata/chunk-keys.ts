/**
 * How coordinates of chunks become keys. Spec: Zarr v3 core, "chunk key encoding". The encodings that few arrays use are
 * in other-chunk-keys.ts, and loaded when they are met.
 */
import type { OnWarning } from "../base/errors.js";
import type { Json } from "../base/json.js";
import { lazy } from "../base/lazy.js";
import { checkOptions, own, readExtension, readSeparator } from "./document.js";
import type { KeyEncoding, PlainKeys, Separator } from "./key-encoding.js";

const otherKeys = lazy("other chunk key encodings", () => import("../lazy/other-chunk-keys.js"));

/** Reads `chunk_key_encoding` of Zarr v3. @throws InvalidMetadata, Unsupported, LimitExceeded. */
export async function readChunkKeys(
  json: Json | undefined,
  onWarning: OnWarning | undefined,
): Promise<KeyEncoding> {
  const { name } = readExtension(json, '"chunk_key_encoding"');
  if (name !== "default" && name !== "v2") return (await otherKeys()).readOtherKeys(json, onWarning);
  return plainKeys(name, readPlainSeparator(json, name));
}

/** The separator of the encodings "default" and "v2". */
export function readPlainSeparator(json: Json | undefined, name: PlainKeys["name"]): Separator {
  const extension = readExtension(json, '"chunk_key_encoding"');
  checkOptions(extension, ["separator"], "chunk key encoding");
  return readSeparator(own(extension.configuration, "separator"), name === "default" ? "/" : ".");
}

export function plainKeys(name: PlainKeys["name"], separator: Separator): KeyEncoding {
  return {
    keys: { name, separator },
    chunkKey:
      name === "default"
        ? (coordinates) => ["c", ...coordinates].join(separator)
        : (coordinates) => coordinates.join(separator) || "0",
  };
}
