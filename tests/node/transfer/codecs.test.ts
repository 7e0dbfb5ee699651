// `zarr-wasm copy` and `pyramid` of arrays whose codecs do not support every chunk shape.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { create, get, open, set } from "zarr-wasm";
import { multiscales } from "zarr-wasm/conventions";
import { runPyramid } from "#src/cli/commands/pyramid/command.js";
import type { Values } from "#src/cli/options/options.js";
import { temporaryFolder } from "../support/cli-tool.js";
import { copy, printed, urlOf } from "../support/copying.js";
import { errorOf } from "../support/support.js";

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

describe("predictors that state the shape of chunks", () => {
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

  it("name the remedy if they do not fit", async () => {
    const filter = { id: "imagecodecs_floatpred", shape: [4, 6], dtype: "<f4", dist: 2 };
    writeArray("pairs", { shape: [8, 6], chunks: [4, 6], dtype: "<f4", filters: [filter], compressor: null });
    const error = await errorOf(() => copy(place("pairs"), place("pairs-3"), { chunks: "4,3" }));
    expect(error.message).toMatch(/imagecodecs_floatpred: .*; pass --codecs to use other codecs$/);
    expect(existsSync(place("pairs-3"))).toBe(false);
  });
});

interface Golden {
  codec: string;
  dtype: string;
  shape: number[];
  configuration: object;
  data: string;
}

describe("codecs that can only be read", () => {
  const linesOf = (name: string) =>
    readFileSync(new URL(`../../golden/${name}.jsonl`, import.meta.url), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  const image: Golden = linesOf("images").find(({ codec }: Golden) => codec === "imagecodecs_png");
  const message = "imagecodecs_png can only be read; name other codecs with --codecs";
  let pixels: unknown;
  beforeAll(async () => {
    const { shape, dtype, codec, configuration, data } = image;
    // The array has a second chunk, which is missing.
    const twice = [2 * shape[0]!, ...shape.slice(1)];
    writeArray("image", {
      shape: twice,
      chunks: shape,
      dtype,
      filters: null,
      compressor: { id: codec, ...configuration },
    });
    const key = shape.map(() => 0).join(".");
    writeFileSync(path.join(place("image"), key), Buffer.from(data, "base64"));
    pixels = (await get(await arrayIn("image"))).data;
  });

  const other = { chunks: image.shape.map(() => 16).join() };
  it.each([
    ["other chunks", other],
    ["other chunks of v3", { ...other, format: "3" }],
    ["a part that cuts chunks", { select: "1:" }],
    ["a single row", { select: "0" }],
    ["metadata of other chunks", { ...other, "metadata-only": true }],
  ])("are not copied into %s: nothing is written", async (name, values) => {
    const error = await errorOf(() => copy(place("image"), place(name), values));
    expect([error._tag, error.code]).toEqual(["Unsupported", "encode-unsupported"]);
    expect(error.message.replace(/^numcodecs\./, "")).toBe(message);
    expect(existsSync(place(name))).toBe(false);
  });

  it("are copied as chunks are stored", async () => {
    const { shape } = image;
    const copies = {
      same: {},
      "of v3": { format: "3" },
      "in shards": { format: "3", shards: [2 * shape[0]!, ...shape.slice(1)].join() },
      "a part": { select: `:${shape[0]}` },
      metadata: { "metadata-only": true },
    };
    for (const [name, values] of Object.entries(copies)) {
      const { chunks } = await copy(place("image"), place(name), values);
      expect(chunks.reencoded).toBe(0);
      if (name !== "a part" && name !== "metadata")
        expect((await get(await arrayIn(name))).data).toEqual(pixels);
    }
  });

  it("are copied with other codecs", async () => {
    await copy(place("image"), place("zstd"), { ...other, codecs: "zstd" });
    expect((await get(await arrayIn("zstd"))).data).toEqual(pixels);
  });

  it("cannot make levels of an image without other codecs", async () => {
    const error = await errorOf(() => pyramid("image", "no-levels", { levels: "2" }));
    expect([error.code, error.message]).toEqual(["encode-unsupported", message]);
    expect(existsSync(place("no-levels"))).toBe(false);
    await pyramid("image", "one-level", { levels: "1" });
    await pyramid("image", "two-levels", { levels: "2", codecs: "zstd" });
    for (const name of ["one-level", "two-levels"]) {
      const [found] = multiscales(await open(urlOf(place(name)), { kind: "group" }));
      expect((await get(await found!.levels[0]!.open())).data).toEqual(pixels);
    }
  });

  it("of numbers, too", async () => {
    writeArray("pco", { shape: [8], chunks: [4], dtype: "<f4", filters: null, compressor: { id: "pcodec" } });
    const error = await errorOf(() => copy(place("pco"), place("pco-2"), { chunks: "2" }));
    expect(error.message).toBe("pcodec can only be read; name other codecs with --codecs");
    const made = { shape: [8], dtype: "float32" as const, codecs: "pcodec" };
    expect((await errorOf(() => create(new Map(), made))).code).toBe("encode-unsupported");
    expect((await copy(place("pco"), place("pco-3"), { format: "3" })).chunks.missing).toBe(2);
  });
});
