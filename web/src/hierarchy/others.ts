/** Stores in which nothing but themselves tells where chunks are: Icechunk repositories, and references. */
import { icechunk, references } from "../store/loaded.js";
import type { Store } from "../store/store.js";
import type { OpenOptions } from "./open.js";

/** The version of an Icechunk repository that the options name. @throws what `IcechunkStore.open` does. */
export async function openRepository(store: Store, options: OpenOptions): Promise<Store> {
  const { IcechunkStore } = await icechunk();
  return IcechunkStore.open(store, icechunkOptions(options));
}

/** What a store holds that shows no Zarr node; undefined where it is nothing else, either. */
export async function findOther(store: Store, options: OpenOptions): Promise<Store | undefined> {
  const { version } = options;
  const repository = version === 2 ? undefined : await findRepository(store, options);
  return repository ?? (version === 3 ? undefined : findReferences(store, options));
}

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
