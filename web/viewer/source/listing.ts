/**
 * Directory listings of servers: buckets (S3 and compatible), nginx's JSON (also served by `zarr-wasm view`),
 * and the HTML pages of nginx, Apache, Caddy, Python's http.server and others. Sends a few requests at most;
 * a listing may not exist.
 */
import { HttpStore, isZarrError, type Store, WritableHttpStore } from "zarr-wasm";
import { textAt } from "./attributes.js";
import { ifReadable } from "./nodes.js";

/** Maximum size of a listing. */
const maxBytes = 4 * 2 ** 20;

/** Maximum number of names used from a listing. */
const maxNames = 2000;

/**
 * Names of the folders below a path, as listed by the server.
 * @returns undefined without a listing, or if the store is not an HTTP store.
 */
export async function listedByServer(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  if (!(store instanceof HttpStore)) return undefined;
  const bucket = findBucket(store.url);
  if (bucket) return listedInBucket(store.url, bucket, path, signal);
  const folder = new URL(store.url);
  folder.pathname = `${folder.pathname.replace(/\/$/, "")}/${path.split("/").map(encodeURIComponent).join("/")}`;
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  const text = await elementText(folder, signal);
  if (text === undefined) return undefined;
  return namesInJson(text) ?? namesInPage(text, folder);
}

/**
 * The bucket of a URL, by its host: `bucket.s3.region.amazonaws.com`, or else the first part of the path on a
 * host named like an S3 endpoint (`s3.embl.de`, `uk1s3.embassy.ebi.ac.uk`).
 */
export function findBucket({ origin, hostname, pathname }: URL): URL | undefined {
  if (/^.+\.s3[.-]([a-z0-9-]+\.)?amazonaws\.com$/.test(hostname)) return new URL(origin);
  const isEndpoint = hostname === "storage.googleapis.com" || /^([a-z0-9]*-?)?s3[.-]/.test(hostname);
  const [, name = ""] = pathname.split("/");
  return isEndpoint && name !== "" ? new URL(`${origin}/${name}/`) : undefined;
}

/** Maximum number of requested pages, of a thousand names each. */
const maxPages = 3;

/** A bucket's listing below a path; undefined if listing is not public or too long. */
async function listedInBucket(
  url: URL,
  bucket: URL,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  let pages = 0;
  const asked = async (request: Request) => {
    if (pages++ === maxPages) throw new TypeError("too many names");
    return fetch(request, signal ? { signal } : undefined);
  };
  const store = new WritableHttpStore(url, { bucket, retries: 0, fetch: asked });
  const names = await ifReadable(Promise.resolve(store.listChildren?.(path)), signal);
  return names && names.length > 0 ? [...names] : undefined;
}

async function elementText(folder: URL, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    const response = await fetch(folder, {
      signal: signal ?? null,
      headers: { accept: "application/json, text/html" },
    });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return undefined;
    }
    return await bounded(response.body);
  } catch (error) {
    signal?.throwIfAborted();
    // No response.
    if (error instanceof TypeError || isZarrError(error) || error instanceof DOMException) return undefined;
    throw error;
  }
}

/** A body as a string; undefined if it is too long. */
async function bounded(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** nginx: `[{ "name": "0", "type": "directory" }, …]`. */
export function namesInJson(text: string): string[] | undefined {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  const names = list.map((entry) => textAt(entry, "name"));
  if (names.includes(undefined)) return undefined;
  const folders = list.filter((entry) => textAt(entry, "type") === "directory");
  return folders
    .map((entry) => textAt(entry, "name")!)
    .filter(isName)
    .slice(0, maxNames);
}

/** Links on a page to folders directly below it. */
export function namesInPage(text: string, page: URL): string[] | undefined {
  if (!/<a\s/i.test(text)) return undefined;
  const names = new Set<string>();
  for (const [, quoted, bare] of text.matchAll(
    /<a\s[^<>]{0,500}?href\s*=\s*(?:["']([^"'<>]{1,2000})["']|([^\s"'<>]{1,2000}))/gi,
  )) {
    const name = folderName((quoted ?? bare)!.replaceAll("&amp;", "&"), page);
    if (name !== undefined) names.add(name);
    if (names.size === maxNames) break;
  }
  return [...names].sort();
}

function folderName(link: string, page: URL): string | undefined {
  try {
    const { origin, pathname, search } = new URL(link, page);
    if (origin !== page.origin || search !== "" || !pathname.startsWith(page.pathname)) return undefined;
    const below = pathname.slice(page.pathname.length);
    if (!/^[^/]+\/$/.test(below)) return undefined;
    const name = decodeURIComponent(below.slice(0, -1));
    return isName(name) ? name : undefined;
  } catch {
    return undefined; // not a valid link
  }
}

const isName = (name: string): boolean => name !== "" && !/^\.{1,2}$|[/\\\p{Cc}]/u.test(name);
