/**
 * How coordinates of chunks become keys. Spec: Zarr v3 core, "chunk key encoding". The encodings that few arrays use are
 * in other-chunk-keys.ts, and loaded when they are met.
 */
import type { OnWarning } from "../base/errors.js";
import type { Json } from "../base/json.js";
import { lazy } from "../base/lazy.js";
import { checkOptions, own, readExtension, readSeparator } from "./document.js";

export type Separator = "/" | ".";

/** "default": indices behind a "c"; "v2": indices alone, as in Zarr v1 and v2. */
export interface PlainKeys {
  readonly name: "default" | "v2";
  readonly separator: Separator;
}

/** A text behind the keys of another encoding. */
export interface SuffixKeys {
  readonly name: "suffix";
  readonly suffix: string;
  readonly base: ChunkKeys;
}

/** Decimal digits of each index in folders of at most `maxChildren` entries. */
export interface FanoutKeys {
  readonly name: "fanout";
  /** A power of ten. */
  readonly maxChildren: number;
}

export type ChunkKeys = PlainKeys | SuffixKeys | FanoutKeys;

/** What arrays know of their keys. */
export interface KeyEncoding {
  readonly keys: ChunkKeys;
  /** Key of a stored chunk below the array's own path. */
  chunkKey(coordinates: readonly number[]): string;
}

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
