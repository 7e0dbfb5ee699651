/** Folders for files to be written (Node, Deno, Bun). */
type Fs = Pick<typeof import("node:fs/promises"), "mkdir">;

/**
 * Creates a folder and its parents.
 * @param folder URL with a "/" at its end.
 * @throws an error of the system. For a read-only file system that is EROFS, of which a recursive `mkdir` of Node makes
 *   ENOENT.
 */
export async function makeFolder(fs: Fs, folder: URL): Promise<void> {
  try {
    await fs.mkdir(folder, { recursive: true });
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    throw (await reasonFor(fs, folder)) ?? cause;
  }
}

/** Returns the error of the highest missing folder; undefined if it was created, or exists by now. */
async function reasonFor(fs: Fs, folder: URL): Promise<unknown> {
  try {
    await fs.mkdir(folder);
    return undefined;
  } catch (cause) {
    const above = new URL("..", folder);
    if (codeOf(cause) === "ENOENT" && above.href !== folder.href) return reasonFor(fs, above);
    return codeOf(cause) === "EEXIST" ? undefined : cause;
  }
}

const codeOf = (cause: unknown): unknown => (cause as { code?: unknown }).code;
