/** The keys in a bucket. Spec: Amazon S3 API, ListObjectsV2. */
import { networkError } from "../../base/errors.js";
import type { StoredEntry } from "../deletion.js";
import { isSegment, normalizePath } from "../path.js";
import type { HttpWriter } from "./write.js";

/** A page of at most a thousand keys of at most a kilobyte, percent-encoded. */
const maxPageBytes = 16 * 2 ** 20;

interface Page {
  keys: string[];
  /** Common prefixes, up to the delimiter and with it. */
  prefixes: string[];
  next: string | undefined;
}

/** Lists what lies below a prefix of a bucket. */
export class BucketLister {
  readonly #bucket: URL;
  /** What the store's keys have before them in the bucket, with a "/" at its end unless it is all of it. */
  readonly #root: string;

  /**
   * @param bucket the bucket's URL; its query, of which `base` has its own, is not used.
   * @param base the store's URL, below the bucket's.
   */
  constructor(
    private readonly writer: HttpWriter,
    bucket: URL,
    private readonly base: URL,
  ) {
    this.#bucket = new URL(bucket);
    if (!this.#bucket.pathname.endsWith("/")) this.#bucket.pathname += "/";
    const below = `${base.pathname.replace(/\/$/, "")}/`.slice(this.#bucket.pathname.length);
    this.#root = decodeURIComponent(below);
  }

  /** Keys of the store below a path, each with its leading "/". */
  async *keys(path: string, signal?: AbortSignal): AsyncGenerator<string> {
    for await (const key of this.all(path, signal)) if (isKey(key)) yield key;
  }

  /** Those, and the empty objects with a "/" at their end that stand for folders, and whatever else there is. */
  async *all(path: string, signal?: AbortSignal): AsyncGenerator<string> {
    const prefix = this.#prefix(path); // some servers list more than they are asked for
    for await (const page of this.#pages(path, "", signal)) {
      for (const key of page.keys) if (key.startsWith(prefix)) yield `/${key.slice(this.#root.length)}`;
    }
  }

  /** The keys below a path as deletions need them; invalid keys are marked, objects that stand for folders omitted. */
  async *everything(path: string, signal?: AbortSignal): AsyncGenerator<StoredEntry[]> {
    for await (const key of this.all(path, signal))
      if (!key.endsWith("/")) yield [{ key, kind: isKey(key) ? "object" : "other" }];
  }

  /** Names of the folders directly below a path. */
  async folders(path: string): Promise<string[]> {
    const names = new Set<string>();
    const below = this.#prefix(path);
    for await (const { prefixes } of this.#pages(path, "/", undefined)) {
      for (const prefix of prefixes) if (prefix.startsWith(below)) names.add(prefix.slice(below.length, -1));
    }
    return [...names].filter(isSegment).sort();
  }

  #prefix(path: string): string {
    const folder = normalizePath(path);
    return this.#root + (folder === "" ? "" : `${folder}/`);
  }

  async *#pages(path: string, delimiter: string, signal: AbortSignal | undefined): AsyncGenerator<Page> {
    let next: string | undefined;
    do {
      const url = new URL(this.#bucket);
      url.search = this.base.search;
      const query = { "list-type": "2", "encoding-type": "url", prefix: this.#prefix(path), delimiter };
      for (const [name, value] of Object.entries(query)) if (value !== "") url.searchParams.set(name, value);
      if (next !== undefined) url.searchParams.set("continuation-token", next);
      const page = parsePage(await this.writer.text(url, maxPageBytes, signal), url);
      if (page.next !== undefined && page.next === next) throw badList(url, "it comes back to the same page");
      next = page.next;
      yield page;
    } while (next !== undefined);
  }
}

/**
 * Parses an answer of ListObjectsV2.
 * @throws Network ("bad-listing") for anything else.
 */
export function parsePage(text: string, url: URL): Page {
  if (!/<ListBucketResult[\s>]/.test(text)) throw badList(url, "it sent something else");
  const isEncoded = /<EncodingType>\s*url\s*<\/EncodingType>/.test(text);
  const decode = (raw: string) => {
    const name = unescapeXml(raw);
    try {
      return isEncoded ? decodeURIComponent(name.replaceAll("+", " ")) : name;
    } catch {
      throw badList(url, `it sent the key ${JSON.stringify(name)}`);
    }
  };
  const all = (element: RegExp) => [...text.matchAll(element)].map(([, raw]) => decode(raw!));
  const isTruncated = /<IsTruncated>\s*true\s*<\/IsTruncated>/.test(text);
  const token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text)?.[1];
  if (isTruncated && !token) throw badList(url, "it does not say where it goes on");
  return {
    keys: all(/<Key>([^<]*)<\/Key>/g),
    prefixes: all(/<CommonPrefixes>\s*<Prefix>([^<]*)<\/Prefix>/g),
    next: isTruncated ? unescapeXml(token!) : undefined,
  };
}

function isKey(key: string): boolean {
  try {
    return `/${normalizePath(key)}` === key && key !== "/";
  } catch {
    return false;
  }
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,4}));/gi, (whole, decimal, hex, name) => {
    if (name) return entities[name] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function badList(url: URL, what: string): Error {
  return networkError(`${url.origin}${url.pathname} was asked for a list of its keys: ${what}`, {
    code: "bad-listing",
  });
}
