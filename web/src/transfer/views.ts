/** Detects destinations that show a part of their source, or contain it, through stores that this library does not know. */

import { documentsAt } from "../edit/belongings.js";
import { type NodePlace, storeIdentity } from "../edit/overlap.js";
import { directoryRoot } from "../store/directory/handles.js";
import { innermostStore } from "../store/handle.js";
import { canList, keysBelow } from "../store/listing.js";
import { joinKey, type Store } from "../store/store.js";
import { hiddenName } from "../store/temp-names.js";
import { deleteObject, writeObject } from "../store/write.js";
import { isSameBytes, joinBytes } from "../util/bytes.js";
import { inLanes } from "../walk/lanes.js";
import { isSourceError, placeOfStore } from "./places.js";

/** Requests in flight. */
const lanes = 16;

interface ViewedSource extends NodePlace {
  /** Name of the document of the node at the path. */
  readonly document: string;
  /** Paths of the node and of all below it. */
  readonly paths: readonly string[];
}

/**
 * Checks by objects that are written to the destination and looked for in the source that no node of the source is about to
 * be overwritten. Call it with the destination locked.
 * @throws NotAllowed ("is-source").
 */
export async function checkViews(
  source: ViewedSource,
  destination: Store,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (isKnown(source.store) && isKnown(destination)) return; // compared by `checkOverlap`
  // Deleting is refused without `delete`, and nothing is deleted without documents.
  if (!destination.delete || !(await documentsAt(destination, "", signal))) return;
  const probe = new Probe(destination, source, signal);
  if (await probe.isShown("", source.paths)) throw sameData();
  for (const path of await sameDocuments(source, destination, signal))
    if (await probe.isShown(path, [source.path])) throw sameData();
}

const sameData = () => isSourceError("`source` shows data of `destination`, which `overwrite` would delete");

/** Whether a store's location or identity tells which data it holds. */
function isKnown(given: Store): boolean {
  const store = innermostStore(given);
  return (
    placeOfStore(store) !== undefined ||
    storeIdentity(store) instanceof Map ||
    directoryRoot(store) !== undefined ||
    "placesRead" in store
  );
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
  const isSame = async (key: string) => {
    const bytes = await destination.get(key, { signal });
    return bytes !== undefined && isSameBytes(bytes, own);
  };
  for await (const key of keysBelow(destination, "", signal))
    if (key.endsWith(`/${document}`) && (await isSame(key))) found.push(key.slice(1, -document.length - 1));
  return found;
}

/** Writes objects to a destination, and looks for them in a source. */
class Probe {
  constructor(
    private readonly destination: Store,
    private readonly source: ViewedSource,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Whether one folder of the destination is one of the folders of the source. */
  async isShown(folder: string, folders: readonly string[]): Promise<boolean> {
    return (await this.#showsNew(folder, folders)) || (await this.#showsChange(folder, folders));
  }

  /** Whether the source shows a new object. Detects sources with a cache, too. */
  async #showsNew(folder: string, folders: readonly string[]): Promise<boolean> {
    const { destination, signal } = this;
    const name = hiddenName();
    const key = joinKey(folder, name);
    try {
      await writeObject(destination, key, new Uint8Array(1), { signal });
      const found = await this.#foldersWith(folders, name, (bytes) => bytes !== undefined);
      return found.length > 0;
    } finally {
      await deleteObject(destination, key);
    }
  }

  /** Whether the source shows a change of the document. Detects sources that hide files with other names, too. */
  async #showsChange(folder: string, folders: readonly string[]): Promise<boolean> {
    const { destination, signal } = this;
    const { document } = this.source;
    const key = joinKey(folder, document);
    const own = (await destination.get(key, { signal }))?.slice();
    if (!own) return false;
    const isOwn = (bytes: Uint8Array | undefined) => bytes !== undefined && isSameBytes(bytes, own);
    const equal = await this.#foldersWith(folders, document, isOwn);
    if (equal.length === 0) return false;
    try {
      await writeObject(destination, key, joinBytes([own, Uint8Array.of(10)]), { signal }); // a newline
      const changed = await this.#foldersWith(equal, document, (bytes) => !isOwn(bytes));
      return changed.length > 0;
    } finally {
      await writeObject(destination, key, own, {});
    }
  }

  async #foldersWith(
    folders: readonly string[],
    name: string,
    isWanted: (bytes: Uint8Array | undefined) => boolean,
  ): Promise<string[]> {
    const { signal, source } = this;
    const found: string[] = [];
    await inLanes(folders, lanes, async (path) => {
      if (isWanted(await source.store.get(joinKey(path, name), { signal }))) found.push(path);
    });
    return found;
  }
}
