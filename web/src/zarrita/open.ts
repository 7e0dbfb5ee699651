/** zarrita's `open`, on this library's. */
import type { ZarrVersion } from "../codecs/definition.js";
import { open as openNode } from "../hierarchy/open.js";
import type { Store } from "../store/store.js";
import { likeZarrita, NotFoundError } from "./errors.js";
import { extended } from "./extensions.js";
import { Location, ZarritaArray, ZarritaGroup } from "./nodes.js";
import { withOwnCodecs } from "./registry.js";
import type { DataType, Readable } from "./types.js";

export interface OpenOptions {
  kind?: "array" | "group" | undefined;
  /** Read nothing but what tells the node (Zarr v2). */
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

const opener = (version: ZarrVersion | undefined): OpenVersion =>
  (async <S extends Readable>(location: Location<S> | S, options: OpenOptions = {}) => {
    const { store, path } = "store" in location ? location : new Location(location);
    return likeZarrita(path, () => openAt(store, path, version, options));
  }) as OpenVersion;

async function openAt<S extends Readable>(
  store: S,
  path: Location<S>["path"],
  version: ZarrVersion | undefined,
  { kind, signal }: OpenOptions,
): Promise<Node<S>> {
  const node = await openNode(withOwnCodecs(store as Store), { path, version, signal });
  if (kind !== undefined && node.kind !== kind)
    throw new NotFoundError(`${kind} at ${path}`, { path, found: node.kind });
  return node.kind === "array"
    ? extended(new ZarritaArray(store, path, node))
    : new ZarritaGroup(store, path, node);
}

/**
 * Opens an array or a group of any Zarr version; `open.v2` and `open.v3` only look for that one.
 * @throws NotFoundError, InvalidMetadataError, UnknownCodecError, UnsupportedError; what the store throws.
 */
export const open: OpenVersion & { v2: OpenVersion; v3: OpenVersion } = Object.assign(opener(undefined), {
  v2: opener(2),
  v3: opener(3),
});
