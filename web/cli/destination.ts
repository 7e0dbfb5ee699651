/** Where commands write: a folder, a zip archive, or a server that takes PUT. */
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isZarrError, type Store, WritableHttpStore, ZipStore, ZipWriter } from "zarr-wasm";
import { fileSink } from "zarr-wasm/node";
import { requireZarr } from "#internal";
import { atTheEnd } from "./at-the-end.js";
import { FolderStore } from "./folder-store.js";
import { isUrl } from "./places.js";
import { UsageError } from "./usage.js";

/** A place that is written to, opened. */
export interface Destination {
  readonly kind: "folder" | "zip" | "http";
  /** As it was given. */
  readonly name: string;
  readonly store: Store;
  /** What is written can be read from; of an archive once it is closed. */
  readBack(): Store;
  /** Ends writing. An archive is there from then on. */
  close(): Promise<void>;
  /** Gives up: an archive that is being written goes, what was written elsewhere stays. */
  abort(reason: unknown): Promise<void>;
}

export interface DestinationOptions {
  /** Whether an archive that is there may be replaced. */
  readonly overwrite?: boolean | undefined;
  /** URL of the bucket that an http(s) destination is in: gives the store its listing. */
  readonly bucket?: string | undefined;
}

/**
 * Opens a destination: an http or https URL, the path of a `.zip` or `.ozx` archive, or of a folder, which need not be
 * there yet.
 * @throws UsageError; an Error for what is there and cannot be written to.
 */
export async function openDestination(name: string, options: DestinationOptions = {}): Promise<Destination> {
  if (/^https?:\/\//i.test(name)) return openServer(name, options.bucket);
  if (isUrl(name) || /^file:/i.test(name))
    throw new UsageError(
      `${name}: a destination is a folder, a .zip or .ozx archive, or an http or https URL`,
    );
  if (options.bucket !== undefined) throw new UsageError("--bucket is for http and https destinations");
  const found = await stat(name).catch(() => undefined);
  if (isArchiveName(name) && !found?.isDirectory()) return openArchive(name, found, options.overwrite);
  if (found && !found.isDirectory()) throw new Error(`${name}: there is a file that is no folder already`);
  const store = new FolderStore(pathToFileURL(name));
  const release = async () => store.release();
  return { kind: "folder", name, store, readBack: () => store, close: release, abort: release };
}

export const isArchiveName = (name: string): boolean => /\.(zip|ozx)$/i.test(name);

function openServer(name: string, bucket: string | undefined): Destination {
  if (!URL.canParse(name)) throw new UsageError(`"${name}" is not a URL`);
  if (bucket !== undefined && !URL.canParse(bucket)) throw new UsageError(`"${bucket}" is not a URL`);
  if (isArchiveName(new URL(name).pathname)) throw new UsageError("archives are written to files only");
  const store = new WritableHttpStore(name, { bucket });
  const nothing = async () => {};
  return { kind: "http", name, store, readBack: () => store, close: nothing, abort: nothing };
}

async function openArchive(
  name: string,
  found: Stats | undefined,
  overwrite: boolean | undefined,
): Promise<Destination> {
  if (found && !overwrite) throw new Error(`"${name}" already exists; pass --overwrite to replace it`);
  const file = path.resolve(name);
  if (found) await checkReplaceable(name, found);
  const writer = new ZipWriter(fileSink(file));
  const release = atTheEnd(() => writer.abort());
  return {
    kind: "zip",
    name,
    store: writer,
    readBack: () => new ZipStore(pathToFileURL(file)),
    close: () => writer.close().finally(release),
    abort: (reason) => writer.abort(reason).finally(release),
  };
}

/** @throws an Error for a file that is not a zip archive of Zarr data; an empty file is fine. */
async function checkReplaceable(name: string, found: Stats): Promise<void> {
  if (found.isFile() && found.size === 0) return;
  if (!found.isFile()) throw new Error(`${name} exists and is not a file`);
  try {
    await requireZarr(new ZipStore(pathToFileURL(path.resolve(name))));
  } catch (error) {
    if (!isZarrError(error, "InvalidMetadata", "NotAllowed")) throw error;
    throw new Error(`${name} exists and is not an archive of Zarr data: ${error.message}`, { cause: error });
  }
}

/** What to do about an error of before the first chunk: options that help, to be put behind its message. */
export function hintFor(error: unknown, { kind }: Destination): string {
  if (isZarrError(error, "AlreadyExists") && kind !== "zip")
    return ": --overwrite deletes it first, --resume goes on with what was ended";
  if (isZarrError(error, "ReadOnly") && error.code === "no-delete" && kind === "http")
    return "; --bucket URL says in which bucket DEST is, so that what is to be deleted can be listed";
  return "";
}
