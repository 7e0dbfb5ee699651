// `zarr-wasm pyramid` as a user runs it.
import { spawn } from "node:child_process";
import fs, { readdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { create, createGroup, type ElementData, get, open, set } from "zarr-wasm";
import { labelPaths, multiscales, writeMultiscale } from "zarr-wasm/conventions";
import { transferTimes } from "#internal";
import { runPyramid } from "#src/cli/commands/pyramid/command.js";
import { readOptions } from "#src/cli/commands/pyramid/options.js";
import type { Values } from "#src/cli/options/options.js";
import { UsageError } from "#src/cli/options/options.js";
import { run, runBeside, temporaryFolder, tool } from "../support/cli-tool.js";
import { filesOf, printed } from "../support/copying.js";
import { downsample, type Method } from "../support/downsample-reference.js";

const folder = temporaryFolder();
const place = (name: string) => path.join(folder, name);
const urlOf = (name: string) => pathToFileURL(`${place(name)}/`);

const shape = [70, 90];
const data = Uint16Array.from({ length: 70 * 90 }, (_, i) => (i * 7919) % 5000);

beforeAll(async () => {
  const array = await create(urlOf("source"), { path: "raw", shape, dtype: "uint16", chunkShape: [16, 16] });
  await set(array, null, data);
});

async function levelsOf(name: string) {
  const group = await open(urlOf(name), { kind: "group" });
  return Promise.all(multiscales(group)[0]!.levels.map((level) => level.open()));
}

async function checkLevels(name: string, method: Method, count: number): Promise<void> {
  const arrays = await levelsOf(name);
  expect(arrays).toHaveLength(count);
  let before: { data: ElementData; shape: readonly number[] } = { data, shape };
  for (const [i, array] of arrays.entries()) {
    const found = (await get(array)).data as ElementData;
    const factors = i === 0 ? [1, 1] : [2, 2];
    expect(found).toEqual(downsample(array.dtype, before.data, before.shape, factors, method));
    before = { data: found, shape: array.shape };
  }
}

/** Runs it in this process. */
const pyramid = async (source: string, dest: string, values: Values) =>
  JSON.parse(await printed(() => runPyramid(place(source), place(dest), { ...values, json: true })));

const ofRaw = (dest: string, values: Values) => pyramid("source", dest, { path: "raw", ...values });

const raw = (...args: string[]) => run("pyramid", place("source"), ...args, "--path", "raw");

describe("zarr-wasm pyramid", () => {
  it("makes an image of an array", async () => {
    const named = ["--name", "cells", "--scale", "0.5,0.25", "--axes", "y,x", "--units", "micrometer,"];
    const { status, text, err } = raw(place("image"), "--levels", "3", "--json", ...named);
    expect([status, err]).toEqual([0, ""]);
    const said = JSON.parse(text) as { levels: { shape: number[] }[]; chunks: number };
    expect(said).toMatchObject({ method: "mean", chunks: 30 + 9 + 4, destination: place("image") });
    expect(said.levels.map((level) => level.shape)).toEqual([
      [70, 90],
      [35, 45],
      [18, 23],
    ]);
    await checkLevels("image", "mean", 3);
    const [image] = multiscales(await open(urlOf("image"), { kind: "group" }));
    expect(image).toMatchObject({
      name: "cells",
      version: "0.5",
      axes: [
        { name: "y", unit: "micrometer" },
        { name: "x", unit: undefined },
      ],
    });
    expect(image!.levels[1]).toMatchObject({ scale: [1, 0.5], translation: [0.25, 0.125] });
  });

  it("reports the levels it wrote, and refuses to overwrite", async () => {
    const values = { levels: "2", method: "max", chunks: "8,8", shards: "auto", codecs: "zstd:1" };
    const text = await printed(() => runPyramid(place("source"), place("plain"), { path: "raw", ...values }));
    expect(text).toMatch(
      /^wrote \d+ chunks, .*, in .* s, of an image with these levels \(max\):\n {2}0 {2}70 × 90\n/,
    );
    await expect(ofRaw("plain", values)).rejects.toThrow("already exists; pass --overwrite");
    await ofRaw("plain", { ...values, overwrite: true });
    expect((await levelsOf("plain"))[0]!.shardShape).toEqual([128, 128]);
    await checkLevels("plain", "max", 2);
  });

  it("makes images of Zarr v2", async () => {
    await ofRaw("older", { format: "2", levels: "2", method: "mode", threads: "2" });
    await checkLevels("older", "mode", 2);
    expect(multiscales(await open(urlOf("older"), { kind: "group" }))[0]!.version).toBe("0.4");
  });

  it("takes an image's finest level, with its metadata", async () => {
    const array = await open(urlOf("source"), { path: "raw", kind: "array" });
    const ome = { omero: { channels: [{ label: "DNA" }] } };
    const axes = [{ name: "y", unit: "meter" }, "x"];
    const [scale, translation] = [
      [3, 4],
      [5, 6],
    ];
    await writeMultiscale(urlOf("other"), array, { levels: 1, axes, scale, translation, name: "n", ome });
    await pyramid("other", "of-image", { format: "2", levels: "2", method: "nearest" });
    const [image] = multiscales(await open(urlOf("of-image"), { kind: "group" }));
    expect(image).toMatchObject({ name: "n", axes: [{ unit: "meter" }, {}], channels: [{ label: "DNA" }] });
    expect(image!.levels[1]).toMatchObject({ scale: [6, 8], translation: [5, 6] });
  });

  it("makes an image of an array with latitudes and longitudes, without --axes", async () => {
    const names = { dimensionNames: ["lat", "lon"], chunkShape: [64, 64] };
    await set(await create(urlOf("world"), { shape, dtype: "uint16", ...names }), null, data);
    await pyramid("world", "world-image", { levels: "2" });
    await checkLevels("world-image", "mean", 2);
    expect((await levelsOf("world-image"))[1]!.chunkShape).toEqual([35, 45]);
  });

  it("registers an image in the group `labels` around it", async () => {
    await ofRaw("labelled", { levels: "1" });
    await createGroup(urlOf("labelled"), { path: "labels" });
    await ofRaw("labelled/labels/cells", { levels: "1", method: "mode" });
    const image = await open(urlOf("labelled"), { kind: "group" });
    expect(await labelPaths(image)).toEqual(["labels/cells"]);
  });

  it("refuses bad arguments before it searches DEST for locks", async () => {
    const search = vi.spyOn(fs.promises, "opendir");
    onTestFinished(() => search.mockRestore());
    await expect(ofRaw("source", { axes: "y,z" })).rejects.toThrow("dimension names");
    await expect(runPyramid(place("source"), "/", { path: "raw", overwrite: true })).rejects.toThrow(
      "is the root of the file system; its contents are never deleted",
    );
    expect(search.mock.calls.map(([where]) => String(where))).toEqual([]);
  });

  it("leaves an array in place that is already in DEST", async () => {
    await createGroup(urlOf("place"));
    const array = await create(urlOf("place"), {
      path: "0",
      shape,
      dtype: "uint16",
      chunkShape: [32, 32],
      dimensionNames: ["y", "x"],
    });
    await set(array, null, data);
    const before = filesOf(place("place"));
    await pyramid("place/0", "place", { levels: "3" });
    await checkLevels("place", "mean", 3);
    const after = filesOf(place("place"));
    for (const [file, bytes] of before) if (file.startsWith("0")) expect(after.get(file)).toEqual(bytes);
    // The image itself, made anew.
    await pyramid("place", "place", { levels: "2", method: "max", overwrite: true });
    await checkLevels("place", "max", 2);
    // DEST is the array, or lies in it.
    symlinkSync(place("place"), place("link"));
    for (const dest of ["place/0", "place/0/more", "link/0", "link/0/more/and/more"])
      await expect(pyramid("place", dest, { path: "0", overwrite: true })).rejects.toThrow(/lies/);
    expect(filesOf(place("place")).get("0/zarr.json")).toEqual(before.get("0/zarr.json"));
  });

  it("fills levels in parts, each in a separate process", async () => {
    const args = ["--levels", "3", "--chunks", "8,8"];
    expect(raw(place("whole"), ...args).status).toBe(0);
    const made = raw(place("parts"), ...args, "--metadata-only", "--json");
    expect([made.status, (JSON.parse(made.text) as { levels: unknown[] }).levels.length]).toEqual([0, 3]);
    const parts = async (level: string) => {
      const runs = await Promise.all(
        ["0/2", "1/2"].map((part) =>
          runBeside(
            "pyramid",
            place("source"),
            place("parts"),
            "--path",
            "raw",
            ...args,
            "--level",
            level,
            "--part",
            part,
          ),
        ),
      );
      expect(runs.map(({ status, err }) => [status, err])).toEqual([
        [0, ""],
        [0, ""],
      ]);
    };
    await parts("0");
    const rest = raw(place("parts"), ...args, "--level", "1+");
    expect([rest.status, rest.err]).toEqual([0, ""]);
    expect(filesOf(place("parts"))).toEqual(filesOf(place("whole")));
    // A repeated part writes only its own chunks, and restores missing ones.
    rmSync(path.join(place("parts"), "1/c/0/0"));
    await parts("1");
    expect(filesOf(place("parts"))).toEqual(filesOf(place("whole")));
    const other = raw(place("parts"), ...args, "--level", "1", "--method", "max");
    expect([other.status, other.err]).toEqual([1, expect.stringContaining("was created with")]);
  });

  it("resumes an aborted run", async () => {
    const values = { levels: "3", chunks: "8,8" };
    await ofRaw("resumed", values);
    const whole = filesOf(place("resumed"));
    rmSync(path.join(place("resumed"), "2"), { recursive: true });
    rmSync(path.join(place("resumed"), "1/c/0/0"));
    await ofRaw("resumed", { ...values, resume: true });
    expect(filesOf(place("resumed"))).toEqual(whole);
  });

  it("resumes after the process was killed", async () => {
    // The lock that a killed process leaves goes stale soon.
    const quick = ["--import", new URL("../support/quick-locks.mjs", import.meta.url).href];
    const usual = { ...transferTimes };
    onTestFinished(() => void Object.assign(transferTimes, usual));
    Object.assign(transferTimes, { folder: 50 });
    const args = ["--levels", "3", "--chunks", "4,4", "--codecs", "gzip"];
    await ofRaw("unharmed", { levels: "3", chunks: "4,4", codecs: "gzip" });
    for (const delay of [200, 350]) {
      const child = spawn(process.execPath, [
        ...quick,
        tool,
        "pyramid",
        place("source"),
        place("killed"),
        "--path",
        "raw",
        ...args,
      ]);
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill("SIGKILL");
      await new Promise((resolve) => child.on("close", resolve));
      await ofRaw("killed", { levels: "3", chunks: "4,4", codecs: "gzip", resume: true });
      expect(filesOf(place("killed"))).toEqual(filesOf(place("unharmed")));
      rmSync(place("killed"), { recursive: true });
    }
  });

  it("rejects contradictory options", () => {
    const refused = (values: Values) => {
      try {
        return readOptions(values);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        return (error as Error).message;
      }
    };
    expect(refused({ method: "median" })).toContain("--method must be one of");
    expect(refused({ format: "1" })).toContain("--format must be 2 or 3");
    expect(refused({ levels: "0" })).toContain("--levels must be an integer");
    expect(refused({ level: "x" })).toContain("--level");
    expect(refused({ part: "0/2" })).toContain("--level L");
    expect(refused({ level: "1+", part: "0/2" })).toContain("--level L");
    expect(refused({ level: "1", part: "2/2" })).toContain("--part");
    expect(refused({ level: "1", "metadata-only": true })).toContain("cannot be used together");
    expect(refused({ level: "1", overwrite: true })).toContain("--overwrite");
    expect(refused({ resume: true, overwrite: true })).toContain("cannot be used together");
    expect(refused({ scale: "0,1" })).toContain("--scale");
    expect(refused({ factor: "2,x" })).toContain("--factor");
    const fails = (...args: string[]) => {
      const { status, err } = raw(place("nothing"), ...args);
      return [status, err.split("\n")[0]];
    };
    expect(fails("--axes", "x")).toEqual([2, expect.stringContaining("--axes must have 2 entries")]);
    expect(fails("--units", "m,m")).toEqual([2, expect.stringContaining("--axes")]);
    expect(fails("--level", "1", "--levels", "2")).toEqual([1, expect.stringContaining("no image")]);
    const archive = run("pyramid", place("source"), place("image.zip"), "--path", "raw");
    expect([archive.status, archive.err]).toEqual([2, expect.stringContaining("archive")]);
    const group = run("pyramid", place("source"), place("nothing"));
    expect([group.status, group.err]).toEqual([
      1,
      expect.stringContaining("expected an array or an OME-Zarr image"),
    ]);
    expect(readdirSync(folder).filter((name) => /nothing|zip/.test(name))).toEqual([]);
  });
});
