/** Opens nodes with as few requests as possible. */
import {
  HttpStore,
  isZarrError,
  type OpenedNode,
  open,
  type Source,
  type ZarrArray,
  type ZarrGroup,
  type ZarrWarning,
} from "zarr-wasm";
import { keptFor } from "../base/memo.js";
import { maxRequests } from "../base/requests.js";
import { keptData, readers } from "./kept-data.js";

interface NodeTarget {
  readonly source: Source;
  readonly path?: string | undefined;
  readonly v1Order?: "spec" | "writer" | undefined;
}

interface NodeContext {
  readonly signal: AbortSignal;
  readonly onWarning: (warning: ZarrWarning) => void;
}

/** The store of the address opened last, reused with its cached metadata. */
let last: { readonly address: string; readonly store: HttpStore } | undefined;

/** A node whose opening began before it was requested. */
interface NodeAhead {
  readonly source: HttpStore;
  readonly path: string | undefined;
  readonly warnings: readonly ZarrWarning[];
  readonly opening: Promise<OpenedNode>;
  readonly giveUp: AbortController;
}

let ahead: NodeAhead | undefined;
readers.add({
  reload() {
    ahead = undefined;
  },
});

/** The Zarr version of the nodes that were found in a store. */
const foundIn = keptFor((_store: HttpStore): { version?: 2 | 3 } => ({}));

/** Whether a source is a URL pipeline, which the library opens. */
export const isPipeline = (source: Source): source is string =>
  typeof source === "string" && source.includes("|");

/** The store of an address, for objects or an archive; other sources are returned unchanged. */
export async function storeFor(source: Source): Promise<Source> {
  if ((typeof source !== "string" && !(source instanceof URL)) || isPipeline(source)) return source;
  const base = globalThis.location?.href;
  if (!URL.canParse(source, base)) return source;
  const url = new URL(source, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return source;
  // A new store each time: an archive may have been replaced.
  if (/\.(zip|ozx)$/i.test(url.pathname)) {
    const { ZipStore } = await import("./archive.js");
    return new ZipStore(url, { persistentCache: keptData });
  }
  if (last?.address !== url.href)
    last = {
      address: url.href,
      store: new HttpStore(url, { concurrency: maxRequests, persistentCache: keptData }),
    };
  return last.store;
}

/**
 * Opens a node. Over HTTP every document costs a request: Zarr v3 and v2 are requested first, or only the
 * version found in the store before; other formats only if these are missing.
 * @throws as `open` does.
 */
export async function openNode(target: NodeTarget, context: NodeContext): Promise<OpenedNode> {
  const { source, path, v1Order } = target;
  const begun = await takeAhead(target, context);
  if (begun) return begun;
  const options = { path, ...context };
  if (source instanceof HttpStore) {
    const found = foundIn(source);
    const node = found.version
      ? await ifThere(open(source, { ...options, version: found.version }))
      : await newestVersion(source, options);
    if (node) {
      if (node.zarrFormat !== 1) found.version = node.zarrFormat;
      return node;
    }
  }
  return open(source, { ...options, v1Order });
}

/** Begins to open a node over HTTP. The next call of `openNode` takes it if it requests this node. */
export async function openAhead(address: string, path: string | undefined): Promise<void> {
  const source = await storeFor(address);
  if (!(source instanceof HttpStore)) return;
  const warnings: ZarrWarning[] = [];
  const giveUp = new AbortController();
  const context = {
    signal: giveUp.signal,
    onWarning: (warning: ZarrWarning) => warnings.push(warning),
  };
  const opening = openNode({ source, path }, context);
  opening.catch(() => {}); // reported when it is requested
  ahead = { source, path, warnings, opening, giveUp };
}

/** The node that is opened ahead; undefined if another one is, which is given up. */
async function takeAhead(
  { source, path, v1Order = "spec" }: NodeTarget,
  { signal, onWarning }: NodeContext,
): Promise<OpenedNode | undefined> {
  const begun = ahead;
  ahead = undefined;
  if (!begun) return undefined;
  const { opening, giveUp, warnings } = begun;
  const forward = () => giveUp.abort(signal.reason);
  if (begun.source !== source || begun.path !== path || v1Order !== "spec") {
    giveUp.abort();
    return undefined;
  }
  if (signal.aborted) forward();
  signal.addEventListener("abort", forward, { once: true });
  try {
    const node = await opening;
    warnings.forEach(onWarning);
    return node;
  } finally {
    signal.removeEventListener("abort", forward);
  }
}

/**
 * Both are requested in parallel; v2 is used only if v3 is missing, and is aborted if v3 exists. The code for other
 * formats is loaded only if both are missing.
 */
async function newestVersion(
  store: HttpStore,
  options: { readonly path: string | undefined } & NodeContext,
): Promise<OpenedNode | undefined> {
  const { signal } = options;
  const giveUp = new AbortController();
  const forward = () => giveUp.abort(signal.reason);
  signal.addEventListener("abort", forward, { once: true });
  const plain = { ...options, otherFormats: false };
  // The first one to be looked for in the persistent cache.
  const newest = ifThere(open(store, { ...plain, version: 3 }));
  const older = ifThere(open(store, { ...plain, version: 2, signal: giveUp.signal }));
  older.catch(() => {}); // reported when it is awaited
  try {
    const node = await newest;
    if (node) giveUp.abort();
    return node ?? (await older);
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

/** The group at a path; undefined if it is missing or unreadable. */
export const groupAt = (
  source: Source,
  path: string,
  version: ZarrArray["zarrFormat"],
  signal: AbortSignal,
): Promise<ZarrGroup | undefined> =>
  ifReadable(open(source, { path, kind: "group", version, signal }), signal);

/** The result of opening; undefined if unreadable, which must not hide anything else. */
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
