// Commands on arrays of any size that are mostly empty: they visit stored chunks only, and count the others.
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type CreateOptions, create, createGroup, get, open, set, slice } from "zarr-wasm";
import { shareBoxes } from "#src/walk/boxes.js";
import { amount } from "../support/amounts.js";
import { run, runBeside, temporaryFolder } from "../support/cli-tool.js";
import { copy, filesOf, printed, urlOf, verify } from "../support/copying.js";
import { ObjectServer } from "../support/store-server.js";
import { errorOf, randomizer } from "../support/support.js";

const folder = temporaryFolder();
const huge = 2 ** 53 - 1;
const total = BigInt(huge) ** 2n;
let count = 0;
const place = (name = "") => path.join(mkdtempSync(path.join(folder, "sparse-")), `${count++}${name}`);

/** An array of float64 in a new folder, with the elements of some chunks. */
async function make(
  options: Partial<CreateOptions>,
  chunks: readonly (readonly number[])[],
): Promise<string> {
  const dir = place();
  const all = {
    shape: [huge, huge],
    chunkShape: [1, 1],
    dtype: "float64",
    codecs: "none",
    ...options,
  } as const;
  const array = await create(urlOf(dir), all);
  for (const [i, at] of chunks.entries()) {
    const region = at.map((cell, axis) => {
      const length = array.chunkShape[axis]!;
      return slice(cell * length, Math.min((cell + 1) * length, array.shape[axis]!));
    });
    await set(array, region, i + 1);
  }
  return dir;
}

const chunkFiles = (dir: string) =>
  [...filesOf(dir).keys()].filter((name) => !/(zarr\.json|\.z\w+)$/.test(name));
/** Stored chunks, in order. */
const chunksOf = (dir: string) => chunkFiles(dir).map((name) => filesOf(dir).get(name));

describe("shares of arrays of any size", () => {
  const counts = [huge, huge];
  const boxesOf = (index: number, of: number) => shareBoxes(counts, { index, count: of });

  it("have every object once", () => {
    const random = randomizer(11);
    const shares = Array.from({ length: 7 }, (_, index) => boxesOf(index, 7));
    const size = (boxes: ReturnType<typeof shareBoxes>) =>
      boxes.reduce((sum, { from, to }) => sum + from.reduce((n, at, i) => n * BigInt(to[i]! - at), 1n), 0n);
    const sizes = shares.map(size);
    expect(sizes.reduce((a, b) => a + b)).toBe(total);
    expect(sizes.every((one) => one - total / 7n <= 1n && total / 7n - one <= 1n)).toBe(true);
    for (let round = 0; round < 200; round++) {
      const at = [Math.floor(random() * huge), Math.floor(random() * huge)];
      const owners = shares.filter((boxes) =>
        boxes.some(({ from, to }) => at.every((index, i) => index >= from[i]! && index < to[i]!)),
      );
      expect(owners).toHaveLength(1);
    }
  });
});

describe("verify", () => {
  it("ends if no chunk is stored, and counts exactly", async () => {
    const dir = await make({}, []);
    expect(await verify(dir)).toMatchObject({
      chunks: String(total),
      missing: String(total),
      bytes: String(8n * total),
      badCount: 0,
    });
    const { status, text } = run("verify", dir);
    expect([status, text]).toEqual([
      0,
      expect.stringMatching(
        /^1 array, 0 groups: 81129638414606663681390495662081 chunks \(81129638414606663681390495662081 not stored\), 512\.0 QiB in/,
      ),
    ]);
    expect(run("info", dir).text).toContain("81129638414606663681390495662081 of 8 bytes each");
  });

  it("decodes stored chunks, in one part each", async () => {
    const dir = await make({ chunkShape: [1000, 1000], codecs: "zstd" }, [
      [0, 0],
      [9e12, 5],
      [5, 9e12],
    ]);
    writeFileSync(path.join(dir, "c/5/9000000000000"), "broken");
    const { bad, chunks, missing } = await verify(dir);
    expect(bad.map(({ key }) => key)).toEqual(["/c/5/9000000000000"]);
    expect(BigInt(chunks) - BigInt(missing)).toBe(3n);
    const parts = [];
    for (const part of ["0/3", "1/3", "2/3"]) parts.push(await verify(dir, { part }));
    expect(parts.flatMap((one) => one.bad.map(({ key }) => key))).toEqual(["/c/5/9000000000000"]);
    expect(parts.reduce((sum, one) => sum + BigInt(one.chunks), 0n)).toBe(BigInt(chunks));
    expect(parts.reduce((sum, one) => sum + BigInt(one.missing), 0n)).toBe(BigInt(missing));
  });

  it("finds chunks in folders that are links, and in archives", async () => {
    const options = { shape: [5000, 5000], chunkShape: [10, 10] };
    const dir = await make(options, [[3, 4]]);
    const elsewhere = await make(options, [
      [7, 8],
      [7, 9],
    ]);
    symlinkSync(path.join(elsewhere, "c/7"), path.join(dir, "c/7"));
    expect(await verify(dir)).toMatchObject({ chunks: 250_000, missing: 249_997 });
    const zip = place(".zip");
    await copy(dir, zip);
    expect(await verify(zip)).toMatchObject({ chunks: 250_000, missing: 249_997 });
  });

  it("reports that an array is too large if the store does not list", async () => {
    const dir = await make({}, []);
    const objects = Object.fromEntries([...filesOf(dir)].map(([name, bytes]) => [`/${name}`, bytes]));
    const server = await new ObjectServer(objects).start();
    try {
      const { bad } = await verify(server.url);
      expect(bad).toMatchObject([{ key: "/", tag: "LimitExceeded" }]);
      expect(bad[0]!.reason).toMatch(/more than the limit of 16777216: the store does not list its chunks/);
      const dest = place();
      const { status, err } = await runBeside("copy", server.url, dest);
      expect([status, err]).toEqual([
        1,
        expect.stringMatching(/limit of 16777216: .*split the work with --part I\/N/),
      ]);
      expect(existsSync(dest)).toBe(false);
    } finally {
      await server.close();
    }
  });
});

describe("copy", () => {
  const stored = [
    [0, 0],
    [0, 1],
    [123_456_789, 987_654_321],
  ];

  it("copies stored chunks, and nothing else", async () => {
    const dir = await make({ chunkShape: [100, 100] }, stored);
    const dest = place();
    const facts = await copy(dir, dest, { verify: true });
    expect(facts.chunks.asStored).toBe(3);
    const chunks = BigInt(Math.ceil(huge / 100)) ** 2n;
    expect(facts.chunks.missing).toBe(String(chunks - 3n));
    expect(filesOf(dest)).toEqual(filesOf(dir));
  });

  it("resumes: repairs broken chunks, removes chunks that the source does not have", async () => {
    const dir = await make({ chunkShape: [100, 100] }, stored);
    const dest = place();
    await copy(dir, dest);
    const [first, , last] = chunkFiles(dest) as [string, string, string];
    writeFileSync(path.join(dest, first), "short");
    rmSync(path.join(dest, last));
    writeFileSync(path.join(dest, "c/0/5"), "left by another copy");
    const facts = await copy(dir, dest, { resume: true });
    expect(facts.chunks).toMatchObject({ asStored: 2, skipped: 1 });
    expect(filesOf(dest)).toEqual(filesOf(dir));
  });

  it.each<[string, Parameters<typeof copy>[2]]>([
    ["other chunks", { chunks: "70,300", codecs: "zstd" }],
    ["shards", { shards: "400,400" }],
    ["another version", { format: "2" }],
  ])("into %s, and back", async (_, values) => {
    const dir = await make({ chunkShape: [100, 100] }, stored);
    const [there, back] = [place(), place()];
    await copy(dir, there, { ...values, verify: true });
    expect((await verify(there)).badCount).toBe(0);
    await copy(there, back, { chunks: "100,100", shards: "none", codecs: "none", format: "3", verify: true });
    expect(chunksOf(back)).toEqual(chunksOf(dir));
    expect((await copy(dir, there, { ...values, resume: true })).bytesWritten).toBe(0);
  });

  it("in parts gives the same result as in one run", async () => {
    const dir = await make({ chunkShape: [100, 100] }, stored);
    const [whole, parts] = [place(), place()];
    const values = { chunks: "70,300", codecs: "zstd" };
    await copy(dir, whole, values);
    for (const part of ["0/3", "2/3", "1/3"]) await copy(dir, parts, { ...values, part });
    expect(filesOf(parts)).toEqual(filesOf(whole));
  });

  it("compares only stored chunks of archives", async () => {
    const zip = place(".zip");
    expect(await copy(await make({ chunkShape: [100, 100] }, stored), zip, { verify: true })).toMatchObject({
      verified: true,
    });
  });

  it("rejects copies that would write every chunk, before it creates anything", async () => {
    const dest = place();
    const error = await errorOf(async () =>
      printed(async () => copy(await make({}, []), dest, { fill: "3" })),
    );
    expect(error.message).toMatch(/the fill value changes, so that all of them are written/);
    expect(existsSync(dest)).toBe(false);
  });

  it("has the same elements whichever chunks are stored, and however it is copied", async () => {
    const random = randomizer(5);
    const shape = [230, 310];
    for (let round = 0; round < amount(1, 2); round++) {
      const chunks = Array.from({ length: 1 + Math.floor(random() * 20) }, () => [
        Math.floor(random() * 76),
        Math.floor(random() * 103),
      ]);
      const dir = await make({ shape, chunkShape: [3, 3], dtype: "int16" }, chunks);
      const { data } = await get(await open(urlOf(dir), { kind: "array" }));
      for (const values of [
        {},
        { chunks: "5,4" },
        { shards: "30,12" },
        { chunks: "1,50", codecs: "zstd" },
        { chunks: "64,64", memory: "8" },
      ]) {
        const dest = place();
        const facts = await copy(dir, dest, values);
        expect((await get(await open(urlOf(dest), { kind: "array" }))).data).toEqual(data);
        const { asStored, missing, reencoded } = facts.chunks;
        expect((await verify(dest)).chunks).toBe(asStored + missing + reencoded);
      }
      const part = place();
      await copy(dir, part, { select: "10:220:3,7:300" });
      const { data: some } = await get(await open(urlOf(part), { kind: "array" }));
      const selection = [slice(10, 220, 3), slice(7, 300)];
      expect(some).toEqual((await get(await open(urlOf(dir), { kind: "array" }), selection)).data);
    }
  });
});

it("a group of many huge arrays is verified and copied", async () => {
  const dir = place();
  const root = await createGroup(urlOf(dir));
  for (let i = 0; i < 20; i++)
    await create(root, { path: `a${i}`, shape: [huge], chunkShape: [1], dtype: "uint8" });
  expect(await verify(dir)).toMatchObject({ arrays: 20, chunks: String(20n * BigInt(huge)) });
  expect((await copy(dir, place())).chunks.missing).toBe(String(20n * BigInt(huge)));
});
