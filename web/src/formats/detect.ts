/** Stores in which nothing but themselves tells where chunks are: Icechunk repositories, and references. */

import type { ZarrVersion } from "../codecs/definition.js";
import type { Store } from "../store/store.js";
import { isZarrError, notFound } from "../util/errors.js";
import { IcechunkStore } from "./icechunk/store.js";
import type { VirtualBase } from "./icechunk/virtual.js";
import { ReferenceStore } from "./kerchunk/store.js";

/** Which Zarr version to look for, and which version of an Icechunk repository. */
export interface DetectOptions {
  readonly version?: ZarrVersion | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A branch of an Icechunk repository, at its newest version. Default: "main". */
  readonly branch?: string | undefined;
  readonly tag?: string | undefined;
  readonly snapshot?: string | undefined;
  readonly asOf?: Date | string | undefined;
  readonly virtual?: Readonly<Record<string, VirtualBase>> | undefined;
}

/** The version of an Icechunk repository that the options name. @throws what `IcechunkStore.open` does. */
export async function openRepository(store: Store, options: DetectOptions): Promise<Store> {
  return IcechunkStore.open(store, icechunkOptions(options));
}

/**
 * What a store holds that shows no Zarr node.
 * @param missing the error that tells so.
 * @throws it, where there is nothing else, either; what is wrong with what there is.
 */
export async function findOther(store: Store, options: DetectOptions, missing: unknown): Promise<Store> {
  const { version, signal } = options;
  signal?.throwIfAborted(); // before anything is loaded for it
  const repository = version === 2 ? undefined : await findRepository(store, options);
  if (repository) return repository;
  const references = version === 3 ? undefined : await findReferences(store, options).catch(damaged(missing));
  if (!references) throw missing;
  return references;
}

/** Where no name tells that there are references, a document that cannot be read is but a reason why nothing is found. */
const damaged = (missing: unknown) => (cause: unknown) => {
  if (!isZarrError(cause, "InvalidMetadata") || cause.code !== "not-json") throw cause;
  if (!isZarrError(missing, "NotFound")) throw missing;
  throw notFound(`${missing.message}; ${cause.message}`, { cause });
};

/** The references in Parquet files that a store holds; undefined for none. */
export async function findReferences(store: Store, { signal }: DetectOptions): Promise<Store | undefined> {
  return ReferenceStore.find({ store, folder: "" }, {}, signal);
}

/** The Icechunk repository that a store holds; undefined for none. */
async function findRepository(store: Store, options: DetectOptions): Promise<Store | undefined> {
  return IcechunkStore.find(store, icechunkOptions(options));
}

/** What of the options is Icechunk's. */
function icechunkOptions({ branch, tag, snapshot, asOf, virtual, signal }: DetectOptions) {
  return { branch, tag, snapshot, asOf, virtual, signal };
}
