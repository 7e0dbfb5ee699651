/** Paths and URLs of sources and destinations: detects overlaps. */

import {
  type NodePlace,
  overlap,
  overlappingPlace,
  placeNames,
  placesRead,
  storeIdentity,
} from "../edit/overlap.js";
import { documentsAt } from "../edit/target.js";
import { directoryRoot } from "../store/directory/handles.js";
import { FileSystemStore } from "../store/file/store.js";
import { innermostStore } from "../store/handle.js";
import { HttpStore } from "../store/http/store.js";
import { canList, keysBelow } from "../store/listing.js";
import { joinKey, type Store } from "../store/store.js";
import { hiddenName } from "../store/temp-names.js";
import { deleteObject, writeObject } from "../store/write.js";
import { isSameBytes, joinBytes } from "../util/bytes.js";
import { ZarrError } from "../util/errors.js";
import { textEncoder } from "../util/platform.js";
import { inLanes } from "../walk/boxes.js";
import { loadNode, node } from "./host.js";

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);

/** Returns a path or URL without the prefix of Icechunk repositories; file URLs become paths. */
export function plainName(place: string): string {
  const name = place.replace(/^icechunk\+/i, "");
  if (!/^file:/i.test(name)) return name;
  try {
    return node().url.fileURLToPath(name);
  } catch {
    return name;
  }
}

/** Path or URL of a store's root; undefined for other kinds of stores. */
export function placeOfStore(given: Store): string | undefined {
  const store = innermostStore(given);
  if (store instanceof FileSystemStore) return plainName(String(store.root));
  return store instanceof HttpStore ? store.locate("") : undefined;
}

/**
 * The path from one place to another one that lies in it; "" for the same place. Hosts, ports and escapes of URLs may be
 * written in any way; folders are recognised under all their names.
 * @returns undefined if the inner place lies elsewhere, or only one of the two is a URL.
 */
export async function placeBelow(outerName: string, innerName: string): Promise<string | undefined> {
  await loadNode();
  const [outer, inner] = [plainName(outerName), plainName(innerName)];
  if (isUrl(outer) !== isUrl(inner)) return undefined;
  if (isUrl(outer)) return urlBelow(outer, inner);
  const { path } = node();
  return pathBelow(path.resolve(outer), path.resolve(inner));
}

function urlBelow(outer: string, inner: string): string | undefined {
  const [from, to] = [outer, inner].map((url) =>
    URL.canParse(url) ? placeNames(new URL(url)) : url.split("/").filter((name) => name !== ""),
  ) as [string[], string[]];
  return from.every((name, i) => to[i] === name) ? to.slice(from.length).join("/") : undefined;
}

/** Compares device and inode, because bind mounts and case-insensitive file systems have several paths for one folder. */
function pathBelow(outer: string, inner: string): string | undefined {
  const { path } = node();
  const from = realPath(outer);
  const id = fileId(from);
  const names: string[] = [];
  for (let at = realPath(inner); ; at = path.dirname(at)) {
    if (at === from || (id !== undefined && fileId(at) === id)) return names.reverse().join("/");
    if (path.dirname(at) === at) return undefined;
    names.push(path.basename(at));
  }
}

/** Device and inode. Undefined if the file cannot be reached, and on file systems without inodes. */
function fileId(name: string): string | undefined {
  try {
    const { dev, ino } = node().fs.statSync(name, { bigint: true });
    return ino === 0n ? undefined : `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Checks that a destination does not overlap with its source, or with a target of its references and virtual chunks.
 * @param place path or URL of the destination; undefined for other stores.
 * @throws NotAllowed ("is-source"): writing could delete the source, or copy the copy.
 */
export async function checkOverlap(
  source: { readonly store: Store; readonly path: string },
  { place, store }: { readonly place: string | undefined; readonly store: Store },
): Promise<void> {
  const from = placeOfStore(source.store);
  if (place === undefined) {
    const found = await overlap({ store, path: "" }, source, undefined);
    if (found !== undefined) throw refersTo(found);
  } else if (from === undefined) await checkTargets(source.store, place);
  else if ((await placeBelow(from, place)) !== undefined || (await placeBelow(place, from)) !== undefined)
    throw isSourceError("`source` and `destination` are the same place, or one contains the other");
}

/**
 * Checks the files that references and virtual chunks of a source refer to.
 * @param place path or URL of the destination.
 * @throws NotAllowed ("is-source") if one of them lies there.
 */
export async function checkTargets(source: Store, place: string): Promise<void> {
  if (placeOfStore(source) !== undefined) return;
  const isHttp = isUrl(place);
  if (isHttp && !URL.canParse(place)) return;
  const url = isHttp ? new URL(place) : node().url.pathToFileURL(place);
  const found = await overlappingPlace(url, placesRead(source, "", !isHttp));
  if (found !== undefined) throw refersTo(found);
}

export const isSourceError = (message: string): ZarrError =>
  new ZarrError("NotAllowed", message, { code: "is-source" });

const refersTo = (found: string): ZarrError =>
  isSourceError(
    `\`source\` refers to ${found}, which lies in \`destination\`; writing there could delete it`,
  );

/** Resolves the symbolic links of a path as far as it exists. */
export function realPath(name: string): string {
  const { fs, path } = node();
  try {
    return fs.realpathSync(name);
  } catch {
    const parent = path.dirname(name);
    return parent === name ? name : path.join(realPath(parent), path.basename(name));
  }
}

/** URL of a folder, with a "/" at its end. */
export function folderUrl(folder: string): string {
  const { path, url } = node();
  return url.pathToFileURL(path.join(folder, path.sep)).href;
}

/** Requests in flight. */
const lanes = 16;

interface ViewedSource extends NodePlace {
  /** Name of the document of the node at the path. */
  readonly document: string;
  /** Paths of the node and of all below it. */
  readonly paths: readonly string[];
}

/**
 * Checks stores whose place is unknown, and folders that a server may show as the source, by objects that are written to the
 * destination and looked for in the source: no node of the source may be about to be overwritten. Call it with the destination
 * locked.
 * @throws NotAllowed ("is-source").
 */
export async function checkViews(
  source: ViewedSource,
  destination: Store,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [from, to] = [source.store, destination].map(placeOfStore);
  const mayBeServed = from !== undefined && to !== undefined && isUrl(from) && !isUrl(to);
  if (!mayBeServed && isKnown(source.store) && isKnown(destination)) return; // compared by `checkOverlap`
  // Deleting is refused without `delete`, and nothing is deleted without documents.
  const documents = destination.delete && (await documentsAt(destination, "", signal));
  if (!documents) return;
  const inside = (await sameDocuments(source, destination, signal)).map(
    (path) => [joinKey(path, source.document), [source.path]] as const,
  );
  for (const [key, folders] of [[`/${documents.names[0]}`, source.paths] as const, ...inside])
    if (await isShown(destination, key, source.store, folders, signal))
      throw isSourceError("`source` shows data of `destination`, which `overwrite` would delete");
}

/** Whether a store's location or identity tells which data it holds. */
function isKnown(given: Store): boolean {
  const store = innermostStore(given);
  const isPlaced = placeOfStore(store) !== undefined || "placesRead" in store;
  return isPlaced || storeIdentity(store) instanceof Map || directoryRoot(store) !== undefined;
}

/** Returns the paths at the destination whose document has the bytes of the source's. */
async function sameDocuments(
  { store, path, document }: ViewedSource,
  destination: Store,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const own = await store.get(joinKey(path, document), { signal });
  const found: string[] = [];
  if (!own || !canList(destination)) return found; // without a list, nothing is deleted
  for await (const key of keysBelow(destination, "", signal)) {
    const bytes = key.endsWith(`/${document}`) ? await destination.get(key, { signal }) : undefined;
    if (bytes && isSameBytes(bytes, own)) found.push(key.slice(1, -document.length - 1));
  }
  return found;
}

/**
 * Whether one of the folders of another store is the folder of a document in the destination: shows a new object beside it
 * (stores with a cache do), or a change of the document (stores that hide other names do).
 */
async function isShown(
  destination: Store,
  key: string,
  source: Store,
  folders: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const at = key.lastIndexOf("/") + 1;
  const foldersWith = async (
    name: string,
    all: readonly string[],
    isWanted: (bytes?: Uint8Array) => boolean,
  ) => {
    const found: string[] = [];
    await inLanes(all, lanes, async (path) => {
      if (isWanted(await source.get(joinKey(path, name), { signal }))) found.push(path);
    });
    return found;
  };
  const name = hiddenName();
  try {
    await writeObject(destination, key.slice(0, at) + name, new Uint8Array(1), { signal });
    if ((await foldersWith(name, folders, Boolean)).length > 0) return true;
  } finally {
    await deleteObject(destination, key.slice(0, at) + name);
  }
  const own = (await destination.get(key, { signal }))?.slice();
  const isOwn = (bytes?: Uint8Array) => bytes !== undefined && isSameBytes(bytes, own!);
  const equal = own ? await foldersWith(key.slice(at), folders, isOwn) : [];
  if (!own || equal.length === 0) return false;
  try {
    await writeObject(destination, key, joinBytes([own, textEncoder().encode("\n")]), { signal });
    return (await foldersWith(key.slice(at), equal, (bytes) => !isOwn(bytes))).length > 0;
  } finally {
    await writeObject(destination, key, own);
  }
}
