// Rechunking within bounded memory: the plan, and its actual memory use.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { create, type DTypeInput, get, set } from "zarr-wasm";
import { axisRatio, dividePass, planPass, planRechunk } from "#src/transfer/rechunk-plan.js";
import { root, temporaryFolder } from "../support/cli-tool.js";
import { copy, filesOf, urlOf } from "../support/copying.js";
import { openArray, randomizer } from "../support/support.js";

const mib = 2 ** 20;
const axes = (length: number[], chunk: number[], cell: number[]) =>
  length.map((one, i) => ({ length: one, chunk: chunk[i]!, cell: cell[i]! }));

describe("a plan", () => {
  it("reads once if target objects, or boxes, contain whole chunks", () => {
    const plan = planRechunk({
      axes: axes([4096, 4096], [64, 64], [512, 512]),
      itemBytes: 2,
      boxBytes: 8 * mib,
    });
    expect(plan).toMatchObject({ type: "direct", pass: { ratio: 1 } });
    const split = planRechunk({
      axes: axes([4096, 4096], [512, 512], [48, 48]),
      itemBytes: 2,
      boxBytes: 64 * mib,
    });
    expect(split).toMatchObject({ type: "direct" });
  });

  it("goes through intermediate chunks from rows to columns", () => {
    const plan = planRechunk({
      axes: axes([32768, 32768], [256, 32768], [32768, 256]),
      itemBytes: 2,
      boxBytes: 64 * mib,
    });
    expect(plan).toMatchObject({
      type: "staged",
      middle: [1024, 1024],
      into: { ratio: 1 },
      out: { ratio: 1 },
    });
  });

  it("takes several passes if intermediate files would cost more", () => {
    const plan = planRechunk({
      axes: axes([3000, 300], [1, 300], [3000, 1]),
      itemBytes: 1,
      boxBytes: 2 ** 18,
    });
    expect(plan.type).toBe("direct");
  });

  it("copies boxes that stay in caches, unless they read more or come from a server", () => {
    const axes = [512, 512, 512].map((length) => ({ length, cell: 64, chunk: 64 }));
    const divided = (input: Parameters<typeof planPass>[0]) => {
      const { pass, lanes } = dividePass(input, planPass(input), 2);
      return { bytes: pass.boxShape.reduce((a, b) => a * b, input.itemBytes), lanes };
    };
    const input = { axes, itemBytes: 2, boxBytes: 2 ** 26 };
    expect(divided(input)).toEqual({ bytes: 2 ** 21, lanes: 2 });
    expect(divided({ ...input, boxBytes: 2 ** 23 })).toEqual({ bytes: 2 ** 20, lanes: 2 });
    expect(divided({ ...input, readCost: 4 })).toEqual({ bytes: 2 ** 24, lanes: 2 });
    const { lanes } = dividePass({ ...input, boxBytes: 3 * 2 ** 18 }, planPass(input), 3);
    expect(lanes).toBe(1);
    const flat = axes.map((axis, i) => ({ ...axis, cell: [32, 256, 256][i]! }));
    expect(divided({ ...input, axes: flat })).toEqual({ bytes: 2 ** 23, lanes: 2 });
  });

  it("counts how often chunks are read", () => {
    /** Computed by visiting all boxes. */
    const counted = (length: number, chunk: number, box: number) => {
      let touched = 0;
      for (let at = 0; at < length; at += box)
        touched += Math.ceil(Math.min(length, at + box) / chunk) - Math.floor(at / chunk);
      return touched / Math.ceil(length / chunk);
    };
    const random = randomizer(2);
    for (let round = 0; round < 200; round++) {
      const [chunk, box] = [1 + Math.floor(random() * 20), 1 + Math.floor(random() * 20)];
      const length = chunk * box * 7;
      expect(axisRatio({ length, chunk, cell: 1 }, box)).toBeCloseTo(counted(length, chunk, box), 9);
    }
  });

  it("has boxes of whole target objects within memory, whatever the options", () => {
    const random = randomizer(4);
    const below = (n: number) => 1 + Math.floor(random() * n);
    for (let round = 0; round < 500; round++) {
      const rank = below(4);
      const lengths = (n: number) => Array.from({ length: rank }, () => below(n));
      const input = {
        axes: axes(lengths(500), lengths(60), lengths(60)),
        itemBytes: below(8),
        boxBytes: 2 ** (8 + below(16)),
      };
      const check = (pass: { boxShape: readonly number[] }, cells: readonly number[]) => {
        const bytes = pass.boxShape.reduce((a, b) => a * b, input.itemBytes);
        const least = input.axes.reduce(
          (a, { length }, i) => a * Math.min(cells[i]!, length),
          input.itemBytes,
        );
        expect(bytes).toBeLessThanOrEqual(Math.max(least, input.boxBytes));
        pass.boxShape.forEach((length, i) => {
          if (length < input.axes[i]!.length) expect(length % cells[i]!).toBe(0);
        });
      };
      const cells = input.axes.map(({ cell }) => cell);
      check(planPass(input), cells);
      const plan = planRechunk(input);
      if (plan.type === "direct") continue;
      check(plan.into, plan.middle);
      check(plan.out, cells);
    }
  });
});

const folder = temporaryFolder();

/** Copies the rows of one array into columns, in a separate process. */
function copyRows(source: string, dest: string, columns: number, memory: number) {
  const { stderr, stdout, status } = spawnSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,process.on("exit",()=>process.stderr.write("maxRSS "+process.resourceUsage().maxRSS))`,
      ...[path.join(root, "dist/cli/main.js"), "copy", source, dest, "--chunks", `${columns},32`],
      ...["--memory", String(memory), "--json"],
    ],
    { encoding: "utf8" },
  );
  expect([status, stderr.replace(/maxRSS \d+/, "")]).toEqual([0, ""]);
  return { facts: JSON.parse(stdout), rss: Number(/maxRSS (\d+)/.exec(stderr)![1]) / 1024 };
}

/** Whether two arrays have the same elements, without a diff of millions of them if they differ. */
async function isSame(a: string, b: string): Promise<boolean> {
  const read = async (dir: string) => (await get<Float32Array | string[]>(await openArray(urlOf(dir)))).data;
  const [x, y] = [await read(a), await read(b)];
  return x.length === y.length && x.every((value: unknown, i: number) => value === y[i]);
}

describe("rows to columns", () => {
  it("take no more memory for a larger array, and leave no files", async () => {
    const peaks: number[] = [];
    for (const rows of [512, 8192]) {
      const dir = mkdtempSync(path.join(folder, "rows-"));
      const array = await create(urlOf(path.join(dir, "a")), {
        shape: [rows, 8192],
        chunkShape: [32, 8192],
        dtype: "uint16",
        codecs: "blosc:lz4:1",
      });
      const band = Uint16Array.from({ length: 32 * 8192 }, (_, i) => i >> 3);
      for (let row = 0; row < rows; row += 32) {
        band[row] = row;
        await set(array, [{ start: row, stop: row + 32, step: 1 }, null], band);
      }
      const { rss, facts } = copyRows(path.join(dir, "a"), path.join(dir, "b"), rows, 16);
      expect(facts.bytes).toBe(rows * 8192 * 2);
      expect(readdirSync(dir).sort()).toEqual(["a", "b"]);
      peaks.push(rss);
    }
    expect(peaks[1]! - peaks[0]!).toBeLessThan(48); // MiB, of 128
    expect(peaks[1]!).toBeLessThan(220);
  });

  it("are correct with intermediate chunks, for all kinds of values", async () => {
    for (const dtype of ["float64", "string"]) {
      const dir = mkdtempSync(path.join(folder, "stages-"));
      const shape = dtype === "string" ? [300, 300] : [800, 1600];
      const source = path.join(dir, "a");
      const array = await create(urlOf(source), {
        shape,
        chunkShape: [7, shape[1]!],
        dtype: dtype as DTypeInput,
      });
      const count = shape[0]! * shape[1]!;
      const numbers = Array.from({ length: count }, (_, i) => (i * 7919) % 100_003);
      await set(array, null, dtype === "string" ? numbers.map(String) : Float64Array.from(numbers));
      const facts = await copy(source, path.join(dir, "b"), {
        chunks: `${shape[0]},11`,
        memory: "8",
        verify: true,
      });
      expect(facts.bytesRead).toBeLessThan(3 * count * 8);
      expect(await isSame(source, path.join(dir, "b"))).toBe(true);
    }
  });
});

it("shards that are larger than memory are assembled from encoded chunks", async () => {
  const dir = mkdtempSync(path.join(folder, "shards-"));
  const source = path.join(dir, "a");
  const array = await create(urlOf(source), {
    shape: [600, 5000],
    chunkShape: [10, 600],
    dtype: "float32",
    fillValue: 1,
  });
  await set(
    array,
    [[0, 1, 500, 599], null],
    Float32Array.from({ length: 20_000 }, (_, i) => i),
  );
  const options = { chunks: "32,64", shards: "1024,4096", verify: true };
  await copy(source, path.join(dir, "small"), { ...options, memory: "8" });
  await copy(source, path.join(dir, "large"), { ...options, memory: "512" });
  expect(await isSame(source, path.join(dir, "small"))).toBe(true);
  const [small, large] = ["small", "large"].map((name) => filesOf(path.join(dir, name)));
  expect([...small!.keys()]).toEqual([...large!.keys()]);
  for (const [name, bytes] of small!) expect(bytes.equals(large!.get(name)!)).toBe(true);
});
