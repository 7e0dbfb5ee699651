/** The metadata documents that a program has read, and when their servers last confirmed them. */
import type { CacheEntry, DocumentVersions } from "./cache-entry.js";

/** Time for which a confirmed document counts as current, in milliseconds: for the chunks of one read. */
const confirmedTime = 5000;
/** Maximum number of folders whose documents are remembered. */
const maxFolders = 20_000;

/** Documents that describe the objects in their folder and below. */
const document = /(?:^|\/)(?:\.z(?:array|group|attrs|metadata)|meta|attrs|repo|[^/]*\.json)$/;
/** Files with a directory of their own contents. */
const archive = /\.(?:zip|ozx|parq|parquet)$/i;

export const isDocument = ({ pathname }: URL): boolean => document.test(pathname);
/** Whether an object is never used without the server's confirmation. */
export const isConfirmedAlways = ({ pathname }: URL): boolean =>
  document.test(pathname) || archive.test(pathname);

export interface KnownDocument {
  readonly url: URL;
  readonly headers: Headers;
  readonly version: string;
  /** Result of `performance.now()`; undefined if it was read offline. */
  readonly confirmedAt: number | undefined;
}

export class Documents {
  /** By folder, then by the id of the request. */
  readonly #folders = new Map<string, Map<string, KnownDocument>>();

  /** Notes the version of a document; undefined for a missing one. */
  note(id: string, url: URL, found: KnownDocument | undefined): void {
    if (!isDocument(url)) return;
    const folder = folderOf(url);
    // Objects below no known document are always confirmed.
    if (this.#folders.size > maxFolders) this.#folders.clear();
    const known = this.#folders.get(folder) ?? new Map<string, KnownDocument>();
    if (!found) known.delete(id);
    // What was confirmed before stays so if it is read offline.
    else if (found.confirmedAt !== undefined || known.get(id)?.version !== found.version) known.set(id, found);
    this.#folders.set(folder, known);
  }

  /** Returns the documents in the folders above an object, except itself. */
  above(url: URL, id: string): ReadonlyMap<string, KnownDocument> {
    const found = new Map<string, KnownDocument>();
    for (let folder = folderOf(url); folder.length > url.origin.length; folder = parentOf(folder))
      for (const [other, known] of this.#folders.get(folder) ?? []) if (other !== id) found.set(other, known);
    return found;
  }
}

/** Returns the folder of an object, with a trailing "/". */
const folderOf = ({ origin, pathname }: URL): string =>
  origin + pathname.slice(0, pathname.lastIndexOf("/") + 1);
const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);

export const isRecent = ({ confirmedAt }: KnownDocument): boolean =>
  confirmedAt !== undefined && performance.now() - confirmedAt < confirmedTime;

export const versionsOf = (documents: ReadonlyMap<string, KnownDocument>): DocumentVersions =>
  Object.fromEntries([...documents].map(([id, { version }]) => [id, version]));

/** Whether an entry was stored with exactly these documents, at least one. */
export function isTied({ documents: tied }: CacheEntry, documents: DocumentVersions): boolean {
  const ids = Object.keys(documents);
  return (
    ids.length > 0 &&
    ids.length === Object.keys(tied).length &&
    ids.every((id) => tied[id] === documents[id])
  );
}

/** Whether an entry was stored with another version of one of these documents. */
export const isContradicted = ({ documents: tied }: CacheEntry, documents: DocumentVersions): boolean =>
  Object.entries(documents).some(([id, version]) => tied[id] !== undefined && tied[id] !== version);
