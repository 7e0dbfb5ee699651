/** The metadata documents that a program has read, and when their servers last confirmed them. */
import type { CacheEntry, DocumentVersions } from "./cache-entry.js";

/** Maximum number of folders whose documents are remembered. */
const maxFolders = 20_000;

/** Documents that describe the objects in their folder and below. */
const document = /(?:^|\/)(?:\.z(?:array|group|attrs|metadata)|meta|attrs|repo|[^/]*\.json)$/;
export const isDocument = ({ pathname }: URL): boolean => document.test(pathname);

/** Whether an object is never used without the server's confirmation: a document, or a file with an own directory. */
export const isConfirmedAlways = ({ pathname }: URL): boolean =>
  document.test(pathname) || /\.(?:zip|ozx|parq|parquet)$/i.test(pathname);

/** A document in the version that the program has read. */
export interface KnownDocument {
  readonly id: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly version: string;
  /** When its server was last asked, as a result of `performance.now()`; -1 if it was read offline. */
  confirmedAt: number;
  /** When a server last sent an object below it. Zero, which no confirmation precedes, before the first one. */
  answeredAt: number;
  /** Whether its server has another version now. */
  isOutdated?: boolean;
  /** Whether objects below it were used without a request. */
  isTrusted?: boolean;
}

export class Documents {
  /** By folder, then by the id of the request. */
  readonly #folders = new Map<string, Map<string, KnownDocument>>();

  /** Notes the version of a document, which may be missing now. Returns whether it is another one. */
  note(found: KnownDocument, isMissing: boolean): boolean {
    const { id, url } = found;
    if (!isDocument(url)) return false;
    // Objects below no known document are always confirmed.
    if (this.#folders.size > maxFolders) this.#folders.clear();
    const folder = folderOf(url);
    const known = this.#folders.get(folder) ?? new Map<string, KnownDocument>();
    this.#folders.set(folder, known);
    const before = known.get(id);
    if (isMissing) known.delete(id);
    else if (before?.version !== found.version || before.isOutdated) known.set(id, found);
    // A confirmation remains valid if the document is read offline.
    else before.confirmedAt = Math.max(before.confirmedAt, found.confirmedAt);
    return before !== undefined && before !== known.get(id);
  }

  /** Returns the documents in the folders above an object, except itself. */
  above(url: URL, except: string): readonly KnownDocument[] {
    const found: KnownDocument[] = [];
    for (let folder = folderOf(url); folder.length > url.origin.length; folder = parentOf(folder))
      for (const [id, known] of this.#folders.get(folder) ?? []) if (id !== except) found.push(known);
    return found;
  }

  versionsAbove(url: URL, except: string): DocumentVersions {
    return Object.fromEntries(this.above(url, except).map(({ id, version }) => [id, version]));
  }
}

/** Returns the folder of an object, with a trailing "/". */
const folderOf = ({ origin, pathname }: URL): string =>
  origin + pathname.slice(0, pathname.lastIndexOf("/") + 1);
const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);

/** Whether an entry was stored with exactly these documents. */
export function isTied({ documents: tied }: CacheEntry, documents: DocumentVersions): boolean {
  const ids = Object.keys(documents);
  return ids.length === Object.keys(tied).length && ids.every((id) => tied[id] === documents[id]);
}

/** Whether an entry was stored with another version of one of these documents. */
export const isContradicted = ({ documents: tied }: CacheEntry, documents: DocumentVersions): boolean =>
  Object.entries(documents).some(([id, version]) => tied[id] !== undefined && tied[id] !== version);
