/** Storage of persistent caches in files, for Node, Deno and Bun. */
import { cached, nodeModule } from "../../util/platform.js";
import { hiddenName, isHidden } from "../temp-names.js";
import type { EntryStorage, StoredItem } from "./cache-entry.js";

/** Ending of entries. Other files in the folder are left alone. */
const ending = ".zwcache";
/** Age after which a temporary file belongs to a process that was killed, in milliseconds. */
const abandonedAfter = 3_600_000;

type Fs = typeof import("node:fs/promises");

export class FileStorage implements EntryStorage {
  readonly #fs = cached(() => nodeModule<Fs>("node:fs/promises"));
  readonly #folder = cached(async () => this.folder ?? (await userFolder(this.name)));

  constructor(
    private readonly name: string,
    private readonly folder: string | undefined,
  ) {}

  async place(id: string): Promise<string> {
    const { createHash } = await nodeModule<typeof import("node:crypto")>("node:crypto");
    return `${await this.#folder()}/${createHash("sha256").update(id).digest("hex")}${ending}`;
  }

  async read(place: string): Promise<Uint8Array | undefined> {
    return (await this.#fs()).readFile(place).catch(() => undefined);
  }

  /** Writes a temporary file and renames it, so that no reader sees a part. */
  async write(place: string, bytes: Uint8Array): Promise<void> {
    const [fs, folder] = [await this.#fs(), await this.#folder()];
    const temporary = `${folder}/${hiddenName()}`;
    const write = () => fs.writeFile(temporary, bytes, { flag: "wx", mode: 0o600 });
    try {
      await write().catch(() => makeFolder(fs, folder).then(write));
      await fs.rename(temporary, place);
    } catch (error) {
      await fs.rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  async touch(place: string): Promise<void> {
    await (await this.#fs()).utimes(place, new Date(), new Date());
  }

  async list(): Promise<StoredItem[]> {
    const [fs, folder] = [await this.#fs(), await this.#folder()];
    const items: StoredItem[] = [];
    for (const name of await fs.readdir(folder).catch(() => [])) {
      const place = `${folder}/${name}`;
      // Another process may have removed it.
      const found = await fs.lstat(place).catch(() => undefined);
      if (!found?.isFile()) continue;
      if (name.endsWith(ending)) items.push({ place, bytes: found.size, used: found.mtimeMs });
      else if (isHidden(name) && Math.abs(Date.now() - found.mtimeMs) > abandonedAfter)
        await this.remove(place);
    }
    return items;
  }

  async remove(place: string): Promise<void> {
    await (await this.#fs()).rm(place, { force: true });
  }
}

/** Creates a folder and its parents; the next write reports a failure. Node's recursive `mkdir` never returns in /proc. */
async function makeFolder(fs: Fs, folder: string): Promise<void> {
  for (const { index } of folder.matchAll(/[/\\]|$/g))
    await fs.mkdir(folder.slice(0, index), 0o700).catch(() => {});
}

/** Returns the folder of a cache among the user's caches. */
async function userFolder(name: string): Promise<string> {
  const { homedir } = await nodeModule<typeof import("node:os")>("node:os");
  const { env } = (globalThis as unknown as { process: NodeJS.Process }).process;
  return `${env["XDG_CACHE_HOME"] || `${homedir()}/.cache`}/zarr-wasm/${name}`;
}
