/** Opening arrays and groups. */

import { show } from "../codecs/config.js";
import type { ZarrVersion } from "../codecs/definition.js";
import { loadCodecs, namesIn } from "../codecs/lookup.js";
import type { VirtualBase } from "../formats/icechunk/virtual.js";
import { isFolderName } from "../formats/kerchunk/names.js";
import { attributesOf, checkFormat, type DocumentOptions } from "../metadata/document.js";
import {
  v1AttrsKey,
  v1MetaKey,
  v2ArrayKey,
  v2AttributesKey,
  v2ConsolidatedKey,
  v2GroupKey,
  v3Key,
} from "../metadata/keys.js";
import { readDocument } from "../metadata/read-document.js";
import type { ArraySpec, Attributes } from "../metadata/spec.js";
import { parseV3Array, parseV3Group, v3NodeType } from "../metadata/v3.js";
import { handleOf } from "../store/handle.js";
import { HttpStore } from "../store/http/store.js";
import { normalizePath } from "../store/path.js";
import { answerOf, locateKey } from "../store/read.js";
import { type GetOptions, isStore, joinKey, type Store } from "../store/store.js";
import { untilAborted } from "../util/abort.js";
import { checkObject, checkSignalIn } from "../util/arguments.js";
import {
  invalidArgument,
  invalidMetadata,
  isZarrError,
  limitExceeded,
  notFound,
  type OnWarning,
} from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { lazy, preload } from "../util/lazy.js";
import { type Limits, resolveLimits } from "../util/limits.js";
import { isFileUrl } from "../util/platform.js";
import { inSlices, type Steps } from "../util/slices.js";
import { ZarrArray } from "./array.js";
import { kindsOfV2, kindsOfV3 } from "./consolidated-members.js";
import { type Member, type NodeOpener, type NodeOptions, type OpenedNode, ZarrGroup } from "./group.js";

const others = lazy("other kinds of stores", () => import("../formats/part.js"));
const fileSystem = lazy("files", () => import("../store/file/store.js"));
const olderVersions = lazy("Zarr v1 and v2", () => import("../metadata/part.js"));

export interface OpenOptions {
  /** Path of the node below the source. */
  path?: string | undefined;
  /** What it must be; anything else is NotFound. */
  kind?: "array" | "group" | undefined;
  /**
   * Which Zarr version to look for; without it, whatever is there: the version that was last found in this store
   * object; else v3 before v2 before v1, all of which are asked for at once.
   */
  version?: ZarrVersion | undefined;
  signal?: AbortSignal | undefined;
  /**
   * How the chunks of a Zarr v1 array with `order: "F"` and a compressor other than blosc are laid out:
   * "spec" (default) F order, as the specification says; "writer" C order, as zarr-python 1.x wrote them.
   */
  v1Order?: "spec" | "writer" | undefined;
  /**
   * False to leave checksums of the chunks' data unread (crc32c, crc32, adler32, fletcher32,
   * jenkins_lookup3, and those inside gzip, zlib, zstd and xz), for speed: damaged data may then be
   * returned. Sizes, headers and the indexes of shards are checked as ever. Default: true.
   */
  verifyChecksums?: boolean | undefined;
  /** Receives warnings about data that is odd but readable. */
  onWarning?: OnWarning | undefined;
  /** Limits to raise or lower. */
  limits?: Partial<Limits> | undefined;
  /** The newest version of a branch of an Icechunk repository; "main" without `branch`, `tag` and `snapshot`. */
  branch?: string | undefined;
  /** A tag of an Icechunk repository. */
  tag?: string | undefined;
  /** Id of a snapshot of an Icechunk repository. */
  snapshot?: string | undefined;
  /** The last version of the branch that was written at that time or before; a text is read as Date does. */
  asOf?: Date | string | undefined;
  /**
   * Prefixes of the locations of virtual chunks that may be read, each with where that is: a URL, a store, or true for
   * where the prefix says. Nothing else that an Icechunk repository names outside of itself is ever fetched.
   */
  virtual?: Readonly<Record<string, VirtualBase>> | undefined;
}

/** A place to read from: a URL (http, https; file in Node) of a folder or of a .zip archive, or a store. */
export type Source = string | URL | Store;

/**
 * Opens a Zarr array or group of any version.
 * @throws NotFound where the source has none at the path, or not of the kind asked for; InvalidMetadata,
 *   UnknownCodec, Unsupported or LimitExceeded for one that cannot be read; Network for a source that does
 *   not answer well.
 */
export async function open(source: Source, options: OpenOptions & { kind: "array" }): Promise<ZarrArray>;
export async function open(source: Source, options: OpenOptions & { kind: "group" }): Promise<ZarrGroup>;
export async function open(source: Source, options?: OpenOptions): Promise<OpenedNode>;
export async function open(source: Source, options: OpenOptions = {}): Promise<OpenedNode> {
  const unmarked = withoutMark(source);
  const place = placeOf(unmarked ?? source);
  checkOptions(options);
  const path = normalizePath(options.path ?? "");
  options.signal?.throwIfAborted();
  const store = await storeAt(place);
  const { branch, tag, snapshot, asOf } = options;
  if (unmarked !== undefined || [branch, tag, snapshot, asOf].some((version) => version !== undefined)) {
    const { openRepository } = await others();
    return new Opener(await openRepository(store, options), options).open(path, options);
  }
  const named = isNamedReferences(source) ? await (await others()).findReferences(store, options) : undefined;
  const opener = new Opener(named ?? store, options);
  try {
    return await opener.open(path, options);
  } catch (error) {
    if (!opener.mayBeOther(error)) throw error;
    const other = await (await others()).findOther(store, options, error);
    return new Opener(other, options).open(path, options);
  }
}

/** Like {@link open}, of a store that is known to be no Icechunk repository, and so with fewer requests for what is not there. */
export async function openPlain(store: Store, options: OpenOptions & { kind: "array" }): Promise<ZarrArray>;
export async function openPlain(store: Store, options: OpenOptions): Promise<OpenedNode>;
export async function openPlain(store: Store, options: OpenOptions): Promise<OpenedNode> {
  checkOptions(options);
  return new Opener(store, options).open(normalizePath(options.path ?? ""), options);
}

/** What is marked as `icechunk+URL`, without the mark; undefined for other sources. */
function withoutMark(source: Source): string | undefined {
  const text = source instanceof URL ? source.href : source;
  return typeof text === "string" && /^icechunk\+/i.test(text) ? text.slice("icechunk+".length) : undefined;
}

function isNamedReferences(source: Source): boolean {
  if (isStore(source)) return false;
  return isFolderName(new URL(source, globalThis.location?.href).pathname);
}

/** The store of a source. @throws InvalidArgument for what is none. */
export const storeOf = (source: Source): Promise<Store> => storeAt(placeOf(source));

const storeAt = async (place: ReturnType<typeof placeOf>): Promise<Store> =>
  typeof place === "function" ? place() : place;

function checkOptions(options: OpenOptions): void {
  checkSignalIn(options);
  const { version, kind, v1Order, path, verifyChecksums, virtual } = options;
  if (version !== undefined && ![1, 2, 3].includes(version))
    throw invalidArgument(`version must be 1, 2 or 3, not ${show(version)}`);
  if (kind !== undefined && kind !== "array" && kind !== "group")
    throw invalidArgument(`kind must be "array" or "group", not ${show(kind)}`);
  if (v1Order !== undefined && v1Order !== "spec" && v1Order !== "writer") {
    throw invalidArgument(`v1Order must be "spec" or "writer", not ${show(v1Order)}`);
  }
  if (verifyChecksums !== undefined && typeof verifyChecksums !== "boolean")
    throw invalidArgument("verifyChecksums must be a boolean");
  if (path !== undefined && typeof path !== "string") throw invalidArgument("path must be a string");
  if (virtual !== undefined) checkObject(virtual, "virtual");
}

/** The store of a source; a function that makes it, where it is of a kind that is loaded first. */
function placeOf(source: Source): Store | (() => Promise<Store>) {
  if (isStore(source)) return source;
  if (!(typeof source === "string" || source instanceof URL))
    throw invalidArgument("the source must be a URL or a store");
  let url: URL;
  try {
    url = new URL(source, globalThis.location?.href);
  } catch (cause) {
    throw invalidArgument(`"${source}" is not a URL (for folders: FileSystemStore of zarr-wasm/node)`, {
      cause,
    });
  }
  const isHttp = url.protocol === "http:" || url.protocol === "https:";
  if (!isHttp && !isFileUrl(url)) throw invalidArgument(`cannot read from ${url.protocol} URLs`);
  if (/\.(zip|ozx)$/i.test(url.pathname)) return async () => new (await others()).ZipStore(url);
  return isHttp ? new HttpStore(url) : async () => new (await fileSystem()).FileSystemStore(url);
}

/** A document that was looked for: its bytes, undefined for none, or why it could not be read. */
type Found = { readonly bytes: Uint8Array | undefined } | { readonly error: unknown };

/**
 * Opens the nodes of one store. Groups keep theirs, with the documents that consolidated metadata has
 * brought, so that what lies below them is opened without further requests.
 */
export class Opener implements NodeOpener {
  readonly #limits: Limits;
  readonly #options: DocumentOptions;
  /** Documents known from consolidated metadata, by store key. */
  #known = new Map<string, JsonObject>();
  /** Kinds of the nodes in groups that consolidated metadata covers, by the group's path and their names. */
  readonly #members = new Map<string, Map<string, Member["kind"]>>();
  /** Groups whose consolidated metadata was read, and how many writes to the store's metadata there had been. */
  readonly #consolidated = new Set<string>();
  #writes: number;
  #renewing: Promise<unknown> | undefined;

  constructor(
    private readonly store: Store,
    private readonly openOptions: OpenOptions,
  ) {
    this.#limits = resolveLimits(openOptions.limits);
    const { onWarning, verifyChecksums } = openOptions;
    this.#options = { limits: this.#limits, onWarning, verifyChecksums };
    this.#writes = handleOf(store).metadataWrites;
  }

  /** Forgets what consolidated metadata said before this library wrote to the store, and reads it again. */
  async #renew(signal: AbortSignal | undefined): Promise<void> {
    const writes = handleOf(this.store).metadataWrites;
    if (writes !== this.#writes) {
      this.#writes = writes;
      this.#known.clear();
      this.#members.clear();
      // For all who ask meanwhile, whoever gives up.
      const groups = [...this.#consolidated].map((group) => this.#find(group, undefined));
      this.#renewing = Promise.allSettled(groups);
    }
    if (this.#renewing) await untilAborted(this.#renewing, signal);
  }

  /** Kinds of the nodes directly below a group, by name, where consolidated metadata names them. */
  async members(
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Member["kind"]> | undefined> {
    await this.#renew(signal);
    return this.#members.get(path);
  }

  isConsolidated(path: string): boolean {
    return this.#members.has(path);
  }

  /** Opens the node at a path. */
  async open(path: string, { kind, signal }: NodeOptions): Promise<OpenedNode> {
    await this.#renew(signal);
    const node = await this.#find(path, signal, kind);
    signal?.throwIfAborted();
    if (!node) throw this.#notFound(path);
    if (kind !== undefined && node.kind !== kind)
      throw notFound(`there is a Zarr ${node.kind} at "/${path}", not the ${kind} that was asked for`, {
        code: "wrong-kind",
      });
    return node;
  }

  /**
   * Whether the store may hold what is read in another way, of which nothing else can be seen: no Zarr node was found, and
   * none before. Buckets that nobody may list answer with 403 for what is not there.
   */
  mayBeOther(error: unknown): boolean {
    const { version } = this.openOptions;
    const isMissing = isZarrError(error, "NotFound") && error.code === "not-found";
    const isForbidden = isZarrError(error, "Network") && error.status === 403;
    const isReferences = isZarrError(error, "Unsupported") && error.code === "parquet-references";
    // Of archives: one that is not there would be asked for again.
    if ((this.store as { isThere?: boolean }).isThere === false) return false;
    return (
      isReferences ||
      ((isMissing || isForbidden) && version !== 1 && handleOf(this.store).lastVersion === undefined)
    );
  }

  /**
   * Whether there is an array, a group or nothing at a path, without reading more than that needs. A node with
   * invalid metadata counts as nothing, with a warning: the other members of its group are still to be seen.
   */
  async kindOf(path: string, signal: AbortSignal | undefined): Promise<Member["kind"] | undefined> {
    const { v3, v2Array, v2Group } = await this.#documents(path, signal, (version) => version !== 1);
    try {
      const document = objectOf(v3);
      if (document) return v3NodeType(document);
      if (objectOf(v2Array)) return "array";
      return objectOf(v2Group) ? "group" : undefined;
    } catch (error) {
      if (!isZarrError(error, "InvalidMetadata", "LimitExceeded")) throw error;
      this.#options.onWarning?.({ code: "bad-member", message: `"/${path}" is left out: ${error.message}` });
      return undefined;
    }
  }

  /** Looks for what tells which node is at a path: documents of the versions asked for. */
  async #documents(
    path: string,
    signal: AbortSignal | undefined,
    asks: (version: ZarrVersion) => boolean,
    kind?: Member["kind"],
  ) {
    const isKnown = this.#isKnown(path);
    const look = async (version: ZarrVersion, key: string): Promise<Looked> => {
      const known = this.#known.get(joinKey(path, key));
      if (known || isKnown || !this.#wants(version) || !asks(version)) return { object: known };
      return this.#document(path, key, signal);
    };
    const array = look(2, v2ArrayKey);
    // Where there is the array that is asked for, nobody asks whether there is a group; but not one after another
    // where it may all turn out to be of another version.
    const isOnlyV2 = !(this.#wants(3) && asks(3));
    const group = async () => {
      const found = kind === "array" && isOnlyV2 ? await array : {};
      return found.object || found.error !== undefined ? {} : look(2, v2GroupKey);
    };
    const [v3, v2Array, v2Group] = await Promise.all([look(3, v3Key), array, group()]);
    return { v3, v2Array, v2Group };
  }

  #wants(candidate: ZarrVersion): boolean {
    const { version } = this.openOptions;
    return version === undefined || version === candidate;
  }

  /** Whether consolidated metadata has the node at a path. */
  #isKnown(path: string): boolean {
    return [v3Key, v2ArrayKey, v2GroupKey].some((key) => this.#known.has(joinKey(path, key)));
  }

  /** The node at a path: of the version that the store is known to hold, else of the newest that is there. */
  async #find(
    path: string,
    signal: AbortSignal | undefined,
    kind?: Member["kind"],
  ): Promise<OpenedNode | undefined> {
    const { version } = this.openOptions;
    const likely =
      version === undefined && !this.#isKnown(path) ? handleOf(this.store).lastVersion : undefined;
    if (likely === undefined) return this.#findOf(path, signal, () => true, kind);
    return (
      (await this.#findOf(path, signal, (candidate) => candidate === likely, kind)) ??
      (await this.#findOf(path, signal, (candidate) => candidate !== likely, kind))
    );
  }

  /** The node at a path, of the newest version that is there and that `asks` allows. */
  async #findOf(
    path: string,
    signal: AbortSignal | undefined,
    asks: (version: ZarrVersion) => boolean,
    kind: Member["kind"] | undefined,
  ): Promise<OpenedNode | undefined> {
    const asksV1 = asks(1) && this.#wants(1) && !this.#isKnown(path);
    const v1 = asksV1 ? this.#look(path, v1MetaKey, signal) : undefined;
    const { v3, v2Array, v2Group } = await this.#documents(path, signal, asks, kind);
    // A node of an older version is only believed where the newer ones are surely not there.
    const v3Document = objectOf(v3);
    if (v3Document) return this.#openV3(path, v3Document, signal);
    const v2Document = objectOf(v2Array);
    if (v2Document) return this.#openV2Array(path, v2Document, signal);
    const groupDocument = objectOf(v2Group);
    if (groupDocument) return this.#openV2Group(path, groupDocument, signal);
    const meta = v1 && bytesOf(await v1);
    return meta && this.#openV1(path, meta, signal);
  }

  /** A version that the caller has asked for says nothing of what else the store holds. */
  #remember(version: ZarrVersion): void {
    if (this.openOptions.version === undefined) handleOf(this.store).lastVersion = version;
  }

  #array(path: string, spec: ArraySpec): ZarrArray {
    this.#remember(spec.zarrFormat);
    return new ZarrArray(this.store, path, spec, this.#limits);
  }

  #group(path: string, version: 2 | 3, attributes: Attributes): ZarrGroup {
    this.#remember(version);
    return new ZarrGroup(this.store, path, version, attributes, this);
  }

  async #openV3(path: string, object: JsonObject, signal: AbortSignal | undefined): Promise<OpenedNode> {
    if (v3NodeType(object) === "array") return this.#array(path, await parseV3Array(object, this.#options));
    const { attributes, consolidated } = parseV3Group(object, this.#options);
    // zarr-python gives groups in consolidated metadata an empty one of their own.
    if (!this.#isKnown(path) && consolidated) {
      const kinds = await inSlices(kindsOfV3(consolidated), signal);
      const documentsAt = (below: string) => [[v3Key, consolidated.get(below)] as const];
      await inSlices(this.#keepConsolidated(path, kinds, documentsAt), signal);
    }
    return this.#group(path, 3, attributes);
  }

  async #openV2Array(path: string, object: JsonObject, signal: AbortSignal | undefined): Promise<ZarrArray> {
    // At the same time, as far as can be told before the document is read.
    preload(() => loadCodecs(namesIn([object["compressor"], object["filters"]].flat(), 0), 2));
    const [attributes, { parseV2Array }] = await Promise.all([
      this.#v2Attributes(path, signal),
      olderVersions(),
    ]);
    return this.#array(path, await parseV2Array(object, attributes, this.#options));
  }

  async #openV2Group(path: string, object: JsonObject, signal: AbortSignal | undefined): Promise<ZarrGroup> {
    checkFormat(object, 2, v2GroupKey);
    this.#remember(2); // whatever becomes of what else there is
    // What came from consolidated metadata lies below a group that was opened already.
    const [attributes] = await Promise.all([
      this.#v2Attributes(path, signal),
      this.#isKnown(path) ? undefined : this.#v2Consolidated(path, signal),
    ]);
    return this.#group(path, 2, attributes);
  }

  async #v2Attributes(path: string, signal: AbortSignal | undefined) {
    const key = joinKey(path, v2AttributesKey);
    const known = this.#known.get(key);
    if (known) return attributesOf(known, v2AttributesKey);
    // Consolidated metadata names every document: attributes that it lacks are none.
    if (this.#isKnown(path)) return attributesOf(undefined, v2AttributesKey);
    const bytes = await this.#bytes(path, v2AttributesKey, signal);
    const document = bytes && (await readDocument(bytes, v2AttributesKey, this.#options, signal));
    return attributesOf(document, v2AttributesKey);
  }

  /** Reads `.zmetadata`, and keeps its documents. */
  async #v2Consolidated(path: string, signal: AbortSignal | undefined): Promise<void> {
    const [found, { parseV2Consolidated }] = await Promise.all([
      this.#look(path, v2ConsolidatedKey, signal),
      olderVersions(),
    ]);
    const documents = await parseV2Consolidated(() => bytesOf(found), this.#options, signal);
    if (!documents) return;
    const kinds = await inSlices(kindsOfV2(documents), signal);
    const names = [v2ArrayKey, v2GroupKey, v2AttributesKey];
    const documentsAt = (below: string) =>
      names.map((name) => [name, documents.get(`${below}/${name}`)] as const);
    await inSlices(this.#keepConsolidated(path, kinds, documentsAt), signal);
  }

  /**
   * Keeps consolidated metadata: the documents of the nodes below a group, and the members of each group. Callers see
   * all of it or nothing.
   */
  *#keepConsolidated(
    path: string,
    kinds: ReadonlyMap<string, Member["kind"]>,
    documentsAt: (below: string) => readonly (readonly [key: string, document: JsonObject | undefined])[],
  ): Steps<void> {
    const known = new Map<string, JsonObject>();
    const members = new Map([[path, new Map<string, Member["kind"]>()]]);
    const nodeAt = (below: string) => (path === "" ? below : `${path}/${below}`);
    for (const [below, kind] of kinds) {
      const node = nodeAt(below);
      if (kind === "group") members.set(node, new Map());
      for (const [key, document] of documentsAt(below)) if (document) known.set(joinKey(node, key), document);
      yield;
    }
    for (const [below, kind] of kinds) {
      const node = nodeAt(below);
      const end = node.lastIndexOf("/");
      // What lies in a group that is not named has no place among the members.
      members.get(node.slice(0, Math.max(0, end)))?.set(node.slice(end + 1), kind);
      yield;
    }
    this.#consolidated.add(path);
    if (this.#known.size === 0) this.#known = known;
    else for (const [key, document] of known) this.#known.set(key, document);
    for (const [group, nodes] of members) this.#members.set(group, nodes);
  }

  async #openV1(path: string, meta: Uint8Array, signal: AbortSignal | undefined): Promise<ZarrArray> {
    const [attributes, { parseV1 }] = await Promise.all([
      this.#bytes(path, v1AttrsKey, signal),
      olderVersions(),
    ]);
    const options = { ...this.#options, order: this.openOptions.v1Order ?? "spec" } as const;
    return this.#array(path, await parseV1(meta, attributes, options));
  }

  /** Looks for a document; trouble is kept for when it matters. */
  async #document(path: string, key: string, signal: AbortSignal | undefined): Promise<Looked> {
    try {
      const bytes = await this.#bytes(path, key, signal);
      return { object: bytes && (await readDocument(bytes, key, this.#options, signal)) };
    } catch (error) {
      return { error };
    }
  }

  /** Looks for bytes under a key; trouble is kept for when it matters. */
  async #look(path: string, key: string, signal: AbortSignal | undefined): Promise<Found> {
    try {
      return { bytes: await this.#bytes(path, key, signal) };
    } catch (error) {
      return { error };
    }
  }

  async #bytes(path: string, key: string, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const full = joinKey(path, key);
    const { metadataBytes } = this.#limits;
    const bytes = await this.#stored(full, { signal, maxBytes: metadataBytes });
    if (bytes && bytes.byteLength > metadataBytes)
      throw limitExceeded(`${full} has ${bytes.byteLength} bytes, more than the limit of ${metadataBytes}`);
    return bytes;
  }

  /** A page that a server sends in place of a document is a document that is not valid. */
  async #stored(key: string, options: GetOptions): Promise<Uint8Array | undefined> {
    const { store } = this;
    try {
      return await answerOf(store, key, () => store.get(key, options), options.signal);
    } catch (error) {
      if (!isZarrError(error, "Network") || error.code !== "html-page") throw error;
      const name = key.slice(key.lastIndexOf("/") + 1);
      const details = { code: "not-json", status: error.status, cause: error };
      throw invalidMetadata(`${name} is not valid JSON: ${error.message}`, details);
    }
  }

  #notFound(path: string) {
    const { version } = this.openOptions;
    const keys: Record<ZarrVersion, readonly string[]> = {
      3: [v3Key],
      2: [v2ArrayKey, v2GroupKey],
      1: [v1MetaKey],
    };
    const looked = version === undefined ? [...keys[3], ...keys[2], ...keys[1]] : keys[version];
    const names = looked.map((key) => locateKey(this.store, joinKey(path, key)));
    return notFound(`no Zarr array or group found: there is no ${names.join(", no ")}`);
  }
}

/** A document that was looked for: parsed, undefined for none, or why it could not be read. */
type Looked =
  | { readonly object?: JsonObject | undefined; readonly error?: never }
  | { readonly error: unknown; readonly object?: never };

function objectOf(looked: Looked): JsonObject | undefined {
  if ("error" in looked && looked.error !== undefined) throw looked.error;
  return looked.object;
}

function bytesOf(found: Found): Uint8Array | undefined {
  if ("error" in found) throw found.error;
  return found.bytes;
}
