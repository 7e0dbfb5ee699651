// Writing OME-Zarr images: levels compared with a slow reference, positions, several calls, faults.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  consolidate,
  create,
  createGroup,
  type DType,
  type DTypeInput,
  type ElementData,
  get,
  MapStore,
  open,
  type Store,
  set,
  slice,
  updateAttributes,
  type ZarrArray,
  type ZarrError,
  type ZarrGroup,
} from "zarr-wasm";
import {
  labelPaths,
  type MultiscaleOptions,
  type MultiscaleProgress,
  multiscales,
  writeMultiscale,
} from "zarr-wasm/conventions";
import * as zarrita from "zarrita";
import { toBytes, toElements } from "#src/dtypes/elements.js";
import { skipFor } from "../../shared/skips.js";
import { amount } from "../support/amounts.js";
import { downsample, type Method } from "../support/downsample-reference.js";
import { missingZarr, python } from "../support/python-zarr.js";
import { errorOf, product, randomBytes } from "../support/support.js";
import { jsonIn } from "../support/writing-tools.js";

const folder = mkdtempSync(path.join(tmpdir(), "zarr-multiscale-"));
afterAll(() => rmSync(folder, { recursive: true }));

function elementsOf(dtype: DType, count: number, seed: number): ElementData {
  const bytes = randomBytes(count * dtype.itemBytes, seed);
  if (dtype.core === "bool") for (let i = 0; i < count; i++) bytes[i]! &= 1;
  return toElements(dtype, bytes);
}

interface Made {
  readonly array: ZarrArray;
  readonly data: ElementData;
}

/** An array of random elements. */
async function source(
  store: Store,
  options: {
    shape: number[];
    dtype: DTypeInput;
    chunkShape?: number[];
    zarrFormat?: 1 | 2 | 3;
    dimensionNames?: string[];
  },
  seed = 1,
  at = "source",
): Promise<Made> {
  const array = await create(store, { ...options, path: at });
  const data = elementsOf(array.dtype, product(options.shape), seed);
  await set(array, null, data);
  return { array, data };
}

const levelsOf = async (group: ZarrGroup) =>
  Promise.all(multiscales(group)[0]!.levels.map((level) => level.open()));

const numbersOf = async (array: ZarrArray) => (await get(array)).data as ElementData;

/** Whether numbers are equal; NaNs are equal regardless of their payloads. */
function isSame(a: ElementData, b: ElementData): boolean {
  const bytesOf = ({ buffer, byteOffset, byteLength }: ElementData) =>
    Buffer.from(buffer, byteOffset, byteLength);
  if (bytesOf(a).equals(bytesOf(b))) return true;
  return a.length === b.length && a.every((value: number | bigint, i: number) => Object.is(value, b[i]));
}

/** Compares every level with the reduction of the level before it. */
async function checkLevels(group: ZarrGroup, first: ElementData, method: Method): Promise<void> {
  const image = multiscales(group)[0]!;
  const arrays = await levelsOf(group);
  let [shape, data] = [arrays[0]!.shape, await numbersOf(arrays[0]!)];
  expect(isSame(data, first)).toBe(true);
  for (const [i, array] of arrays.entries()) {
    if (i === 0) continue;
    const factors = (image.levels[i]!.scale ?? []).map((step, axis) =>
      Math.round(step / image.levels[i - 1]!.scale![axis]!),
    );
    const wanted = downsample(array.dtype, data, shape, factors, method);
    const stored = toElements(array.dtype, toBytes(array.dtype, wanted)); // float32 stands for smaller types until then;
    const found = await numbersOf(array);
    if (!isSame(found, stored)) expect([...found], `level ${i}`).toEqual([...stored]);
    [shape, data] = [array.shape, found];
  }
}

const methods: readonly Method[] = ["mean", "mode", "max", "nearest"];

const images = fc.integer({ min: 2, max: 5 }).chain((rank) => {
  const lengths = (max: number) =>
    fc.array(fc.integer({ min: 1, max }), { minLength: rank, maxLength: rank });
  return fc.record({
    shape: lengths(rank > 3 ? 6 : 13),
    chunkShape: lengths(4),
    inner: lengths(3),
    factor: fc.option(lengths(3), { nil: undefined }),
    levels: fc.integer({ min: 1, max: 4 }),
    dtype: fc.constantFrom(
      "uint8",
      "int16",
      "uint16",
      "float32",
      "float64",
      "int64",
      "bool",
      "float16",
      "bfloat16",
    ),
    method: fc.constantFrom(...methods),
    zarrFormat: fc.constantFrom(2 as const, 3 as const),
    shards: fc.boolean(),
    parts: fc.integer({ min: 1, max: 3 }),
    seed: fc.nat(1000),
  });
});

describe("levels", () => {
  it("are each made from the one before, for any shape, chunks, shards and number of parts", async () => {
    const check = async (image: typeof images extends fc.Arbitrary<infer T> ? T : never) => {
      const { shape, chunkShape, inner, factor, levels, method, shards, parts, seed } = image;
      // NumPy, and so Zarr v2, has no bfloat16.
      const zarrFormat = image.dtype === "bfloat16" ? 3 : image.zarrFormat;
      const { array, data } = await source(new Map(), { shape, dtype: image.dtype, chunkShape: inner }, seed);
      const store = new Map<string, Uint8Array>();
      const options: MultiscaleOptions = {
        path: "image",
        levels,
        method,
        factor,
        zarrFormat,
        chunkShape,
        shardShape: shards && zarrFormat === 3 ? chunkShape.map((length) => 2 * length) : undefined,
      };
      if (parts === 1) return checkLevels(await writeMultiscale(store, array, options), data, method);
      const group = await writeMultiscale(store, array, { ...options, stage: "metadata" });
      for (const level of multiscales(group)[0]!.levels.keys())
        for (let i = 0; i < parts; i++)
          await writeMultiscale(store, array, { ...options, stage: level, part: [i, parts] });
      await checkLevels(group, data, method);
    };
    await fc.assert(fc.asyncProperty(images, check), { numRuns: amount(20, 60), seed: 12 });
  });

  it("are the same in blocks of several chunks, and if a shard exceeds one read", async () => {
    const store = new Map<string, Uint8Array>();
    const shape = [3001, 4111];
    const array = await create(store, { path: "source", shape, dtype: "uint32", chunkShape: [500, 700] });
    const data = new Uint32Array(product(shape));
    for (let i = 0; i < data.length; i++) data[i] = Math.imul(i, 2654435761) >>> 8;
    await set(array, null, data);
    for (const shardShape of [undefined, [2560, 2560]]) {
      const options = { levels: 2, method: "max", chunkShape: [256, 256], shardShape } as const;
      const group = await writeMultiscale(store, array, { ...options, path: `image${shardShape?.length}` });
      const [finest, half] = await levelsOf(group);
      expect(isSame(await numbersOf(finest!), data)).toBe(true);
      const wanted = downsample(array.dtype, data.subarray(0, 20 * 4111), [20, 4111], [2, 2], "max");
      expect(
        isSame((await get(half!, [{ start: 0, stop: 10, step: null }])).data as ElementData, wanted),
      ).toBe(true);
      const last = await get(half!, [1500]);
      const row = downsample(array.dtype, data.subarray(3000 * 4111), [1, 4111], [2, 2], "max");
      expect(isSame(last.data as ElementData, row)).toBe(true);
    }
  });

  it("match those of elements in memory, too", async () => {
    const data = Uint16Array.from({ length: 35 }, (_, i) => i);
    const group = await writeMultiscale(new Map(), { data, shape: [5, 7] }, { levels: 4 });
    await checkLevels(group, data, "mean");
    expect((await levelsOf(group)).map(({ shape }) => shape)).toEqual([
      [5, 7],
      [3, 4],
      [2, 2],
      [1, 1],
    ]);
  });

  it("end at a level that is small enough or cannot shrink", async () => {
    const lengths = async (shape: number[], options: MultiscaleOptions = {}) => {
      const array = await create(new Map(), { shape, dtype: "uint8" });
      const group = await writeMultiscale(new Map(), array, options);
      return (await levelsOf(group)).map((level) => level.shape.join("×"));
    };
    expect(await lengths([1000, 256])).toEqual(["1000×256", "500×128", "250×64"]);
    expect(await lengths([2, 3, 300, 100])).toEqual(["2×3×300×100", "2×2×150×50"]);
    expect(await lengths([3, 1], { levels: 9 })).toEqual(["3×1", "2×1", "1×1"]);
    expect(
      await lengths([2, 1000, 2, 600], { factor: { z: 1, c: 1 } as never, axes: ["c", "z", "y", "x"] }),
    ).toEqual(["2×1000×2×600", "2×1000×1×300", "2×1000×1×150"]);
  });

  it("start with chunks and shards as stored if nothing about them changes", async () => {
    const from = new Map<string, Uint8Array>();
    const array = await create(from, {
      shape: [9, 9],
      dtype: "uint8",
      chunkShape: [2, 2],
      shardShape: [4, 4],
      codecs: "zstd:1",
      chunkKeyEncoding: { name: "v2", separator: "." },
    });
    await set(array, [{ start: 0, stop: 5, step: null }], 7); // some shards are missing
    const damaged = Uint8Array.of(1, 2, 3);
    from.set("/0.0", damaged);
    const store = new Map<string, Uint8Array>();
    const { stage } = { stage: "metadata" } as const;
    await writeMultiscale(store, array, { levels: 2, stage });
    store.set("/0/c/2/2", damaged); // of an earlier call
    await writeMultiscale(store, array, { levels: 2, stage: 0 });
    for (const i of [0, 1, 2])
      for (const j of [0, 1, 2]) expect(store.get(`/0/c/${i}/${j}`)).toEqual(from.get(`/${i}.${j}`));
    // The chunk is re-encoded, so it is read.
    const error = await errorOf(() => writeMultiscale(new Map(), array, { levels: 2, codecs: "gzip" }));
    expect(error._tag).toBe("CorruptChunk");
    const next = await errorOf(() => writeMultiscale(store, array, { levels: 2, stage: 1 }));
    expect([next._tag, next.chunkKey]).toEqual(["CorruptChunk", "/0/c/0/0"]);
  });

  it("of variable-length values are the first one of each block", async () => {
    const array = await create(new Map(), { shape: [3, 3], dtype: "string" });
    await set(array, null, ["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
    const group = await writeMultiscale(new Map(), array, { levels: 2, method: "nearest" });
    expect((await get((await levelsOf(group))[1]!)).data).toEqual(["a", "c", "g", "i"]);
  });
});

describe("places of elements", () => {
  /** The mean position of the finest level's elements in each block, from the sizes of all levels' blocks. */
  it.each([
    ["mean", [2, 2]],
    ["mode", [3, 4]],
    ["max", [2, 1]],
    ["nearest", [3, 2]],
  ] as const)("are the coordinates of the blocks' centres: %s by %j", async (method, factor) => {
    const array = await create(new Map(), { shape: [54, 64], dtype: "uint8", dimensionNames: ["y", "x"] });
    const [scale, translation] = [
      [0.5, 0.125],
      [10, -3],
    ];
    const group = await writeMultiscale(new Map(), array, { levels: 3, method, factor, scale, translation });
    let centres = [54, 64].map((length, axis) =>
      Array.from({ length }, (_, i) => i * scale[axis]! + translation[axis]!),
    );
    for (const [k, level] of multiscales(group)[0]!.levels.entries()) {
      if (k > 0) {
        centres = centres.map((all, axis) => {
          const step = factor[axis]!;
          const blocks = Array.from({ length: Math.ceil(all.length / step) }, (_, i) =>
            all.slice(i * step, (i + 1) * step),
          );
          return blocks.map((block) =>
            method === "nearest" ? block[0]! : block.reduce((a, b) => a + b) / block.length,
          );
        });
      }
      centres.forEach((all, axis) => {
        const whole = Math.floor(54 / 9 ** k); // whole blocks on all levels
        for (let i = 0; i < Math.min(whole, all.length - 1); i++)
          expect(i * level.scale![axis]! + level.translation![axis]!).toBeCloseTo(all[i]!, 10);
      });
    }
  });
});

describe("metadata", () => {
  const names = {
    axes: [{ name: "c" }, { name: "y", unit: "micrometer" }, { name: "x", unit: "micrometer" }],
  };
  /** The metadata written for two levels of an image of these axes. */
  const axes = [
    { name: "c", type: "channel" },
    { name: "y", type: "space", unit: "micrometer" },
    { name: "x", type: "space", unit: "micrometer" },
  ];
  const moved = { type: "translation", translation: [0, 0.25, 0.25] };
  const datasets = [
    { path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 0.5, 0.5] }] },
    { path: "1", coordinateTransformations: [{ type: "scale", scale: [1, 1, 1] }, moved] },
  ];
  const kwargs = { method: "mean", factors: [[1, 2, 2]] };
  const described = { type: "mean", metadata: expect.objectContaining({ kwargs }) };

  it("is OME-Zarr 0.5 in Zarr v3", async () => {
    const store = new Map<string, Uint8Array>();
    const { array } = await source(store, { shape: [2, 6, 5], dtype: "uint8" });
    const omero = { channels: [{ color: "00FF00", label: "GFP" }] };
    const group = await writeMultiscale(store, array, {
      ...names,
      path: "a/image",
      levels: 2,
      name: "cells",
      scale: [1, 0.5, 0.5],
      ome: { omero },
      attributes: { other: 1 },
    });
    const stored = jsonIn(store, "/a/image/zarr.json");
    expect(stored.attributes).toEqual(group.attributes);
    const { other, ome } = stored.attributes;
    expect([other, ome.version, ome.omero]).toEqual([1, "0.5", omero]);
    expect(ome.multiscales).toEqual([{ name: "cells", axes, datasets, ...described }]);
    for (const level of ["0", "1"]) {
      const document = jsonIn(store, `/a/image/${level}/zarr.json`);
      expect(document.dimension_names).toEqual(["c", "y", "x"]);
      expect(document.chunk_key_encoding).toEqual({ name: "default", configuration: { separator: "/" } });
    }
    expect(multiscales(group)[0]!.channels![0]!.label).toBe("GFP");
  });

  it("is OME-Zarr 0.6 if requested, with the same content", async () => {
    const store = new Map<string, Uint8Array>();
    const { array } = await source(store, { shape: [2, 6, 5], dtype: "uint8" });
    const options = { ...names, levels: 2, name: "cells", scale: [1, 0.5, 0.5] };
    const older = await writeMultiscale(store, array, { ...options, path: "older" });
    const group = await writeMultiscale(store, array, { ...options, path: "newer", omeVersion: "0.6rc0" });
    const { ome } = jsonIn(store, "/newer/zarr.json").attributes;
    const ends = (path: string) => ({ input: { path }, output: { name: "intrinsic" } });
    const [finest, half] = datasets as [(typeof datasets)[0], (typeof datasets)[1]];
    expect(ome.version).toBe("0.6rc0");
    expect(ome.multiscales).toEqual([
      {
        name: "cells",
        coordinateSystems: [{ name: "intrinsic", axes }],
        datasets: [
          {
            path: "0",
            coordinateTransformations: [{ ...finest.coordinateTransformations[0], ...ends("0") }],
          },
          {
            path: "1",
            coordinateTransformations: [
              { type: "sequence", transformations: half.coordinateTransformations, ...ends("1") },
            ],
          },
        ],
        ...described,
      },
    ]);
    const [was, is] = [multiscales(older)[0]!, multiscales(group)[0]!];
    expect([is.axes, is.levels.map((level) => [level.path, level.scale, level.translation])]).toEqual([
      was.axes,
      was.levels.map((level) => [level.path, level.scale, level.translation]),
    ]);
    // Writing later in stages, with the same options, gives the same image.
    await writeMultiscale(store, array, { ...options, path: "newer", omeVersion: "0.6rc0", resume: true });
    expect(jsonIn(store, "/newer/zarr.json").attributes.ome).toEqual(ome);
  });

  it("is a supported version, in the Zarr version that stores it", async () => {
    const store = new Map<string, Uint8Array>();
    const { array } = await source(store, { shape: [6, 5], dtype: "uint8" });
    const old = await writeMultiscale(new Map(), array, { path: "old", omeVersion: "0.4", levels: 1 });
    expect([old.zarrFormat, multiscales(old)[0]!.version]).toEqual([2, "0.4"]);
    for (const options of [
      { omeVersion: "0.6" },
      { omeVersion: 0.5 },
      { omeVersion: "0.6rc0", zarrFormat: 2 },
      { omeVersion: "0.4", zarrFormat: 3 },
    ]) {
      const error = await errorOf(() => writeMultiscale(store, array, { path: "no", ...options } as never));
      expect(error._tag).toBe("InvalidArgument");
    }
    expect(store.has("/no/zarr.json")).toBe(false);
  });

  it("is OME-Zarr 0.4 in Zarr v2, with nested chunks", async () => {
    const store = new Map<string, Uint8Array>();
    const { array } = await source(store, { shape: [6, 5], dtype: "uint8", zarrFormat: 2 });
    await writeMultiscale(store, array, { path: "image", levels: 2 });
    const attributes = jsonIn(store, "/image/.zattrs");
    expect(attributes.ome).toBeUndefined();
    expect(attributes.multiscales[0]).toMatchObject({ version: "0.4", type: "mean" });
    for (const level of ["0", "1"]) {
      const document = jsonIn(store, `/image/${level}/.zarray`);
      expect(document).toMatchObject({ zarr_format: 2, dimension_separator: "/" });
      expect(store.has(`/image/${level}/0/0`)).toBe(true);
    }
  });

  it("has axes by their names, else the last ones of t, c, z, y, x", async () => {
    const axesOf = async (shape: number[], dimensionNames?: string[], axes?: MultiscaleOptions["axes"]) => {
      const array = await create(new Map(), { shape, dtype: "uint8", dimensionNames });
      const group = await writeMultiscale(new Map(), array, { axes });
      return multiscales(group)[0]!.axes.map(({ name, type }) => `${name} ${type}`);
    };
    expect(await axesOf([4, 4])).toEqual(["y space", "x space"]);
    expect(await axesOf([4, 4, 4])).toEqual(["z space", "y space", "x space"]);
    expect(await axesOf([1, 1, 1, 4, 4])).toEqual(["t time", "c channel", "z space", "y space", "x space"]);
    expect(await axesOf([4, 4, 4], ["t", "y", "x"])).toEqual(["t time", "y space", "x space"]);
    const lonely = [{ name: "phase" }, { name: "lat", type: "space" }, { name: "lon", type: "space" }];
    expect(await axesOf([4, 4, 4], undefined, lonely)).toEqual(["phase undefined", "lat space", "lon space"]);
    for (const [shape, given] of [
      [[4], undefined],
      [[2, 2, 2, 2, 2, 2], undefined],
      [
        [4, 4],
        ["x", "x"],
      ],
      [
        [4, 4, 4],
        ["y", "x", "c"],
      ],
      [
        [4, 4, 4],
        ["band", "row", "x"],
      ],
      [
        [4, 4, 4],
        ["c", "t", "x"],
      ],
      [
        [4, 4],
        ["y", "x", "c"],
      ],
    ] as const) {
      const error = await errorOf(() => axesOf([...shape], undefined, given));
      expect([error._tag, error.code]).toEqual(["InvalidArgument", "invalid-argument"]);
    }
    expect(await axesOf([4, 4, 4], ["time", "lat", "lon"])).toEqual(["time time", "lat space", "lon space"]);
    const [north, east] = ["Latitude", "Longitude"];
    expect(await axesOf([4, 4], [north, east])).toEqual(["Latitude space", "Longitude space"]);
    const unknown = await errorOf(() => axesOf([4, 4], ["row", "column"]));
    expect(unknown.message).toContain("pass axes");
  });
});

describe("chunks of smaller levels", () => {
  it("are no longer than the level, and shards no longer than it needs", async () => {
    const shape = [70, 90];
    const data = Uint8Array.from({ length: 70 * 90 }, (_, i) => (i * 31) % 251);
    const array = await create(new Map(), { shape, dtype: "uint8", chunkShape: [64, 128] });
    await set(array, null, data);
    const shapesOf = async (given: ZarrArray, options: MultiscaleOptions) => {
      const group = await writeMultiscale(new Map(), given, { levels: 3, ...options });
      const levels = await Promise.all(multiscales(group)[0]!.levels.map((level) => level.open()));
      const { data: finest } = await get(levels[0]!);
      expect(finest).toEqual(data);
      return levels.map(({ chunkShape, shardShape }) => [chunkShape, shardShape]);
    };
    expect(await shapesOf(array, {})).toEqual([
      [[64, 128], undefined],
      [[35, 45], undefined],
      [[18, 23], undefined],
    ]);
    expect(await shapesOf(array, { chunkShape: [20, 20], zarrFormat: 2 })).toEqual([
      [[20, 20], undefined],
      [[20, 20], undefined],
      [[18, 20], undefined],
    ]);
    const sharded = [
      [
        [16, 32],
        [96, 128],
      ],
      [
        [16, 32],
        [48, 64],
      ],
      [
        [16, 23],
        [32, 23],
      ],
    ];
    expect(await shapesOf(array, { chunkShape: [16, 32], shardShape: [96, 128] })).toEqual(sharded);
    const like = await create(new Map(), { like: array, chunkShape: [16, 32], shardShape: [96, 128] });
    await set(like, null, data);
    expect(await shapesOf(like, {})).toEqual(sharded);
  });
});

describe.each([2, 3] as const)("a label image in Zarr v%i", (zarrFormat) => {
  const write = async (store: Store, path: string, options: MultiscaleOptions = {}) => {
    const array = await create(new Map(), { shape: [4, 4], dtype: "uint8" });
    return writeMultiscale(store, array, { path, zarrFormat, method: "mode", ...options });
  };

  it("is listed by its group `labels`, whose other metadata stays", async () => {
    const store = new MapStore();
    await write(store, "image");
    await write(store, "image/labels/cells");
    const [image, labels] = await Promise.all(
      ["image", "image/labels"].map((path) => open(store, { path, kind: "group" })),
    );
    expect(await labelPaths(image!)).toEqual(["labels/cells"]);
    await updateAttributes(labels!, { mine: 1 });
    await Promise.all(
      ["nuclei", "tissue", "cells"].map((name) => write(store, `image/labels/${name}`, { overwrite: true })),
    );
    expect((await labelPaths(image!)).toSorted()).toEqual(["labels/cells", "labels/nuclei", "labels/tissue"]);
    const { attributes } = await open(store, { path: "image/labels", kind: "group" });
    expect(attributes).toMatchObject(zarrFormat === 2 ? { mine: 1 } : { mine: 1, ome: { version: "0.5" } });
  });

  it("in consolidated metadata, too", async () => {
    const store = new MapStore();
    await write(store, "");
    await createGroup(store, { path: "labels", zarrFormat });
    await consolidate(store);
    await write(store, "labels/cells");
    expect(await labelPaths(await open(store, { kind: "group" }))).toEqual(["labels/cells"]);
  });
});

describe("other readers", () => {
  it("python3-zarr reads Zarr v2", skipFor(missingZarr()), async () => {
    const { array, data } = await source(new Map(), { shape: [9, 7], dtype: "int16", chunkShape: [4, 4] });
    const root = path.join(folder, "v2.zarr");
    const group = await writeMultiscale(pathToFileURL(root), array, { zarrFormat: 2, levels: 3 });
    await checkLevels(group, data, "mean");
    const printed = python(
      `import sys, json, zarr
root = zarr.open_group(sys.argv[1], mode="r")
sets = root.attrs["multiscales"][0]["datasets"]
print(json.dumps([root[d["path"]][...].tolist() for d in sets]))`,
      root,
    );
    const levels = await Promise.all(
      (await levelsOf(group)).map(async (level) => [level.shape, [...(await numbersOf(level))]]),
    );
    const read = JSON.parse(printed) as number[][][];
    expect(read.map((rows) => [[rows.length, rows[0]!.length], rows.flat()])).toEqual(levels);
  });

  it("zarrita reads Zarr v3", async () => {
    const { array } = await source(new Map(), { shape: [9, 7], dtype: "uint16", chunkShape: [2, 2] });
    const store = new Map<string, Uint8Array>();
    const group = await writeMultiscale(store, array, {
      shardShape: [4, 4],
      chunkShape: [2, 2],
      codecs: "gzip",
      levels: 3,
    });
    const ranges = new MapStore(store); // zarrita reads shards of stores with ranges only
    const root = await zarrita.open(ranges as never, { kind: "group" });
    const { multiscales: found } = root.attrs["ome"] as { multiscales: { datasets: { path: string }[] }[] };
    for (const [i, level] of (await levelsOf(group)).entries()) {
      const theirs = await zarrita.open(root.resolve(found[0]!.datasets[i]!.path), { kind: "array" });
      expect((await zarrita.get(theirs)).data).toEqual(await numbersOf(level));
    }
  });
});

describe("an array that lies in the image's group", () => {
  const inPlace = async (options: object = {}) => {
    const store = new Map<string, Uint8Array>();
    await createGroup(store, { path: "image", attributes: { ome: { omero: { channels: [] } }, mine: 1 } });
    const made = { shape: [9, 7], dtype: "uint8" as const, dimensionNames: ["y", "x"], ...options };
    return { store, ...(await source(store, made, 1, "image/full")) };
  };

  it("stays, and is the finest level", async () => {
    const { store, array, data } = await inPlace();
    const before = new Map(store);
    const group = await writeMultiscale(store, array, { path: "image", levels: 3 });
    await checkLevels(group, data, "mean");
    expect(multiscales(group)[0]!.levels.map((level) => level.path)).toEqual(["full", "1", "2"]);
    expect(group.attributes).toMatchObject({ mine: 1, ome: { omero: { channels: [] }, version: "0.5" } });
    for (const [key, bytes] of before)
      if (key.startsWith("/image/full")) expect(store.get(key)).toEqual(bytes);
  });

  it("also if the image is replaced", async () => {
    const { store, array, data } = await inPlace();
    await writeMultiscale(store, array, { path: "image", levels: 3 });
    const again = await errorOf(() => writeMultiscale(store, array, { path: "image" }));
    expect([again._tag, again.code]).toEqual(["AlreadyExists", "node-exists"]);
    const group = await writeMultiscale(store, array, {
      path: "image",
      levels: 2,
      method: "max",
      overwrite: true,
    });
    await checkLevels(group, data, "max");
  });

  it("must match a level of such an image", async () => {
    const codeOf = async (options: object, more: MultiscaleOptions = {}) => {
      const { store, array } = await inPlace(options);
      return (await errorOf(() => writeMultiscale(store, array, { path: "image", levels: 2, ...more }))).code;
    };
    expect(await codeOf({ dimensionNames: undefined })).toBe("invalid-argument");
    expect(await codeOf({}, { axes: ["z", "y"] })).toBe("invalid-argument");
    expect(await codeOf({}, { zarrFormat: 2 })).toBe("invalid-argument");
    expect(await codeOf({ chunkKeyEncoding: { name: "default", separator: "." } })).toBe("invalid-argument");
    const { store, array } = await inPlace();
    const at = async (where: string) =>
      (await errorOf(() => writeMultiscale(store, array, { path: where, overwrite: true }))).code;
    expect(await at("image/full")).toBe("bad-path");
    expect(await at("image/full/below")).toBe("bad-path");
    const { array: one } = await source(
      store,
      { shape: [9, 7], dtype: "uint8", dimensionNames: ["y", "x"] },
      1,
      "other/1",
    );
    expect((await errorOf(() => writeMultiscale(store, one, { path: "other", levels: 2 }))).code).toBe(
      "bad-path",
    );
  });
});

describe("calls", () => {
  it("overwrite nothing without the option", async () => {
    const store = new Map<string, Uint8Array>();
    const { array, data } = await source(store, { shape: [5, 5], dtype: "uint8" });
    await writeMultiscale(store, array, { path: "image", levels: 3 });
    const before = new Map(store);
    const error = await errorOf(() => writeMultiscale(store, array, { path: "image", levels: 2 }));
    expect(error._tag).toBe("AlreadyExists");
    expect(store).toEqual(before);
    await checkLevels(
      await writeMultiscale(store, array, { path: "image", levels: 2, overwrite: true }),
      data,
      "mean",
    );
    expect([...store.keys()].some((key) => key.startsWith("/image/2/"))).toBe(false);
  });

  it("are rejected before anything is written if they do not make an image", async () => {
    const store = new Map<string, Uint8Array>();
    const { array } = await source(store, { shape: [5, 5], dtype: "complex64" });
    const before = new Map(store);
    const refused = async (options: MultiscaleOptions, from: unknown = array) => {
      const error = await errorOf(() =>
        writeMultiscale(store, from as ZarrArray, { path: "image", ...options }),
      );
      expect(store).toEqual(before);
      return error._tag;
    };
    expect(await refused({ method: "max" })).toBe("Unsupported");
    expect(await refused({ shardShape: [4, 4], zarrFormat: 2, chunkShape: [2, 2] })).toBe("Unsupported");
    expect(await refused({ codecs: "nonsense" })).toBe("UnknownCodec");
    expect(await refused({ chunkShape: [4, 4], shardShape: [6, 6] })).toBe("InvalidArgument");
    for (const options of [
      { method: "median" },
      { levels: 0 },
      { levels: 1.5 },
      { factor: 0 },
      { factor: [2] },
      { factor: { q: 2 } },
      { factor: 100 },
      { scale: [1] },
      { scale: [0, 1] },
      { translation: [Number.NaN, 1] },
      { zarrFormat: 1 },
      { stage: "all" },
      { stage: -1 },
      { part: [0, 2] },
      { stage: 0, part: [2, 2] },
      { resume: true, overwrite: true },
      { name: 1 },
      { ome: { multiscales: [] } },
      { ome: { omero: () => 1 } },
      { attributes: { own: Symbol("a") } },
      { attributes: [] },
      { onProgress: 1 },
      { concurrency: 0 },
    ])
      expect([await refused(options as never), options]).toEqual(["InvalidArgument", options]);
    expect(await refused({}, [1, 2])).toBe("InvalidArgument");
    expect(await refused({}, { data: new Uint8Array(3), shape: [2, 2] })).toBe("InvalidArgument");
    expect(await refused({ stage: 0 }, { data: new Uint8Array(4), shape: [2, 2] })).toBe("InvalidArgument");
    const empty = await create(new Map(), { shape: [0, 4], dtype: "uint8" });
    expect(await refused({}, empty)).toBe("InvalidArgument");
    const readOnly: Store = { get: () => undefined };
    expect((await errorOf(() => writeMultiscale(readOnly, array))).code).toBe("no-set");
  });

  it("report chunks of all levels", async () => {
    const { array } = await source(new Map(), { shape: [9, 9], dtype: "uint8", chunkShape: [4, 4] });
    const seen: number[][] = [];
    await writeMultiscale(new Map(), array, {
      levels: 3,
      shardShape: [8, 8],
      chunkShape: [4, 4],
      onProgress: ({ level, levels, chunks, totalChunks }) => seen.push([level, levels, chunks, totalChunks]),
    });
    expect(seen.at(-1)).toEqual([2, 3, 14, 14]);
    expect(seen.map(([level]) => level)).toEqual([...seen.map(([level]) => level!)].sort());
  });

  it("count chunks of arrays of any length, and stop in them", async () => {
    const array = await create(new Map(), {
      shape: [2 ** 40, 2 ** 40],
      dtype: "uint8",
      chunkShape: [1024, 1024],
    });
    const stop = new AbortController();
    let total = 0;
    const onProgress = ({ totalChunks }: MultiscaleProgress) => {
      total = totalChunks;
      stop.abort(new Error("enough"));
    };
    const options = { levels: 2, signal: stop.signal, onProgress };
    await expect(writeMultiscale(new Map(), array, options)).rejects.toThrow("enough");
    expect(total).toBe(2 ** 60 + 2 ** 58);
  });

  it("need the stages in their order", async () => {
    const store = new Map<string, Uint8Array>();
    const { array } = await source(store, { shape: [5, 5], dtype: "uint8" });
    const options = { path: "image", levels: 2 };
    const missing = await errorOf(() => writeMultiscale(store, array, { ...options, stage: 1 }));
    expect([missing._tag, missing.message.includes('stage "metadata"')]).toEqual(["NotFound", true]);
    const made = await writeMultiscale(store, array, { ...options, stage: "metadata" });
    const other = await errorOf(() => writeMultiscale(store, array, { ...options, factor: 3, stage: 1 }));
    expect(other.code).toBe("invalid-argument");
    const none = await errorOf(() => writeMultiscale(store, array, { ...options, stage: 2 }));
    expect(none._tag).toBe("InvalidArgument");
    // Data that another writer left.
    const [image] = (made.attributes["ome"] as { multiscales: object[] }).multiscales;
    for (const kwargs of [2n ** 80n, "mean", undefined, { method: "max" }]) {
      await updateAttributes(made, {
        ome: { version: "0.5", multiscales: [{ ...image, metadata: { kwargs } }] },
      });
      const changed = await errorOf(() => writeMultiscale(store, array, { ...options, stage: 1 }));
      expect(changed.code).toBe("invalid-argument");
    }
  });

  it("stop when aborted", async () => {
    const { array } = await source(new Map(), { shape: [9, 9], dtype: "uint8", chunkShape: [2, 2] });
    const store = new Map<string, Uint8Array>();
    const stop = new AbortController();
    const reason = new Error("enough");
    const onProgress = () => stop.abort(reason);
    await expect(writeMultiscale(store, array, { onProgress, signal: stop.signal, levels: 3 })).rejects.toBe(
      reason,
    );
    const group = await open(store, { kind: "group" });
    expect(group.attributes).toEqual({});
  });
});

/** A store that fails at its k-th operation. */
class FailingStore implements Store {
  readonly files = new Map<string, Uint8Array>();
  count = 0;
  failAt = Number.POSITIVE_INFINITY;

  #step() {
    if (++this.count === this.failAt) throw new Error("the store has failed");
  }
  get(key: string) {
    this.#step();
    return this.files.get(key);
  }
  set(key: string, bytes: Uint8Array) {
    this.#step();
    this.files.set(key, bytes.slice());
  }
  delete(key: string) {
    this.#step();
    this.files.delete(key);
  }
}

describe("a store that fails", () => {
  it("at each operation leaves whole objects and no image, and resuming completes it", async () => {
    const { array } = await source(new Map(), { shape: [7, 5], dtype: "uint16", chunkShape: [3, 3] });
    const options = { levels: 3, concurrency: 1, chunkShape: [3, 3] };
    const model = new FailingStore();
    await writeMultiscale(model, array, options);
    let failed = 0;
    for (let k = 1; k <= model.count; k++) {
      const store = new FailingStore();
      store.failAt = k;
      const failing = writeMultiscale(store, array, options);
      const error = (await failing.catch((thrown: unknown) => thrown)) as ZarrError;
      expect(error.message).toContain("the store has failed");
      if (error.chunkKey !== undefined) {
        expect([error._tag, error.code]).toEqual(["Network", "store-failed"]);
        expect(error.written!.chunks).toBeLessThan(error.written!.totalChunks);
        expect(error.message).toContain("chunks of the levels were written");
        failed++;
      }
      for (const [key, bytes] of store.files)
        if (!key.endsWith("zarr.json")) expect(bytes).toEqual(model.files.get(key));
      store.failAt = Number.POSITIVE_INFINITY;
      await writeMultiscale(store, array, { ...options, resume: true });
      expect(store.files).toEqual(model.files);
    }
    expect(failed).toBeGreaterThan(5);
  });

  it("a resumed call writes only missing chunks", async () => {
    const { array } = await source(new Map(), { shape: [64, 64], dtype: "uint8", chunkShape: [64, 64] });
    const files = new Map<string, Uint8Array>();
    const options = { levels: 3, shardShape: [32, 32], chunkShape: [8, 8] };
    await writeMultiscale(files, array, options);
    const model = new Map(files);
    files.delete("/1/c/0/0");
    const written: string[] = [];
    const store: Store = {
      get: (key) => files.get(key),
      set: (key, bytes) => {
        written.push(key);
        files.set(key, bytes.slice());
      },
      delete: (key) => files.delete(key),
    };
    await writeMultiscale(store, array, { ...options, resume: true });
    expect(written.filter((key) => !key.endsWith("zarr.json"))).toEqual(["/1/c/0/0"]);
    expect(files).toEqual(model);
  });
});

it("memory is bounded by a few blocks, whatever the array's length", () => {
  // 256 MiB of fill value except for some chunks, in shards: memory is the same as for stored chunks.
  const from = (entry: string) => JSON.stringify(pathToFileURL(`dist/bundle/${entry}.js`).href);
  const script = `
    import { create, set } from ${from("index")};
    import { writeMultiscale } from ${from("conventions")};
    const array = await create(new Map(), { shape: [4096, 32768], dtype: "uint16", chunkShape: [1024, 1024] });
    await set(array, [0, 0], 1);
    const before = process.resourceUsage().maxRSS;
    const sink = { get: (key) => kept.get(key), set: (key, bytes) => kept.set(key, bytes.slice()), delete: () => {} };
    const kept = new Map();
    await writeMultiscale(sink, array, { shardShape: [2048, 2048], chunkShape: [512, 512], levels: 3 });
    console.log((process.resourceUsage().maxRSS - before) / 1024);`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(Number(printed)).toBeLessThan(200);
});

it("attributes that other programs have written into the image's group stay", async () => {
  const { array } = await source(new Map(), { shape: [5, 5], dtype: "uint8" });
  const store = new Map<string, Uint8Array>();
  const group = await writeMultiscale(store, array, { stage: "metadata", levels: 2 });
  await updateAttributes(group, { theirs: [1] });
  await writeMultiscale(store, array, { levels: 2, resume: true });
  expect((await open(store, { kind: "group" })).attributes).toHaveProperty("theirs", [1]);
});

it("yields to the event loop, so that a signal can end it, even in memory", async () => {
  const objects = new Map<string, Uint8Array>();
  const shape = [2 ** 16, 2 ** 16];
  await create(objects, { shape, chunkShape: [16, 16], dtype: "uint8", codecs: "none" });
  // The store does not list its keys, so every chunk is requested.
  const array = await open({ get: (key: string) => objects.get(key) }, { kind: "array" });
  const signal = AbortSignal.timeout(100);
  const error = await errorOf(() => writeMultiscale(new Map(), array, { levels: 2, signal }));
  expect(error).toMatchObject({ name: "TimeoutError" });
});

describe("large images that are mostly empty", () => {
  const huge = 2 ** 53 - 1;
  const options = { shape: [huge, huge], chunkShape: [64, 64], dtype: "uint16", fillValue: 7 } as const;
  const far = 2 ** 40;

  async function sparse(objects: Map<string, Uint8Array>): Promise<ZarrArray> {
    const array = await create(objects, options);
    for (const [row, column] of [
      [0, 0],
      [far, 5],
    ] as const)
      await set(
        array,
        [row, column].map((at) => slice(64 * at, 64 * at + 64)),
        row === 0 ? 3 : 9,
      );
    return array;
  }
  const chunksIn = (store: Map<string, Uint8Array>) =>
    [...store.keys()].filter((key) => !key.endsWith(".json")).sort();

  it("are written only where data is stored", async () => {
    const store = new Map<string, Uint8Array>();
    const seen: MultiscaleProgress[] = [];
    const onProgress = (progress: MultiscaleProgress) => seen.push(progress);
    await writeMultiscale(store, await sparse(new Map()), { levels: 3, onProgress });
    const [near, quarter] = [far / 2, far / 4];
    expect(chunksIn(store)).toEqual(
      [
        ["/0/c/0/0", `/0/c/${far}/5`],
        ["/1/c/0/0", `/1/c/${near}/2`],
        ["/2/c/0/0", `/2/c/${quarter}/1`],
      ]
        .flat()
        .sort(),
    );
    const level = await open(store, { path: "1", kind: "array" });
    const { data } = await get(level, [slice(near * 64, near * 64 + 1), slice(2 * 64, 3 * 64)]);
    expect([...(data as Uint16Array)]).toEqual(Array.from({ length: 64 }, (_, i) => (i < 32 ? 7 : 9)));
    expect(seen.at(-1)!.chunks).toBe(seen.at(-1)!.totalChunks);
  });

  it("have the same chunks in parts, and when they are resumed", async () => {
    const array = await sparse(new Map());
    const [whole, parts] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
    await writeMultiscale(whole, array, { levels: 2 });
    await writeMultiscale(parts, array, { levels: 2, stage: "metadata" });
    for (const stage of [0, 1])
      for (const index of [2, 0, 1])
        await writeMultiscale(parts, array, { levels: 2, stage, part: [index, 3] });
    expect(chunksIn(parts)).toEqual(chunksIn(whole));
    whole.delete(`/1/c/${far / 2}/2`);
    whole.set("/1/c/77/77", new Uint8Array(3)); // left by an earlier image
    await writeMultiscale(whole, array, { levels: 2, resume: true });
    expect(whole.get(`/1/c/${far / 2}/2`)).toEqual(parts.get(`/1/c/${far / 2}/2`));
  });

  it("are rejected in stores without listing, before anything is written", async () => {
    const objects = new Map<string, Uint8Array>();
    await sparse(objects);
    const array = await open({ get: (key: string) => objects.get(key) }, { kind: "array" });
    const store = new Map<string, Uint8Array>();
    const error = await errorOf(() => writeMultiscale(store, array, { levels: 2 }));
    expect(error).toMatchObject({ _tag: "LimitExceeded", code: "limit-exceeded" });
    expect(error.message).toContain("more than the limit of 16777216");
    expect(store.size).toBe(0);
  });
});
