// Map tile values: grids whose values are their own coordinates, so each pixel's expected value is known.
import { beforeAll, describe, expect, it } from "vitest";
import { create, createGroup, open, type Store, set, WorkerPool, type ZarrArray } from "zarr-wasm";
import { georeference, type ReadTileOptions, readTile, tileAt, tileParts } from "zarr-wasm/conventions";
import { errorOf } from "../support/support.js";

const earth = 40_075_016.685578488;

/** Longitude and latitude of a pixel's centre in a Web Mercator tile, by the published formulas. */
function centreOf([z, x, y]: readonly [number, number, number], i: number, j: number, size = 256) {
  const n = 2 ** z;
  const longitude = ((x + (i + 0.5) / size) / n) * 360 - 180;
  const latitude = (Math.atan(Math.sinh(Math.PI * (1 - (2 * (y + (j + 0.5) / size)) / n))) * 180) / Math.PI;
  return [longitude, latitude] as const;
}

interface Grid {
  readonly rows: number;
  readonly columns: number;
  /** Edges, in degrees. */
  readonly west: number;
  readonly north: number;
  readonly step: number;
  readonly transposed?: boolean;
}

/** A grid in degrees with `rows * column + row` in it. */
async function gridOf({ rows, columns, west, north, step, transposed = false }: Grid): Promise<ZarrArray> {
  const store: Store = new Map() as never;
  await createGroup(store);
  const array = await create(store, {
    path: "a",
    shape: transposed ? [columns, rows] : [rows, columns],
    chunkShape: transposed ? [50, 40] : [40, 50],
    dtype: "float32",
    dimensionNames: transposed ? ["x", "y"] : ["y", "x"],
    attributes: {
      "proj:code": "EPSG:4326",
      "spatial:dimensions": ["y", "x"],
      "spatial:transform": [step, 0, west, 0, -step, north],
    },
  });
  const data = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      data[transposed ? column * rows + row : row * columns + column] = rows * column + row;
  await set(array, null, data);
  return open(store, { path: "a", kind: "array" });
}

const expected = ({ rows, columns, west, north, step }: Grid, longitude: number, latitude: number) => {
  const column = Math.floor(((((longitude - west) % 360) + 360) % 360) / step);
  const row = Math.floor((north - latitude) / step);
  return column < columns && row >= 0 && row < rows ? rows * column + row : Number.NaN;
};

/** Number of pixels of a tile that differ from the grid. */
async function wrongPixels(
  grid: Grid,
  tile: readonly [number, number, number],
  options: ReadTileOptions = {},
) {
  const { data } = (await readTile(await georeference(await gridOf(grid)), tile, options))!;
  const size = options.tileSize ?? 256;
  let wrong = 0;
  for (let j = 0, at = 0; j < size; j++)
    for (let i = 0; i < size; i++, at++)
      if (!Object.is(data[at], expected(grid, ...centreOf(tile, i, j, size)))) wrong++;
  return wrong;
}

const whole: Grid = { rows: 180, columns: 360, west: -180, north: 90, step: 1 };

describe("degrees as tiles in web mercator", () => {
  it.each<[string, Grid, [number, number, number]]>([
    ["the world", whole, [0, 0, 0]],
    ["a quarter", whole, [1, 1, 0]],
    ["deep", whole, [5, 17, 9]],
    ["transposed", { ...whole, transposed: true }, [2, 1, 1]],
    ["longitudes from 0 to 360, both sides", { ...whole, west: 0 }, [0, 0, 0]],
    ["longitudes from 0 to 360, the west", { ...whole, west: 0 }, [1, 0, 0]],
    ["columns centred on 180 degrees west", { ...whole, west: -180.5 }, [2, 3, 1]],
    ["across 180 degrees", { rows: 20, columns: 30, west: 165, north: 10, step: 1 }, [0, 0, 0]],
    ["a gap between both ends", { rows: 20, columns: 340, west: 10, north: 10, step: 1 }, [0, 0, 0]],
    ["a part of a tile", { rows: 30, columns: 50, west: 11, north: 47, step: 0.5 }, [3, 4, 2]],
  ])("%s", async (_, grid, tile) => {
    expect(await wrongPixels(grid, tile)).toBe(0);
  });

  it("of another size, and in a pool", async () => {
    const pool = new WorkerPool({ size: 1 });
    expect(await wrongPixels(whole, [1, 0, 1], { tileSize: 100, pool })).toBe(0);
    pool.destroy();
  });

  it("of much finer elements those near the pixels' centres", async () => {
    const grid: Grid = { rows: 900, columns: 1800, west: -180, north: 90, step: 0.2 };
    const reference = await georeference(await gridOf(grid));
    const { data } = (await readTile(reference, [0, 0, 0], { tileSize: 32 }))!;
    for (const [i, j] of [
      [0, 3],
      [5, 9],
      [16, 16],
      [31, 28],
    ] as const) {
      const [longitude, latitude] = centreOf([0, 0, 0], i, j, 32);
      const value = data[j * 32 + i]!;
      // A pixel is 11 degrees wide.
      expect(Math.abs(-180 + Math.floor(value / 900) * 0.2 - longitude)).toBeLessThan(3);
      expect(Math.abs(90 - (value % 900) * 0.2 - latitude)).toBeLessThan(3);
    }
  });
});

describe("other grids and data", () => {
  it("degrees in tiles of degrees; nothing outside them is read", async () => {
    const grid: Grid = { rows: 20, columns: 40, west: 10, north: 50, step: 0.5 };
    const reference = await georeference(await gridOf(grid));
    const { data, bounds, shape } = (await readTile(reference, [2, 4, 1], { grid: "WorldCRS84Quad" }))!;
    expect([bounds, shape]).toEqual([
      [0, 0, 45, 45],
      [256, 256],
    ]);
    for (const [i, j] of [
      [60, 20],
      [170, 20],
      [171, 20],
      [56, 27],
      [57, 28],
      [100, 29],
    ] as const) {
      const [longitude, latitude] = [((i + 0.5) * 45) / 256, 45 - ((j + 0.5) * 45) / 256];
      expect(data[j * 256 + i], `${i} ${j}`).toBe(expected(grid, longitude, latitude));
    }
    expect(await readTile(reference, [2, 0, 1], { grid: "WorldCRS84Quad" })).toBeUndefined();
  });

  describe("web mercator", () => {
    let array: ZarrArray;
    beforeAll(async () => {
      const store: Store = new Map() as never;
      await createGroup(store);
      array = await create(store, {
        path: "a",
        shape: [2, 512, 512],
        dtype: "int16",
        dimensionNames: ["time", "y", "x"],
        attributes: {
          "proj:code": "EPSG:3857",
          "spatial:dimensions": ["y", "x"],
          "spatial:transform": [earth / 512, 0, -earth / 2, 0, -earth / 512, earth / 2],
          _FillValue: -1,
          scale_factor: 0.5,
          units: "m",
        },
      });
      await set(
        array,
        null,
        Int16Array.from({ length: 2 * 512 * 512 }, (_, i) => (i % 512 === 300 ? -1 : Math.floor(i / 512))),
      );
    });

    it("element by pixel, decoded, of the chosen time", async () => {
      const reference = await georeference(array);
      const { data, units } = (await readTile(reference, [1, 1, 0], { selection: { time: 1 } }))!;
      expect(units).toBe("m");
      for (let j = 0; j < 256; j++) {
        expect(data[j * 256 + 43]).toBe((512 + j) / 2);
        expect(data[j * 256 + 44]).toBeNaN();
        expect(data[j * 256 + 45]).toBe((512 + j) / 2);
      }
      expect((await readTile(reference, [1, 1, 0]))!.data[256 * 10]).toBe(5);
    });

    it("of pixels halfway between two elements is the same one everywhere", async () => {
      const { data } = (await readTile(await georeference(array), [0, 0, 0]))!;
      for (let j = 0; j < 256; j++) expect(data[j * 256]).toBe(j + 0.5);
    });

    it("in tiles of degrees, which end at the poles", async () => {
      const { data } = (await readTile(await georeference(array), [0, 0, 0], { grid: "WorldCRS84Quad" }))!;
      const rowAt = (latitude: number) =>
        Math.floor(256 - (Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) * 256);
      expect(data[0]).toBeNaN();
      for (const j of [8, 40, 127, 200]) expect(data[j * 256]).toBe(rowAt(90 - ((j + 0.5) * 180) / 256) / 2);
    });

    it("rejected arguments", async () => {
      const reference = await georeference(array);
      const refusal = async (options: unknown) =>
        (await errorOf(() => readTile(reference, [0, 0, 0], options as never)))._tag;
      expect(await refusal({ selection: { band: 0 } })).toBe("InvalidSelection");
      expect(await refusal({ selection: { y: 0 } })).toBe("InvalidSelection");
      expect(await refusal({ selection: { time: 2 } })).toBe("InvalidSelection");
      expect(await refusal({ selection: { time: "now" } })).toBe("InvalidSelection");
      expect(await refusal({ selection: null })).toBe("InvalidArgument");
      expect(await refusal({ tileSize: 100_000 })).toBe("InvalidArgument");
      expect(await refusal(null)).toBe("InvalidArgument");
      const reason = new Error("out of view");
      const signal = AbortSignal.abort(reason);
      await expect(readTile(reference, [0, 0, 0], { signal })).rejects.toBe(reason);
    });
  });

  describe("many chunks", () => {
    /** Degrees from -180 to 180 with one element each; records the chunks requested and their signals. */
    async function small(west: number, chunk: (key: string) => Promise<undefined>) {
      const objects = new Map<string, Uint8Array>();
      await createGroup(objects);
      const attributes = {
        "proj:code": "EPSG:4326",
        "spatial:dimensions": ["y", "x"],
        "spatial:transform": [1, 0, west, 0, -1, 90],
      };
      await create(objects, {
        path: "a",
        shape: [180, 360],
        chunkShape: [1, 1],
        dtype: "uint8",
        attributes,
      });
      const asked: (AbortSignal | undefined)[] = [];
      const store: Store = {
        get(key, options) {
          if (!key.includes("/c/")) return objects.get(key);
          asked.push(options?.signal);
          return chunk(key);
        },
      };
      const array = await open(store, { path: "a", kind: "array" });
      return { asked, reference: await georeference(array) };
    }

    it("are refused before any is read, and read where the caller allows them", async () => {
      const { asked, reference } = await small(-180, async () => undefined);
      const error = await errorOf(() => readTile(reference, [2, 1, 1]));
      expect([error._tag, error.code]).toEqual(["LimitExceeded", "limit-exceeded"]);
      expect(error.message).toMatch(/needs \d+ chunks of "\/a", more than the limit of 4096/);
      expect(asked).toEqual([]);
      const count = Number(/\d+/.exec(error.message)![0]);
      expect((await errorOf(() => readTile(reference, [2, 1, 1], { maxChunks: count - 1 }))).code).toBe(
        "limit-exceeded",
      );
      expect((await readTile(reference, [2, 1, 1], { maxChunks: count }))!.data[0]).toBe(0);
      expect(asked).toHaveLength(count);
      for (const maxChunks of [0, 1.5, "5"])
        expect((await errorOf(() => readTile(reference, [2, 1, 1], { maxChunks } as never)))._tag).toBe(
          "InvalidArgument",
        );
    });

    it("of two parts: requests no more chunks after one has failed", async () => {
      const turn = () => new Promise<undefined>((resolve) => setTimeout(resolve, 1, undefined));
      const chunk = async (key: string) => {
        if (key.endsWith("/359")) throw new Error("broken");
        return turn();
      };
      // Both ends of the data: longitudes from 0 to 360.
      const { asked, reference } = await small(0, chunk);
      const error = await errorOf(() => readTile(reference, [0, 0, 0], { maxChunks: 1e5 }));
      expect(error.message).toContain("broken");
      const count = asked.length;
      expect(count).toBeLessThan(10_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(asked).toHaveLength(count);
    });
  });

  it("elements that are not numbers", async () => {
    const store: Store = new Map() as never;
    await createGroup(store);
    const attributes = {
      "proj:code": "EPSG:4326",
      "spatial:dimensions": ["y", "x"],
      "spatial:transform": [1, 0, 0, 0, -1, 0],
    };
    const array = await create(store, { path: "a", shape: [4, 4], dtype: "complex64", attributes });
    const error = await errorOf(async () => readTile(await georeference(array), [0, 0, 0]));
    expect(error._tag).toBe("Unsupported");
  });
});

it("tileParts: the widest first, which is tileAt's; none beside the data", async () => {
  const reference = await georeference(
    await gridOf({ rows: 20, columns: 30, west: 160, north: 10, step: 1 }),
  );
  const parts = await tileParts(reference, [0, 0, 0]);
  expect(parts.map(({ shape, bounds }) => [shape, bounds])).toEqual([
    [
      [20, 20],
      [160, -10, 180, 10],
    ],
    [
      [20, 10],
      [180, -10, 190, 10],
    ],
  ]);
  expect(await tileAt(reference, [0, 0, 0])).toEqual(parts[0]);
  expect(await tileParts(reference, [2, 1, 1])).toEqual([]);
});

describe("missing levels", () => {
  it.each([
    ["layout", { layout: [{ asset: "0" }, { asset: "1" }, { asset: "2" }] }],
    ["ndpyramid", [{ datasets: [{ path: "2" }, { path: "1" }, { path: "0" }] }]],
  ])("the finest of %s: the others are used", async (_, multiscales) => {
    const store: Store = new Map() as never;
    const extent = { "proj:code": "EPSG:3857", "spatial:dimensions": ["y", "x"] };
    await createGroup(store, { attributes: { ...extent, multiscales } as never });
    for (const [path, length] of [
      ["1", 8],
      ["2", 4],
    ] as const)
      await create(store, {
        path,
        shape: [length, length],
        dtype: "int8",
        dimensionNames: ["y", "x"],
        attributes: { ...extent, "spatial:transform": [80 / length, 0, 0, 0, -80 / length, 0] },
      });
    const reference = await georeference(await open(store, { kind: "group" }));
    expect(reference.levels.map(({ path, shape }) => [path, shape])).toEqual([
      ["1", [8, 8]],
      ["2", [4, 4]],
    ]);
    expect(reference.bounds).toEqual([0, -80, 80, 0]);
  });
});
