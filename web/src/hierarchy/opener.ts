/** Finds the Zarr version of nodes, reads their metadata documents and opens them; options of `open`. */

import { formatValue, type ZarrVersion } from "../codecs/definition.js";
import { loadCodecs, namesIn } from "../codecs/lookup.js";
import type { VirtualBase } from "../formats/icechunk/virtual.js";
import {
  type Attributes,
  checkFormat,
  type DocumentOptions,
  plainAttributes,
  readDocument,
  v1AttrsKey,
  v1MetaKey,
  v2ArrayKey,
  v2AttributesKey,
  v2ConsolidatedKey,
  v2GroupKey,
  v3Key,
} from "../metadata/document.js";
import type { ArraySpec } from "../metadata/spec.js";
import { parseV3Array, parseV3Group, v3NodeType } from "../metadata/v3.js";
import { handleOf } from "../store/handle.js";
import { callStore, locateKey } from "../store/read.js";
import { joinKey, type Store, type StoreGetOptions } from "../store/store.js";
import { checkObject, checkSignalIn, type OptionNames } from "../util/arguments.js";
import { untilAborted } from "../util/async.js";
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
import { allowListeners } from "../util/platform.js";
import { inSlices } from "../util/slices.js";
import { ZarrArray } from "./array.js";
import {
  ConsolidatedNodes,
  type Member,
  type NodeOpener,
  type NodeOptions,
  type OpenedNode,
  ZarrGroup,
} from "./group.js";

export interface OpenOptions {
  /** Path of the node below the source. */
  path?: string | undefined;
  /** Expected kind of the node; any other kind is NotFound. */
  kind?: "array" | "group" | undefined;
  /**
   * Zarr version to look for. Default: the version last found in this store object, if any; otherwise v3 and
   * v2 are requested at the same time, then v1, and the newest one that exists is opened.
   */
  version?: ZarrVersion | undefined;
  /**
   * Whether to look for an Icechunk repository or kerchunk references if there are no Zarr documents. Default: true.
   */
  otherFormats?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Layout of the chunks of a Zarr v1 array with `order: "F"` and a compressor other than blosc: "spec"
   * (default) is F order, as specified; "writer" is C order, as zarr-python 1.x wrote them.
   */
  v1Order?: "spec" | "writer" | undefined;
  /**
   * Whether to verify checksums of chunk data (crc32c, crc32, adler32, fletcher32, jenkins_lookup3, and those
   * inside gzip, zlib, zstd and xz). False is faster and may return damaged data; sizes, headers and shard
   * indexes are still checked. Default: true.
   */
  verifyChecksums?: boolean | undefined;
  /** Receives warnings about data that is readable but not as specified. */
  onWarning?: OnWarning | undefined;
  /** Limits that differ from the defaults. */
  limits?: Partial<Limits> | undefined;
  /** Branch of an Icechunk repository, whose newest version is opened. Default: "main". */
  branch?: string | undefined;
  /** A tag of an Icechunk repository. */
  tag?: string | undefined;
  /** Snapshot id of an Icechunk repository. */
  snapshot?: string | undefined;
  /**
   * Opens the last version of the branch that was written at or before this time. Strings are parsed by
   * `Date`.
   */
  asOf?: Date | string | undefined;
  /**
   * Location prefixes of the virtual chunks that may be read from an Icechunk repository, each with the URL
   * or store to read them from; true reads from the prefix itself. Other locations outside of the repository
   * are never fetched.
   */
  virtual?: Readonly<Record<string, VirtualBase>> | undefined;
}

const openOptions: OptionNames<OpenOptions> = {
  path: true,
  kind: true,
  version: true,
  otherFormats: true,
  signal: true,
  v1Order: true,
  verifyChecksums: true,
  onWarning: true,
  limits: true,
  branch: true,
  tag: true,
  snapshot: true,
  asOf: true,
  virtual: true,
};

/** @throws InvalidArgument */
export function checkOpenOptions(options: OpenOptions): void {
  checkSignalIn(options, openOptions);
  const { version, kind, v1Order, path, otherFormats, verifyChecksums, virtual } = options;
  if (version !== undefined && ![1, 2, 3].includes(version))
    throw invalidArgument(`version must be 1, 2 or 3, not ${formatValue(version)}`);
  if (kind !== undefined && kind !== "array" && kind !== "group")
    throw invalidArgument(`kind must be "array" or "group", not ${formatValue(kind)}`);
  if (v1Order !== undefined && v1Order !== "spec" && v1Order !== "writer") {
    throw invalidArgument(`v1Order must be "spec" or "writer", not ${formatValue(v1Order)}`);
  }
  if (verifyChecksums !== undefined && typeof verifyChecksums !== "boolean")
    throw invalidArgument("verifyChecksums must be a boolean");
  if (otherFormats !== undefined && typeof otherFormats !== "boolean")
    throw invalidArgument("otherFormats must be a boolean");
  if (path !== undefined && typeof path !== "string") throw invalidArgument("path must be a string");
  if (virtual !== undefined) checkObject(virtual, "virtual");
}

const olderVersions = lazy("Zarr v1 and v2", () => import("../metadata/part.js"));

/**
 * Opens the nodes of one store. Groups keep their opener with its consolidated metadata, so that the nodes
 * below them are opened without further requests.
 */
export class Opener implements NodeOpener {
  readonly #options: DocumentOptions;
  readonly #documents: MetadataReader;
  readonly #consolidated = new ConsolidatedNodes();
  /** Number of writes to the store's metadata when the consolidated metadata was read. */
  #writes: number;
  #renewing: Promise<unknown> | undefined;

  constructor(
    private readonly store: Store,
    private readonly openOptions: OpenOptions,
  ) {
    const { onWarning, verifyChecksums } = openOptions;
    this.#options = { limits: resolveLimits(openOptions.limits), onWarning, verifyChecksums };
    this.#documents = new MetadataReader(store, this.#options);
    this.#writes = handleOf(store).metadataWrites;
  }

  /** Reads consolidated metadata again if this library has written to the store's metadata since. */
  async #renew(signal: AbortSignal | undefined): Promise<void> {
    const writes = handleOf(this.store).metadataWrites;
    if (writes !== this.#writes) {
      this.#writes = writes;
      this.#consolidated.clear();
      // Shared by concurrent calls: aborting one of them must not abort the others.
      const groups = [...this.#consolidated.groups].map((group) => this.#find(group, undefined));
      this.#renewing = Promise.allSettled(groups);
    }
    if (this.#renewing) await untilAborted(this.#renewing, signal);
  }

  /** Returns the kinds of the nodes directly below a group, by name, if consolidated metadata lists them. */
  async members(
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Member["kind"]> | undefined> {
    await this.#renew(signal);
    return this.#consolidated.members(path);
  }

  isConsolidated(path: string): boolean {
    return this.#consolidated.members(path) !== undefined;
  }

  /** Opens the node at a path. */
  async open(path: string, { kind, signal, version }: NodeOptions): Promise<OpenedNode> {
    await this.#renew(signal);
    const node = await this.#find(path, signal, kind, version);
    signal?.throwIfAborted();
    if (!node) throw this.#notFound(path, version);
    if (kind !== undefined && node.kind !== kind)
      throw notFound(
        `expected ${kind === "array" ? "an array" : "a group"}, found a Zarr ${node.kind} at "/${path}"`,
        {
          code: "wrong-kind",
        },
      );
    return node;
  }

  /**
   * Whether the store may hold another format than Zarr: no Zarr node was found now or before. Buckets that
   * do not allow listing answer with 403 for missing keys.
   */
  mayHoldOther(error: unknown): boolean {
    const { version } = this.openOptions;
    const isMissing = isZarrError(error, "NotFound") && error.code === "not-found";
    const isForbidden = isZarrError(error, "Network") && error.status === 403;
    const isReferences = isZarrError(error, "Unsupported") && error.code === "parquet-references";
    // A missing archive would be requested again.
    if ((this.store as { isThere?: boolean }).isThere === false) return false;
    return (
      isReferences ||
      ((isMissing || isForbidden) && version !== 1 && handleOf(this.store).lastVersion === undefined)
    );
  }

  /**
   * Returns the kind of the node at a path, undefined for none; reads only the documents that decide it. A
   * node with invalid or unsupported metadata counts as missing, with a warning, so that the other members of its group can
   * be listed.
   */
  async kindOf(path: string, signal: AbortSignal | undefined): Promise<Member["kind"] | undefined> {
    const others = spareSignal(signal);
    const { v3, v2Array, v2Group } = this.#lookAt(path, signal, others.signal, (version) => version !== 1);
    try {
      const document = await v3;
      if (document) return v3NodeType(document);
      if (await v2Array) return "array";
      return (await v2Group) ? "group" : undefined;
    } catch (error) {
      if (!isZarrError(error, "InvalidMetadata", "LimitExceeded", "Unsupported")) throw error;
      this.#options.onWarning?.({ code: "bad-member", message: `"/${path}" is left out: ${error.message}` });
      return undefined;
    } finally {
      others.end();
    }
  }

  /**
   * Requests the documents of the wanted versions that show which node is at a path, all at the same time. An error
   * counts only if its document is awaited: that of another version may be the one that decides.
   * @param others signal of the requests that do not matter if there is a document of v3.
   */
  #lookAt(
    path: string,
    signal: Signal,
    others: Signal,
    asks: (version: ZarrVersion) => boolean,
    kind?: Member["kind"],
  ) {
    const isKnown = this.#consolidated.hasNode(path);
    const look = async (version: ZarrVersion, key: string): Promise<JsonObject | undefined> => {
      const known = this.#consolidated.document(path, key);
      if (known || isKnown || !this.#wants(version) || !asks(version)) return known;
      return this.#documents.read(path, key, version === 3 ? signal : others);
    };
    const array = look(2, v2ArrayKey);
    // If a v2 array is wanted, `.zgroup` is requested only after `.zarray` was not found. If v3 is wanted as
    // well, the extra round trip would cost more than the request.
    const isOnlyV2 = !(this.#wants(3) && asks(3));
    const isMissing = kind !== "array" || !isOnlyV2 || array.then((found) => !found);
    const group = async () => ((await isMissing) ? look(2, v2GroupKey) : undefined);
    return { v3: quiet(look(3, v3Key)), v2Array: quiet(array), v2Group: quiet(group()) };
  }

  /**
   * Requests the other documents of a v2 node together with the one that shows its kind. Only if no v3 node is looked
   * for: most nodes would not need them.
   */
  #lookBeside(path: string, others: Signal, kind: Member["kind"] | undefined): BesideV2 {
    return {
      attributes: quiet(this.#documents.read(path, v2AttributesKey, others)),
      consolidated:
        kind === "group" ? quiet(this.#documents.readBytes(path, v2ConsolidatedKey, others)) : undefined,
    };
  }

  #wants(candidate: ZarrVersion): boolean {
    const { version } = this.openOptions;
    return version === undefined || version === candidate;
  }

  /**
   * Returns the node at a path, of the version last found in the store, or else of the newest version that
   * exists.
   */
  async #find(
    path: string,
    signal: AbortSignal | undefined,
    kind?: Member["kind"],
    version = this.openOptions.version,
  ): Promise<OpenedNode | undefined> {
    const likely =
      version === undefined && !this.#consolidated.hasNode(path)
        ? handleOf(this.store).lastVersion
        : undefined;
    if (likely === undefined)
      return this.#findOf(path, signal, (candidate) => candidate === (version ?? candidate), kind);
    return (
      (await this.#findOf(path, signal, (candidate) => candidate === likely, kind)) ??
      (await this.#findOf(path, signal, (candidate) => candidate !== likely, kind))
    );
  }

  /** Returns the node at a path, of the newest version that exists and that `asks` allows. */
  async #findOf(
    path: string,
    signal: AbortSignal | undefined,
    asks: (version: ZarrVersion) => boolean,
    kind: Member["kind"] | undefined,
  ): Promise<OpenedNode | undefined> {
    const requests = (version: ZarrVersion) =>
      asks(version) && this.#wants(version) && !this.#consolidated.hasNode(path);
    const others = spareSignal(signal);
    try {
      const { v3, v2Array, v2Group } = this.#lookAt(path, signal, others.signal, asks, kind);
      const beside =
        requests(2) && !requests(3) ? this.#lookBeside(path, others.signal, kind) : ({} as BesideV2);
      // An older version is used only if documents of the newer ones are known not to exist.
      const v3Document = await v3;
      if (v3Document) {
        others.end();
        return await this.#openV3(path, v3Document, signal);
      }
      const v2Document = await v2Array;
      if (v2Document) return await this.#openV2Array(path, v2Document, beside, signal);
      const groupDocument = await v2Group;
      if (groupDocument) return await this.#openV2Group(path, groupDocument, beside, signal);
      // Rare, and requested only if the others are missing.
      const meta = requests(1) ? await this.#documents.readBytes(path, v1MetaKey, signal) : undefined;
      return meta && (await this.#openV1(path, meta, signal));
    } finally {
      others.end();
    }
  }

  /** Remembers the version for later calls, unless the caller chose it: then the store may hold others. */
  #remember(version: ZarrVersion): void {
    if (this.openOptions.version === undefined) handleOf(this.store).lastVersion = version;
  }

  #array(path: string, spec: ArraySpec): ZarrArray {
    this.#remember(spec.zarrFormat);
    return new ZarrArray(this.store, path, spec, this.#options.limits);
  }

  #group(path: string, version: 2 | 3, attributes: Attributes): ZarrGroup {
    this.#remember(version);
    return new ZarrGroup(this.store, path, version, attributes, this);
  }

  async #openV3(path: string, object: JsonObject, signal: AbortSignal | undefined): Promise<OpenedNode> {
    if (v3NodeType(object) === "array") return this.#array(path, await parseV3Array(object, this.#options));
    const { attributes, consolidated } = parseV3Group(object, this.#options);
    // Inside consolidated metadata, zarr-python adds empty consolidated metadata to every group.
    if (!this.#consolidated.hasNode(path) && consolidated)
      await inSlices(this.#consolidated.addV3(path, consolidated), signal);
    return this.#group(path, 3, attributes);
  }

  async #openV2Array(
    path: string,
    object: JsonObject,
    { attributes: early }: BesideV2,
    signal: Signal,
  ): Promise<ZarrArray> {
    // Starts loading codecs before the document is parsed and the other requests are answered.
    preload(() => loadCodecs(namesIn([object["compressor"], object["filters"]].flat(), 0), 2));
    const [attributes, { parseV2Array }] = await Promise.all([
      this.#v2Attributes(path, early, signal),
      olderVersions(),
    ]);
    return this.#array(path, await parseV2Array(object, attributes, this.#options));
  }

  async #openV2Group(
    path: string,
    object: JsonObject,
    { attributes: early, consolidated }: BesideV2,
    signal: Signal,
  ): Promise<ZarrGroup> {
    checkFormat(object, 2, v2GroupKey);
    this.#remember(2); // even if the other documents cannot be read
    // A node known from consolidated metadata is below the group that holds that metadata.
    const [attributes] = await Promise.all([
      this.#v2Attributes(path, early, signal),
      this.#consolidated.hasNode(path) ? undefined : this.#v2Consolidated(path, consolidated, signal),
    ]);
    return this.#group(path, 2, attributes);
  }

  /** @param early the document if it was requested before. */
  async #v2Attributes(path: string, early: BesideV2["attributes"], signal: Signal) {
    // Consolidated metadata lists every document: a node without `.zattrs` there has no attributes.
    const document = this.#consolidated.hasNode(path)
      ? this.#consolidated.document(path, v2AttributesKey)
      : await (early ?? this.#documents.read(path, v2AttributesKey, signal));
    return plainAttributes(document, v2AttributesKey);
  }

  /** Reads `.zmetadata`. @param early the document if it was requested before. */
  async #v2Consolidated(path: string, early: BesideV2["consolidated"], signal: Signal): Promise<void> {
    const bytes = early ?? quiet(this.#documents.readBytes(path, v2ConsolidatedKey, signal));
    const { parseV2Consolidated } = await olderVersions();
    const documents = await parseV2Consolidated(bytes, this.#options, signal);
    if (documents) await inSlices(this.#consolidated.addV2(path, documents), signal);
  }

  async #openV1(path: string, meta: Uint8Array, signal: AbortSignal | undefined): Promise<ZarrArray> {
    const [attributes, { parseV1 }] = await Promise.all([
      this.#documents.readBytes(path, v1AttrsKey, signal),
      olderVersions(),
    ]);
    const options = { ...this.#options, order: this.openOptions.v1Order ?? "spec" } as const;
    return this.#array(path, await parseV1(meta, attributes, options));
  }

  #notFound(path: string, version = this.openOptions.version) {
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

/** Documents of a v2 node that were requested before its kind was known. */
interface BesideV2 {
  readonly attributes?: Promise<JsonObject | undefined>;
  readonly consolidated?: Promise<Uint8Array | undefined> | undefined;
}

/** Returns a promise whose rejection counts only if it is awaited. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Returns a signal that follows another one and can also be aborted by `end`. */
function spareSignal(signal: Signal): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const forward = () => controller.abort(signal?.reason);
  if (signal) allowListeners(signal); // nodes may be opened in parallel
  signal?.addEventListener("abort", forward, { once: true });
  const end = () => {
    signal?.removeEventListener("abort", forward);
    controller.abort();
  };
  return { signal: controller.signal, end };
}

type Signal = AbortSignal | undefined;

/** Reads metadata documents of one store, at most `limits.metadataBytes` each. */
class MetadataReader {
  constructor(
    private readonly store: Store,
    private readonly options: DocumentOptions,
  ) {}

  /** Returns the parsed document; undefined if it does not exist. */
  async read(path: string, key: string, signal: Signal): Promise<JsonObject | undefined> {
    const bytes = await this.readBytes(path, key, signal);
    return bytes && readDocument(bytes, key, this.options, signal);
  }

  async readBytes(path: string, key: string, signal: Signal): Promise<Uint8Array | undefined> {
    const full = joinKey(path, key);
    const { metadataBytes } = this.options.limits;
    const bytes = await this.#stored(full, { signal, maxBytes: metadataBytes });
    if (bytes && bytes.byteLength > metadataBytes)
      throw limitExceeded(`${full} has ${bytes.byteLength} bytes, more than the limit of ${metadataBytes}`);
    return bytes;
  }

  /** An HTML page that a server sends instead of a document counts as invalid metadata. */
  async #stored(key: string, options: StoreGetOptions): Promise<Uint8Array | undefined> {
    const { store } = this;
    try {
      return await callStore(store, key, () => store.get(key, options), options.signal);
    } catch (error) {
      if (!isZarrError(error, "Network") || error.code !== "html-page") throw error;
      const name = key.slice(key.lastIndexOf("/") + 1);
      const details = { code: "not-json" as const, status: error.status, cause: error };
      throw invalidMetadata(`${name} is not valid JSON: ${error.message}`, details);
    }
  }
}
