/** Stored responses: which may be stored, their bytes in a storage, their freshness and validators. Spec: RFC 9111. */
import { isRecord } from "../../util/arguments.js";
import { isBytes } from "../../util/bytes.js";
import { crc32 } from "../../util/inflate.js";
import { textDecoder, textEncoder } from "../../util/platform.js";
import type { HttpResponse, TransportRequest } from "../transport.js";
import { isOpen } from "./redirects.js";
import { claimsPage, missingStatus, wholeStatus } from "./response.js";

/** Versions of metadata documents, by URL. */
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
  /** Identifies the program that stored it, from start to end; entries of older versions lack it. */
  readonly visit?: string | undefined;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Identifies a request; `isCacheable` rules out all headers that are not part of it. */
export function requestId({ href }: URL, { headers }: TransportRequest): string {
  const [address] = href.split("#");
  return JSON.stringify([address, ...[...headers].sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Names of query parameters with keys, and of signed URLs of S3, Google Cloud, Azure, CloudFront and Akamai. */
const secretName =
  /sig|token|secret|passw|credential|auth|session|jwt|hmac|^(?:x-(?:amz|goog)-|hdn|(?:api|access|private|user|subscription|key-pair)?[-_]?(?:key|id)$|code$|policy$|se$|sp$|sv$)/i;
/** A longer value may be a key, whatever its name. */
const maxPlainValue = 32;

/** Whether a query may have a key. Version ids are long and public. */
const hasSecret = ({ searchParams }: URL): boolean =>
  [...searchParams].some(
    ([name, value]) =>
      !/^(?:version-?id|generation)$/i.test(name) && (secretName.test(name) || value.length >= maxPlainValue),
  );

/** Whether the response to a request may be stored: the request has no keys, in headers or its URL. */
export function isCacheable(url: URL, { method, headers }: TransportRequest): boolean {
  const isConditional = ["if-none-match", "if-modified-since"].some((name) => headers.has(name));
  return (
    method === "GET" &&
    !isConditional &&
    isOpen(method, headers) &&
    url.username === "" &&
    url.password === "" &&
    !hasSecret(url)
  );
}

/** Request headers that are part of an entry's id, or the same for all requests of an origin and runtime. */
const knownVary = /^(?:|accept|accept-encoding|origin|range|access-control-request-.*|sec-fetch-.*)$/;

/** Whether a response may be stored. Those for one user may not: `private`, with cookies, by cookies or keys. */
export function isStorable(answer: HttpResponse): boolean {
  const { status, headers } = answer;
  const isPart = status === 206;
  if (!isPart && !wholeStatus.has(status) && !missingStatus.has(status)) return false;
  const control = directives(headers.get("cache-control"));
  if (control.has("no-store") || control.has("private") || headers.get("set-cookie") !== null) return false;
  const vary = (headers.get("vary") ?? "").toLowerCase().split(",");
  if (!vary.every((name) => knownVary.test(name.trim()))) return false;
  if (claimsPage(answer) || /^\s*multipart\//i.test(headers.get("content-type") ?? "")) return false;
  return !isPart || validatorOf(partOf(answer)) !== undefined;
}

/** The headers that are stored: those that reads, freshness and validation need. */
const storedHeaders = [
  ...["content-type", "content-range", "accept-ranges", "etag", "last-modified"],
  ...["cache-control", "expires", "date", "age"],
];

/** Returns the entry of a response. */
export function entryOf(
  id: string,
  answer: HttpResponse,
  documents: DocumentVersions,
  body: Uint8Array<ArrayBuffer>,
  visit: string,
): CacheEntry {
  return { ...partOf(answer), id, isCors: answer.isCors, documents, visit, body };
}

type Head = Pick<CacheEntry, "status" | "headers" | "at">;

function partOf({ status, headers }: HttpResponse): Head {
  const found = storedHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status, headers: Object.fromEntries(found), at: Date.now() };
}

/** Returns an entry after a response with status 304. */
export function confirmed(entry: CacheEntry, answer: HttpResponse, documents: DocumentVersions): CacheEntry {
  const { headers, at } = partOf(answer);
  const { "content-type": _type, "content-range": _range, ...news } = headers;
  // The age of the stored response is not that of the new one.
  const { age: _age, ...kept } = entry.headers;
  const known = { ...entry.documents, ...documents };
  return { ...entry, headers: { ...kept, ...news }, at, documents: known };
}

/** Returns the directives of Cache-Control by name, with their values. */
function directives(text: string | null | undefined): ReadonlyMap<string, string> {
  const pairs = (text ?? "")
    .toLowerCase()
    .split(",")
    .map((directive) => directive.trim().split("="));
  // Of duplicates, the first one counts.
  return new Map(pairs.reverse().map(([name = "", value = ""]) => [name, value.replaceAll('"', "")]));
}

/** Lifetime of `immutable` responses without an explicit one, in milliseconds. */
const immutableLifetime = 365 * 24 * 3_600_000;

/** Returns for how many milliseconds a response is fresh. */
function freshnessLifetime({ headers, at }: Head): number {
  const control = directives(headers["cache-control"]);
  if (control.has("no-cache")) return 0;
  const maxAge = control.get("max-age");
  if (maxAge !== undefined) return /^\d+$/.test(maxAge) ? Number(maxAge) * 1000 : 0;
  if (control.has("immutable")) return immutableLifetime;
  if (headers["expires"] === undefined) return 0;
  const start = headers["date"] === undefined ? at : Date.parse(headers["date"]);
  return Date.parse(headers["expires"]) - start || 0;
}

/** Whether an entry may be used without a request. Never if the clock has been set back since. */
export function isFresh(entry: Head, now = Date.now()): boolean {
  const { headers, at } = entry;
  if (now < at) return false;
  const apparent = at - Date.parse(headers["date"] ?? "") || 0;
  const age = Math.max(0, apparent, Number(headers["age"] ?? 0) * 1000 || 0);
  return age + now - at < freshnessLifetime(entry);
}

/** Whether a response has an explicit lifetime, so that it is worth storing its confirmation. */
export const hasLifetime = (entry: Head): boolean => freshnessLifetime(entry) > 0;

/** Whether an entry may be used if its server cannot be reached. */
export function mayBeStale({ headers }: Head): boolean {
  const control = directives(headers["cache-control"]);
  return !["no-cache", "must-revalidate"].some((name) => control.has(name));
}

/** Minimum age of a change that identifies a version, in milliseconds. Spec: RFC 9110, section 8.8.2.2. */
const settledAfter = 60_000;

/**
 * Returns the validator of a response; undefined for none. That of a part must be strong, because parts of several
 * responses are combined.
 */
export function validatorOf({ status, headers, at }: Head): string | undefined {
  const etag = headers["etag"];
  if (etag !== undefined && /^\s*(?:W\/)?"[^"]*"\s*$/.test(etag))
    return status === 206 && etag.includes("W/") ? undefined : etag.trim();
  const changed = headers["last-modified"] ?? "";
  const date = headers["date"] === undefined ? at : Date.parse(headers["date"]);
  return Date.parse(changed) <= date - settledAfter ? changed : undefined;
}

/** Returns the headers of a request that confirms an entry; undefined if it cannot be confirmed. */
export function revalidationHeaders(entry: CacheEntry): readonly [name: string, value: string] | undefined {
  const validator = validatorOf(entry);
  if (validator === undefined) return undefined;
  return [validator.endsWith('"') ? "if-none-match" : "if-modified-since", validator];
}

/** Whether a response with status 304 is about an entry: servers may name another ETag by mistake. */
export function confirms({ headers }: HttpResponse, entry: CacheEntry): boolean {
  const [before, now] = [entry.headers["etag"], headers.get("etag")].map((etag) => etag?.replace(/^W\//, ""));
  return before === undefined || now === undefined || before === now;
}

/** Start of every entry. The last character is the version of the format. */
const magic = 0x7a_77_63_31; // "zwc1"
/** Magic, lengths of head and body, their checksums. */
const prefixBytes = 20;

/** Returns the bytes of an entry, in parts. */
export function encodeEntry({ body, ...head }: CacheEntry): Uint8Array<ArrayBuffer>[] {
  const text = textEncoder().encode(JSON.stringify(head)) as Uint8Array<ArrayBuffer>;
  const prefix = new DataView(new ArrayBuffer(prefixBytes));
  [magic, text.byteLength, body.byteLength, crc32(text), crc32(body)].forEach((word, i) => {
    prefix.setUint32(4 * i, word);
  });
  return [new Uint8Array(prefix.buffer), text, body];
}

/** Returns an entry from its bytes; undefined if they are damaged, or of another request. */
export function decodeEntry(bytes: Uint8Array, id: string): CacheEntry | undefined {
  if (bytes.byteLength < prefixBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, prefixBytes);
  const [start, headBytes, bodyBytes, headSum, bodySum] = [0, 4, 8, 12, 16].map((at) => view.getUint32(at));
  if (start !== magic || prefixBytes + headBytes! + bodyBytes! !== bytes.byteLength) return undefined;
  const text = bytes.subarray(prefixBytes, prefixBytes + headBytes!);
  const body = bytes.subarray(prefixBytes + headBytes!) as Uint8Array<ArrayBuffer>;
  if (crc32(text) !== headSum || crc32(body) !== bodySum) return undefined;
  try {
    const entry: unknown = { ...JSON.parse(textDecoder().decode(text)), body };
    return isEntry(entry) && entry.id === id ? entry : undefined;
  } catch {
    return undefined;
  }
}

const isTexts = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((text) => typeof text === "string");

function isEntry(value: unknown): value is CacheEntry {
  if (!isRecord(value)) return false;
  const { id, status, isCors, at, headers, documents, visit, body } = value;
  return (
    typeof id === "string" &&
    typeof status === "number" &&
    typeof isCors === "boolean" &&
    typeof at === "number" &&
    isTexts(headers) &&
    isTexts(documents) &&
    (visit === undefined || typeof visit === "string") &&
    isBytes(body)
  );
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
