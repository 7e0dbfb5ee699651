/** Opening arrays. */
import { ZarrArray } from "./array.js";
import type { ZarrVersion } from "./codecs/definition.js";
import { invalidArgument, limitExceeded, notFound, type OnWarning } from "./errors.js";
import { type Limits, resolveLimits } from "./limits.js";
import { parseV1, v1AttrsKey, v1MetaKey } from "./metadata/v1.js";
import { isFileUrl } from "./platform.js";
import { FileSystemStore } from "./store/file.js";
import { HttpStore } from "./store/http.js";
import { normalizePath } from "./store/path.js";
import { isStore, joinKey, type Store } from "./store/store.js";

export interface OpenOptions {
  /** Path of the node below the source. */
  path?: string | undefined;
  /** What it must be; anything else is NotFound. */
  kind?: "array" | undefined;
  /** Which Zarr version to look for; without it, whatever is there. */
  version?: ZarrVersion | undefined;
  signal?: AbortSignal | undefined;
  /**
   * How the chunks of a Zarr v1 array with `order: "F"` and a compressor other than blosc are laid out:
   * "spec" (default) F order, as the specification says; "writer" C order, as zarr-python 1.x wrote them.
   */
  v1Order?: "spec" | "writer" | undefined;
  /** Receives warnings about data that is odd but readable. */
  onWarning?: OnWarning | undefined;
  /** Limits to raise or lower. */
  limits?: Partial<Limits> | undefined;
}

/** A place to read from: a URL (http, https; file in Node), or a store. */
export type Source = string | URL | Store;

/**
 * Opens a Zarr array.
 * @throws NotFound where the source has none at the path; InvalidMetadata, UnknownCodec, Unsupported or
 *   LimitExceeded for one that cannot be read; Network for a source that does not answer well.
 */
export async function open(source: Source, options: OpenOptions = {}): Promise<ZarrArray> {
  const store = storeOf(source);
  const path = normalizePath(options.path ?? "");
  const limits = resolveLimits(options.limits);
  checkOptions(options);
  options.signal?.throwIfAborted();
  return openV1(store, path, limits, options);
}

function checkOptions({ version, kind, v1Order }: OpenOptions): void {
  if (version !== undefined && version !== 1) throw invalidArgument(`version must be 1, not ${version}`);
  if (kind !== undefined && kind !== "array") throw invalidArgument(`kind must be "array", not "${kind}"`);
  if (v1Order !== undefined && v1Order !== "spec" && v1Order !== "writer") {
    throw invalidArgument(`v1Order must be "spec" or "writer", not "${v1Order}"`);
  }
}

/** The store of a source. */
export function storeOf(source: Source): Store {
  if (isStore(source)) return source;
  if (!(typeof source === "string" || source instanceof URL))
    throw invalidArgument("the source must be a URL or a store");
  let url: URL;
  try {
    url = new URL(source, globalThis.location?.href);
  } catch (cause) {
    throw invalidArgument(`"${source}" is not a URL`, { cause });
  }
  if (url.protocol === "http:" || url.protocol === "https:") return new HttpStore(url);
  if (isFileUrl(url)) return new FileSystemStore(url);
  throw invalidArgument(`cannot read from ${url.protocol} URLs`);
}

async function openV1(store: Store, path: string, limits: Limits, options: OpenOptions): Promise<ZarrArray> {
  const { signal, onWarning, v1Order = "spec" } = options;
  const read = async (key: string) => {
    const bytes = await store.get(joinKey(path, key), { signal });
    if (bytes && bytes.byteLength > limits.metadataBytes) {
      throw limitExceeded(
        `${joinKey(path, key)} has ${bytes.byteLength} bytes, more than the limit of ${limits.metadataBytes}`,
      );
    }
    return bytes;
  };
  const [meta, attrs] = await Promise.all([read(v1MetaKey), read(v1AttrsKey)]);
  signal?.throwIfAborted();
  if (!meta) {
    const key = joinKey(path, v1MetaKey);
    throw notFound(`no Zarr array found: there is no ${store.locate?.(key) ?? key}`);
  }
  return new ZarrArray(store, path, parseV1(meta, attrs, { limits, order: v1Order, onWarning }), limits);
}
