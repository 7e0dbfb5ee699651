/** Opening nodes with as few requests as can be. */

import {
  HttpStore,
  isZarrError,
  type OpenedNode,
  open,
  type Source,
  type ZarrArray,
  type ZarrGroup,
  type ZarrWarning,
  ZipStore,
} from "zarr-wasm";
import { keptFor } from "../base/memo.js";
import { mostRequests } from "../base/requests.js";

interface NodePlace {
  readonly source: Source;
  readonly path?: string | undefined;
  readonly v1Order?: "spec" | "writer" | undefined;
}

interface NodeContext {
  readonly signal: AbortSignal;
  readonly onWarning: (warning: ZarrWarning) => void;
}

/** The store of the address that was opened last: what is known of it need not be asked for again. */
let last: { readonly address: string; readonly store: HttpStore } | undefined;

/** The Zarr version of the nodes that were found in a store. */
const foundIn = keptFor((_store: HttpStore): { version?: 2 | 3 } => ({}));

/** The store of an address, of objects or of an archive; anything else stays what it is. */
export function storeFor(source: Source): Source {
  if (typeof source !== "string" && !(source instanceof URL)) return source;
  const base = globalThis.location?.href;
  if (!URL.canParse(source, base)) return source;
  const url = new URL(source, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return source;
  // One of each time: an archive may have been replaced since.
  if (/\.(zip|ozx)$/i.test(url.pathname)) return new ZipStore(url);
  if (last?.address !== url.href)
    last = { address: url.href, store: new HttpStore(url, { concurrency: mostRequests }) };
  return last.store;
}

/**
 * Opens a node. Over HTTP every document that is looked for costs a request: Zarr v3 and v2 are asked for first, or only what
 * was found in the store before; everything else where those are not there.
 * @throws as `open` does.
 */
export async function openNode(place: NodePlace, context: NodeContext): Promise<OpenedNode> {
  const { source, path, v1Order } = place;
  const options = { path, ...context };
  if (source instanceof HttpStore) {
    const found = foundIn(source);
    const node = found.version
      ? await ifThere(open(source, { ...options, version: found.version }))
      : await newestOf(source, options);
    if (node) {
      if (node.zarrFormat !== 1) found.version = node.zarrFormat;
      return node;
    }
  }
  return open(source, { ...options, v1Order });
}

/** Both are asked for at once; v2 counts only where v3 is surely not there, and is given up where it is. */
async function newestOf(
  store: HttpStore,
  options: { readonly path: string | undefined } & NodeContext,
): Promise<OpenedNode | undefined> {
  const { signal } = options;
  const giveUp = new AbortController();
  const forward = () => giveUp.abort(signal.reason);
  signal.addEventListener("abort", forward, { once: true });
  const older = ifThere(open(store, { ...options, version: 2, signal: giveUp.signal }));
  older.catch(() => {}); // matters only where it is waited for
  try {
    const newest = await ifThere(open(store, { ...options, version: 3 }));
    if (newest) giveUp.abort();
    return newest ?? (await older);
  } finally {
    signal.removeEventListener("abort", forward);
  }
}

async function ifThere(opening: Promise<OpenedNode>): Promise<OpenedNode | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (isZarrError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** The group at a path; undefined where there is none that can be read. */
export const groupAt = (
  source: Source,
  path: string,
  version: ZarrArray["zarrFormat"],
  signal: AbortSignal,
): Promise<ZarrGroup | undefined> =>
  ifReadable(open(source, { path, kind: "group", version, signal }), signal);

/** What is opened; undefined where it cannot be read, which keeps nothing else from being seen. */
export async function ifReadable<T>(
  opening: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    signal?.throwIfAborted();
    if (isZarrError(error)) return undefined;
    throw error;
  }
}
