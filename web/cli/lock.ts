/**
 * Locks of destinations: of several processes that would delete what is at DEST one does. The lock is an object beside
 * DEST, as what lies in it is deleted. Where none can be written there (a folder that is read-only, a server that does not
 * allow it), or DEST is an archive, which takes its place as a whole, there is no lock.
 */
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isZarrError, WritableHttpStore } from "zarr-wasm";
import { atTheEnd } from "./at-the-end.js";
import type { Destination } from "./destination.js";
import { decoded, realPath } from "./places.js";

/** Takes the lock away again. */
export type Release = () => Promise<void>;

/** What a lock says of who holds it. */
interface Holder {
  readonly id: string;
  readonly host: string;
  readonly process: number;
  readonly since: string;
}

const nothing: Release = async () => {};

/**
 * Locks a destination until the release, or the end of this process but by SIGKILL.
 * @throws an Error that says who holds the lock; one of this machine whose process has ended counts no more.
 */
export async function lockDestination({ kind, name }: Destination): Promise<Release> {
  const own: Holder = {
    id: randomUUID(),
    host: os.hostname(),
    process: process.pid,
    since: new Date().toISOString(),
  };
  const text = `${JSON.stringify(own)}\n`;
  if (kind === "folder") return lockFolder(realPath(path.resolve(name)), text);
  return kind === "http" ? lockServer(new URL(name), text) : nothing;
}

const nameOf = (dest: string): string => `.${dest}.zarr-wasm-lock`;

function lockFolder(dest: string, text: string): Release {
  const [parent, name] = [path.dirname(dest), path.basename(dest)];
  if (name === "") return nothing;
  const file = path.join(parent, nameOf(name));
  const release = () => {
    if (textAt(file) === text) rmSync(file, { force: true });
  };
  const forget = atTheEnd(release); // before there is one, so that no signal comes between
  const end = async () => {
    release();
    forget();
  };
  try {
    mkdirSync(parent, { recursive: true });
    if (!create(file, text) && !(isOver(textAt(file)) && takeOver(file, text)))
      throw held(file, textAt(file));
    return end;
  } catch (error) {
    forget();
    if (["EACCES", "EPERM", "EROFS", "ENAMETOOLONG"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return nothing;
    throw error;
  }
}

/** @returns false where there is one. */
function create(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Takes the place of a lock that is over, unless somebody else is faster. */
function takeOver(file: string, text: string): boolean {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (!isOver(textAt(aside))) {
      linkSync(aside, file); // somebody has taken it meanwhile
      return false;
    }
    return create(file, text);
  } catch {
    return false;
  } finally {
    rmSync(aside, { force: true });
  }
}

function textAt(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Whether the process that a lock names was one of this machine, and is no more. */
function isOver(text: string): boolean {
  const holder = holderOf(text);
  if (!holder || holder.host !== os.hostname()) return false;
  try {
    process.kill(holder.process, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    const { host, process: id, since } = holder ?? {};
    const isHolder =
      typeof host === "string" && typeof since === "string" && Number.isSafeInteger(id) && id! > 0;
    return isHolder ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/** The error for a lock that somebody else has. */
function held(place: string, text: string): Error {
  const holder = holderOf(text);
  const who = holder ? ` (process ${holder.process} on ${holder.host}, since ${holder.since})` : "";
  return new Error(
    `another process with --overwrite writes to DEST${who}; if it has ended without removing its lock, remove ${place}`,
  );
}

async function lockServer(url: URL, text: string): Promise<Release> {
  const segments = url.pathname.replace(/\/+$/, "").split("/");
  const name = segments.pop();
  if (!name) return nothing;
  url.pathname = `${segments.join("/")}/`;
  const store = new WritableHttpStore(url);
  const key = `/${nameOf(decoded(name))}`;
  try {
    await store.set(key, new TextEncoder().encode(text), { ifVersion: "absent" });
  } catch (error) {
    if (!isZarrError(error, "AlreadyExists", "Conflict")) return nothing;
    const found = await store.get(key).catch(() => undefined);
    throw held(store.locate(key), new TextDecoder().decode(found));
  }
  const release = () => store.delete(key).catch(() => {});
  const forget = atTheEnd(release);
  return () => release().finally(forget);
}
