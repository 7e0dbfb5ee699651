/**
 * Converts chunk coordinates to keys: the encodings "default" and "v2". Spec: Zarr v3 core, "chunk key
 * encoding".
 */

import { checkOptions, type Extension, own, readSeparator } from "./document.js";
import type { KeyEncoding, PlainKeys, Separator } from "./spec.js";

/** Parses the encodings "default" and "v2"; undefined for others. */
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
