/** Opens arrays and groups. */
import { normalizePath } from "../store/path.js";
import type { Store } from "../store/store.js";
import type { ZarrArray } from "./array.js";
import type { OpenedNode, ZarrGroup } from "./group.js";
import { checkOpenOptions, type OpenOptions } from "./open-options.js";
import { Opener } from "./opener.js";
import {
  icechunkUrl,
  isPipeline,
  isReferenceFolder,
  otherStores,
  resolveSource,
  type Source,
  storeOf,
} from "./source.js";

/**
 * Opens a Zarr array or group of any version.
 * @throws NotFound if there is no node at the path, or one of another kind; InvalidMetadata, UnknownCodec,
 *   Unsupported or LimitExceeded if it cannot be read; Network if the source fails.
 */
export async function open(source: Source, options: OpenOptions & { kind: "array" }): Promise<ZarrArray>;
export async function open(source: Source, options: OpenOptions & { kind: "group" }): Promise<ZarrGroup>;
export async function open(source: Source, options?: OpenOptions): Promise<OpenedNode>;
export async function open(source: Source, options: OpenOptions = {}): Promise<OpenedNode> {
  const repository = icechunkUrl(source);
  const place = isPipeline(source) ? undefined : resolveSource(repository ?? source);
  checkOpenOptions(options);
  const path = normalizePath(options.path ?? "");
  options.signal?.throwIfAborted();
  if (!place) return (await otherStores()).openPipeline(source as string, options, storeOf, open);
  const store = typeof place === "function" ? await place() : place;
  const { branch, tag, snapshot, asOf } = options;
  if (repository !== undefined || [branch, tag, snapshot, asOf].some((version) => version !== undefined)) {
    const { openRepository } = await otherStores();
    return new Opener(await openRepository(store, options), options).open(path, options);
  }
  const named = isReferenceFolder(source)
    ? await (await otherStores()).findReferences(store, options)
    : undefined;
  const opener = new Opener(named ?? store, options);
  try {
    return await opener.open(path, options);
  } catch (error) {
    if (!opener.mayHoldOther(error)) throw error;
    const other = await (await otherStores()).findOther(store, options, error);
    return new Opener(other, options).open(path, options);
  }
}

/** Like {@link open}, for a store that is known to hold Zarr documents: does not look for other formats. */
export async function openPlain(store: Store, options: OpenOptions & { kind: "array" }): Promise<ZarrArray>;
export async function openPlain(store: Store, options: OpenOptions): Promise<OpenedNode>;
export async function openPlain(store: Store, options: OpenOptions): Promise<OpenedNode> {
  checkOpenOptions(options);
  return new Opener(store, options).open(normalizePath(options.path ?? ""), options);
}
