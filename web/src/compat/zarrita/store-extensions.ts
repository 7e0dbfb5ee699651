/** zarrita's extensions of stores: cached bytes, merged ranges and consolidated metadata. */

import { asObject, documentsIn, parseDocument } from "../../metadata/document.js";
import { type MergedParts, mergeParts } from "../../read/merged-parts.js";
import { WrittenKeys } from "../../store/handle.js";
import { callStore, checkRange, rangeName } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { checkObject } from "../../util/arguments.js";
import { SingleFlight } from "../../util/async.js";
import { invalidArgument } from "../../util/errors.js";
import { isJsonObject, JsonNumber, type JsonObject, jsonText } from "../../util/json.js";
import { defaultLimits } from "../../util/limits.js";
import { textEncoder } from "../../util/platform.js";
import {
  InvalidMetadataError,
  isSame,
  NotFoundError,
  type Options,
  UnsupportedError,
  withZarritaErrors,
} from "./errors.js";
import { defineStoreExtension } from "./extensions.js";
import type { AbsolutePath, AsyncReadable, FlushReport, GetBytesOptions, RangeQuery } from "./types.js";

type Bytes = Uint8Array | undefined;

/** A cache of reads; a Map is one. */
export interface ByteCache {
  has(key: string): boolean;
  get(key: string): Uint8Array | undefined;
  set(key: string, value: Uint8Array | undefined): void;
}

/** Returns the cache key of a read; undefined if it must not be cached. */
export type CacheKeyFor = (path: AbsolutePath, range?: RangeQuery) => string | undefined;

const defaultKeyFor: CacheKeyFor = (path, range) => (range ? `${path}\0${rangeName(range)}` : path);

/**
 * Caches reads, also of missing keys. The default cache never evicts. Keys that this library writes are
 * read from the store from then on.
 */
export const withByteCaching = defineStoreExtension(
  (store, options: { cache?: ByteCache | undefined; keyFor?: CacheKeyFor | undefined } = {}) => {
    checkObject(options, "options of withByteCaching");
    const { cache = new Map<string, Bytes>(), keyFor = defaultKeyFor } = options;
    const written = new WrittenKeys(store as Store);
    const cached = async (path: AbsolutePath, key: string | undefined, read: () => Promise<Bytes>) => {
      if (key === undefined || written.has(path)) return read();
      if (cache.has(key)) return cache.get(key);
      const bytes = await read();
      cache.set(key, bytes);
      return bytes;
    };
    const getRange: AsyncReadable["getRange"] = (path, range, opts) =>
      cached(path, keyFor(path, range), () => store.getRange!(path, range, opts));
    const get: AsyncReadable["get"] = (path, opts) =>
      cached(path, keyFor(path), async () => store.get(path, opts));
    return store.getRange ? { get, getRange } : { get };
  },
);

export interface RangeCoalescingOptions {
  /** Largest gap between ranges that are merged, in bytes. Default: 32 KiB. */
  coalesceSize?: number | undefined;
  /** Called for each path of a batch; errors that it throws are logged. */
  onFlush?: ((report: FlushReport) => void) | undefined;
}

/** Ranges of one path that are requested together, with the same options apart from signals. */
interface Batch {
  readonly path: AbsolutePath;
  readonly options: Options;
  readonly offsets: number[];
  readonly lengths: number[];
  /** For each range: receives the request that it is part of. */
  readonly assign: ((merged: MergedRequest) => void)[];
}

interface MergedRequest extends MergedParts {
  readonly flight: SingleFlight<Bytes>;
}

/**
 * Merges ranges that are requested at the same time. `get` merges those of an array's chunks anyway; this also merges
 * ranges of several calls.
 * @throws UnsupportedError for a store without `getRange`.
 */
export const withRangeCoalescing = defineStoreExtension((store, options: RangeCoalescingOptions = {}) => {
  if (!store.getRange) throw new UnsupportedError("withRangeCoalescing requires a store with getRange");
  checkObject(options, "options of withRangeCoalescing");
  const batches: Batch[] = [];
  const limits = { maxGap: options.coalesceSize ?? 2 ** 15, maxBytes: Number.POSITIVE_INFINITY };
  const flush = () => {
    for (const { path, assign, ...parts } of batches.splice(0)) {
      const merged = mergeParts(Uint32Array.from(assign.keys()), parts, limits);
      for (const request of merged) {
        const shared = { ...request, flight: new SingleFlight<Bytes>() };
        for (const n of request.members) assign[n]!(shared);
      }
      const bytesFetched = merged.reduce((sum, { length }) => sum + length, 0);
      try {
        options.onFlush?.({ path, groupCount: merged.length, requestCount: assign.length, bytesFetched });
      } catch (error) {
        console.warn("withRangeCoalescing: onFlush threw:", error);
      }
    }
  };
  const getRange: AsyncReadable["getRange"] = async (path, range, given = {}) => {
    const readAlone = () => store.getRange!(path, range, given);
    if ("suffixLength" in range) return readAlone();
    checkRange(range);
    const { signal, ...own } = given;
    if (batches.length === 0) queueMicrotask(flush);
    let batch = batches.find((known) => known.path === path && isSame(known.options, own));
    if (!batch) {
      batch = { path, options: own, offsets: [], lengths: [], assign: [] };
      batches.push(batch);
    }
    const { offsets, lengths, assign } = batch;
    const { offset, length, members, flight } = await new Promise<MergedRequest>((resolve) => {
      offsets.push(range.offset);
      lengths.push(range.length);
      assign.push(resolve);
    });
    if (members.length === 1) return readAlone();
    const read = async (signal: AbortSignal) => store.getRange!(path, { offset, length }, { ...own, signal });
    const bytes = await flight.run("", signal, read);
    const start = range.offset - offset;
    // The object or the response ends early: reads the range by itself.
    if (bytes && start + range.length > bytes.byteLength) return readAlone();
    return bytes?.slice(start, start + range.length);
  };
  return { getRange };
});

export type ConsolidatedFormat = "v2" | "v3";

export interface ConsolidatedMetadataOptions {
  /** Formats to look for, in this order. Default: v3, then v2. */
  readonly format?: ConsolidatedFormat | ConsolidatedFormat[] | undefined;
  /** Key of the v2 document. Default: ".zmetadata". */
  readonly metadataKey?: string | undefined;
}

/** A node in consolidated metadata. */
export interface ContentsEntry {
  path: AbsolutePath;
  kind: "array" | "group";
}

export type Listable<S> = S & { contents(): ContentsEntry[] };

/** Documents by their keys in the store. */
type Documents = ReadonlyMap<string, JsonObject>;

const metadataName = /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|meta|attrs)$/;
const parentFolder = (key: string): string => key.slice(0, key.lastIndexOf("/"));

/**
 * Serves metadata from the root's consolidated metadata, and lists it with `contents()`.
 * @throws NotFoundError, InvalidMetadataError if there is none.
 */
export const withConsolidatedMetadata = defineStoreExtension(
  async (store, options: ConsolidatedMetadataOptions = {}) => {
    checkObject(options, "options of withConsolidatedMetadata");
    const documents = await load(store, options);
    const folders = new Set([...documents.keys()].map(parentFolder));
    const written = new WrittenKeys(store as Store);
    return {
      async get(key: AbsolutePath, getOptions?: GetBytesOptions): Promise<Bytes> {
        const document = written.has(key) ? undefined : documents.get(key);
        if (document) return textEncoder().encode(jsonText(document));
        // Consolidated metadata has all documents of the nodes that it names.
        const isKnown = metadataName.test(key) && folders.has(parentFolder(key)) && !written.has(key);
        return isKnown ? undefined : store.get(key, getOptions);
      },
      contents: (): ContentsEntry[] => listContents(documents),
    };
  },
);

/** Like {@link withConsolidatedMetadata}, but returns the store unchanged if it has no consolidated metadata. */
export async function withMaybeConsolidatedMetadata<S extends AsyncReadable>(
  store: S,
  options: ConsolidatedMetadataOptions = {},
): Promise<Listable<S> | S> {
  try {
    return await withConsolidatedMetadata(store, options);
  } catch (error) {
    if (isMissing(error)) return store;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof NotFoundError || error instanceof InvalidMetadataError;

async function load(
  store: AsyncReadable,
  { format = ["v3", "v2"], metadataKey = ".zmetadata" }: ConsolidatedMetadataOptions,
): Promise<Documents> {
  const versions: unknown[] = [format].flat();
  if (versions.length === 0 || !versions.every((version) => version === "v2" || version === "v3"))
    throw invalidArgument('the format of consolidated metadata must be "v2", "v3", or a list of these');
  let failure: unknown;
  for (const version of versions) {
    const key: AbsolutePath = version === "v2" ? `/${metadataKey}` : "/zarr.json";
    try {
      return await withZarritaErrors(key, async () => {
        const bytes = await callStore(store, key, () => store.get(key), undefined);
        if (!bytes) throw new NotFoundError(`${version} consolidated metadata`, { path: key });
        const object = parseDocument(bytes, key, { limits: defaultLimits });
        return version === "v2" ? documentsOfV2(object) : documentsOfV3(object);
      });
    } catch (error) {
      if (!isMissing(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

const withSlash = (key: string): string => (key.startsWith("/") ? key : `/${key}`);

function documentsOfV2({ zarr_consolidated_format: format, metadata }: JsonObject): Documents {
  if (!(format instanceof JsonNumber && format.text === "1"))
    throw new InvalidMetadataError("Invalid or unsupported v2 consolidated format");
  const documents = documentsIn(asObject(metadata, '"metadata"'));
  return new Map([...documents].map(([key, document]) => [withSlash(key), document]));
}

function documentsOfV3({ consolidated_metadata: consolidated, ...root }: JsonObject): Documents {
  const metadata = isJsonObject(consolidated) ? consolidated["metadata"] : undefined;
  if (!isJsonObject(metadata))
    throw new InvalidMetadataError("Root zarr.json does not contain consolidated_metadata");
  const below = [...documentsIn(metadata)].map(
    ([path, document]) => [`${withSlash(path)}/zarr.json`, document] as const,
  );
  return new Map([["/zarr.json", root], ...below]);
}

function listContents(documents: Documents): ContentsEntry[] {
  const entries: ContentsEntry[] = [];
  for (const [key, document] of documents) {
    const path = (parentFolder(key) || "/") as AbsolutePath;
    const kinds = { ".zarray": "array", ".zgroup": "group", "zarr.json": document["node_type"] };
    const kind = (kinds as Record<string, unknown>)[key.slice(key.lastIndexOf("/") + 1)];
    if (kind === "array" || kind === "group") entries.push({ path, kind });
  }
  return entries;
}
