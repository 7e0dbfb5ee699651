/** zarrita's `open`, on this library's. */

import type { ZarrVersion } from "../../codecs/definition.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { openPlain } from "../../hierarchy/open.js";
import { handleOf } from "../../store/handle.js";
import type { Store } from "../../store/store.js";
import { checkObject } from "../../util/arguments.js";
import { invalidArgument, isZarrError, shown } from "../../util/errors.js";
import { InvalidMetadataError, likeZarrita, NotFoundError } from "./errors.js";
import { extended } from "./extensions.js";
import { LeanStore } from "./lean-store.js";
import { type Location, locationOf, ZarritaArray, ZarritaGroup } from "./nodes.js";
import { withOwnCodecs } from "./registry.js";
import type { DataType, Readable } from "./types.js";

export interface OpenOptions {
  kind?: "array" | "group" | undefined;
  /** False: the attributes of a v2 node, which lie in a document of their own, are not read. */
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
    const { store, path } = locationOf(location);
    checkObject(options, "options of open");
    if (!["array", "group", undefined].includes(options.kind))
      throw invalidArgument(`kind must be "array" or "group", and cannot be ${shown(options.kind)}`);
    const node = await likeZarrita(path, () => openAt(store, path, version, options));
    handleOf(store).lastZarritaVersion = version;
    return node;
  }) as OpenVersion;

/** What zarrita calls what it looks for. */
function nameOf(version: ZarrVersion, kind: OpenOptions["kind"]): string {
  return version === 2 ? `v2 ${kind ?? "group"}` : `v${version} array or group`;
}

async function openAt<S extends Readable>(
  store: S,
  path: Location<S>["path"],
  version: ZarrVersion,
  { kind, attrs = true, signal }: OpenOptions,
): Promise<Node<S>> {
  const source = await withOwnCodecs(store as Store);
  const lean = new LeanStore(source, { kind, attrs, isLikelyV2: handleOf(store).lastZarritaVersion === 2 });
  const node = await openPlain(lean, { path, version, signal }).catch((cause: unknown) => {
    throw isZarrError(cause, "NotFound") ? new NotFoundError(nameOf(version, kind), { path, cause }) : cause;
  });
  if (kind !== undefined && node.kind !== kind)
    throw new NotFoundError(`${kind} at ${path}`, { path, found: node.kind });
  return node.kind === "array"
    ? extended(new ZarritaArray(store, path, new ZarrArray(source, node.path, node.spec, node.limits)))
    : new ZarritaGroup(store, path, node);
}

const openV1 = opener(1);

/**
 * Tries one version after the other, as zarrita does, which asks for as little as can be: the one that was last found
 * in the store first. Zarr v1 is looked for where nothing else has been found in the store.
 */
async function openAny<S extends Readable>(
  location: Location<S> | S,
  options: OpenOptions = {},
): Promise<Node<S>> {
  const last = handleOf(locationOf(location).store).lastZarritaVersion;
  const newer = last === 3 ? [open.v3, open.v2] : [open.v2, open.v3];
  const order = last === 1 ? [openV1, ...newer] : last === undefined ? [...newer, openV1] : newer;
  let failure: unknown;
  for (const openVersion of order) {
    try {
      return await openVersion(location, options);
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof InvalidMetadataError)) throw error;
      // That there is none of another version says less than what is wrong with the one that is there.
      if (failure === undefined || isMissing(failure)) failure = error;
    }
  }
  throw failure;
}

function isMissing(error: unknown): boolean {
  return error instanceof NotFoundError && error.found === undefined;
}

/**
 * Opens an array or a group of any Zarr version; `open.v2` and `open.v3` only look for that one.
 * @throws NotFoundError, InvalidMetadataError, UnknownCodecError, UnsupportedError; what the store throws.
 */
export const open: OpenVersion & { v2: OpenVersion; v3: OpenVersion } = Object.assign(
  openAny as OpenVersion,
  { v2: opener(2), v3: opener(3) },
);
