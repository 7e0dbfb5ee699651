// `zarr-wasm stats` that is killed: no partial result opens as a complete one, and the command can be repeated.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { create, createGroup, get, open, set } from "zarr-wasm";
import { transferTimes } from "#internal";
import { run, temporaryFolder, tool } from "../support/cli-tool.js";
import { urlOf } from "../support/copying.js";

const folder = temporaryFolder();
const place = path.join(folder, "source.zarr");
const shape = [20, 300];
const methods = ["mean", "min", "max", "sum", "first", "last"];

beforeAll(async () => {
  Object.assign(transferTimes, { folder: 20 }); // locks of killed processes are taken over after 30 times as long
  const group = await createGroup(urlOf(place));
  const options = { path: "v", shape, dtype: "float64", dimensionNames: ["time", "x"] } as const;
  const array = await create(group, options);
  await set(
    array,
    null,
    Float64Array.from({ length: shape[0]! * shape[1]! }, (_, i) => i + 1),
  );
  const x = await create(group, { path: "x", shape: [shape[1]!], dtype: "float64", dimensionNames: ["x"] });
  await set(
    x,
    null,
    Float64Array.from({ length: shape[1]! }, (_, i) => i + 1),
  );
});

/** Lists files and folders; returns an empty list if one is deleted during the call. */
function filesIn(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

/** Runs the tool until a test passes, then kills it. @returns whether it was killed. */
async function killedWhen(args: readonly string[], passes: () => boolean): Promise<boolean> {
  const child = spawn(process.execPath, [tool, "stats", place, "--path", "v", ...args], { stdio: "ignore" });
  const ended = new Promise<boolean>((resolve) =>
    child.on("exit", (_, signal) => resolve(signal === "SIGKILL")),
  );
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    if (passes()) child.kill("SIGKILL");
    await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
}

describe("--out", () => {
  const args = (dest: string) => ["--over", "time", "--method", methods.join(), "--out", dest];

  /** Checks that arrays of a result have all elements or none. @returns whether all arrays have all. */
  async function isWhole(dest: string): Promise<boolean> {
    const lengths = [...methods.map((method) => `v_${method}`), "x"].map(async (path) => {
      const array = await open(urlOf(dest), { path, kind: "array" }).catch(() => undefined);
      const data = array ? Array.from((await get(array)).data as Float64Array) : [];
      expect([path, data.every(Number.isFinite)]).toEqual([path, true]);
      return data.length;
    });
    return (await Promise.all(lengths)).every((length) => length === shape[1]);
  }

  it("leaves no part of a result that opens as a whole one, and can be repeated", async () => {
    let killed = 0;
    for (const count of [1, 2, 3, 5, 8, 12, 16, 20]) {
      const dest = path.join(folder, `dest-${count}.zarr`);
      if (await killedWhen(args(dest), () => filesIn(dest).length >= count)) killed++;
      await isWhole(dest);
      const { status } = await run("stats", place, "--path", "v", ...args(dest), "--overwrite");
      expect(status).toBe(0);
      expect(await isWhole(dest)).toBe(true);
      rmSync(dest, { recursive: true });
    }
    expect(killed).toBeGreaterThan(0);
  });
});

it("--write leaves the old attributes or all statistics", async () => {
  const document = path.join(place, "v/zarr.json");
  const before = readFileSync(document, "utf8");
  const names = () => readdirSync(path.dirname(document)).join();
  for (const wanted of ["a new file", "a new document", "nothing"]) {
    writeFileSync(document, before);
    const files = names();
    await killedWhen(["--write"], () =>
      wanted === "a new file" ? names() !== files : wanted !== "nothing" && read(document) !== before,
    );
    const { attributes } = await open(urlOf(place), { path: "v", kind: "array" });
    if (Object.keys(attributes).length > 0)
      expect(attributes).toMatchObject({ actual_range: [1, 6000], "zarr-wasm:statistics": { count: 6000 } });
    expect((await run("stats", place, "--path", "v", "--write")).status).toBe(0);
    expect(JSON.parse(read(document)).attributes).toMatchObject({ actual_range: [1, 6000] });
  }
});

const read = (file: string) => readFileSync(file, "utf8");
