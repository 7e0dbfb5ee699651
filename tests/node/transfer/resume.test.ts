// `zarr-wasm copy`: interrupted and resumed copies, and copies in parts.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consolidate, create, createGroup, set, slice } from "zarr-wasm";
import { transferTimes } from "#internal";
import { amount } from "../support/amounts.js";
import { run, runProcess, temporaryPlaces, tool } from "../support/cli-tool.js";
import { copy, filesOf, urlOf } from "../support/copying.js";
import { S3Server } from "../support/s3-server.js";
import { randomizer } from "../support/support.js";

const place = temporaryPlaces("resume");

let source: string;
beforeAll(async () => {
  source = place("source.zarr");
  const root = await createGroup(urlOf(source), { attributes: { a: 1 } });
  const random = randomizer(3);
  const rows = await create(root, { path: "rows", shape: [256, 256], chunkShape: [8, 256], dtype: "uint16" });
  await set(
    rows,
    null,
    Uint16Array.from({ length: 256 * 256 }, () => 1 + Math.floor(random() * 999)),
  );
  const small = await create(root, { path: "small", shape: [9], chunkShape: [9], dtype: "int8" });
  await set(
    small,
    null,
    Int8Array.from({ length: 9 }, (_, i) => i + 1),
  );
  await consolidate(root);
});

/** Locks of processes that are killed go stale soon. */
const quick = ["--import", new URL("../support/quick-locks.mjs", import.meta.url).href];
beforeAll(() => {
  Object.assign(transferTimes, { folder: 50, http: 50 });
});

const values = { chunks: "64,16", shards: "128,32", verify: false } as const;
const args = ["--chunks", "64,16", "--shards", "128,32"];

describe("--resume", () => {
  it("skips existing complete chunks, and ends in the same bytes", async () => {
    const [dest, whole] = [place(), place()];
    await copy(source, whole, values);
    await copy(source, dest, values);
    rmSync(path.join(dest, "rows/c/0/3"));
    truncateSync(path.join(dest, "rows/c/1/1"), statSync(path.join(dest, "rows/c/1/1")).size - 1);
    rmSync(path.join(dest, "small/c/0"));
    const before = statSync(path.join(dest, "rows/c/0/0")).mtimeMs;
    const facts = await copy(source, dest, { ...values, resume: true });
    expect(facts.chunks).toEqual({ asStored: 1, reencoded: 8, skipped: 56, missing: 0 });
    expect(filesOf(dest)).toEqual(filesOf(whole));
    expect(statSync(path.join(dest, "rows/c/0/0")).mtimeMs).toBe(before);
    expect((await copy(source, dest, { ...values, resume: true, verify: true })).chunks.skipped).toBe(65);
  });

  it("finds incomplete chunks by their size or header", async () => {
    for (const codecs of ["none", "blosc:zstd:1"]) {
      const [dest, whole] = [place(), place()];
      await copy(source, whole, { path: "rows", codecs });
      await copy(source, dest, { path: "rows", codecs });
      const file = path.join(dest, "c/7/0");
      truncateSync(file, statSync(file).size - 4);
      const facts = await copy(source, dest, { path: "rows", codecs, resume: true });
      expect(facts.chunks).toMatchObject({ reencoded: 1, skipped: 31 });
      expect(filesOf(dest)).toEqual(filesOf(whole));
    }
  });

  it("with --verify finds complete but wrong chunks", async () => {
    const dest = place();
    const plain = { path: "rows", codecs: "none" };
    await copy(source, dest, plain);
    writeFileSync(path.join(dest, "c/7/0"), new Uint8Array(8 * 256 * 2));
    expect((await copy(source, dest, { ...plain, resume: true })).chunks.skipped).toBe(32);
    const { status, err } = await run(
      "copy",
      source,
      dest,
      "--path",
      "rows",
      "--codecs",
      "none",
      "--resume",
      "--verify",
    );
    expect(status).toBe(1);
    expect(err).toMatch(/differs from the source: at \[/);
  });
});

describe("--part", () => {
  const server = new S3Server();
  beforeAll(() => server.start());
  afterAll(() => server.close());

  it("N parts together are one whole copy, and no key is written twice", async () => {
    const whole = place();
    await copy(source, whole, values);
    const dest = `${server.url}/parts.zarr`;
    await copy(source, dest, { ...values, "metadata-only": true });
    server.log.length = 0;
    const parts = [0, 1, 2].map((i) => runProcess("copy", source, dest, ...args, "--part", `${i}/3`));
    expect((await Promise.all(parts)).map(({ err }) => err)).toEqual(["", "", ""]);
    const written = server.log.filter((line) => line.startsWith("PUT") && !line.includes("/.zw-writer"));
    const chunks = [...filesOf(whole)].filter(([name]) => !name.endsWith(".json"));
    expect(written.sort()).toEqual(chunks.map(([name]) => `PUT parts.zarr/${name}`).sort());
    for (const [name, bytes] of filesOf(whole)) {
      const stored = Buffer.from(server.objects.get(`parts.zarr/${name}`)!.bytes);
      // Documents on servers end with a stamp of white space.
      if (name.endsWith(".json")) expect(`${stored}`.trimEnd()).toBe(`${bytes}`.trimEnd());
      else expect(stored).toEqual(bytes);
    }
  });

  it("part 0 creates the nodes, and others wait for them", async () => {
    const [dest, whole] = [place(), place()];
    await copy(source, whole, values);
    const late = runProcess("copy", source, dest, ...args, "--part", "1/2");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await copy(source, dest, { ...values, part: "0/2" });
    expect((await late).err).toBe("");
    expect(filesOf(dest)).toEqual(filesOf(whole));
  });

  it("without nodes is an error", async () => {
    const { status, err } = await run("copy", source, place(), "--part", "1/2", "--wait", "0");
    expect([status, err]).toEqual([
      1,
      'zarr-wasm: the group "/" is missing at DEST; create the nodes with --metadata-only or --part 0/N\n',
    ]);
  });
});

/** Runs a copy and kills it after some milliseconds. @returns whether it was killed. */
function killed(dest: string, after: number, signal: NodeJS.Signals): Promise<boolean> {
  const child = spawn(process.execPath, [
    ...[...quick, tool, "copy", source, dest, ...args, "--memory", "8", "--resume"],
  ]);
  const timer = setTimeout(() => child.kill(signal), after);
  return new Promise((resolve) =>
    child.on("close", (_, by) => {
      clearTimeout(timer);
      resolve(by === signal);
    }),
  );
}

describe("a copy that is killed", () => {
  const rounds = amount(4, 20);
  it(`at ${rounds} random moments leaves whole objects, and resumes to the same bytes`, async () => {
    const whole = place();
    await copy(source, whole, values);
    const wanted = filesOf(whole);
    const start = performance.now();
    await killed(place(), 60_000, "SIGKILL");
    const duration = performance.now() - start;
    const random = randomizer(5);
    let dest = place();
    let ended = 0;
    for (let round = 0; round < rounds; round++) {
      if (await killed(dest, duration * (0.2 + 0.9 * random()), "SIGKILL")) ended++;
      for (const [name, bytes] of filesOf(dest)) {
        // The root's document is written first without and then with consolidated metadata.
        if (name === "zarr.json") JSON.parse(bytes.toString());
        else expect([name, bytes.equals(wanted.get(name)!)]).toEqual([name, true]);
      }
      if (round % 4 !== 3) continue;
      await copy(source, dest, { ...values, resume: true });
      expect(filesOf(dest)).toEqual(wanted);
      dest = place();
    }
    expect(ended).toBeGreaterThan(rounds / 7);
  });

  it("by a signal that it can handle leaves no partial file", async () => {
    const dest = place();
    const big = place("big.zarr");
    const array = await create(urlOf(big), { shape: [8000, 1000], chunkShape: [200, 1000], dtype: "uint16" });
    const random = randomizer(5);
    const rows = Uint16Array.from({ length: 200_000 }, () => 1 + random() * 999);
    for (let row = 0; row < 8000; row += 200) await set(array, [slice(row, row + 200), null], rows);
    const args = ["--codecs", "gzip:6", "--chunks", "20,1000"]; // the thread is busy while files are written
    const child = spawn(process.execPath, [tool, "copy", big, dest, ...args]);
    const ended = new Promise<unknown[]>((resolve) => child.on("close", (...ends) => resolve(ends)));
    const isUnderWay = () =>
      existsSync(path.join(dest, "c")) && readdirSync(path.join(dest, "c")).length > 50;
    for (let i = 0; i < 2000 && !isUnderWay(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill("SIGINT");
    expect(await ended).toEqual([null, "SIGINT"]);
    const files = readdirSync(dest, { recursive: true }) as string[];
    expect(files.filter((name) => name.includes(".zw-"))).toEqual([]);
    expect(files.length).toBeLessThan(400);
  });

  it("by a signal that it can handle leaves no intermediate files and no archive", async () => {
    const big = place("big.zarr");
    const array = await create(urlOf(big), { shape: [4096, 4096], chunkShape: [16, 4096], dtype: "uint16" });
    await set(array, [[0, 2048, 4095], null], 5);
    const dest = place("big.zip");
    const child = spawn(process.execPath, [
      ...[tool, "copy", big, dest, "--chunks", "4096,16", "--memory", "8"],
    ]);
    const around = path.dirname(dest);
    for (let i = 0; i < 2000 && !readdirSync(around).some((name) => name.startsWith(".zw-scratch")); i++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(readdirSync(around).some((name) => name.startsWith(".zw-scratch"))).toBe(true);
    child.kill("SIGINT");
    const [code, by] = await new Promise<unknown[]>((resolve) =>
      child.on("close", (...ends) => resolve(ends)),
    );
    expect([code, by]).toEqual([null, "SIGINT"]);
    expect(readdirSync(around)).toEqual([]);
  });
});
