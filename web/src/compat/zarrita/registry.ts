/** Codecs by name, as programs for zarrita look them up and add to them. */

import type { Store } from "../../store/store.js";
import { lazy } from "../../util/lazy.js";

type MaybePromise<T> = T | Promise<T>;

/** A codec with its configuration. */
export interface OwnCodec {
  readonly kind?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes" | undefined;
  decode(data: never): unknown;
  encode?(data: never): unknown;
}

/** What is known of the array. */
export interface OwnCodecMetadata {
  dataType: string;
  shape: number[];
  codecs: { name: string; configuration: Record<string, unknown> }[];
  fillValue: unknown;
}

/** A codec's class. */
export interface OwnCodecEntry {
  fromConfig(configuration: never, meta: OwnCodecMetadata): OwnCodec;
  readonly kind?: OwnCodec["kind"];
}

type LoadEntry = () => MaybePromise<OwnCodecEntry>;

const entries = lazy("codecs that are looked up", () => import("./part.js"));

/** The codecs that zarrita has, those of Zarr v2 under "numcodecs." and their id. */
const names = ["blosc", "lz4", "zstd", "gzip", "zlib", "vlen-utf8", "json2", "bitround"];
const namesOfV3 = ["transpose", "bytes", "crc32c", "cast_value", "scale_offset"];
const namesOfV2 = ["shuffle", "delta"];

/** Entries that stand for this library's codecs: arrays are read without them. */
const standard = new Map<string, LoadEntry>(
  [...names, ...namesOfV3, ...[...names, ...namesOfV2].map((id) => `numcodecs.${id}`)].map((name) => [
    name,
    async () => (await entries()).entryOf(name),
  ]),
);

/**
 * Codecs by name ("numcodecs.<id>" for ids of Zarr v2): the standard ones, for programs that look them up, and those
 * that the application adds, which go before this library's. Those can stand at the end of a chain: bytes-to-bytes
 * codecs, and one array-to-bytes codec before them. Added ones elsewhere, and in shards, are not looked up here.
 */
export const registry: Map<string, LoadEntry> = new Map(standard);

/** True for an entry of the application's own. */
export const isOwn = (name: string, load: LoadEntry): boolean => standard.get(name) !== load;

/** What handles code of the application's own: codecs, and another `getChunk`. */
export const ownCode = lazy("an application's own codecs and getChunk", () => import("./part.js"));

const hasOwn = (): boolean => [...registry].some(([name, load]) => isOwn(name, load));

/** The codecs of the application's own at the end of a chain, in encoding order. */
export async function ownEndOf(
  meta: OwnCodecMetadata,
): Promise<(OwnCodecMetadata["codecs"][number] & { readonly toBytes: boolean })[]> {
  if (!hasOwn()) return [];
  return (await ownCode()).ownEnd(meta);
}

/** The store with codecs of the application's own decoded and encoded; itself, where there are none. */
export async function withOwnCodecs(store: Store): Promise<Store> {
  if (!hasOwn()) return store;
  const { OwnCodecStore } = await ownCode();
  return new OwnCodecStore(store);
}
