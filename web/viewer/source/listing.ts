/**
 * Lists that servers make of folders: buckets' (S3 and what speaks its protocol), nginx's JSON (which `zarr-wasm view`
 * gives, too), and the pages of links that nginx, Apache, Caddy, Python's http.server and others show. A few requests at
 * most, and no promise that there is such a list.
 */
import { HttpStore, isZarrError, type Store, WritableHttpStore } from "zarr-wasm";
import { textAt } from "./attributes.js";

/** Longest list that is read. */
const maxBytes = 4 * 2 ** 20;

/** Most names that are taken from one. */
const maxNames = 2000;

/**
 * Names of the folders below a path, as the server lists them.
 * @returns undefined where it does not, or the store is not one over HTTP.
 */
export async function listedByServer(
  store: Store,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  if (!(store instanceof HttpStore)) return undefined;
  const bucket = bucketOf(store.url);
  if (bucket) return listedInBucket(store.url, bucket, path, signal);
  const folder = new URL(store.url);
  folder.pathname = `${folder.pathname.replace(/\/$/, "")}/${path.split("/").map(encodeURIComponent).join("/")}`;
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  const text = await textOf(folder, signal);
  if (text === undefined) return undefined;
  return namesInJson(text) ?? namesInPage(text, folder);
}

/**
 * The bucket that a URL is in, by its host: `bucket.s3.region.amazonaws.com`, else the first part of the path on a host
 * that is called as S3's endpoints are (`s3.embl.de`, `uk1s3.embassy.ebi.ac.uk`).
 */
export function bucketOf({ origin, hostname, pathname }: URL): URL | undefined {
  if (/^.+\.s3[.-]([a-z0-9-]+\.)?amazonaws\.com$/.test(hostname)) return new URL(origin);
  const isEndpoint = hostname === "storage.googleapis.com" || /^([a-z0-9]*-?)?s3[.-]/.test(hostname);
  const [, name = ""] = pathname.split("/");
  return isEndpoint && name !== "" ? new URL(`${origin}/${name}/`) : undefined;
}

/** Pages of a thousand names that are asked for. */
const maxPages = 3;

/** What a bucket says lies below a path; undefined where it does not let everybody list, or there is too much. */
async function listedInBucket(
  url: URL,
  bucket: URL,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  let pages = 0;
  const asked = async (request: Request) => {
    if (pages++ === maxPages) throw new TypeError("more names than are looked at");
    return fetch(request, signal ? { signal } : undefined);
  };
  try {
    const store = new WritableHttpStore(url, { bucket, retries: 0, fetch: asked });
    const names = await store.listChildren?.(path);
    return names && names.length > 0 ? [...names] : undefined;
  } catch (error) {
    signal?.throwIfAborted();
    if (isZarrError(error)) return undefined;
    throw error;
  }
}

async function textOf(folder: URL, signal: AbortSignal | undefined): Promise<string | undefined> {
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
    if (error instanceof TypeError || isZarrError(error) || error instanceof DOMException) return undefined; // no answer
    throw error;
  }
}

/** A body as text; undefined for one that is too long. */
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

/** Links of a page to folders directly below it. */
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
    return undefined; // no link to anything
  }
}

const isName = (name: string): boolean => name !== "" && !/^\.{1,2}$|[/\\\p{Cc}]/u.test(name);
