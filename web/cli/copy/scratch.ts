/** A temporary folder for what is stored in between; it goes however the process ends, but by SIGKILL. */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Store } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { atTheEnd } from "../at-the-end.js";

const nameOf = (pid: number | string, host = os.hostname()): string =>
  `.zarr-wasm-${host.replace(/[^\w-]/g, "_")}-${pid}.tmp`;

let count = 0;

/** Runs work with a store in a new folder. @param where folder that it is in. */
export async function withScratch<T>(where: string, work: (store: Store) => Promise<T>): Promise<T> {
  sweep(where);
  const folder = path.join(where, nameOf(`${process.pid}-${count++}`));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const release = atTheEnd(remove);
  try {
    mkdirSync(folder, { recursive: true });
    return await work(new FileSystemStore(pathToFileURL(folder)));
  } finally {
    remove();
    release();
  }
}

/** Removes what processes of this machine that are no more have left there, killed. */
function sweep(where: string): void {
  const own = new RegExp(`^${nameOf("(\\d+)-\\d+").replaceAll(".", "\\.")}$`);
  let names: string[] = [];
  try {
    names = readdirSync(where);
  } catch {
    return; // not there yet
  }
  for (const name of names) {
    const pid = Number(own.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(path.join(where, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
