/** Detects Icechunk repositories and references in stores without a Zarr node. */

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

/** Opens the version of an Icechunk repository that the options select. @throws as `IcechunkStore.open`. */
export async function openRepository(store: Store, options: DetectOptions): Promise<Store> {
  return IcechunkStore.open(store, icechunkOptions(options));
}

/**
 * Opens the contents of a store without a Zarr node.
 * @param missing the error of looking for one.
 * @throws that error if nothing is detected; the errors of invalid contents.
 */
export async function findOther(store: Store, options: DetectOptions, missing: unknown): Promise<Store> {
  const { version, signal } = options;
  signal?.throwIfAborted(); // before loading anything
  const repository = version === 2 ? undefined : await findRepository(store, options);
  if (repository) return repository;
  const references = version === 3 ? undefined : await findReferences(store, options).catch(damaged(missing));
  if (!references) throw missing;
  return references;
}

/** Reports an invalid document as the reason why nothing was found: no name says that it has references. */
const damaged = (missing: unknown) => (cause: unknown) => {
  if (!isZarrError(cause, "InvalidMetadata") || cause.code !== "not-json") throw cause;
  if (!isZarrError(missing, "NotFound")) throw missing;
  throw notFound(`${missing.message}; ${cause.message}`, { cause });
};

/** Opens references in Parquet files; undefined if there are none. */
export async function findReferences(store: Store, { signal }: DetectOptions): Promise<Store | undefined> {
  return ReferenceStore.find({ store, folder: "" }, {}, signal);
}

/** Opens an Icechunk repository; undefined if there is none. */
async function findRepository(store: Store, options: DetectOptions): Promise<Store | undefined> {
  return IcechunkStore.find(store, icechunkOptions(options));
}

/** Selects the options of Icechunk. */
function icechunkOptions({ branch, tag, snapshot, asOf, virtual, signal }: DetectOptions) {
  return { branch, tag, snapshot, asOf, virtual, signal };
}
