// Scratch folders of `zarr-wasm copy`: lost or changed intermediate chunks, and folders of other processes.
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { create, getBytes, open, set, slice } from "zarr-wasm";
import { ScratchStore } from "#internal";
import { loadNode, transferTimes } from "#src/transfer/host.js";
import { withScratch } from "#src/transfer/scratch.js";
import { skipFor } from "../../shared/skips.js";
import { temporaryPlaces, tool } from "../support/cli-tool.js";
import { copy, urlOf } from "../support/copying.js";
import { errorOf } from "../support/support.js";

const place = temporaryPlaces("scratch");
const scratchIn = (where: string) => readdirSync(where).filter((name) => name.startsWith(".zw-scratch"));

/** From rows to columns in little memory: through intermediate chunks. */
const columns = { chunks: "2048,16", memory: "8" } as const;

/** All elements of an array, as bytes. */
async function elementsOf(array: string): Promise<Buffer> {
  const { bytes } = await getBytes(await open(urlOf(array), { kind: "array" }));
  return Buffer.from(bytes);
}

let source: string;
let strings: string;
beforeAll(async () => {
  await loadNode();
  source = place("source.zarr");
  const options = { shape: [2048, 2048], chunkShape: [16, 2048], dtype: "uint32" } as const;
  const array = await create(urlOf(source), options);
  const values = Uint32Array.from({ length: 2048 * 1024 }, (_, i) => i + 1);
  await set(array, [slice(0, 1024), null], values); // the rest is fill value
  strings = place("strings.zarr");
  const array2 = await create(urlOf(strings), { shape: [512, 512], chunkShape: [2, 512], dtype: "string" });
  await set(
    array2,
    null,
    Array.from({ length: 512 * 512 }, (_, i) => `text ${i}`),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Does something to the folder before the first intermediate chunk is read. */
function afterStaging(change: (folder: string) => void): void {
  const { get } = ScratchStore.prototype;
  let isChanged = false;
  vi.spyOn(ScratchStore.prototype, "get").mockImplementation(function (this: ScratchStore, key) {
    if (!isChanged && chunksIn(this.folder!).length > 1) {
      isChanged = true;
      change(this.folder!);
    }
    return get.call(this, key);
  });
}

const chunksIn = (scratch: string) => readdirSync(scratch).filter((name) => name.startsWith("~c~"));

describe("intermediate chunks", () => {
  it("give the same elements, and are removed", async () => {
    let stored = 0;
    afterStaging((scratch) => {
      stored = chunksIn(scratch).length;
    });
    const dest = place();
    const facts = await copy(source, dest, { ...columns, verify: true });
    expect(facts.chunks).toEqual({ asStored: 0, reencoded: 128, skipped: 0, missing: 0 });
    expect(Buffer.compare(await elementsOf(dest), await elementsOf(source))).toBe(0);
    expect(stored).toBeGreaterThan(4); // also those of fill value
    expect(readdirSync(path.dirname(dest))).toEqual(["copy.zarr"]);
  });

  it.each([
    ["one is removed", (scratch: string) => rmSync(path.join(scratch, chunksIn(scratch)[0]!))],
    ["the folder is removed", (scratch: string) => rmSync(scratch, { recursive: true })],
    [
      "the folder is removed and made again",
      (scratch: string) => {
        rmSync(scratch, { recursive: true });
        mkdirSync(scratch);
      },
    ],
  ])("are an error if %s", async (_, change) => {
    afterStaging(change);
    const dest = place();
    const error = await errorOf(() => copy(source, dest, columns));
    expect([error["_tag"], error["code"]]).toEqual(["Network", "file-failed"]);
    expect(error.message).toMatch(/another process removed .*\.zw-scratch[0-9a-f]{32}\.tmp, or files in it/);
    expect(scratchIn(path.dirname(dest))).toEqual([]);
  });

  it("fail if the folder is removed while they are written", async () => {
    const { set: write } = ScratchStore.prototype;
    let count = 0;
    let scratch = "";
    vi.spyOn(ScratchStore.prototype, "set").mockImplementation(function (this: ScratchStore, key, value) {
      if (++count === 4) {
        scratch = this.folder!;
        rmSync(scratch, { recursive: true });
      }
      return write.call(this, key, value);
    });
    const error = await errorOf(() => copy(source, place(), columns));
    expect([error["_tag"], error["code"]]).toEqual(["Network", "file-failed"]);
    expect(scratch).not.toBe("");
    expect(existsSync(scratch)).toBe(false);
  });

  it.each([
    ["numbers", () => source, columns],
    ["strings", () => strings, { chunks: "512,2", memory: "8" }],
  ])("of %s that are exchanged do not pass --verify", async (_, from, values) => {
    afterStaging((scratch) => {
      const [a, b] = chunksIn(scratch);
      copyFileSync(path.join(scratch, a!), path.join(scratch, b!));
    });
    const { message } = await errorOf(() => copy(from(), place(), { ...values, verify: true }));
    expect(message).toMatch(/the copy differs from the source: .*\.zw-scratch[0-9a-f]{32}\.tmp.~c~/);
  });

  it("of strings pass --verify", async () => {
    const values = { chunks: "512,2", memory: "8", verify: true } as const;
    expect((await copy(strings, place(), values)).verified).toBe(true);
  });
});

describe("scratch folders of other processes", () => {
  it("are removed an hour after their last sign of life by the clock of the file system, and not before", async () => {
    const where = place("");
    const folders = [0, 3500, 3700].map((age) => {
      const other = path.join(where, `.zw-scratch${String(age).padStart(32, "0")}.tmp`);
      mkdirSync(other, { recursive: true });
      writeFileSync(path.join(other, "~c~0~0"), "");
      const time = Date.now() / 1000 - age;
      utimesSync(other, time, time);
      return other;
    });
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 7_200_000); // the clock of this process is wrong
    await withScratch(where, false, async () => {});
    expect(folders.map((one) => existsSync(one))).toEqual([true, true, false]);
    expect(scratchIn(where)).toHaveLength(2);
  });

  it("show signs of life while they are in use", async () => {
    const where = place("");
    const { scratchBeat } = transferTimes;
    transferTimes.scratchBeat = 10;
    await withScratch(where, false, async () => {
      const own = path.join(where, scratchIn(where)[0]!);
      utimesSync(own, 1, 1);
      await vi.waitFor(() => expect(statSync(own).mtimeMs).toBeGreaterThan(Date.now() - 60_000));
    });
    transferTimes.scratchBeat = scratchBeat;
  });

  const unshare = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
  const canUnshare = spawnSync("unshare", [...unshare, "true"]).status === 0;
  it(
    "are left alone with the same process id and host name (needs unshare)",
    skipFor(canUnshare ? undefined : "needs the right to unshare process ids"),
    async () => {
      const where = path.dirname(place());
      const copies = ["a", "b", "c"].map((name) => {
        const dest = path.join(where, name);
        const args = [tool, "copy", source, dest, "--chunks", "2048,16", "--memory", "8", "--verify"];
        const child = spawn("unshare", [...unshare, process.execPath, ...args]);
        let err = "";
        child.stderr.on("data", (piece) => {
          err += piece;
        });
        return new Promise((resolve) => child.on("close", (status) => resolve([status, err])));
      });
      expect(await Promise.all(copies)).toEqual(copies.map(() => [0, ""]));
      const wanted = await elementsOf(source);
      for (const name of ["a", "b", "c"])
        expect(Buffer.compare(wanted, await elementsOf(path.join(where, name)))).toBe(0);
      expect(readdirSync(where)).toEqual(["a", "b", "c"]);
    },
  );
});
