/** Stored responses: which may be stored, their bytes in a storage, freshness and validators. Spec: RFC 9111. */
import { ByteSink } from "../../util/buffers.js";
import { crc32 } from "../../util/crc32.js";
import { textDecoder, textEncoder } from "../../util/platform.js";
import type { HttpResponse, TransportRequest } from "../transport.js";
import { isOpen } from "./redirects.js";
import { announcedBytes, claimsPage, isEncoded, missingStatus, wholeStatus } from "./response.js";

/** Versions of metadata documents, by the ids of their requests. */
export type DocumentVersions = Readonly<Record<string, string>>;

/** A stored response. */
export interface CacheEntry {
  /** The request: {@link requestId}. */
  readonly id: string;
  readonly status: number;
  readonly isCors: boolean;
  /** When it was received or confirmed, in milliseconds since 1970. */
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Versions of the metadata documents in the folders above, at that time. */
  readonly documents: DocumentVersions;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Identifies a request; `isCacheable` rules out all headers that are not part of it. */
export function requestId({ href }: URL, { headers }: Pick<TransportRequest, "headers">): string {
  const [address] = href.split("#");
  return JSON.stringify([address, ...[...headers].sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** The only query parameters of URLs whose responses are stored: any other one may be a key. */
const publicParameter = /^(?:v|version|version-?id|generation)$/i;

/** Whether the response to a request may be stored: the request has no keys, in headers or its URL. */
export function isCacheable(url: URL, { method, headers }: TransportRequest): boolean {
  const isConditional = ["if-none-match", "if-modified-since"].some((name) => headers.has(name));
  return (
    method === "GET" &&
    !isConditional &&
    isOpen(method, headers) &&
    url.username === "" &&
    url.password === "" &&
    [...url.searchParams.keys()].every((name) => publicParameter.test(name))
  );
}

/** Whether Cache-Control has a directive, whatever separates it from others. */
const hasDirective = (control: string | null | undefined, names: string): boolean =>
  new RegExp(`(?:^|[^\\w-])(?:${names})(?![\\w-])`, "i").test(control ?? "");

/** Request headers that are part of an entry's id, or the same for all requests of an origin and runtime. */
const knownVary = /^(?:|accept|accept-encoding|origin|range|access-control-request-.*|sec-fetch-.*)$/;

/** Whether the headers of a response, also of one with status 304, allow to store it for all users. */
export function isPublic({ redirected, headers }: HttpResponse): boolean {
  if (redirected || hasDirective(headers.get("cache-control"), "no-store|private")) return false;
  const vary = (headers.get("vary") ?? "").toLowerCase().split(",");
  return headers.get("set-cookie") === null && vary.every((name) => knownVary.test(name.trim()));
}

/** Whether a response may be stored. */
export function isStorable(answer: HttpResponse): boolean {
  const { status, headers } = answer;
  const isPart = status === 206;
  if (!isPart && !wholeStatus.has(status) && !missingStatus.has(status)) return false;
  if (!isPublic(answer) || claimsPage(answer)) return false;
  if (/^\s*multipart\//i.test(headers.get("content-type") ?? "")) return false;
  return !isPart || validatorOf(headOf(answer)) !== undefined;
}

/** The headers that are stored: those that reads, freshness and validation need. */
const storedHeaders = [
  ...[
    "content-type",
    "content-range",
    "accept-ranges",
    "etag",
    "last-modified",
    "cache-control",
    "date",
    "age",
  ],
];

type Head = Pick<CacheEntry, "status" | "headers" | "at">;

export function headOf({ status, headers }: HttpResponse): Head {
  const found = storedHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status, headers: Object.fromEntries(found), at: Date.now() };
}

/** Returns an entry after a response with status 304. */
export function confirmed(entry: CacheEntry, answer: HttpResponse, documents: DocumentVersions): CacheEntry {
  const { headers, at } = headOf(answer);
  const { "content-type": _type, "content-range": _range, ...news } = headers;
  // The age of the stored response is not that of the new one.
  const { age: _age, ...kept } = entry.headers;
  return { ...entry, headers: { ...kept, ...news }, at, documents };
}

/** Returns for how many milliseconds a response is fresh, by Cache-Control. */
export function lifetimeOf({ headers }: Head): number {
  const control = headers["cache-control"] ?? "";
  if (hasDirective(control, "no-cache")) return 0;
  const ages = [...control.matchAll(/(?:^|[^\w-])max-age\s*=\s*"?([^\s",;]*)/gi)];
  if (ages.length > 0)
    return Math.min(...ages.map(([, text]) => (/^\d+$/.test(text!) ? Number(text) * 1000 : 0)));
  return hasDirective(control, "immutable") ? Number.POSITIVE_INFINITY : 0;
}

/** Whether an entry is fresh. Never if the clock has been set back since. */
export function isFresh(entry: Head, now = Date.now()): boolean {
  const { headers, at } = entry;
  if (now < at) return false;
  const apparent = at - Date.parse(headers["date"] ?? "") || 0;
  const age = Math.max(0, apparent, Number(headers["age"] ?? 0) * 1000 || 0);
  return age + now - at < lifetimeOf(entry);
}

/** Whether an entry may be used without its server. */
export const mayBeOffline = (entry: Head): boolean =>
  isFresh(entry) || !hasDirective(entry.headers["cache-control"], "no-cache|must-revalidate");

/** Minimum age of a change that identifies a version, in milliseconds. Spec: RFC 9110, section 8.8.2.2. */
const settledAfter = 60_000;

/**
 * Returns the validator of a response; undefined for none. That of a part must be strong, because parts of several
 * responses are combined.
 */
function validatorOf({ status, headers, at }: Head): string | undefined {
  const etag = headers["etag"];
  if (etag !== undefined && /^\s*(?:W\/)?"[^"]*"\s*$/.test(etag))
    return status === 206 && etag.includes("W/") ? undefined : etag.trim();
  const changed = headers["last-modified"] ?? "";
  const date = headers["date"] === undefined ? at : Date.parse(headers["date"]);
  return Date.parse(changed) <= date - settledAfter ? changed : undefined;
}

/** Returns the ETag, or the time of the last change. Servers mark ETags of compressed responses. */
export const tagOf = ({ headers }: Pick<Head, "headers">): string =>
  (headers["etag"] ?? headers["last-modified"] ?? "").replace(/^W\/|-{1,2}(?:gzip|br|zstd)(?="$)/g, "");

/** Returns the header of a request that confirms an entry; undefined if it cannot be confirmed. */
export function revalidationHeader(entry: CacheEntry): readonly [name: string, value: string] | undefined {
  const validator = validatorOf(entry);
  if (validator === undefined) return undefined;
  return [validator.endsWith('"') ? "if-none-match" : "if-modified-since", validator];
}

/** Whether a response with status 304 is about an entry: servers may name another ETag by mistake. */
export function confirms({ headers, redirected }: HttpResponse, entry: CacheEntry): boolean {
  const [before, now] = [entry.headers["etag"], headers.get("etag")].map((etag) => etag?.replace(/^W\//, ""));
  return !redirected && (before === undefined || now === undefined || before === now);
}

/** Returns the bytes of an entry: a checksum of the rest, the length of the head, the head as JSON, the body. */
export function encodeEntry({ body, ...head }: CacheEntry): Uint8Array<ArrayBuffer> {
  const text = textEncoder().encode(JSON.stringify(head));
  const bytes = new Uint8Array(8 + text.byteLength + body.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, text.byteLength);
  bytes.set(text, 8);
  bytes.set(body, 8 + text.byteLength);
  view.setUint32(0, crc32(bytes.subarray(4)));
  return bytes;
}

/** Returns an entry from its bytes; undefined if they are damaged, or of another request. @throws for less than 8. */
export function decodeEntry(bytes: Uint8Array, id: string): CacheEntry | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (crc32(bytes.subarray(4)) !== view.getUint32(0)) return undefined;
  const bodyAt = 8 + view.getUint32(4);
  const head = JSON.parse(textDecoder().decode(bytes.subarray(8, bodyAt)));
  return head.id === id ? { ...head, body: bytes.subarray(bodyAt) } : undefined;
}

/** Returns a stored response as if it had just been received. */
export function storedResponse({ status, isCors, headers, body }: CacheEntry): HttpResponse {
  const length = String(body.byteLength);
  return {
    ...{ status, isCors, statusText: "" },
    headers: {
      get: (name) => headers[name.toLowerCase()] ?? (/^content-length$/i.test(name) ? length : null),
    },
    read: async (take) => void take(body),
    discard() {},
  };
}

/** Returns the version of a metadata document: another one has other contents, or was written again. */
export const versionOf = (entry: CacheEntry): string =>
  `${validatorOf(entry) ?? ""} ${entry.body.byteLength} ${crc32(entry.body)}`;

/** Larger responses are not stored. */
const maxEntryBytes = 64 * 2 ** 20;

/** Returns a response that passes on its whole body once it was read to its end. */
export function recorded(
  answer: HttpResponse,
  onBody: (body: Uint8Array<ArrayBuffer>) => unknown,
): HttpResponse {
  const { status, statusText, isCors, headers, isOwned = false } = answer;
  const read: HttpResponse["read"] = async (take) => {
    const expected = announcedBytes(answer);
    let sink = (expected ?? 0) <= maxEntryBytes ? new ByteSink(expected ?? 0) : undefined;
    await answer.read((piece) => {
      if (sink && sink.length + piece.byteLength > maxEntryBytes) sink = undefined;
      sink?.add(piece); // before `take`, after which the piece may be overwritten
      const goesOn = take(piece);
      if (!goesOn) sink = undefined;
      return goesOn;
    });
    if (sink && isWhole(answer, sink.length)) onBody(sink.bytes());
  };
  return { status, statusText, isCors, headers, isOwned, read, discard: () => answer.discard() };
}

/** Whether a body was not cut off: it has the announced length, or a framing whose end cannot be missed. */
function isWhole(answer: HttpResponse, length: number): boolean {
  const announced = announcedBytes(answer);
  if (announced !== undefined && !answer.isCors) return length === announced;
  // CORS hides the framing; browsers check it.
  return answer.isCors || isEncoded(answer) || /chunked/i.test(answer.headers.get("transfer-encoding") ?? "");
}
