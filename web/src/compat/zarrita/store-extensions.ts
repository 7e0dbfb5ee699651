/** zarrita's extensions of stores: cached bytes, merged ranges and consolidated metadata. */

import { asObject, documentsIn, parseDocument } from "../../metadata/document.js";
import { WrittenKeys } from "../../store/handle.js";
import { callStore, checkRange, rangeName } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { checkObject } from "../../util/arguments.js";
import { SingleFlight } from "../../util/async.js";
import { invalidArgument } from "../../util/errors.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, jsonText } from "../../util/json.js";
import { defaultLimits } from "../../util/limits.js";
import { textEncoder } from "../../util/platform.js";
import {
  InvalidMetadataError,
  isSame,
  NotFoundError,
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

/**
 * Merges ranges that are requested at the same time. `get` merges those of an array's chunks anyway; this also merges
 * ranges of several calls.
 * @throws UnsupportedError for a store without `getRange`.
 */
export const withRangeCoalescing = defineStoreExtension((store, options: RangeCoalescingOptions = {}) => {
  if (!store.getRange) throw new UnsupportedError("withRangeCoalescing requires a store with getRange");
  checkObject(options, "options of withRangeCoalescing");
  const merger = new RangeMerger(store as RangeStore, options);
  const getRange: AsyncReadable["getRange"] = (path, range, opts) =>
    "suffixLength" in range ? store.getRange!(path, range, opts) : merger.read(path, range, opts);
  return { getRange };
});

type RangeStore = Required<Pick<AsyncReadable, "getRange">>;
type Range = { readonly offset: number; readonly length: number };

/** A requested range, and the callback that assigns its group. */
interface RangeRequest extends Range {
  readonly options: GetBytesOptions | undefined;
  readonly assign: (group: Group) => void;
}

/** Ranges that one request reads. */
interface Group {
  readonly id: string;
  readonly span: Range;
  readonly size: number;
}

const rangeEnd = ({ offset, length }: Range): number => offset + length;

/** Collects ranges until the current microtask ends, and reads neighbouring ranges with one request. */
class RangeMerger {
  readonly #waiting = new Map<AbsolutePath, RangeRequest[]>();
  readonly #flights = new SingleFlight<Bytes>();
  #groups = 0;

  constructor(
    private readonly store: RangeStore,
    private readonly options: RangeCoalescingOptions,
  ) {}

  /** @throws InvalidArgument for an invalid range. */
  async read(path: AbsolutePath, range: Range, options?: GetBytesOptions): Promise<Bytes> {
    checkRange(range);
    const { offset, length } = range;
    const { id, span, size } = await new Promise<Group>((assign) => {
      if (this.#waiting.size === 0) queueMicrotask(() => this.#flush());
      const all = this.#waiting.get(path) ?? [];
      all.push({ offset, length, options, assign });
      this.#waiting.set(path, all);
    });
    const readAlone = () => this.store.getRange(path, { offset, length }, options);
    if (size === 1) return readAlone();
    const read = async (signal: AbortSignal) => this.store.getRange(path, span, { ...options, signal });
    const bytes = await this.#flights.run(id, options?.signal, read);
    const start = offset - span.offset;
    // The object or the response ends early: reads the range by itself.
    if (bytes && start + length > bytes.byteLength) return readAlone();
    return bytes?.slice(start, start + length);
  }

  #flush(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [path, all] of waiting) {
      const groups = grouped(all, this.options.coalesceSize ?? 2 ** 15);
      const spans = groups.map((group) => {
        const { offset } = group[0]!;
        return { offset, length: Math.max(...group.map(rangeEnd)) - offset };
      });
      const bytesFetched = spans.reduce((sum, { length }) => sum + length, 0);
      this.#report({ path, groupCount: groups.length, requestCount: all.length, bytesFetched });
      groups.forEach((group, i) => {
        const made = { id: String(this.#groups++), span: spans[i]!, size: group.length };
        for (const { assign } of group) assign(made);
      });
    }
  }

  #report(report: FlushReport): void {
    try {
      this.options.onFlush?.(report);
    } catch (error) {
      console.warn("withRangeCoalescing: onFlush threw:", error);
    }
  }
}

/** Groups ranges that lie close to one another and have the same options, apart from signals. */
function grouped(all: readonly RangeRequest[], coalesceSize: number): RangeRequest[][] {
  const groups: RangeRequest[][] = [];
  const without = ({ options }: RangeRequest) => ({ ...options, signal: undefined });
  let end = Number.NEGATIVE_INFINITY;
  for (const asked of [...all].sort((a, b) => a.offset - b.offset)) {
    const last = groups.at(-1);
    const joins = last && asked.offset <= end + coalesceSize && isSame(without(last[0]!), without(asked));
    if (joins) last.push(asked);
    else groups.push([asked]);
    end = joins ? Math.max(end, rangeEnd(asked)) : rangeEnd(asked);
  }
  return groups;
}

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
    const { documents, source } = await load(store, options);
    const folders = new Set([...documents.keys()].map(parentFolder));
    const written = new WrittenKeys(store as Store);
    return {
      async get(key: AbsolutePath, getOptions?: GetBytesOptions): Promise<Bytes> {
        if (written.has(key)) return store.get(key, getOptions);
        if (key === source?.key) return source.bytes;
        const document = documents.get(key);
        if (document) return textEncoder().encode(jsonText(document));
        // Consolidated metadata has all documents of the nodes that it names.
        if (metadataName.test(key) && folders.has(parentFolder(key))) return undefined;
        return store.get(key, getOptions);
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

interface Loaded {
  readonly documents: Documents;
  /** The consolidated document, if it has a separate key. */
  readonly source?: { readonly key: string; readonly bytes: Uint8Array } | undefined;
}

async function load(
  store: AsyncReadable,
  { format = ["v3", "v2"], metadataKey = ".zmetadata" }: ConsolidatedMetadataOptions,
): Promise<Loaded> {
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
        return version === "v2"
          ? { documents: documentsOfV2(object), source: { key, bytes } }
          : { documents: documentsOfV3(object) };
      });
    } catch (error) {
      if (!isMissing(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

function documentsOfV2(object: JsonObject): Documents {
  const format = object["zarr_consolidated_format"];
  if (!(format instanceof JsonNumber && format.text === "1"))
    throw new InvalidMetadataError("Invalid or unsupported v2 consolidated format");
  const documents = documentsIn(asObject(object["metadata"], '"metadata"'));
  return new Map([...documents].map(([key, document]) => [`/${key}`, document]));
}

function documentsOfV3(object: JsonObject): Documents {
  const { consolidated_metadata: consolidated, ...root } = object;
  const metadata: Json | undefined = isJsonObject(consolidated) ? consolidated["metadata"] : undefined;
  if (!isJsonObject(metadata))
    throw new InvalidMetadataError("Root zarr.json does not contain consolidated_metadata");
  const below = [...documentsIn(metadata)].map(
    ([path, document]) => [`${path.startsWith("/") ? path : `/${path}`}/zarr.json`, document] as const,
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
