// Georeferencing: stores written by GDAL with its own description of them (tests/golden/geo.jsonl), the conventions,
// map tiles.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { create, createGroup, get, open, type Store, set, slice, type ZarrArray } from "zarr-wasm";
import { georeference, tileAt } from "zarr-wasm/conventions";
import { errorOf } from "../support/support.js";

interface Recorded {
  readonly name: string;
  readonly system: string;
  readonly array: string;
  readonly geoTransform: readonly number[];
  readonly size: readonly [number, number];
  readonly wkt: string;
  readonly files: Readonly<Record<string, string>>;
}

const recorded = readFileSync(new URL("../../golden/geo.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 6));

describe.each(recorded.map((one) => [one.name, one] as const))("written by GDAL: %s", (_, one) => {
  const store = new Map(Object.entries(one.files).map(([key, text]) => [key, Buffer.from(text, "base64")]));
  const [x, a, b, y, d, e] = one.geoTransform as [number, number, number, number, number, number];

  it("lies where GDAL says, from the group and from the array", async () => {
    const group = await open(store, { kind: "group" });
    const array = await open(store, { path: one.array, kind: "array" });
    for (const reference of [
      await georeference(group),
      await georeference(array),
      await georeference(group, { variable: one.array }),
    ]) {
      expect(reference.transform).toEqual(close([a, b, x, d, e, y]));
      expect(reference.crs?.code).toBe(one.system);
      expect(reference.dimensions).toEqual(["Y", "X"]);
      const [columns, rows] = one.size;
      const [left, right] = [x, x + a * columns];
      const [first, last] = [y, y + e * rows];
      expect(reference.bounds).toEqual(close([left, Math.min(first, last), right, Math.max(first, last)]));
      expect(reference.levels).toHaveLength(1);
      expect(reference.levels[0].shape).toEqual([rows, columns]);
      expect(reference.levels[0].resolution).toEqual(close([a, Math.abs(e)]));
      expect((await reference.levels[0].open()).shape).toEqual([rows, columns]);
    }
  });
});

// ---- Conventions

interface NewNode {
  readonly shape?: readonly number[];
  readonly names?: readonly string[];
  readonly attributes?: object;
  readonly values?: ArrayLike<number>;
  readonly zarrFormat?: 2 | 3;
}

/** A store of arrays, and of groups (entries without a shape), by path. */
async function storeWith(nodes: Readonly<Record<string, NewNode>>, zarrFormat: 2 | 3 = 3): Promise<Store> {
  const store = new Map();
  // JavaScript objects list numeric names first.
  const parentsFirst = Object.entries(nodes).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, { shape, names, attributes, values }] of parentsFirst) {
    const common = { path, zarrFormat, attributes: attributes as never };
    if (!shape) await createGroup(store, common);
    else {
      const dtype = values ? "float64" : "uint16";
      const array = await create(store, { ...common, shape, dtype, dimensionNames: names ?? ["y", "x"] });
      if (values) await set(array, null, Float64Array.from(values));
    }
  }
  return store;
}

const groupAt = async (store: Store, path = "") => open(store, { path, kind: "group" });
const utm = { "proj:code": "EPSG:32633", "spatial:dimensions": ["y", "x"] };
const transform = [10, 0, 500_000, 0, -20, 4_000_000];
const line = (start: number, step: number, length: number) =>
  Array.from({ length }, (_, i) => start + step * i);

describe("conventions", () => {
  it("spatial: and proj: of an array, of its group, and of nodes", async () => {
    const attributes = { ...utm, "spatial:transform": transform };
    const store = await storeWith({
      "": {},
      own: { shape: [4, 6], attributes },
      grouped: { attributes },
      "grouped/band": { shape: [2, 4, 6], names: ["band", "y", "x"] },
      node: { shape: [4, 6], attributes: { ...attributes, "spatial:registration": "node" } },
      complete: { attributes: { ...attributes, "spatial:shape": [4, 6] } },
    });
    const own = await georeference(await open(store, { path: "own", kind: "array" }));
    expect(own.transform).toEqual(transform);
    expect(own.bounds).toEqual([500_000, 3_999_920, 500_060, 4_000_000]);
    expect(own.crs).toEqual({ code: "EPSG:32633", wkt: undefined, projjson: undefined });
    const band = await georeference(await open(store, { path: "grouped/band", kind: "array" }));
    expect([band.transform, band.crs, band.bounds]).toEqual([own.transform, own.crs, own.bounds]);
    const node = await georeference(await open(store, { path: "node", kind: "array" }));
    expect(node.transform).toEqual([10, 0, 499_995, 0, -20, 4_000_010]);
    const group = await georeference(await groupAt(store, "complete"));
    expect(group.levels[0].shape).toEqual([4, 6]);
    expect((await errorOf(() => group.levels[0].open()))._tag).toBe("InvalidArgument");
  });

  it("rioxarray's grid mapping, and GDAL's order of coefficients in it", async () => {
    const wkt = 'PROJCS["x",GEOGCS["y",AUTHORITY["EPSG","4326"]],AUTHORITY["EPSG","3035"]]';
    const mapping = { crs_wkt: wkt, GeoTransform: "4321000.0 100.0 1.0 3210000.0 2.0 -100.0" };
    const store = await storeWith(
      {
        "": {},
        spatial_ref: { shape: [], names: [], attributes: mapping },
        band: { shape: [3, 5], attributes: { grid_mapping: "spatial_ref" } },
      },
      2,
    );
    const reference = await georeference(await groupAt(store));
    expect(reference.transform).toEqual([100, 1, 4_321_000, 2, -100, 3_210_000]);
    expect(reference.crs).toEqual({ code: "EPSG:3035", wkt, projjson: undefined });
    expect(reference.bounds).toEqual([4_321_000, 3_210_000 - 300, 4_321_503, 3_210_010]);
  });

  it("coordinates of CF in degrees", async () => {
    const lat = { units: "degrees_north" };
    const lon = { standard_name: "longitude" };
    const store = await storeWith({
      "": {},
      lat: { shape: [7], names: ["lat"], values: line(60, -10, 7), attributes: lat },
      lon: { shape: [12], names: ["lon"], values: line(0, 30, 12), attributes: lon },
      rain: { shape: [2, 7, 12], names: ["time", "lat", "lon"] },
    });
    for (const reference of [
      await georeference(await groupAt(store)),
      await georeference(await open(store, { path: "rain", kind: "array" })),
    ]) {
      expect(reference.transform).toEqual([30, 0, -15, 0, -10, 65]);
      expect(reference.crs?.code).toBe("EPSG:4326");
      expect(reference.dimensions).toEqual(["lat", "lon"]);
    }
  });

  const pyramid = (attributes: object, format: 2 | 3 = 3) =>
    storeWith(
      {
        "": { attributes },
        ...Object.fromEntries(
          [16, 8, 4].flatMap((length, i) => [
            [`r${i}`, {}],
            [`r${i}/b02`, { shape: [length, length + (i === 2 ? 3 : 0)] }],
          ]),
        ),
      },
      format,
    );

  it("multiscales of zarr-conventions: nothing is read if the layout is complete", async () => {
    const layout = [0, 1, 2].map((i) => ({
      asset: `r${i}`,
      "spatial:shape": [16 >> i, 16 >> i],
      "spatial:transform": [10 << i, 0, 500_000, 0, -(10 << i), 5_000_000],
    }));
    const store = await pyramid({ ...utm, multiscales: { layout: [...layout].reverse() } });
    const group = await groupAt(store);
    const asked: string[] = [];
    const get_ = store.get.bind(store);
    store.get = (key, options) => {
      asked.push(key);
      return get_(key, options);
    };
    const reference = await georeference(group);
    expect(asked).toEqual([]);
    expect(reference.levels.map(({ path }) => path)).toEqual(["r0", "r1", "r2"]);
    expect(reference.levels.map(({ resolution }) => resolution[0])).toEqual([10, 20, 40]);
    expect(reference.bounds).toEqual([500_000, 4_999_840, 500_160, 5_000_000]);
    expect((await reference.levels[1]!.open("b02")).shape).toEqual([8, 8]);
  });

  it("levels of which the layout has only the paths cover what the finest one covers", async () => {
    const first = { asset: "r0", "spatial:transform": transform, "spatial:shape": [16, 16] };
    const layout = [first, { asset: "r1" }, { asset: "r2" }, { asset: "r9" }];
    const store = await pyramid({ ...utm, multiscales: { layout } });
    await create(store, {
      path: "r0/b02",
      shape: [16, 16],
      dtype: "uint16",
      dimensionNames: ["y", "x"],
      attributes: { ...utm, "spatial:transform": transform } as never,
      overwrite: true,
    });
    const reference = await georeference(await groupAt(store), { variable: "b02" });
    expect(reference.levels.map((level) => [level.path, level.shape, level.transform])).toEqual([
      ["r0", [16, 16], transform],
      ["r1", [8, 8], [20, 0, 500_000, 0, -40, 4_000_000]],
      // Sixteen columns are not a multiple of seven.
      ["r2", [4, 7], [expect.closeTo(160 / 7, 9), 0, 500_000, 0, -80, 4_000_000]],
    ]);
    expect(reference.crs?.code).toBe("EPSG:32633");
  });

  it("datasets of ndpyramid, coarsest first, with a system for the levels", async () => {
    const datasets = [0, 1].map((i) => ({ path: String(i), crs: "EPSG:3857", pixels_per_tile: 4 }));
    const half = 20_037_508.342789244;
    const coordinates = (length: number, sign: number) =>
      line(-sign * (half - half / length), (sign * 2 * half) / length, length);
    const nodes = [4, 8].flatMap((length, i) => [
      [`${i}`, {}],
      [`${i}/x`, { shape: [length], names: ["x"], values: coordinates(length, 1) }],
      [`${i}/y`, { shape: [length], names: ["y"], values: coordinates(length, -1) }],
      [`${i}/value`, { shape: [length, length] }],
    ]);
    const store = await storeWith(
      { "": { attributes: { multiscales: [{ datasets, type: "reduce" }] } }, ...Object.fromEntries(nodes) },
      2,
    );
    const reference = await georeference(await groupAt(store));
    expect(reference.levels.map(({ path, shape }) => [path, shape])).toEqual([
      ["1", [8, 8]],
      ["0", [4, 4]],
    ]);
    expect(reference.crs?.code).toBe("EPSG:3857");
    expect(reference.bounds).toEqual([-half, -half, half, half].map((value) => expect.closeTo(value, 3)));
  });
});

// ---- Tiles

const half = Math.PI * 6_378_137;

/** A pyramid that covers all of Web Mercator, or the whole globe in degrees. */
async function world(code: string, [rows, columns]: readonly [number, number], count: number, from0 = false) {
  const [width, height] = code === "EPSG:4326" ? [360, 180] : [2 * half, 2 * half];
  const left = from0 ? 0 : -width / 2;
  const layout = Array.from({ length: count }, (_, i) => {
    const [h, w] = [rows >> i, columns >> i];
    const at = [width / w, 0, left, 0, -height / h, height / 2];
    return { asset: `${i}`, "spatial:shape": [h, w], "spatial:transform": at };
  });
  const attributes = { "proj:code": code, "spatial:dimensions": ["y", "x"], multiscales: { layout } };
  return georeference(await groupAt(await storeWith({ "": { attributes } })));
}

describe("tiles", () => {
  it("of web mercator in web mercator: the level with as many pixels", async () => {
    const reference = await world("EPSG:3857", [1024, 1024], 3);
    const tile = (await tileAt(reference, [2, 1, 3]))!;
    expect(tile.level.path).toBe("0");
    expect(tile.selection).toEqual({ y: slice(768, 1024), x: slice(256, 512) });
    expect(tile.tileBounds).toEqual(close([-half / 2, -half, 0, -half / 2]));
    expect(tile.bounds).toEqual(close(tile.tileBounds));
    expect((await tileAt(reference, [1, 1, 0]))!.level.path).toBe("1");
    expect((await tileAt(reference, [0, 0, 0]))!.selection).toEqual({ y: slice(0, 256), x: slice(0, 256) });
    expect((await tileAt(reference, [0, 0, 0], { tileSize: 512 }))!.level.path).toBe("1");
    const deep = (await tileAt(reference, [9, 3, 5]))!;
    expect([deep.level.path, deep.selection, deep.shape]).toEqual([
      "0",
      { y: slice(10, 12), x: slice(6, 8) },
      [2, 2],
    ]);
  });

  it("in degrees: the rows between the tile's latitudes", async () => {
    const reference = await world("EPSG:4326", [1800, 3600], 4);
    // Tile 3/4/2 lies between 0 and 45 degrees east, 40.9799 and 66.5133 degrees north.
    const tile = (await tileAt(reference, [3, 4, 2]))!;
    expect(tile.level.path).toBe("0");
    expect(tile.selection).toEqual({ y: slice(234, 491), x: slice(1800, 2250) });
    expect(tile.transform).toEqual(close([0.1, 0, 0, 0, -0.1, 90 - 23.4]));
    const degrees = (await tileAt(reference, [2, 5, 1], { grid: "WorldCRS84Quad" }))!;
    expect(degrees.tileBounds).toEqual([45, 0, 90, 45]);
    expect(degrees.selection).toEqual({ y: slice(450, 900), x: slice(2250, 2700) });
  });

  it("on longitudes from 0 to 360", async () => {
    const reference = await world("EPSG:4326", [180, 360], 1, true);
    const west = (await tileAt(reference, [2, 0, 1], { grid: "WorldCRS84Quad" }))!;
    expect(west.selection).toEqual({ y: slice(45, 90), x: slice(180, 225) });
    const east = (await tileAt(reference, [2, 4, 1], { grid: "WorldCRS84Quad" }))!;
    expect(east.selection).toEqual({ y: slice(45, 90), x: slice(0, 45) });
  });

  it("of a region: cut to it, and none beside it; rows that run north", async () => {
    const attributes = {
      "proj:code": "EPSG:4326",
      "spatial:dimensions": ["y", "x"],
      "spatial:transform": [0.5, 0, 10, 0, 0.5, 40],
    };
    const store = await storeWith({ "": {}, area: { shape: [20, 30], attributes } });
    const reference = await georeference(await open(store, { path: "area", kind: "array" }));
    const tile = (await tileAt(reference, [2, 4, 1], { grid: "WorldCRS84Quad" }))!; // 0 to 45 east, 0 to 45 north
    expect(tile.selection).toEqual({ y: slice(0, 10), x: slice(0, 30) });
    expect(tile.bounds).toEqual([10, 40, 25, 45]);
    expect(await tileAt(reference, [2, 5, 1], { grid: "WorldCRS84Quad" })).toBeUndefined();
    const array: ZarrArray = await tile.level.open();
    expect((await get(array, tile.selection)).shape).toEqual(tile.shape);
  });

  it("a view of twenty tiles over a pyramid costs few requests", async () => {
    const layout = [0, 1, 2].map((i) => ({ asset: `${i}`, transform: { scale: [2 ** i, 2 ** i] } }));
    const extent = { "proj:code": "EPSG:3857", "spatial:dimensions": ["y", "x"] };
    const nodes = [0, 1, 2].map((i) => {
      const step = (2 * half) / (2048 >> i);
      const attributes = { ...extent, "spatial:transform": [step, 0, -half, 0, -step, half] };
      return [`${i}`, { shape: [2048 >> i, 2048 >> i], attributes }] as const;
    });
    const store = await storeWith({
      "": { attributes: { ...extent, multiscales: { layout } } },
      ...Object.fromEntries(nodes),
    });
    const asked: string[] = [];
    const counting: Store = {
      get: (key) => {
        asked.push(key);
        return store.get(key);
      },
    };
    const reference = await georeference(await open(counting, { kind: "group", version: 3 }));
    for (let y = 0; y < 4; y++)
      for (let x = 0; x < 5; x++) {
        const tile = (await tileAt(reference, [3, x + 1, y + 2]))!;
        expect(tile.shape).toEqual([256, 256]);
        await get(await tile.level.open(), tile.selection);
      }
    expect(asked.length).toBeLessThanOrEqual(40);
  });
});

describe("errors", () => {
  const array = async (attributes: object, names = ["y", "x"]) =>
    open(await storeWith({ "": {}, a: { shape: [4, 6], names, attributes } }), { path: "a", kind: "array" });

  it.each([
    [{}, "no-convention"],
    [{ ...utm, "spatial:transform": [1, 0, 0] }, "bad-convention"],
    [{ ...utm, "spatial:transform": [1, 0, 0, 0, 0, 5] }, "bad-convention"],
    [{ ...utm, "spatial:transform": "north" }, "bad-convention"],
    [{ ...utm, GeoTransform: "1 2 3" }, "bad-convention"],
    [{ ...utm, "spatial:transform": transform, "spatial:transform_type": "rpc" }, "no-convention"],
  ])("%j", async (attributes, code) => {
    const error = await errorOf(async () => georeference(await array(attributes)));
    expect(error.code).toBe(code);
  });

  it("levels with invalid paths, too many levels, or missing levels", async () => {
    const of = async (layout: unknown) =>
      errorOf(async () =>
        georeference(await groupAt(await storeWith({ "": { attributes: { multiscales: { layout } } } }))),
      );
    expect((await of([{ asset: "../up" }])).code).toBe("bad-convention");
    expect((await of([{ asset: 7 }])).code).toBe("bad-convention");
    expect((await of(new Array(65).fill({ asset: "0" }))).code).toBe("bad-convention");
    expect((await of([{ asset: "0" }]))._tag).toBe("NotFound");
    expect((await of([])).code).toBe("no-convention");
  });

  it.each([
    [[1e308, 0, 0, 0, -1e308, 0]],
    [[1e307, 0, 1.7e308, 0, 1, 0]],
    [[1e-160, 0, 0, 0, 1e-160, 0]],
    [[{ toString: 1, valueOf: 1 }, 0, 0, 0, 1, 0]],
    [[null, 1, 0, 1, null, 0]],
    [[[1], 0, 0, 0, 1, 0]],
  ])("the transformation %j", async (numbers) => {
    const error = await errorOf(async () =>
      georeference(await array({ ...utm, "spatial:transform": numbers })),
    );
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-convention"]);
  });

  it.each([[undefined], [null], [[0n, 0n, 0n]], [[Symbol("z"), 0, 0]], [{}]])("the tile %#", async (tile) => {
    const reference = await world("EPSG:3857", [256, 256], 1);
    expect((await errorOf(() => tileAt(reference, tile as never)))._tag).toBe("InvalidArgument");
  });

  it("invalid references and options", async () => {
    const reference = await world("EPSG:3857", [256, 256], 1);
    const tags = [];
    for (const [of, options] of [
      [null, {}],
      [{ crs: reference.crs }, {}],
      [reference, null],
      [reference, { grid: JSON.parse('{"toString": 1}') }],
    ])
      tags.push((await errorOf(() => tileAt(of as never, [0, 0, 0], options as never)))._tag);
    expect(tags).toEqual(new Array(4).fill("InvalidArgument"));
  });

  it("irregular coordinates", async () => {
    const store = await storeWith({
      "": {},
      y: { shape: [4], names: ["y"], values: [0, 1, 2, 9] },
      x: { shape: [4], names: ["x"], values: [0, 1, 2, 3] },
      a: { shape: [4, 4] },
    });
    expect((await errorOf(async () => georeference(await groupAt(store)))).code).toBe("unsupported");
  });

  it("invalid tiles, and systems without tiles", async () => {
    const reference = await world("EPSG:3857", [256, 256], 1);
    for (const tile of [
      [1, 2, 0],
      [1, 0, -1],
      [0.5, 0, 0],
      [60, 0, 0],
    ] as const)
      expect((await errorOf(() => tileAt(reference, tile)))._tag, String(tile)).toBe("InvalidArgument");
    const grid = await errorOf(() => tileAt(reference, [0, 0, 0], { grid: "toString" as never }));
    expect(grid.message).toMatch(/WebMercatorQuad or WorldCRS84Quad/);
    const elsewhere = await georeference(await array({ ...utm, "spatial:transform": transform }));
    expect((await errorOf(() => tileAt(elsewhere, [0, 0, 0]))).code).toBe("unsupported");
    expect((await errorOf(() => georeference({} as never)))._tag).toBe("InvalidArgument");
  });
});
