/** The file of `--out`, replaced atomically. */
import { closeSync, openSync, rmSync, type Stats } from "node:fs";
import {
  access,
  constants,
  type FileHandle,
  open,
  readlink,
  realpath,
  rename,
  stat,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { exitHooks, hiddenName } from "#internal";

type Pieces = Iterable<Uint8Array | string>;

/**
 * Writes or replaces a file: writes a temporary file beside it, and renames it at the end. A run that fails or is
 * interrupted keeps the old file and leaves no temporary file. A symbolic link is kept: its target is replaced.
 * Devices and pipes have nothing to replace: they are written to directly.
 */
export async function writeOutFile(file: string, pieces: Pieces): Promise<void> {
  exitHooks.handleSignals();
  try {
    const old = await stat(file).catch(unlessMissing);
    if (old && !old.isFile()) return await writeFile(file, pieces);
    if (old) await access(file, constants.W_OK); // renaming would replace a read-only file
    await replace(old ? await realpath(file) : await linkEnd(file), old, pieces);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new Error(`${file} cannot be written: ${reason(message)}`);
  }
}

async function replace(target: string, old: Stats | undefined, pieces: Pieces): Promise<void> {
  const temporary = path.join(path.dirname(target), hiddenName());
  const release = exitHooks.add(() => rmSync(temporary, { force: true }));
  try {
    // Synchronous, so that no signal arrives between the creation of the file and the registration of its removal.
    closeSync(openSync(temporary, "wx", old ? 0o600 : 0o666));
    const handle = await open(temporary, "r+");
    try {
      await writeFile(handle, pieces);
      if (old) await takeOver(handle, old);
      await handle.sync(); // the new file must be on the disk before it replaces the old one
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    release();
  }
}

/** Copies the old file's permissions, and its owner if the system permits. */
async function takeOver(handle: FileHandle, old: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (uid !== old.uid || gid !== old.gid) await handle.chown(old.uid, old.gid).catch(() => {});
  await handle.chmod(old.mode & 0o777);
}

/** The target of a path that names no file: a symbolic link may point to a file that does not exist yet. */
async function linkEnd(file: string): Promise<string> {
  let end = file;
  for (let links = 0; links < 40; links++) {
    const to = await readlink(end).catch(() => undefined);
    if (to === undefined) break;
    end = path.resolve(path.dirname(end), to);
  }
  return end;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Returns "no such file or directory" for "ENOENT: no such file or directory, open '…'". */
const reason = (message: string) =>
  message.startsWith("EISDIR") ? "it is a folder" : (/^[A-Z0-9]+: (.*?), /.exec(message)?.[1] ?? message);
