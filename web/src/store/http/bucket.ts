/** The keys in a bucket. Spec: Amazon S3 API, ListObjectsV2. */
import { networkError } from "../../util/errors.js";
import { inSlices, type Steps } from "../../util/slices.js";
import type { StoredEntry } from "../deletion.js";
import { isSegment, normalizePath } from "../path.js";
import type { HttpWriter } from "./write.js";

/** A page of at most a thousand keys of at most a kilobyte, percent-encoded. */
const maxPageBytes = 16 * 2 ** 20;

/** Maximum number of consecutive pages without a key below the prefix. Servers send some while they skip deleted keys. */
const maxFruitlessPages = 1000;
/** Maximum length of a key in a page: 1024 bytes, each percent-encoded and with XML entities. */
const maxKeyLength = 2 ** 14;

interface Page {
  keys: string[];
  /** Common prefixes, up to the delimiter and with it. */
  prefixes: string[];
  next: string | undefined;
}

/** Lists keys below a prefix of a bucket. */
export class BucketLister {
  readonly #bucket: URL;
  /** Prefix of the store's keys in the bucket, with a trailing "/"; "" for the whole bucket. */
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

  /** Lists all keys, including empty objects with a trailing "/" that stand for folders. */
  async *all(path: string, signal?: AbortSignal): AsyncGenerator<string> {
    const prefix = this.#prefix(path); // some servers list other keys as well
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
    const prefix = this.#prefix(path);
    const progress = new Progress(prefix);
    let next: string | undefined;
    do {
      const url = new URL(this.#bucket);
      url.search = this.base.search;
      const query = { "list-type": "2", "encoding-type": "url", prefix, delimiter };
      for (const [name, value] of Object.entries(query)) if (value !== "") url.searchParams.set(name, value);
      if (next !== undefined) url.searchParams.set("continuation-token", next);
      const text = await this.writer.text(url, maxPageBytes, signal);
      const page = await inSlices(pageSteps(text, url), signal);
      const stall = progress.checkPage(page);
      if (stall !== undefined) throw badList(url, stall);
      next = page.next;
      yield page;
    } while (next !== undefined);
  }
}

/**
 * Detects listings that never end, in constant memory. Keys may come in any order, as S3 lists directory buckets.
 * Algorithm: Brent's cycle detection.
 */
class Progress {
  #pages = 0;
  #fruitless = 0;
  #token: string | undefined;
  /** An earlier page, replaced at doubling distances so that a cycle of any length meets one. */
  #anchor: { readonly token: string | undefined; readonly names: string } | undefined;

  constructor(private readonly prefix: string) {}

  /** Returns the reason if a page shows that the listing makes no progress. */
  checkPage({ keys, prefixes, next }: Page): string | undefined {
    if (next === undefined) return undefined;
    if (next === this.#token || next === this.#anchor?.token) return "it comes back to the same page";
    this.#token = next;
    const found = [...keys, ...prefixes].filter((name) => name.startsWith(this.prefix));
    if (found.length === 0) {
      if (++this.#fruitless < maxFruitlessPages) return undefined;
      return `${maxFruitlessPages} consecutive pages have no key below ${JSON.stringify(this.prefix)}`;
    }
    this.#fruitless = 0;
    const names = `${found.length} ${found[0]} ${found.at(-1)}`;
    if (names === this.#anchor?.names) return "it lists the same keys again";
    const pages = ++this.#pages;
    if ((pages & (pages - 1)) === 0) this.#anchor = { token: next, names };
    return undefined;
  }
}

/**
 * Parses a response of ListObjectsV2.
 * @throws Network ("bad-listing") for anything else.
 */
export function* pageSteps(text: string, url: URL): Steps<Page> {
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
  function* all(element: RegExp): Steps<string[]> {
    const found: string[] = [];
    for (const [, raw] of text.matchAll(element)) {
      if (raw!.length > maxKeyLength) throw badList(url, `it sent a key of ${raw!.length} characters`);
      found.push(decode(raw!));
      yield;
    }
    return found;
  }
  const isTruncated = /<IsTruncated>\s*true\s*<\/IsTruncated>/.test(text);
  const token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text)?.[1];
  if (isTruncated && !token) throw badList(url, "it is truncated without a continuation token");
  return {
    keys: yield* all(/<Key>([^<]*)<\/Key>/g),
    prefixes: yield* all(/<CommonPrefixes>\s*<Prefix>([^<]*)<\/Prefix>/g),
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
  return networkError(`${url.origin}${url.pathname} did not return a valid list of keys: ${what}`, {
    code: "bad-listing",
  });
}
