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
import { readAddress } from "./address.js";
import { keptData, readers } from "./kept-data.js";

/** Maximum number of requests in flight: about the limit of HTTP/2; over HTTP/1.1 the browser queues the rest. */
export const maxRequests = 100;

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
    const { ZipStore } = await import("./packed.js");
    return new ZipStore(url, { persistentCache: keptData });
  }
  if (last?.address !== url.href)
    last = {
      address: url.href,
      store: new HttpStore(url, { concurrency: maxRequests, persistentCache: keptData }),
    };
  return last.store;
}

/** Opens a node. @throws as `open` does. */
export async function openNode(target: NodeTarget, context: NodeContext): Promise<OpenedNode> {
  const { source, path, v1Order } = target;
  return (await takeAhead(target, context)) ?? open(source, { path, v1Order, ...context });
}

/** Begins to open a node over HTTP. The next call of `openNode` takes it if it requests this node. */
export async function openAhead(given: string, below: string | null | undefined): Promise<void> {
  const address = readAddress(given);
  if ("refused" in address || address.isArchive) return;
  const path = [address.path, below].filter(Boolean).join("/") || undefined;
  const source = await storeFor(address.source);
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
