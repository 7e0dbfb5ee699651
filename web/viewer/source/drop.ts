/**
 * Dropped or chosen folders, archives and files as stores, which are read in place: nothing is copied or uploaded.
 * Folders are handles (File System Access) if the browser supports them, otherwise entries
 * (`webkitGetAsEntry`) or the list of files from `<input type="file" webkitdirectory>`.
 */
import { type DirectoryHandle, DirectoryHandleStore, isZarrError, type Store } from "zarr-wasm";
import { text } from "../language/text.js";
import { type FileEntry, type FolderEntry, fileListStore, folderEntryStore } from "./local-files.js";

/** A dropped item that can be opened. */
export interface Dropped {
  /** Name of the file or folder. */
  readonly name: string;
  readonly store: Store;
  /** Handle of the file or folder, with which it can be opened again, if the browser has handles. */
  readonly handle?: Handle | undefined;
}

/** A dropped item that cannot be opened, with the reason in a sentence. */
export interface NotDropped {
  readonly name: string;
  readonly refused: string;
}

/** The parts of a `DataTransfer` that are used. */
export interface Transfer {
  readonly items?: Iterable<TransferItem> | ArrayLike<TransferItem>;
  readonly files?: Iterable<File> | ArrayLike<File>;
}

export interface TransferItem {
  readonly kind: string;
  getAsFile(): File | null;
  getAsFileSystemHandle?(): Promise<Handle | null>;
  webkitGetAsEntry?(): unknown;
}

export type Handle = (DirectoryHandle & { readonly kind: "directory" }) | FileHandleLike;
interface FileHandleLike {
  readonly kind: "file";
  readonly name: string;
  getFile(): Promise<File>;
}

type Picked = Promise<Handle | File | null> | FolderEntry | FileEntry | File | null;

/**
 * The stores of dropped items. Must be called while the event is handled: browsers clear the items
 * afterwards.
 * @returns one entry for each file or folder, in order; empty if text or nothing was dropped.
 */
export async function openStores(transfer: Transfer): Promise<(Dropped | NotDropped)[]> {
  const items = Array.from(transfer.items ?? []).filter(({ kind }) => kind === "file");
  // All items are accessed before the first await.
  const picked: Picked[] = items.length > 0 ? items.map(pick) : Array.from(transfer.files ?? []);
  const found = await Promise.all(picked.map(resolved));
  const files = found.flatMap((entry) => entry?.file ?? []);
  const opened = await Promise.all(found.map((entry) => entry && openStore(entry, files)));
  return withoutLooseParts(opened.filter((entry) => entry !== undefined));
}

function pick(item: TransferItem): Picked {
  if (item.getAsFileSystemHandle) {
    // Items dropped by programs or other pages have no handles.
    const file = item.getAsFile();
    return item.getAsFileSystemHandle().then(
      (handle) => handle ?? file,
      () => file,
    );
  }
  const entry = item.webkitGetAsEntry?.() as FolderEntry | FileEntry | null | undefined;
  return entry?.isDirectory ? entry : item.getAsFile();
}

/** A dropped item: a file, with its handle if there is one, or a folder. */
interface Resolved {
  readonly file?: File;
  readonly handle?: Handle;
  readonly folder?: FolderEntry;
}

async function resolved(picked: Picked): Promise<Resolved | undefined> {
  const found = await picked;
  if (found === null) return undefined;
  if (found instanceof Blob) return { file: found };
  if ("isDirectory" in found) return found.isDirectory ? { folder: found } : undefined;
  return found.kind === "file" ? { file: await found.getFile(), handle: found } : { handle: found };
}

/** @param siblings files that were dropped together. */
async function openStore(
  { file, handle, folder }: Resolved,
  siblings: readonly File[],
): Promise<Dropped | NotDropped> {
  if (folder) return { name: folder.name, store: folderEntryStore(folder) };
  if (!file) return storeOfHandle(handle!);
  const opened = await storeOfFile(file, siblings);
  return handle && "store" in opened ? { ...opened, handle } : opened;
}

/** The store of a folder or a file, from a drop or a picker. */
export async function storeOfHandle(handle: Handle): Promise<Dropped | NotDropped> {
  if (handle.kind === "file") return { ...(await storeOfFile(await handle.getFile())), handle };
  return { name: handle.name, store: new DirectoryHandleStore(handle), handle };
}

/** The stores of chosen files: one for their common folder, or one for each file. */
export async function storesOfFiles(files: Iterable<File>): Promise<(Dropped | NotDropped)[]> {
  const list = Array.from(files);
  const [folder] = list.map(({ webkitRelativePath }) => webkitRelativePath?.split("/")[0]);
  if (folder) return [{ name: folder, store: fileListStore(folder, list) }];
  return withoutLooseParts(await Promise.all(list.map((file) => storeOfFile(file, list))));
}

/** Maximum size of a reference file. */
const maxReferences = 256 * 2 ** 20;

async function storeOfFile(file: File, siblings: readonly File[] = [file]): Promise<Dropped | NotDropped> {
  const { name } = file;
  if (/\.geojson$/i.test(name)) return { name, refused: text.drop.geoJson(name) };
  try {
    const packed = () => import("./packed.js");
    if (await isZip(file)) return { name, store: new (await packed()).ZipStore(file) };
    if (isReferences(name)) {
      if (file.size > maxReferences) return { name, refused: text.drop.tooLarge(name) };
      return { name, store: await (await packed()).referencesIn(file) };
    }
    if (!nodeDocuments.test(name)) return { name, store: await (await packed()).arrayFile(file, siblings) };
  } catch (error) {
    return { name, refused: text.drop.failed(name, isZarrError(error) ? error.message : undefined) };
  }
  return { name, refused: text.drop.loose(name) };
}

const nodeDocuments = /^(zarr\.json|\.z(array|group|attrs|metadata)|meta|attrs)$/;

const isReferences = (name: string): boolean => /\.json$/i.test(name) && !nodeDocuments.test(name);

/** Whether a file begins like an archive, possibly an empty one. */
async function isZip(file: File): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return start.length === 4 && /^80,75,(3,4|5,6)$/.test(start.join());
}

/** Removes documents and chunks dropped without their folder. */
function withoutLooseParts(found: readonly (Dropped | NotDropped)[]): (Dropped | NotDropped)[] {
  const isLoose = found.some((entry) => "refused" in entry && nodeDocuments.test(entry.name));
  if (!isLoose) return [...found];
  const name = found.find((entry) => nodeDocuments.test(entry.name))!.name;
  return [...found.filter((entry) => "store" in entry), { name, refused: text.drop.part(name) }];
}
