/** examples/cluster on a Slurm cluster of one machine: copies, verifications and pyramids in parts. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { create, set, slice } from "../../dist/index.js";
import { FileSystemStore } from "../../dist/node.js";
import { root } from "../shared/places.js";
import { jobsEnd, type Slurm, startSlurm } from "./slurm.js";

const main = path.join(root, "dist/cli/main.js");
const examples = path.join(root, "examples/cluster");
let dir: string;
let source: string;
let slurm: Slurm;

beforeAll(async () => {
  mkdirSync(path.join(root, "build/tmp"), { recursive: true });
  dir = mkdtempSync(path.join(root, "build/tmp/cluster-"));
  mkdirSync(path.join(dir, "marks"));
  mkdirSync(path.join(dir, "slurm"));
  source = await writeSource(path.join(dir, "source.zarr"));
  slurm = await startSlurm(path.join(dir, "slurm"));
});

afterAll(async () => {
  await slurm?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** An image of rows, 3000 × 2500 uint16; chunks are all different, and none is the fill value. */
async function writeSource(folder: string): Promise<string> {
  const shape = [3000, 2500];
  const array = await create(new FileSystemStore(folder), {
    shape,
    chunkShape: [100, 2500],
    dtype: "uint16",
    codecs: ["zstd"],
    dimensionNames: ["y", "x"],
    attributes: { made: "by a test" },
  });
  const rows = 100;
  for (let from = 0; from < 3000; from += rows) {
    const values = Uint16Array.from(
      { length: rows * 2500 },
      (_, i) => 1 + ((from * 7919 + i * 31 + (i >> 7)) % 65521),
    );
    await set(array, [slice(from, from + rows), null], values);
  }
  return folder;
}

/** Every file below a folder with its checksum. */
function files(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[];
  // A killed process leaves its unfinished files, under names that are not keys.
  const isKey = (name: string) =>
    !path.basename(name).startsWith(".zw-") && statSync(path.join(folder, name)).isFile();
  const plain = names.filter(isKey).sort();
  return Object.fromEntries(
    plain.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(path.join(folder, name)))
        .digest("hex"),
    ]),
  );
}

/** Submits one of the examples and waits until its jobs have ended. @returns the tasks' output. */
async function submit(script: string, args: readonly string[], kill = ""): Promise<string> {
  const logs = mkdtempSync(path.join(dir, "logs-"));
  const env = {
    ...slurm.env,
    ZARR_WASM: path.join(root, "tests/cluster/killed-once.mjs"),
    ZARR_WASM_MAIN: main,
    MARKS: path.join(dir, "marks"),
    KILL: kill,
    SBATCH_OUTPUT: path.join(logs, "%x-%A-%a.txt"),
  };
  const printed = execFileSync(path.join(examples, script), args, { cwd: dir, env, encoding: "utf8" });
  const jobs = printed.trim().split(/\s+/);
  await jobsEnd(slurm, jobs);
  const names = readdirSync(logs).sort();
  return names.map((name) => `${name}\n${readFileSync(path.join(logs, name), "utf8")}`).join("\n");
}

/** Makes the same copy in one process. */
function alone(command: string, dest: string, ...options: string[]): Record<string, string> {
  const { status, stderr } = spawnSync(process.execPath, [main, command, source, dest, ...options], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  return files(dest);
}

test("A copy in parts, of which two are killed and retried, equals the copy made by one process", async () => {
  const options = ["--chunks", "250,100", "--shards", "1000,500", "--codecs", "zstd:3"];
  const dest = path.join(dir, "copy.zarr");
  const output = await submit("copy.sh", ["4", source, dest, ...options], "--resume --chunks.*--part [13]/4");
  expect(readdirSync(path.join(dir, "marks")), output).toHaveLength(2);
  expect(output).toContain("once more");
  expect(files(dest), output).toEqual(alone("copy", path.join(dir, "alone.zarr"), ...options));
});

test("A verification in parts finds the damaged shard, and only its task fails", async () => {
  const dest = path.join(dir, "damaged.zarr");
  alone("copy", dest, "--chunks", "250,100", "--shards", "1000,500");
  const shard = path.join(dest, "c/2/3");
  const bytes = readFileSync(shard);
  bytes.fill(0xff, 0, 16); // the first frame in it
  writeFileSync(shard, bytes);
  const output = await submit("verify.sh", ["3", dest]);
  expect(output.match(/c\/2\/3/g)?.length ?? 0, output).toBeGreaterThan(0);
  expect(output.match(/all good/g), output).toHaveLength(2);
});

/** The jobs of a manifest: their arguments and numbers of pods. */
function jobsOf(manifest: string): { args: string[]; pods: number }[] {
  return manifest.split(/^---$/m).map((text) => {
    const list = /args: \[(.*)\]/.exec(text)![1]!;
    const args = list.match(/"[^"]*"|[^,\s]+/g)!.map((arg) => arg.replaceAll('"', ""));
    return { args, pods: Number(/completions: (\d+)/.exec(text)?.[1] ?? 0) };
  });
}

test("The pods of the Kubernetes manifest write the same copy as one process", () => {
  const dest = path.join(dir, "pods.zarr");
  const jobs = jobsOf(readFileSync(path.join(examples, "kubernetes/copy.yaml"), "utf8"));
  expect(jobs.map(({ pods }) => pods)).toEqual([0, 16, 16]);
  for (const { args, pods } of jobs) {
    const own = args.map((arg) => arg.replace("/data/source.zarr", source).replace("/data/copy.zarr", dest));
    for (let pod = 0; pod < Math.max(1, pods); pod++) {
      const of = pods > 0 ? { JOB_COMPLETION_INDEX: String(pod), PARTS: String(pods) } : {};
      const env = {
        ...process.env,
        ZARR_WASM: path.join(root, "tests/cluster/killed-once.mjs"),
        ZARR_WASM_MAIN: main,
        MARKS: path.join(dir, "marks"),
        ...of,
      };
      const { status, stderr } = spawnSync(path.join(examples, "task.sh"), own, { env, encoding: "utf8" });
      expect(status, stderr).toBe(0);
    }
  }
  const options = jobs[0]!.args.slice(3).filter((arg) => !/^--(metadata-only|resume)$/.test(arg));
  expect(files(dest)).toEqual(alone("copy", path.join(dir, "alone-pods.zarr"), ...options));
});

test("A pyramid in parts equals the one made by one process", async () => {
  const dest = path.join(dir, "pyramid.zarr");
  const options = ["--levels", "3", "--chunks", "128,128"];
  const output = await submit("pyramid.sh", ["4", source, dest, ...options]);
  expect(files(dest), output).toEqual(alone("pyramid", path.join(dir, "alone-pyramid.zarr"), ...options));
});
