// Locks of processes that are killed, suspended, or run at once.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FileSystemStore } from "zarr-wasm/node";
import { runCopy } from "#src/cli/commands/copy.js";
import type { Values } from "#src/cli/options/options.js";
import { Lease } from "#src/store/lease.js";
import { skipFor } from "../../shared/skips.js";
import { amount } from "../support/amounts.js";
import {
  group,
  hold,
  interval,
  large,
  lockName,
  lockOf,
  other,
  outcome,
  overwrite,
  place,
  quick,
  source,
  stale,
  start,
  startLarge,
} from "../support/cli-locking.js";
import { tool } from "../support/cli-tool.js";
import { copy, filesOf, printed } from "../support/copying.js";

/** Serves an array whose chunks are held back until they are released. */
async function serveHeld(folder: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer(async (request, response) => {
    const file = path.join(folder, request.url!);
    if (request.url!.startsWith("/c/")) await released;
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile();
    response.writeHead(isFile ? 200 : 404).end(isFile ? readFileSync(file) : undefined);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, release };
}

describe("processes that end", () => {
  it("by SIGINT leave no lock", async () => {
    const dest = place("copy.zarr");
    const { child, ended } = await startLarge(dest, "--overwrite");
    expect(existsSync(lockOf(dest))).toBe(true);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({
      signal: "SIGINT",
      err: expect.stringMatching(
        /^zarr-wasm: interrupted: \d+ of \d+ chunks copied; to continue, run: zarr-wasm copy .* --resume\n$/,
      ),
    });
    expect(existsSync(lockOf(dest))).toBe(false);
  });

  it("by an error leave no lock", async () => {
    const dest = place("copy.zarr");
    const lock = await hold(dest);
    await lock.release();
    await copy(source, dest);
    await expect(copy(source, dest)).rejects.toThrow("--overwrite");
    expect(readdirSync(dest).sort()).toEqual(["c", "zarr.json"]);
  });

  it.each(["--overwrite", "--resume"])(
    "by SIGKILL leave a lock that %s takes over once it is stale",
    async (option) => {
      const dest = place("copy.zarr");
      const { child, ended } = await startLarge(dest);
      child.kill("SIGKILL");
      await ended;
      expect(existsSync(lockOf(dest))).toBe(true);
      const args = ["copy", large, dest, "--chunks", "1,1", option, "--json"];
      const begin = performance.now();
      const { status, stderr } = spawnSync(process.execPath, [...quick, tool, ...args]);
      expect(performance.now() - begin).toBeGreaterThan(stale);
      expect([status, String(stderr)]).toEqual([
        0,
        expect.stringContaining(
          `the lock ${lockOf(dest)} of process ${child.pid} on ${os.hostname()}, since`,
        ),
      ]);
      expect(filesOf(dest).size).toBe(2501);
      expect(existsSync(lockOf(dest))).toBe(false);
    },
  );

  it("leave locks: outer ones go stale as well, inner ones are not seen", async () => {
    for (const [killed, next] of [
      [place("outer/x"), ".."],
      [place("outer"), "x"],
    ] as const) {
      const { child, ended } = await startLarge(killed);
      child.kill("SIGKILL");
      await ended;
      await copy(group, path.join(killed, next));
      expect(existsSync(lockOf(killed))).toBe(next === "..");
    }
  });

  it("and were suspended for too long write nothing more", async () => {
    const dest = place("copy.zarr");
    const { child, ended } = await startLarge(dest);
    child.kill("SIGSTOP");
    await copy(other, dest, overwrite);
    const wanted = filesOf(dest);
    child.kill("SIGCONT");
    const { status, err } = await ended;
    expect(status).toBe(1);
    expect(err).toMatch(/the lock of .*copy\.zarr, .*\.zw-writer\.tmp, was lost; writing stopped/);
    expect(filesOf(dest)).toEqual(wanted);
    expect(readdirSync(dest).sort()).toEqual(["c", "zarr.json"]);
  });

  it("and were suspended while they deleted remove nothing of the next writer", async () => {
    const dest = place("copy.zarr");
    const many = { chunks: "1,1" };
    await copy(large, dest, many);
    const wanted = filesOf(dest);
    const samples = Array.from({ length: 50 }, (_, i) => path.join(dest, `c/${i}/25`));
    const missing = () => samples.filter((name) => !existsSync(name)).length;
    for (let round = 0, caught = 0; caught < amount(1, 10) && round < amount(4, 40); round++) {
      const { child, ended } = start("copy", source, dest, "--overwrite");
      await vi.waitFor(() => expect(missing()).toBeGreaterThan(4), { timeout: 20_000, interval: 1 });
      child.kill("SIGSTOP");
      if (missing() < samples.length) caught++;
      await copy(large, dest, { ...many, ...overwrite });
      child.kill("SIGCONT");
      const { status, err } = await ended;
      if (status === 1) expect(err).toMatch(/the lock of .* was lost/);
      expect(filesOf(dest).size).toBe(wanted.size);
      expect(filesOf(dest)).toEqual(wanted);
    }
  });

  it("find out who has taken their lock", async () => {
    const dest = place("copy.zarr");
    const { child, ended } = await startLarge(dest);
    child.kill("SIGSTOP");
    const lock = await hold(dest);
    child.kill("SIGCONT");
    const { status, err } = await ended;
    expect(status).toBe(1);
    expect(err).toContain(`was lost: process ${process.pid} on ${os.hostname()}, since`);
    await lock.finish();
  });

  const unshare = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
  const canUnshare = spawnSync("unshare", [...unshare, "true"]).status === 0;
  it(
    "are not mistaken for others with the same id and host name (needs unshare)",
    skipFor(canUnshare ? undefined : "needs the right to unshare process ids"),
    async () => {
      const dest = place("copy.zarr");
      const isolated = (...args: string[]) => {
        const child = spawn("unshare", [...unshare, process.execPath, ...quick, tool, ...args]);
        return { child, ended: outcome(child) };
      };
      const slow = await serveHeld(large);
      const first = isolated("copy", slow.url, dest, "--chunks", "1,1", "--overwrite");
      await vi.waitFor(() => expect(existsSync(lockOf(dest))).toBe(true), 20_000);
      const second = await isolated("copy", source, dest, "--overwrite").ended;
      expect(second.status).toBe(1);
      expect(second.err).toMatch(/copy\.zarr is being written by process \d+ on /);
      slow.release();
      expect(await first.ended).toMatchObject({ status: 0, err: "" });
      expect(filesOf(dest).size).toBe(2501);
    },
  );
});

describe("a lock that is about to be deleted", () => {
  it("is not deleted by a process that was suspended before the deletion, and becomes stale", async () => {
    const store = new FileSystemStore(place("copy.zarr"));
    const leaseOf = (id: string) => {
      const own = { id, host: os.hostname(), process: process.pid, since: "now" };
      return new Lease(lockName, store, `/${lockName}`, { own, stale });
    };
    const observing = { stale, step: interval, pause: interval / 4, onHeld: () => {} };
    const [first, second] = [leaseOf("first"), leaseOf("second")];
    await first.acquire(observing);
    const write = store.set.bind(store);
    const later = Date.now() + 2 * stale;
    const clock = vi.spyOn(store, "set").mockImplementation(async (...args) => {
      await write(...args);
      vi.spyOn(Date, "now").mockReturnValue(later);
    });
    expect(await first.release()).toBe(true);
    clock.mockRestore();
    vi.restoreAllMocks();
    expect(await first.read()).toMatchObject({ writers: [] });
    await second.acquire(observing);
    expect(await second.release()).toBe(true);
    expect(await second.read()).toBeUndefined();
  });
});

describe("nine writers at once", () => {
  const rounds = amount(4, 60);
  it(`leave a whole copy behind whenever one succeeds, in ${rounds} rounds`, async () => {
    const wanted = filesOf(group);
    let succeeded = 0;
    for (let round = 0; round < rounds; round++) {
      const outer = place("outer");
      const dest = path.join(outer, "copy.zarr");
      const modes: Values[] = [{}, { resume: true }, overwrite];
      await printed(async () => {
        const ends = await Promise.allSettled(
          [...modes, ...modes, ...modes].map(async (values, i) => {
            await new Promise((resolve) => setTimeout(resolve, (i % 3) * 40 * Math.random()));
            return runCopy(group, dest, values);
          }),
        );
        const done = ends.filter(({ status }) => status === "fulfilled").length;
        succeeded += done;
        for (const end of ends)
          if (end.status === "rejected") expect(end.reason.message).toMatch(/is being written by|already/);
        expect(done).toBeGreaterThan(0);
      });
      expect(filesOf(dest)).toEqual(wanted);
      expect(readdirSync(outer)).toEqual(["copy.zarr"]);
    }
    expect(succeeded).toBeGreaterThanOrEqual(rounds);
  });
});
