/** Stores in which nothing but themselves tells where chunks are: Icechunk repositories, and references. */

import type { Store } from "../store/store.js";
import { isZarrError, notFound } from "../util/errors.js";
import { icechunk, references } from "./loaded-stores.js";
import type { OpenOptions } from "./open.js";

/** The version of an Icechunk repository that the options name. @throws what `IcechunkStore.open` does. */
export async function openRepository(store: Store, options: OpenOptions): Promise<Store> {
  const { IcechunkStore } = await icechunk();
  return IcechunkStore.open(store, icechunkOptions(options));
}

/**
 * What a store holds that shows no Zarr node.
 * @param missing the error that tells so.
 * @throws it, where there is nothing else, either; what is wrong with what there is.
 */
export async function findOther(store: Store, options: OpenOptions, missing: unknown): Promise<Store> {
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
export async function findReferences(store: Store, { signal }: OpenOptions): Promise<Store | undefined> {
  const { ReferenceStore } = await references();
  return ReferenceStore.find({ store, folder: "" }, {}, signal);
}

/** The Icechunk repository that a store holds; undefined for none. */
async function findRepository(store: Store, options: OpenOptions): Promise<Store | undefined> {
  const { IcechunkStore } = await icechunk();
  return IcechunkStore.find(store, icechunkOptions(options));
}

/** What of the options is Icechunk's. */
function icechunkOptions({ branch, tag, snapshot, asOf, virtual, signal }: OpenOptions) {
  return { branch, tag, snapshot, asOf, virtual, signal };
}
