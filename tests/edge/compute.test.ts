// zarr-wasm/compute in a Worker: workerd compiles no modules at run time, and its clock stands still during computations.
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { home, startMiniflare } from "./tools.mjs";

/** Computes the sums of months, a quantile, an expression and a series of an array in memory. */
const program = `
import { create, createGroup, get, set } from "zarr-wasm";
import { expression, quantile, reduce, series } from "zarr-wasm/compute";

async function answers() {
  const group = await createGroup(new Map());
  const add = async (path, names, data, attributes = {}) => {
    const shape = names.map((name) => (name === "time" ? 60 : 4));
    const array = await create(group, { path, shape, dtype: "float64", dimensionNames: names, attributes });
    await set(array, null, data);
    return array;
  };
  const count = (length) => Float64Array.from({ length }, (_, i) => i);
  await add("time", ["time"], count(60), { units: "days since 2001-01-01" });
  await add("x", ["x"], count(4));
  await add("y", ["y"], count(4));
  const v = await add("v", ["time", "y", "x"], count(960));
  const months = await reduce(v, { method: "sum", groupBy: "time.month", over: ["y", "x"] });
  const half = await expression("v / 2", { v });
  const here = await series(v, { at: { x: 1, y: 2 }, selection: { time: [0, 1] } });
  const inside = await series(v, { inside: [0.5, 0.5, 2.5, 1.5], selection: { time: 0 } });
  return {
    months: [...months.data],
    median: (await quantile(v, 0.5)).values[0],
    half: [...(await get(half, [0, 1])).data],
    here: [...here.data],
    inside: [...inside.data],
  };
}

export default { fetch: async () => Response.json(await answers()) };
`;

let worker: Awaited<ReturnType<typeof startMiniflare>>;
beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: home },
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd"],
    external: ["node:*"],
    loader: { ".wasm": "copy" },
    outdir: home,
    entryNames: "compute",
    write: false,
    logLevel: "error",
  });
  const modules = outputFiles
    .sort((a, b) => Number(b.path.endsWith(".js")) - Number(a.path.endsWith(".js"))) // the first one is the Worker
    .map(({ path: file, contents }) => {
      const type = file.endsWith(".js") ? "ESModule" : "CompiledWasm";
      return { type, path: path.basename(file), contents };
    });
  worker = await startMiniflare({}, { modules });
});
afterAll(() => worker?.close());

it("reduces, and computes quantiles, series and expressions", async () => {
  const answer = await fetch(worker.url);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  const sum = (from: number, to: number) => ((from + to - 1) * (to - from)) / 2;
  expect(JSON.parse(text)).toEqual({
    months: [sum(0, 31 * 16), sum(31 * 16, 59 * 16), sum(59 * 16, 60 * 16)],
    median: 479.5,
    half: [2, 2.5, 3, 3.5],
    here: [9, 25],
    inside: [5.5],
  });
});
