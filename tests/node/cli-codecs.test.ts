// `zarr-wasm copy` and `pyramid` of arrays whose codecs do not go with whatever chunks.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { get, multiscales, open, set } from "zarr-wasm";
import { runPyramid } from "../../dist/cli/pyramid/command.js";
import type { Values } from "../../dist/cli/usage.js";
import { copy, printed, urlOf } from "./cli-copying.js";
import { temporaryFolder } from "./cli-tool.js";
import { errorOf } from "./support.js";

const folder = temporaryFolder();
const place = (name: string) => path.join(folder, name);
const arrayIn = (name: string) => open(urlOf(place(name)), { kind: "array" });
const pyramid = (source: string, dest: string, values: Values = {}) =>
  printed(() => runPyramid(place(source), place(dest), { ...values, json: true }));

const base = { zarr_format: 2, order: "C", fill_value: 0 };

/** A folder with an array of Zarr v2. */
function writeArray(name: string, document: object): void {
  mkdirSync(place(name));
  writeFileSync(path.join(place(name), ".zarray"), JSON.stringify({ ...base, ...document }));
}

describe("predictors that say the shape of chunks", () => {
  const elements = Float32Array.from({ length: 40 * 40 }, (_, i) => Math.sin(i / 9) * 100);
  beforeAll(async () => {
    const filter = { id: "imagecodecs_floatpred", shape: [16, 16], dtype: "<f4", axis: -1, dist: 1 };
    const [shape, chunks] = [
      [40, 40],
      [16, 16],
    ];
    writeArray("tiled", {
      shape,
      chunks,
      dtype: "<f4",
      filters: [filter],
      compressor: { id: "imagecodecs_lzw" },
    });
    await set(await arrayIn("tiled"), null, elements);
  });

  it.each([
    ["chunks", { chunks: "8,20" }],
    ["chunks of v3", { chunks: "8,20", format: "3" }],
    ["shards", { chunks: "8,8", shards: "16,16", format: "3" }],
    ["an axis less", { select: "3,:" }],
  ])("are made anew for other %s", async (name, values) => {
    await copy(place("tiled"), place(name), { ...values, verify: true });
    const { data } = await get(await arrayIn(name));
    expect(data).toEqual("select" in values ? elements.slice(120, 160) : elements);
  });

  it("and for the levels of an image", async () => {
    await pyramid("tiled", "levels", { chunks: "8,8", levels: "2" });
    const [image] = multiscales(await open(urlOf(place("levels")), { kind: "group" }));
    expect((await get(await image!.levels[0]!.open())).data).toEqual(elements);
    expect((await image!.levels[1]!.open()).shape).toEqual([20, 20]);
  });

  it("say what to do where they do not fit", async () => {
    const filter = { id: "imagecodecs_floatpred", shape: [4, 6], dtype: "<f4", dist: 2 };
    writeArray("pairs", { shape: [8, 6], chunks: [4, 6], dtype: "<f4", filters: [filter], compressor: null });
    const error = await errorOf(() => copy(place("pairs"), place("pairs-3"), { chunks: "4,3" }));
    expect(error.message).toMatch(/imagecodecs_floatpred: .*; --codecs names other codecs$/);
    expect(existsSync(place("pairs-3"))).toBe(false);
  });
});
