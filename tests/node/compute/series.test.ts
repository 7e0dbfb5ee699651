// Values at places, along lines and inside areas: xarray's results (tests/golden/series.json), and all cells one by one.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { create, createGroup, open, type Store, set, slice, type ZarrArray } from "zarr-wasm";
import { series } from "zarr-wasm/compute";
import { errorOf } from "../support/support.js";

type Numbers = readonly number[];

interface Axis {
  readonly name: string;
  readonly values: Numbers;
  readonly attributes?: Record<string, unknown>;
}

const latitude = { standard_name: "latitude", units: "degrees_north" };
const longitude = { standard_name: "longitude", units: "degrees_east" };
const regular = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));

/** Creates an array of pseudo-random numbers in a group with its coordinates. */
async function grid(
  axes: readonly Axis[],
  chunks: Numbers,
  {
    dtype = "float32",
    value = noise,
    attributes = {},
  }: { dtype?: "float32" | "int16" | "float64"; value?: (i: number) => number; attributes?: object } = {},
): Promise<{ array: ZarrArray; store: Map<string, Uint8Array>; at: (...index: number[]) => number }> {
  const store = new Map<string, Uint8Array>();
  await createGroup(store);
  for (const { name, values, attributes: own = {} } of axes) {
    const coordinate = await create(store, {
      path: name,
      shape: [values.length],
      dtype: "float64",
      dimensionNames: [name],
      attributes: own as never,
    });
    await set(coordinate, null, Float64Array.from(values));
  }
  const shape = axes.map(({ values }) => values.length);
  const array = await create(store, {
    path: "v",
    shape,
    chunkShape: [...chunks],
    dtype,
    dimensionNames: axes.map(({ name }) => name),
    attributes: attributes as never,
  });
  const count = shape.reduce((product, length) => product * length, 1);
  const kinds = { float32: Float32Array, float64: Float64Array, int16: Int16Array };
  const data = Array.from({ length: count }, (_, i) => value(i));
  const typed = kinds[dtype].from(data);
  await set(array, null, typed as never);
  const at = (...index: number[]) => typed[index.reduce((sum, i, axis) => sum * shape[axis]! + i, 0)]!;
  return { array: await open(store, { path: "v", kind: "array" }), store, at };
}

const noise = (i: number): number => ((i * 2654435761) % 1000) / 10 - 50;

const cube = (): readonly Axis[] => [
  { name: "time", values: regular(0, 9, 10), attributes: { units: "days since 2000-01-01" } },
  { name: "lat", values: regular(88.75, -88.75, 72), attributes: latitude },
  { name: "lon", values: regular(0, 357.5, 144), attributes: longitude },
];

/** Counts the reads of each chunk. */
function counted(store: Map<string, Uint8Array>): { store: Store; reads: Map<string, number> } {
  const reads = new Map<string, number>();
  const get = async (key: string) => {
    if (key.startsWith("/v/c/")) reads.set(key, (reads.get(key) ?? 0) + 1);
    return store.get(key);
  };
  return { store: { get }, reads };
}

const list = (data: unknown): (number | null)[] =>
  Array.from(data as ArrayLike<number>, (value) => (Number.isNaN(value) ? null : Number(value)));
const close = (values: readonly (number | null)[]) =>
  values.map((value) => (value === null ? null : expect.closeTo(value, 9)));

describe("xarray", () => {
  const recorded = JSON.parse(readFileSync(new URL("../../golden/series.json", import.meta.url), "utf8"));
  const { lat, lon, data, places, nearest, linear, areas, means } = recorded;
  const axes = [
    { name: "time", values: [0, 1, 2, 3, 4] },
    { name: "lat", values: lat, attributes: latitude },
    { name: "lon", values: lon, attributes: longitude },
  ];
  const make = () => grid(axes, [2, 5, 7], { dtype: "float64", value: (i) => data[i] ?? Number.NaN });
  const at = (places.lat as Numbers).map((one, i) => ({ lat: one, lon: places.lon[i] }));

  it("selects the same nearest cells", async () => {
    const { array } = await make();
    expect(list((await series(array, { at })).data)).toEqual(nearest);
  });
  it("interpolates to the same values, also missing ones", async () => {
    const { array } = await make();
    const found = await series(array, { at, interpolation: "linear", skipMissing: false });
    expect(list(found.data)).toEqual(close(linear));
  });
  it("weights boxes by the same areas", async () => {
    const { array } = await make();
    expect(list((await series(array, { inside: areas })).data)).toEqual(close(means.flat()));
  });
});

describe("at places", () => {
  it("takes the nearest cells, reading each chunk once and only those with places", async () => {
    const made = await grid(cube(), [4, 36, 48]);
    const { store, reads } = counted(made.store);
    const array = await open(store, { path: "v", kind: "array" });
    const places = [
      { lat: 88.75, lon: 0 },
      { lat: 47.4, lon: 8.5 },
      { lat: -33.9, lon: -70.1 },
      { lat: 47.3, lon: 8.6 },
    ];
    const found = await series(array, { at: places });
    expect(found.shape).toEqual([10, 4]);
    expect(found.dimensionNames).toEqual(["time", "place"]);
    expect([...found.coordinates["lat"]!.data]).toEqual([88.75, 46.25, -33.75, 46.25]);
    expect([...found.coordinates["lon"]!.data]).toEqual([0, 7.5, 290, 7.5]);
    for (let t = 0; t < 10; t++)
      expect([0, 1, 2, 3].map((i) => found.data[t * 4 + i])).toEqual([
        made.at(t, 0, 0),
        made.at(t, 17, 3),
        made.at(t, 49, 116),
        made.at(t, 17, 3),
      ]);
    expect([...reads].sort()).toEqual(
      ["0/0/0", "0/1/2", "1/0/0", "1/1/2", "2/0/0", "2/1/2"].map((key) => [`/v/c/${key}`, 1]),
    );
  });

  it("reads each chunk of a cube once for 1,000 places", async () => {
    const made = await grid(cube(), [3, 72, 144]);
    const { store, reads } = counted(made.store);
    const array = await open(store, { path: "v", kind: "array" });
    const at = Array.from({ length: 1000 }, (_, i) => ({
      lat: ((i * 37) % 170) - 85,
      lon: ((i * 91) % 720) - 360,
    }));
    const found = await series(array, { at, interpolation: "linear" });
    expect(found.shape).toEqual([10, 1000]);
    expect([...reads.values()]).toEqual([1, 1, 1, 1]);
  });

  it("drops the dimension of one place, and selects along others", async () => {
    const { array, at } = await grid(cube(), [4, 36, 48]);
    const found = await series(array, { at: { lon: -1, lat: 1 }, selection: { time: slice(2, 9, 3) } });
    expect(found.shape).toEqual([3]);
    expect(found.dimensionNames).toEqual(["time"]);
    expect(list(found.data)).toEqual([at(2, 35, 0), at(5, 35, 0), at(8, 35, 0)]);
    expect(list(found.coordinates["time"]!.data)).toEqual([2, 5, 8]);
    const picked = await series(array, { at: { lon: -1, lat: 1 }, selection: { time: [9, 0, 5, 0] } });
    expect(list(picked.data)).toEqual([at(9, 35, 0), at(0, 35, 0), at(5, 35, 0), at(0, 35, 0)]);
  });

  it("interpolates across the meridian where longitudes begin, and leaves missing neighbours out", async () => {
    const value = (i: number) => (i === 35 * 144 + 143 ? Number.NaN : noise(i));
    const { array, at } = await grid(cube().slice(1), [36, 48], { value });
    const found = await series(array, { at: { lat: 0, lon: -0.5 }, interpolation: "linear" });
    // Weights 0.1, 0.4, 0.1, 0.4, of which the first has no value.
    const expected = (0.4 * at(35, 0) + 0.1 * at(36, 143) + 0.4 * at(36, 0)) / 0.9;
    expect(found.shape).toEqual([]);
    expect(found.data[0]).toBeCloseTo(expected, 9);
    const strict = await series(array, {
      at: { lat: 0, lon: -0.5 },
      interpolation: "linear",
      skipMissing: false,
    });
    expect(list(strict.data)).toEqual([null]);
  });

  it("decodes packed values and follows trajectories through times", async () => {
    const axes = cube();
    const attributes = { scale_factor: 0.5, add_offset: 10, _FillValue: -999 };
    const { array, at } = await grid(axes, [4, 36, 48], { dtype: "int16", attributes });
    const track = [0, 3, 9].map((t) => ({
      time: `2000-01-${t === 9 ? 10 : `0${t + 1}`}`,
      lat: 88.75 - 5 * t,
      lon: 5 * t,
    }));
    const found = await series(array, { at: track });
    expect(list(found.data)).toEqual([0, 3, 9].map((t) => at(t, 2 * t, 2 * t) * 0.5 + 10));
    const raw = await series(array, { at: track[1]!, decode: false });
    expect(raw.dtype.core).toBe("int16");
    expect(list(raw.data)).toEqual([at(3, 6, 6)]);
  });

  it("rejects places outside", async () => {
    const axes = [
      { name: "y", values: [10, 20, 30] },
      { name: "x", values: [5, 4, 3, 2] },
    ];
    const { array, at } = await grid(axes, [2, 2], { dtype: "int16" });
    const error = await errorOf(() => series(array, { at: { x: 3, y: 36 } }));
    expect(error).toMatchObject({ _tag: "InvalidSelection", code: "no-such-label" });
    expect(error.message).toMatch(/"y" has no element at 36; its coordinates go from 10 to 30/);
    const edge = await series(array, { at: { x: 5.4, y: 34 } });
    expect(list(edge.data)).toEqual([at(2, 0)]);
    for (const place of [
      { x: 3, z: 1 },
      { x: Number.NaN, y: 10 },
      { x: "3", y: 10 },
    ])
      expect((await errorOf(() => series(array, { at: place as never })))._tag).toBe("InvalidSelection");
    for (const options of [
      {},
      { at: [] },
      { at: { x: 1 }, along: [] },
      { at: { x: 3, y: 10 }, interpolation: "cubic" },
    ])
      expect((await errorOf(() => series(array, options as never)))._tag).toBe("InvalidArgument");
  });

  it("rejects coordinates that are not sorted or NaN", async () => {
    const { array } = await grid(
      [
        { name: "y", values: [1, Number.NaN, 3] },
        { name: "x", values: [1, 2] },
      ],
      [2, 2],
    );
    expect(await errorOf(() => series(array, { at: { x: 1, y: 1 } }))).toMatchObject({
      code: "no-coordinates",
    });
  });
});

describe("grids", () => {
  /** Creates an array whose cells have two coordinates each. */
  async function scattered(
    shape: Numbers,
    lons: Numbers,
    lats: Numbers,
    attributes: object = { coordinates: "lon lat" },
  ): Promise<ZarrArray> {
    const store = new Map<string, Uint8Array>();
    await createGroup(store);
    const dimensionNames = shape.length === 2 ? ["j", "i"] : ["cell"];
    const make = async (path: string, values: Numbers, attributes: object) => {
      const array = await create(store, {
        path,
        shape: [...shape],
        dtype: "float64",
        dimensionNames,
        attributes: attributes as never,
      });
      await set(array, null, Float64Array.from(values));
    };
    await make("lon", lons, longitude);
    await make("lat", lats, latitude);
    await make(
      "v",
      lons.map((_, i) => i),
      attributes,
    );
    return open(store, { path: "v", kind: "array" });
  }

  const vector = (lon: number, lat: number) => {
    const [a, b] = [(lon * Math.PI) / 180, (lat * Math.PI) / 180];
    return [Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b)];
  };
  const chord = (a: Numbers, b: Numbers) => Math.hypot(...a.map((value, i) => value - b[i]!));

  it("finds the nearest of scattered cells, at poles and across the antimeridian", async () => {
    const count = 3000;
    const lats = Array.from(
      { length: count },
      (_, i) => (Math.asin(1 - (2 * i + 1) / count) * 180) / Math.PI,
    );
    const lons = lats.map((_, i) => ((i * 137.50776405) % 360) - (i % 2 === 0 ? 0 : 360));
    const array = await scattered([count], lons, lats);
    const at = Array.from({ length: 300 }, (_, i) => ({
      lon: ((i * 73.1) % 720) - 360,
      lat: i === 0 ? 90 : i === 1 ? -90 : ((i * 29.3) % 180) - 90,
    }));
    const found = await series(array, { at });
    const expected = at.map(({ lon, lat }) => {
      const distances = lons.map((one, i) => chord(vector(lon, lat), vector(one, lats[i]!)));
      return distances.indexOf(Math.min(...distances));
    });
    expect(list(found.data)).toEqual(expected);
    expect(list(found.coordinates["lat"]!.data)).toEqual(expected.map((cell) => lats[cell]));
    const region = await series(array, { inside: [170, -80, -170, 80], method: "count" });
    const inside = lons.filter((lon, i) => {
      const east = (((lon - 170) % 360) + 360) % 360;
      return east < 20 && lats[i]! >= -80 && lats[i]! < 80;
    });
    expect(list(region.data)).toEqual([inside.length]);
    expect((await errorOf(() => series(array, { at: at[3]!, interpolation: "linear" })))._tag).toBe(
      "Unsupported",
    );
  });

  it("finds coordinates by name that no attribute lists, and names those that exist", async () => {
    const array = await scattered([3], [0, 1, 2], [0, 0, 0], {});
    expect(list((await series(array, { at: { lon: 1.1, lat: 0 } })).data)).toEqual([1]);
    const { array: other } = await grid(cube(), [4, 36, 48]);
    const error = await errorOf(() => series(other, { at: { lat: 1, east: 2 } }));
    expect(error).toMatchObject({ code: "no-coordinates" });
    expect(error.message).toMatch(/"east".*the coordinates are "time", "lat", "lon"/);
  });

  it("says that a place is farther away than the size of cells, and skips cells without coordinates", async () => {
    const array = await scattered([4], [0, 1, 2, Number.NaN], [0, 0, 0, 0]);
    const error = await errorOf(() => series(array, { at: { lon: 4, lat: 0 } }));
    expect(error.message).toMatch(/the nearest cell is at 2, 0, 2.* away, farther than the size of the cell/);
  });

  it("interpolates in curvilinear grids, and weights their cells by area", async () => {
    // A grid around the north pole, turned and stretched: linear functions of its indices are reproduced.
    const [rows, columns] = [20, 30];
    const [lons, lats]: [number[], number[]] = [[], []];
    for (let j = 0; j < rows; j++)
      for (let i = 0; i < columns; i++) {
        const [x, y] = [(i - 14.3) * 0.01 + j * 0.002, (j - 9.1) * 0.013];
        lons.push((Math.atan2(x, -y) * 180) / Math.PI);
        lats.push(90 - (Math.asin(Math.hypot(x, y)) * 180) / Math.PI);
      }
    const array = await scattered([rows, columns], lons, lats);
    for (const [j, i] of [
      [3.5, 4.25],
      [9.1, 14.3],
      [17.9, 28.6],
      [12, 7],
    ] as const) {
      const [x, y] = [(i - 14.3) * 0.01 + j * 0.002, (j - 9.1) * 0.013];
      const place = {
        lon: (Math.atan2(x, -y) * 180) / Math.PI,
        lat: 90 - (Math.asin(Math.hypot(x, y)) * 180) / Math.PI,
      };
      const found = await series(array, { at: place, interpolation: "linear" });
      expect(found.data[0]).toBeCloseTo(j * columns + i, 1);
      const near = await series(array, { at: place });
      expect(near.data[0]).toBe(Math.round(j) * columns + Math.round(i));
    }
    const mean = await series(array, { inside: [-180, 88, 180, 90] });
    const cap = lats.flatMap((lat, cell) => (lat >= 88 ? [cell] : []));
    expect(mean.data[0]).toBeCloseTo(cap.reduce((sum, cell) => sum + cell, 0) / cap.length, 0);
  });

  it("locates cells by an affine transformation, turned ones too, and converts places", async () => {
    const store = new Map<string, Uint8Array>();
    const attributes = {
      "spatial:transform": [10, 2, 100, -3, -20, 900],
      "spatial:dimensions": ["y", "x"],
      "proj:code": "EPSG:32633",
    };
    const array = await create(store, {
      shape: [8, 9],
      dtype: "int16",
      dimensionNames: ["y", "x"],
      attributes,
    });
    await set(
      array,
      null,
      Int16Array.from({ length: 72 }, (_, i) => i),
    );
    const place = (row: number, column: number) => ({
      x: 10 * column + 2 * row + 100,
      y: -3 * column - 20 * row + 900,
    });
    const found = await series(array, { at: [place(3.4, 5.6), place(0, 0), place(7.9, 8.99)] });
    expect(list(found.data)).toEqual([3 * 9 + 5, 0, 71]);
    const projection = (from: string, to: unknown) => {
      expect([from, to]).toEqual(["EPSG:4326", "EPSG:32633"]);
      return {
        forward: ([lon, lat]: readonly number[]) => [lon! * 100, lat! * 100],
        inverse: ([x, y]: readonly number[]) => [x! / 100, y! / 100],
      };
    };
    const { x, y } = place(2.5, 6.5);
    const converted = await series(array, { at: { lat: y / 100, lon: x / 100 }, projection });
    expect(list(converted.data)).toEqual([2 * 9 + 6]);
    const corners = [place(1, 2), place(1, 5), place(4, 5), place(4, 2)].map((one) => [
      one.x / 100,
      one.y / 100,
    ]);
    const inside = await series(array, { inside: corners, projection, method: ["count", "min", "max"] });
    expect([inside.count, inside.min, inside.max].map(({ data }) => Number(data[0]))).toEqual([9, 11, 31]);
    expect((await errorOf(() => series(array, { at: { x: 0, y: 0 } }))).message).toMatch(/half a cell/);
  });

  it("rejects places and areas in degrees if the coordinates are in metres", async () => {
    const array = await create(new Map<string, Uint8Array>(), {
      ...{ shape: [8, 9], dtype: "int16", dimensionNames: ["y", "x"] },
      attributes: {
        "spatial:transform": [10, 0, 500_000, 0, -10, 5_200_000],
        "spatial:dimensions": ["y", "x"],
        "proj:code": "EPSG:32632",
      },
    });
    const place = await errorOf(() => series(array, { at: { lat: 46.9, lon: 9 } }));
    expect(place).toMatchObject({ _tag: "InvalidSelection", code: "no-coordinates" });
    expect(place.message).toMatch(/x and y of EPSG:32632; pass x and y, or proj4 as projection/);
    const area = await errorOf(() => series(array, { inside: [8.9, 46.8, 9.1, 47] }));
    expect(area._tag).toBe("InvalidArgument");
    expect(area.message).toMatch(/the areas are in degrees.*pass proj4 as projection/);
    const outside = await series(array, { inside: [600_000, 5_100_000, 600_100, 5_100_100] });
    expect(list(outside.data)).toEqual([null]); // missing
  });
});

describe("along lines", () => {
  it("samples each cell, with distances along great circles", async () => {
    const { array, at } = await grid(cube(), [4, 36, 48]);
    const along = [
      { lat: 1.25, lon: 355 },
      { lat: 1.25, lon: 5 },
    ];
    const found = await series(array, { along });
    expect(found.dimensionNames).toEqual(["time", "distance"]);
    expect(list(found.coordinates["lon"]!.data)).toEqual([355, 357.5, 0, 2.5, 5]);
    expect([0, 1, 2, 3, 4].map((i) => found.data[i])).toEqual([142, 143, 0, 1, 2].map((i) => at(0, 35, i)));
    const whole =
      6_371_008.8 * 2 * Math.asin(Math.cos((1.25 * Math.PI) / 180) * Math.sin((5 * Math.PI) / 180));
    const distance = found.coordinates["distance"]!;
    expect(distance.attributes).toEqual({ units: "m" });
    expect(Math.abs(Number(distance.data[4]) - whole)).toBeLessThan(20);
    const endless = [along[0]!, { lat: 1e9, lon: 5 }];
    expect((await errorOf(() => series(array, { along: endless })))._tag).toBe("LimitExceeded");
    expect((await errorOf(() => series(array, { along: along.slice(1) })))._tag).toBe("InvalidArgument");
  });
});

// ---- Areas

/** Counts edges to the right of a point; those through it belong to the area on their right. */
function isInside([x, y]: Numbers, rings: readonly (readonly Numbers[])[]): boolean {
  let isIn = false;
  for (const ring of rings)
    for (const [i, a] of ring.entries()) {
      const b = ring[(i + ring.length - 1) % ring.length]!;
      const [low, high] = a[1]! < b[1]! ? [a, b] : [b, a];
      if (!(low[1]! <= y! && y! < high[1]!)) continue;
      if (low[0]! + ((y! - low[1]!) / (high[1]! - low[1]!)) * (high[0]! - low[0]!) > x!) isIn = !isIn;
    }
  return isIn;
}

let seed = 7;
const random = () => {
  seed = (seed * 1664525 + 1013904223) % 2 ** 32;
  return seed / 2 ** 32;
};

describe("inside areas", () => {
  it("reduces the cells whose centres lie inside, as one by one: random polygons that overlap", async () => {
    const { array, at } = await grid(cube(), [4, 20, 30]);
    const [, lats, lons] = cube().map(({ values }) => values) as [Numbers, Numbers, Numbers];
    for (let round = 0; round < 12; round++) {
      const areas = Array.from({ length: 1 + (round % 4) }, () => {
        const [x, y, size] = [random() * 500 - 200, random() * 160 - 80, 5 + random() * 60];
        const ring = (scale: number) =>
          Array.from({ length: 3 + Math.floor(random() * 20) }, () => [
            x + scale * size * (random() - 0.5),
            Math.min(90, Math.max(-90, y + scale * size * (random() - 0.5))),
          ]);
        return { type: "Polygon" as const, coordinates: [ring(1), ring(0.4)] };
      });
      const found = await series(array, { inside: areas, method: ["mean", "count", "max"] });
      expect(found.mean.dimensionNames).toEqual(["region", "time"]);
      for (const [n, { coordinates }] of areas.entries()) {
        let [sum, weight, count, max] = [0, 0, 0, Number.NEGATIVE_INFINITY];
        for (const [j, lat] of lats.entries())
          for (const [i, lon] of lons.entries()) {
            if (![-720, -360, 0, 360].some((by) => isInside([lon + by, lat], coordinates))) continue;
            const size = Math.sin(((lat + 1.25) * Math.PI) / 180) - Math.sin(((lat - 1.25) * Math.PI) / 180);
            sum += size * at(7, j, i);
            weight += size;
            count++;
            max = Math.max(max, at(7, j, i));
          }
        expect(found.count.data[n * 10 + 7]).toBe(count);
        expect(found.max.data[n * 10 + 7]).toBe(count === 0 ? Number.NaN : max);
        if (count > 0) expect(found.mean.data[n * 10 + 7]).toBeCloseTo(sum / weight, 9);
        else expect(found.mean.data[n * 10 + 7]).toBeNaN();
      }
    }
  });

  it("assigns each cell to one of areas that share an edge, and the poles to those that reach them", async () => {
    const axes = [
      { name: "lat", values: regular(90, -90, 13), attributes: latitude },
      { name: "lon", values: regular(-180, 165, 24), attributes: longitude },
    ];
    const { array } = await grid(axes, [5, 5]);
    const inside = [-180, -90, 0, 90].flatMap((west) => [
      [west, -90, west + 90, 0] as const,
      [west, 0, west + 90, 90] as const,
    ]);
    const found = await series(array, {
      inside: inside.map((one, i) =>
        i % 8 < 4 && one[0] === -90 ? [270, one[1], 360, one[3]] : one,
      ) as never,
      method: "count",
    });
    expect(list(found.data).reduce((sum, count) => sum! + count!, 0)).toBe(13 * 24);
  });

  it("reads only the chunks of the areas, and groups times in the same pass", async () => {
    const made = await grid(cube(), [5, 24, 36]);
    const { store, reads } = counted(made.store);
    const array = await open(store, { path: "v", kind: "array" });
    const inside = [-20, 40, 20, 60] as const;
    const plain = await series(array, { inside });
    expect(plain.shape).toEqual([10]);
    expect([...reads.keys()].sort()).toEqual(
      ["0/0/0", "0/0/3", "1/0/0", "1/0/3"].map((key) => `/v/c/${key}`),
    );
    expect(Math.max(...reads.values())).toBe(1);
    const grouped = await series(array, { inside: [inside], groupBy: "time.month" });
    expect(grouped.dimensionNames).toEqual(["region", "month"]);
    expect(grouped.data[0]).toBeCloseTo(list(plain.data).reduce<number>((sum, one) => sum + one!, 0) / 10, 9);
    const all = await series(array, { inside, over: "time", weights: "none" });
    let [sum, count] = [0, 0];
    for (let t = 0; t < 10; t++)
      for (let j = 12; j < 20; j++)
        for (const i of [...Array(8).keys()].flatMap((n) => [n, 136 + n]))
          [sum, count] = [sum + made.at(t, j, i), count + 1];
    expect(all.shape).toEqual([]);
    expect(all.data[0]).toBeCloseTo(sum / count, 9);
  });

  it("reduces by labels", async () => {
    const axes = [
      { name: "t", values: [0, 1, 2] },
      { name: "y", values: regular(0, 9, 10) },
      { name: "x", values: regular(0, 11, 12) },
    ];
    const { array, at } = await grid(axes, [2, 4, 5], { dtype: "int16" });
    const labels = await create(new Map(), { shape: [10, 12], dtype: "uint32", dimensionNames: ["y", "x"] });
    const label = (j: number, i: number) => (j < 2 ? 0 : i < 6 ? 70_000 : 3);
    await set(
      labels,
      null,
      Uint32Array.from({ length: 120 }, (_, n) => label(Math.floor(n / 12), n % 12)),
    );
    const found = await series(array, { inside: { labels }, method: ["sum", "count"] });
    expect(found.sum.dimensionNames).toEqual(["label", "t"]);
    expect(list(found.sum.coordinates["label"]!.data)).toEqual([3, 70_000]);
    const total = (wanted: number, t: number) => {
      let sum = 0;
      for (let j = 0; j < 10; j++)
        for (let i = 0; i < 12; i++) if (label(j, i) === wanted) sum += at(t, j, i);
      return sum;
    };
    expect(list(found.sum.data)).toEqual([3, 70_000].flatMap((one) => [0, 1, 2].map((t) => total(one, t))));
    const one = await series(array, { inside: { labels, label: 3 }, method: "sum" });
    expect(list(one.data)).toEqual([0, 1, 2].map((t) => total(3, t)));
    const misfit = await create(new Map(), { shape: [10, 11], dtype: "uint32", dimensionNames: ["y", "x"] });
    expect((await errorOf(() => series(array, { inside: { labels: misfit } })))._tag).toBe("InvalidArgument");
  });

  it("rejects invalid areas, and bounds the work for hostile ones", async () => {
    const { array } = await grid(cube().slice(1), [36, 48]);
    for (const inside of [
      [],
      [
        [0, 0],
        [1, 1],
      ],
      [
        [0, 0],
        [1, Number.NaN],
        [2, 2],
      ],
      [
        [0, 0],
        [1e300, 1],
        [2, 2],
      ],
      { type: "Polygon", coordinates: [] },
      { type: "Point", coordinates: [0, 0] },
      "Europe",
    ])
      expect((await errorOf(() => series(array, { inside: inside as never })))._tag).toBe("InvalidArgument");
    // A self-intersecting polygon: the even-odd rule leaves its middle out.
    const star = [0, 2, 4, 1, 3].map((i) => [
      60 * Math.sin(i * 0.4 * Math.PI) + 100,
      60 * Math.cos(i * 0.4 * Math.PI),
    ]);
    const hit = await series(array, { inside: star, method: "count" });
    const centre = await series(array, { inside: [star, [95, -5, 105, 5]], method: "count" });
    expect(Number(hit.data[0])).toBeGreaterThan(100);
    expect(Number(centre.data[0])).toBe(Number(hit.data[0]));
    const zigzag = Array.from({ length: 1_000_000 }, (_, i) => [(i % 360) * 0.9, i % 2 === 0 ? -89 : 89]);
    const error = await errorOf(() => series(array, { inside: zigzag, method: "count" }));
    expect(error).toMatchObject({ _tag: "LimitExceeded" });
    const coast = Array.from({ length: 1_000_000 }, (_, i) => {
      const angle = (i / 1_000_000) * 2 * Math.PI;
      return [180 + 100 * Math.cos(angle), 50 * Math.sin(angle)];
    });
    const round = await series(array, { inside: coast, method: "count" });
    expect(Math.abs(Number(round.data[0]) - (Math.PI * 100 * 50) / 6.25)).toBeLessThan(20);
  });
});
