/** Where commands write: a folder, a zip archive, or a server that takes PUT. */
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isZarrError, type Store, ZipStore, ZipWriter } from "zarr-wasm";
import { fileSink } from "zarr-wasm/node";
import { requireZarr } from "#internal";
import { atTheEnd } from "./at-the-end.js";
import { FolderStore, ServerStore } from "./gated-stores.js";
import { isUrl } from "./places.js";
import { UsageError } from "./usage.js";
import { WriteGate } from "./write-gate.js";

/** A place that is written to, opened. */
export interface Destination {
  readonly kind: "folder" | "zip" | "http";
  /** As it was given. */
  readonly name: string;
  readonly store: Store;
  /** Passed by all writes to the store. */
  readonly gate: WriteGate;
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
  return plainDestination("folder", name, new FolderStore(pathToFileURL(name)));
}

export const isArchiveName = (name: string): boolean => /\.(zip|ozx)$/i.test(name);

function openServer(name: string, bucket: string | undefined): Destination {
  if (!URL.canParse(name)) throw new UsageError(`"${name}" is not a URL`);
  if (bucket !== undefined && !URL.canParse(bucket)) throw new UsageError(`"${bucket}" is not a URL`);
  if (isArchiveName(new URL(name).pathname)) throw new UsageError("archives are written to files only");
  return plainDestination("http", name, new ServerStore(name, { bucket }));
}

function plainDestination(
  kind: "folder" | "http",
  name: string,
  store: FolderStore | ServerStore,
): Destination {
  const { gate } = store;
  const release = async () => gate.release();
  return { kind, name, store, gate, readBack: () => store, close: release, abort: release };
}

async function openArchive(
  name: string,
  found: Stats | undefined,
  overwrite: boolean | undefined,
): Promise<Destination> {
  if (found && !overwrite) throw existsError(name);
  const file = path.resolve(name);
  if (found) await checkReplaceable(name, found);
  const gate = new WriteGate();
  const writer = new ZipWriter(
    beforeClose(fileSink(file), async () => {
      await gate.checkLock();
      if (!overwrite && (await stat(file).catch(() => undefined))) throw existsError(name);
    }),
  );
  const forget = atTheEnd(() => writer.abort());
  const release = () => {
    gate.release();
    forget();
  };
  return {
    kind: "zip",
    name,
    store: writer,
    gate,
    readBack: () => new ZipStore(pathToFileURL(file)),
    close: () => writer.close().finally(release),
    abort: (reason) => writer.abort(reason).finally(release),
  };
}

const existsError = (name: string): Error =>
  new Error(`"${name}" already exists; pass --overwrite to replace it`);

/** A sink that checks something when all is written, before it is closed. */
function beforeClose(
  sink: WritableStream<Uint8Array>,
  check: () => Promise<void>,
): WritableStream<Uint8Array> {
  const writer = sink.getWriter();
  return new WritableStream({
    write: (piece) => writer.write(piece),
    close: async () => {
      await check().catch(async (error) => {
        await writer.abort(error);
        throw error;
      });
      await writer.close();
    },
    abort: (reason) => writer.abort(reason),
  });
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
