// npm run check -- memory: measures the memory of `zarr-wasm copy` for arrays that are much larger: rows into columns
// of 2 GiB, and a copy of 10 GiB with other chunks. Chunks are generated, no two alike. Takes some minutes, and disk
// space of about 3 times the array, which is freed at the end.
//   npm run check -- memory [--folder DIR] [--scale 0.125]     DIR: folder for the arrays (default: build/tmp)
// --scale makes the arrays smaller. The limits stay, so that the results then mean less.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { buildAll } from "../build.mjs";
import { distDir, tempDir } from "../lib/paths.mjs";
import { runMain, step } from "../lib/process.mjs";

const gib = 2 ** 30;
const side = 32_768;
/** Rows per chunk. */
const band = 256;

/** Maximum resident memory of each copy, in MiB. */
const runs = [
  {
    name: "rows to columns",
    bytes: 2 * gib,
    args: (rows) => ["--chunks", `${rows},256`],
    limit: 400,
  },
  {
    name: "rows to squares in shards",
    bytes: 10 * gib,
    args: () => ["--chunks", "256,256", "--shards", "1024,1024"],
    limit: 500,
  },
  { name: "as stored", bytes: 10 * gib, args: () => [], limit: 500 },
];

/** An array of uint16 in bands of rows; every chunk is different. */
async function generate(folder, rows) {
  const { create, set, slice } = await import("zarr-wasm");
  const array = await create(pathToFileURL(folder), {
    ...{ shape: [rows, side], chunkShape: [band, side], dtype: "uint16", codecs: "blosc:lz4" },
  });
  const elements = new Uint16Array(band * side);
  let state = 1;
  for (let row = 0; row < rows; row += band) {
    for (let i = 0; i < elements.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      elements[i] = (i & 4095) + 7 * row + (state >>> 28);
    }
    await set(array, [slice(row, row + band), null], elements);
  }
}

/** Runs the command line and samples its peak memory. */
function measured(args) {
  const child = spawn(process.execPath, [path.join(distDir, "cli/main.js"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let [peak, out] = [0, ""];
  const look = () => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peak = Math.max(peak, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0));
    } catch {} // the process has ended
  };
  const timer = setInterval(look, 50);
  child.stdout.on("data", (piece) => {
    out += piece;
  });
  return new Promise((resolve, reject) =>
    child.on("close", (status) => {
      clearInterval(timer);
      if (status !== 0) reject(new Error(`${args.join(" ")} ended with ${status}`));
      else resolve({ peak: peak / 1024, out });
    }),
  );
}

runMain(async () => {
  if (process.platform !== "linux") throw new Error("peak memory is read from /proc, which only Linux has");
  const { values } = parseArgs({
    options: { folder: { type: "string" }, scale: { type: "string" }, only: { type: "string" } },
  });
  await buildAll();
  const scale = Number(values.scale ?? 1);
  const folder = mkdtempSync(path.join(values.folder ?? tempDir(), "zarr-wasm-memory-"));
  let failures = 0;
  try {
    let made = 0;
    const [source, dest] = [path.join(folder, "source"), path.join(folder, "dest")];
    for (const { name, bytes, args, limit } of runs) {
      if (values.only !== undefined && !name.includes(values.only)) continue;
      const rows = band * Math.round((bytes * scale) / (2 * side * band));
      if (rows !== made) {
        step(`Making ${((2 * rows * side) / gib).toFixed(2)} GiB`);
        rmSync(source, { recursive: true, force: true });
        await generate(source, rows);
        made = rows;
      }
      const { peak, out } = await measured(["copy", source, dest, ...args(rows), "--json"]);
      const { seconds, megabytesPerSecond, chunks } = JSON.parse(out);
      const figures = `${peak.toFixed(0)} MiB resident (limit ${limit}), ${seconds.toFixed(1)} s, ${megabytesPerSecond.toFixed(0)} MB/s`;
      console.log(`${name}: ${figures}, ${JSON.stringify(chunks)}`);
      if (!(peak > 0 && peak < limit)) failures++;
      rmSync(dest, { recursive: true });
      const left = readdirSync(folder).filter((entry) => entry !== "source");
      if (left.length > 0) throw new Error(`left in between: ${left}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (failures > 0) throw new Error(`${failures} took more than their limit`);
});
