/** Shared parts of the tests of locks: sources, processes of the tool, and locks taken as by commands. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeAll, expect, vi } from "vitest";
import { create, createGroup, set } from "zarr-wasm";
import { openDestination, transferTimes } from "#internal";
import { destinationUrl } from "#src/cli/source/places.js";
import type { DestinationLock, LockOptions } from "#src/transfer/lock.js";
import { temporaryPlaces, tool } from "./cli-tool.js";
import { urlOf } from "./copying.js";

export const place = temporaryPlaces("lock");
export const lockName = ".zw-writer.tmp";
export const lockOf = (dest: string) => path.join(dest, lockName);
export const overwrite = { overwrite: true };

/** As in quick-locks.mjs, which the processes of these tests import. */
export const interval = 50;
export const stale = 30 * interval;
export const quick = ["--import", new URL("quick-locks.mjs", import.meta.url).href];

export let source: string;
export let other: string;
export let group: string;
/** Takes a second to copy with chunks of single elements. */
export let large: string;
beforeAll(async () => {
  Object.assign(transferTimes, { folder: interval, http: interval });
  for (const [name, value] of [
    ["source.zarr", 7],
    ["other.zarr", 9],
  ] as const) {
    const array = await create(urlOf(place(name)), {
      shape: [64, 64],
      chunkShape: [16, 16],
      dtype: "uint16",
    });
    await set(array, null, value);
    if (value === 7) source = array.store.locate!("").replace(/^file:\/\//, "");
    else other = array.store.locate!("").replace(/^file:\/\//, "");
  }
  group = place("group.zarr");
  const root = await createGroup(urlOf(group));
  for (const name of ["a", "b"]) {
    const options = { path: name, shape: [64], chunkShape: [4], dtype: "uint16" } as const;
    await set(
      await create(root, options),
      null,
      Uint16Array.from({ length: 64 }, (_, i) => i + 1),
    );
  }
  large = place("large.zarr");
  await set(await create(urlOf(large), { shape: [50, 50], chunkShape: [50, 50], dtype: "uint8" }), null, 3);
});

/** Locks a place as a command does. */
export async function hold(name: string, options?: LockOptions): Promise<DestinationLock> {
  const destination = await openDestination(destinationUrl(name), { ...overwrite, name });
  const lock = await destination.lock(options);
  const release = async () => {
    await lock.release();
    await destination.abort(undefined);
  };
  return { finish: () => lock.finish(), release };
}

/** A process of the tool. */
export function start(...args: string[]) {
  const child = spawn(process.execPath, [...quick, tool, ...args]);
  return { child, ended: outcome(child) };
}

export async function outcome(child: ChildProcess) {
  let err = "";
  child.stderr!.on("data", (piece: Buffer) => {
    err += piece;
  });
  const [status, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on("close", (...ends) => resolve(ends)),
  );
  return { status, signal, err };
}

/** A copy that writes many chunks, which has begun to. */
export async function startLarge(dest: string, ...args: string[]) {
  const started = start("copy", large, dest, "--chunks", "1,1", ...args);
  await vi.waitFor(() => expect(existsSync(path.join(dest, "c/1"))).toBe(true), {
    timeout: 20_000,
    interval: 5,
  });
  return started;
}

export const byThisProcess = `is being written by process ${process.pid} on ${os.hostname()}, since 20`;
