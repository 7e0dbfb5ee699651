/**
 * Locations of virtual chunks. Repositories are not trusted: a location is only fetched if the caller has allowed its
 * prefix.
 */

import { utf8Text } from "../../util/bytes.js";
import { invalidArgument, ZarrError } from "../../util/errors.js";
import { type FlexValue, readFlexBuffer } from "./flatbuffer.js";

/** A parsed location outside of the repository. */
export interface Location {
  readonly scheme: string;
  /** Host or bucket. */
  readonly authority: string;
  /** Unescaped, without a leading slash. */
  readonly path: string;
}

/** Aliases of schemes. */
const sameSchemes: Readonly<Record<string, string>> = { gcs: "gs", s3a: "s3" };
const schemes = new Set(["s3", "gs", "az", "abfs", "tigris", "http", "https", "file", "vcc"]);

/** The error for a location that may not be read. */
export function notAllowed(location: string, why: string): ZarrError {
  const name = JSON.stringify(location.slice(0, 500));
  return new ZarrError("NotAllowed", `a virtual chunk at ${name} is not read: ${why}`);
}

/**
 * Parses a location. Decodes escapes once, and drops query and fragment.
 * @throws NotAllowed for other URLs, and for paths that lead upwards.
 */
export function parseLocation(text: string): Location {
  const [, given = "", authority = "", rest = ""] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)\/?([^?#]*)/is.exec(text) ?? [];
  const lower = given.toLowerCase();
  const scheme = sameSchemes[lower] ?? lower;
  if (!schemes.has(scheme)) throw notAllowed(text, "its URL scheme is not supported");
  if (authority.includes("@")) throw notAllowed(text, "it contains a user name");
  const decoded = decodePath(rest);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected
  if (decoded === undefined || /[\\\u0000-\u001f\u007f]/.test(decoded))
    throw notAllowed(text, "its path contains invalid characters");
  const path = scheme === "file" ? resolved(decoded) : decoded;
  if (path === undefined || path.split("/").some((name) => name === "." || name === ".."))
    throw notAllowed(text, 'its path contains ".." segments');
  return { scheme, authority: authority.toLowerCase(), path };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Resolves dots and repeated slashes in the path of a file. */
function resolved(path: string): string | undefined {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return path.endsWith("/") && names.length > 0 ? `${names.join("/")}/` : names.join("/");
}

/** Prefixes that the caller has allowed, each with the target to read instead. */
export class AllowedPrefixes<T> {
  readonly #allowed: readonly { readonly prefix: Location; readonly target: T }[];

  /** @throws InvalidArgument for an invalid prefix. */
  constructor(allowed: Iterable<readonly [prefix: string, target: T]>) {
    this.#allowed = [...allowed].map(([prefix, target]) => ({ prefix: parsePrefix(prefix), target }));
  }

  get isEmpty(): boolean {
    return this.#allowed.length === 0;
  }

  /**
   * Returns the target for a location, and the key in it, with a leading slash.
   * @param containers loads the repository's containers, for locations that name one.
   * @throws NotAllowed.
   */
  async find(
    text: string,
    containers: () => Promise<Containers>,
  ): Promise<{ readonly target: T; readonly key: string; readonly prefix: Location }> {
    const location = parseLocation(text);
    const found = this.#longest(location);
    if (found) return found;
    if (location.scheme === "vcc") {
      // Container names are case-sensitive.
      const name = /^[^:]*:\/\/([^/?#\\]*)/.exec(text)?.[1] ?? "";
      const prefix = (await containers()).get(name);
      if (prefix === undefined || /^vcc:/i.test(prefix))
        throw notAllowed(text, "the repository defines no container of that name");
      const inside = this.#longest(parseLocation(prefix + text.replace(/^[^:]*:\/\/[^/]*\//, "")));
      if (inside) return inside;
    }
    throw notAllowed(text, "no allowed prefix covers it (option `virtual`, --virtual PREFIX=BASE)");
  }

  #longest(location: Location) {
    let best: { prefix: Location; target: T } | undefined;
    for (const candidate of this.#allowed) {
      const { prefix } = candidate;
      const fits =
        prefix.scheme === location.scheme &&
        prefix.authority === location.authority &&
        location.path.startsWith(prefix.path);
      if (fits && (!best || prefix.path.length > best.prefix.path.length)) best = candidate;
    }
    return best && { ...best, key: `/${location.path.slice(best.prefix.path.length)}` };
  }
}

/** Parses a prefix. It ends with a path segment: "s3://a/b" does not allow "s3://a/bc". */
function parsePrefix(text: string): Location {
  let location: Location;
  try {
    location = parseLocation(text);
  } catch (cause) {
    throw invalidArgument(
      `${JSON.stringify(text)} is not a prefix of virtual chunks, such as "s3://bucket/"`,
      { cause },
    );
  }
  const path = location.path === "" || location.path.endsWith("/") ? location.path : `${location.path}/`;
  return { ...location, path };
}

/** URL prefixes of virtual chunk containers, by name: `vcc://NAME/…` refers to one. */
export type Containers = ReadonlyMap<string, string>;

const member = (value: FlexValue | undefined, key: string): FlexValue | undefined =>
  value instanceof Map ? value.get(key) : undefined;

/** Containers of version 2, from the repo file. */
export function containersOfRepo(config: Uint8Array | undefined, name: string): Containers {
  const found = new Map<string, string>();
  if (!config) return found;
  const list = member(readFlexBuffer(config, name), "virtual_chunk_containers");
  for (const container of list instanceof Map ? list.values() : []) {
    const [own, prefix] = [member(container, "name"), member(container, "url_prefix")];
    if (typeof own === "string" && typeof prefix === "string") found.set(own, prefix);
  }
  return found;
}

/**
 * Containers of version 1, from the lines of config.yaml as Icechunk writes it. Other YAML is not understood; callers can
 * pass containers themselves (`virtual: { "vcc://NAME/": … }`).
 */
export function containersOfYaml(config: Uint8Array | undefined): Containers {
  const found = new Map<string, string>();
  let own: string | undefined;
  for (const line of (config && utf8Text(config))?.split("\n") ?? []) {
    const [, key, rest] = /^\s+(name|url_prefix):(.*)$/.exec(line) ?? [];
    const value = rest?.trim() || undefined;
    if (key === "name") own = value && scalar(value);
    if (key !== "url_prefix" || value === undefined || own === undefined) continue;
    found.set(own, scalar(value) ?? "");
    own = undefined;
  }
  return found;
}

/** Parses a plain or quoted scalar of YAML; undefined for null. */
function scalar(text: string): string | undefined {
  if (text === "null" || text === "~") return undefined;
  const quoted = /^(["'])(.*)\1$/.exec(text);
  return quoted ? quoted[2] : text;
}
