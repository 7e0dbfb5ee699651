/** zarrita's `open` and `create`. */

import type { ZarrVersion } from "../../codecs/definition.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { openPlain } from "../../hierarchy/open.js";
import { handleOf } from "../../store/handle.js";
import { normalizePath } from "../../store/path.js";
import { locateKey } from "../../store/read.js";
import type { Store, StoreGetOptions } from "../../store/store.js";
import { checkObject } from "../../util/arguments.js";
import { describeValue, invalidArgument, isZarrError } from "../../util/errors.js";
import { InvalidMetadataError, NotFoundError, withZarritaErrors } from "./errors.js";
import { extended } from "./extensions.js";
import { type Location, toLocation, ZarritaArray, ZarritaGroup } from "./nodes.js";
import { zarritaPart } from "./registry.js";
import type { CreateArrayOptions, CreateGroupOptions, DataType, Mutable, Readable } from "./types.js";

export interface OpenOptions {
  kind?: "array" | "group" | undefined;
  /** Reads the attributes of a v2 node, which are a separate document. Default: true. */
  attrs?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

type Node<Store extends Readable> = ZarritaArray<DataType, Store> | ZarritaGroup<Store>;

/** Opens the node at a location, of one Zarr version. */
interface OpenVersion {
  <Store extends Readable>(
    location: Location<Store> | Store,
    options: OpenOptions & { kind: "group" },
  ): Promise<ZarritaGroup<Store>>;
  <Store extends Readable>(
    location: Location<Store> | Store,
    options: OpenOptions & { kind: "array" },
  ): Promise<ZarritaArray<DataType, Store>>;
  <Store extends Readable>(location: Location<Store> | Store, options?: OpenOptions): Promise<Node<Store>>;
}

const opener = (version: ZarrVersion): OpenVersion =>
  (async <S extends Readable>(location: Location<S> | S, options: OpenOptions = {}) => {
    const { store, path } = toLocation(location);
    checkObject(options, "options of open");
    if (!["array", "group", undefined].includes(options.kind))
      throw invalidArgument(`kind must be "array" or "group", got ${describeValue(options.kind)}`);
    const node = await withZarritaErrors(path, () => openAt(store, path, version, options));
    handleOf(store).lastZarritaVersion = version;
    return node;
  }) as OpenVersion;

async function openAt<S extends Readable>(
  store: S,
  path: Location<S>["path"],
  version: ZarrVersion,
  options: OpenOptions,
): Promise<Node<S>> {
  const { kind, signal } = options;
  const lean = leanStore(store as Store, options);
  const node = await openPlain(lean, { path, version, signal }).catch((cause: unknown) => {
    if (!isZarrError(cause, "NotFound")) throw cause;
    const name = version === 2 ? `v2 ${kind ?? "group"}` : `v${version} array or group`;
    throw new NotFoundError(name, { path, cause });
  });
  if (kind !== undefined && node.kind !== kind)
    throw new NotFoundError(`${kind} at ${path}`, { path, found: node.kind });
  if (node.kind === "group") return new ZarritaGroup(store, path, node);
  const array = new ZarrArray(store as Store, node.path, node.spec, node.limits);
  return extended(new ZarritaArray(store, path, array));
}

/**
 * Opens an array or a group of any Zarr version; `open.v2` and `open.v3` try one version only.
 * @throws NotFoundError, InvalidMetadataError, UnknownCodecError, UnsupportedError; errors of the store.
 */
export const open: OpenVersion & { v2: OpenVersion; v3: OpenVersion } = Object.assign(
  openAny as OpenVersion,
  { v2: opener(2), v3: opener(3) },
);

const openV1 = opener(1);

/** Tries one version after the other, as zarrita does: the last one found first, v1 only if no other was found before. */
async function openAny<S extends Readable>(
  location: Location<S> | S,
  options: OpenOptions = {},
): Promise<Node<S>> {
  const last = handleOf(toLocation(location).store).lastZarritaVersion;
  const newer = last === 3 ? [open.v3, open.v2] : [open.v2, open.v3];
  const order = last === 1 ? [openV1, ...newer] : last === undefined ? [...newer, openV1] : newer;
  let failure: unknown;
  for (const openVersion of order) {
    try {
      return await openVersion(location, options);
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof InvalidMetadataError)) throw error;
      // An error about an existing node is more informative than a missing node of another version.
      if (failure === undefined || (failure instanceof NotFoundError && failure.found === undefined))
        failure = error;
    }
  }
  throw failure;
}

/**
 * A store for opening one node with no more requests than zarrita makes: no consolidated metadata, and of the two v2
 * documents only that of the requested kind, or the group's if no array exists.
 */
function leanStore(inner: Store, { kind, attrs = true }: OpenOptions): Store {
  const omitted = new Set([".zmetadata"]);
  if (!attrs) omitted.add(".zattrs");
  if (kind) omitted.add(kind === "array" ? ".zgroup" : ".zarray");
  let array: Promise<Uint8Array | undefined> | undefined;
  const get = async (key: string, options?: StoreGetOptions) => {
    const name = key.slice(key.lastIndexOf("/") + 1);
    if (omitted.has(name) || (name === ".zgroup" && (await array))) return undefined;
    const found = Promise.resolve(inner.get(key, options));
    if (name === ".zarray") array = found;
    return found;
  };
  return { get, locate: (key) => locateKey(inner, key) };
}

/**
 * Creates a group, or, with a `shape`, an array, of Zarr v3. Replaces an existing node, as docs/drop-ins.md describes,
 * and creates no parent groups.
 * @throws UnknownCodecError, UnsupportedError; ZarrError for invalid options, and for a store that cannot write
 *   (InvalidArgument, LimitExceeded, ReadOnly), before anything is written. Errors of the store.
 */
export async function create<S extends Mutable, _D extends DataType = DataType>(
  location: Location<S> | S,
): Promise<ZarritaGroup<S>>;
export async function create<S extends Mutable, _D extends DataType = DataType>(
  location: Location<S> | S,
  options: CreateGroupOptions,
): Promise<ZarritaGroup<S>>;
export async function create<S extends Mutable, D extends DataType>(
  location: Location<S> | S,
  options: CreateArrayOptions<D>,
): Promise<ZarritaArray<D, S>>;
export async function create<S extends Mutable, D extends DataType>(
  location: Location<S> | S,
  options: CreateArrayOptions<D> | CreateGroupOptions = {},
): Promise<ZarritaArray<D, S> | ZarritaGroup<S>> {
  const { store, path } = toLocation(location);
  checkObject(options, "options of create");
  const at = normalizePath(path);
  const { createArray, createGroup } = await zarritaPart();
  return withZarritaErrors(path, async () => {
    if ("shape" in options)
      return new ZarritaArray<D, S>(store, path, await createArray(store as Store, at, options));
    const attributes = await createGroup(store as Store, at, options.attributes);
    return new ZarritaGroup(store, path, { attributes });
  });
}
