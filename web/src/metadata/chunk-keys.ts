/**
 * How coordinates of chunks become keys. Spec: Zarr v3 core, "chunk key encoding". The encodings that few arrays use are
 * in other-chunk-keys.ts, and loaded when they are met.
 */
import type { OnWarning } from "../util/errors.js";
import type { Json } from "../util/json.js";
import { lazy } from "../util/lazy.js";
import { checkOptions, type Extension, own, readExtension, readSeparator } from "./document.js";
import type { KeyEncoding, PlainKeys, Separator } from "./key-encoding.js";

const otherKeys = lazy("other chunk key encodings", () => import("../lazy/other-chunk-keys.js"));

/** Reads `chunk_key_encoding` of Zarr v3. @throws InvalidMetadata, Unsupported, LimitExceeded. */
export async function readChunkKeys(
  json: Json | undefined,
  onWarning: OnWarning | undefined,
): Promise<KeyEncoding> {
  const extension = readExtension(json, '"chunk_key_encoding"');
  return readPlainKeys(extension) ?? (await otherKeys()).readOtherKeys(extension, onWarning);
}

/** Reads the encodings "default" and "v2"; undefined for others. */
export function readPlainKeys(extension: Extension): KeyEncoding | undefined {
  const { name, configuration } = extension;
  if (name !== "default" && name !== "v2") return undefined;
  checkOptions(extension, ["separator"], "chunk key encoding");
  return plainKeys(name, readSeparator(own(configuration, "separator"), name === "default" ? "/" : "."));
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
