/** A file that is written piece by piece, and is there once it is whole (Node, Deno, Bun). */
import { isFileUrl, nodeModule } from "../../util/platform.js";
import { hiddenName } from "../temp-names.js";
import { makeFolder } from "./make-folder.js";
import { syncFolder, writeError } from "./write.js";

export interface FileSinkOptions {
  /** Whether closing waits until the file has reached the disk; false. */
  fsync?: boolean | undefined;
}

/**
 * A stream into a file, for a `ZipWriter` say: it is written beside its place, takes it when the stream is closed, and
 * leaves what was there before when it is aborted. Folders are made as needed.
 *
 * The stream fails with Network ("disk-full", "file-failed"), ReadOnly ("permission-denied") or InvalidArgument
 * ("bad-path").
 * @param target path of the file, or its file URL.
 */
export function fileSink(target: string | URL, options: FileSinkOptions = {}): WritableStream<Uint8Array> {
  let file: OpenFile;
  const trying = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (cause) {
      await file?.remove();
      throw writeError(file?.url ?? String(target), "written", cause);
    }
  };
  return new WritableStream<Uint8Array>({
    start: () =>
      trying(async () => {
        file = await openBeside(target);
      }),
    write: (piece) => trying(() => file.write(piece)),
    close: () => trying(() => file.finish(options.fsync ?? false)),
    abort: () => file?.remove(),
  });
}

interface OpenFile {
  readonly url: URL;
  write(piece: Uint8Array): Promise<void>;
  finish(fsync: boolean): Promise<void>;
  /** Closes and removes what is unfinished. */
  remove(): Promise<void>;
}

async function openBeside(target: string | URL): Promise<OpenFile> {
  const [fs, { pathToFileURL }] = await Promise.all([
    nodeModule<typeof import("node:fs/promises")>("node:fs/promises"),
    nodeModule<typeof import("node:url")>("node:url"),
  ]);
  const url = target instanceof URL && isFileUrl(target) ? target : pathToFileURL(String(target));
  const unfinished = new URL(hiddenName(), url);
  await makeFolder(fs, new URL(".", url));
  const handle = await fs.open(unfinished, "wx");
  return {
    url,
    async write(piece) {
      for (let at = 0; at < piece.byteLength; ) {
        // At most 2^30 at a time: a single write of 2^31 bytes or more fails.
        const { bytesWritten } = await handle.write(piece, at, Math.min(2 ** 30, piece.byteLength - at));
        at += bytesWritten;
      }
    },
    async finish(fsync) {
      if (fsync) await handle.sync();
      await handle.close();
      await fs.rename(unfinished, url);
      if (fsync) await syncFolder(new URL(".", url));
    },
    async remove() {
      await handle.close().catch(() => {});
      await fs.rm(unfinished, { force: true }).catch(() => {});
    },
  };
}
