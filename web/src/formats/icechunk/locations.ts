/**
 * Locations of virtual chunks, and what of them may be read. A repository is somebody else's document: nothing that it
 * names is fetched unless the caller has allowed the prefix.
 */

import { invalidArgument, ZarrError } from "../../util/errors.js";
import { utf8 } from "./flatbuffer.js";
import { type FlexValue, readFlexBuffer } from "./flexbuffer.js";

/** A place outside of the repository, taken apart. */
export interface Location {
  readonly scheme: string;
  /** Host or bucket. */
  readonly authority: string;
  /** Without escapes, and without the slash before it. */
  readonly path: string;
}

/** Schemes by which writers name the same kind of place. */
const sameSchemes: Readonly<Record<string, string>> = { gcs: "gs", s3a: "s3" };
const schemes = new Set(["s3", "gs", "az", "abfs", "tigris", "http", "https", "file", "vcc"]);

/** The error of a reference to where nothing may be read. */
export function notAllowed(location: string, why: string): ZarrError {
  const name = JSON.stringify(location.slice(0, 500));
  return new ZarrError("NotAllowed", `a virtual chunk at ${name} is not read: ${why}`);
}

/**
 * Takes a location apart. Escapes are resolved once; a query or fragment is dropped.
 * @throws NotAllowed for what is no such URL, and for paths that lead upwards.
 */
export function parseLocation(text: string): Location {
  const [, given = "", authority = "", rest = ""] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)\/?([^?#]*)/is.exec(text) ?? [];
  const lower = given.toLowerCase();
  const scheme = sameSchemes[lower] ?? lower;
  if (!schemes.has(scheme)) throw notAllowed(text, "it is no URL of a kind that can be read");
  if (authority.includes("@")) throw notAllowed(text, "it holds a user's name");
  const decoded = decodePath(rest);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is being refused
  if (decoded === undefined || /[\\\u0000-\u001f\u007f]/.test(decoded))
    throw notAllowed(text, "its path holds what no path may");
  const path = scheme === "file" ? resolved(decoded) : decoded;
  if (path === undefined || path.split("/").some((name) => name === "." || name === ".."))
    throw notAllowed(text, "its path leads upwards");
  return { scheme, authority: authority.toLowerCase(), path };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Paths of files, in which dots and doubled slashes have their meaning. */
function resolved(path: string): string | undefined {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return path.endsWith("/") && names.length > 0 ? `${names.join("/")}/` : names.join("/");
}

/** Prefixes that the caller has allowed, each with what is to be read in its place. */
export class AllowedPrefixes<T> {
  readonly #allowed: readonly { readonly prefix: Location; readonly target: T }[];

  /** @throws InvalidArgument for what is no prefix. */
  constructor(allowed: Iterable<readonly [prefix: string, target: T]>) {
    this.#allowed = [...allowed].map(([prefix, target]) => ({ prefix: prefixOf(prefix), target }));
  }

  get isEmpty(): boolean {
    return this.#allowed.length === 0;
  }

  /**
   * What holds a location, and under which key (with a slash at its start).
   * @param containers gives the repository's own names of places, where one is needed.
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
      // Names have upper and lower case to the repository.
      const name = /^[^:]*:\/\/([^/?#\\]*)/.exec(text)?.[1] ?? "";
      const prefix = (await containers()).get(name);
      if (prefix === undefined || /^vcc:/i.test(prefix))
        throw notAllowed(text, "the repository does not say what that name stands for");
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

/** A prefix ends where a name ends: "s3://a/b" does not allow "s3://a/bc". */
function prefixOf(text: string): Location {
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

/** Prefixes of URLs, by the names of containers. */
export type Containers = ReadonlyMap<string, string>;

const member = (value: FlexValue | undefined, key: string): FlexValue | undefined =>
  value instanceof Map ? value.get(key) : undefined;

/** Of version 2: from the repo file. */
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
 * Of version 1: from config.yaml, as Icechunk writes it, by lines. What is written in another way is not found, and
 * can be named by the caller (`virtual: { "vcc://NAME/": … }`).
 */
export function containersOfYaml(config: Uint8Array | undefined): Containers {
  const found = new Map<string, string>();
  let own: string | undefined;
  for (const line of (config && utf8(config))?.split("\n") ?? []) {
    const [, key, rest] = /^\s+(name|url_prefix):(.*)$/.exec(line) ?? [];
    const value = rest?.trim() || undefined;
    if (key === "name") own = value && scalar(value);
    if (key !== "url_prefix" || value === undefined || own === undefined) continue;
    found.set(own, scalar(value) ?? "");
    own = undefined;
  }
  return found;
}

/** A plain or quoted text of YAML; undefined for null. */
function scalar(text: string): string | undefined {
  if (text === "null" || text === "~") return undefined;
  const quoted = /^(["'])(.*)\1$/.exec(text);
  return quoted ? quoted[2] : text;
}
