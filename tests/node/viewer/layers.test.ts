// Layers over the picture: their state, their place, and sources of points and shapes.
import { describe, expect, it } from "vitest";
import type { ZarrGroup } from "zarr-wasm";
import { featureAt } from "#src/viewer/draw/vectors.js";
import { layerProblems, layerStates, layersText, readLayers } from "#src/viewer/model/added-layers.js";
import { readFrame } from "#src/viewer/source/columns.js";
import type { Dataset, DatasetAxis } from "#src/viewer/source/dataset.js";
import { featureLimits, GeometryBuilder, InvalidLayer, transformed } from "#src/viewer/source/features.js";
import { parseGeoJson } from "#src/viewer/source/geojson.js";
import { placeLayer, unitRatio } from "#src/viewer/source/layer-place.js";
import { addWkb } from "#src/viewer/source/wkb.js";

describe("the state", () => {
  it("keeps valid parts, and is the same after an address", () => {
    const states = layerStates([
      { source: "a.zarr", opacity: 0.25, blend: "add", scale: [2, 3], translation: [-1, 4.5], isOn: false },
      { source: "b.geojson", kind: "shapes", color: "ff8800", size: 3, by: "class", path: "x" },
      { source: "c.zarr", colormap: "magma", range: { mode: "manual", low: -1, high: 2 }, name: "C" },
      {
        source: "d.zarr",
        opacity: 7,
        blend: "multiply",
        scale: [0, 1],
        colormap: "none",
        size: -1,
        extra: 1,
      },
      { opacity: 1 },
      null,
      3,
    ]);
    expect(states).toHaveLength(4);
    expect(states[3]).toEqual(layerStates([{ source: "d.zarr" }])[0]);
    expect(layerStates(readLayers(layersText(states)))).toEqual(states);
    expect(layersText([])).toBe("");
  });

  it.each(["", "{}", "[1", '[{"src":3}]', `[${"[".repeat(50_000)}`, '[{"__proto__":{"src":"a"}}]'])(
    "refuses %.20s",
    (text) => {
      expect(layerStates(readLayers(text)).every(({ source }) => source === "3")).toBe(true);
    },
  );

  it("has at most 32 layers, and names wrong attributes", () => {
    expect(layerStates(Array(100).fill({ source: "a" }))).toHaveLength(32);
    const given: Record<string, string> = {
      src: "a",
      opacity: "2",
      blend: "add",
      visible: "maybe",
      scale: "1,2,3",
    };
    expect(layerProblems((name) => given[name] ?? null)).toEqual(["visible", "opacity", "scale"]);
  });
});

const axis = (name: string, length: number, more: Partial<DatasetAxis> = {}): DatasetAxis => ({
  name,
  role: name as "x",
  length,
  ...more,
});

const dataset = (axes: readonly DatasetAxis[]): Dataset =>
  ({
    axes,
    levels: [{ factor: axes.map(() => 1), origin: axes.map(() => 0), array: {}, open: async () => {} }],
  }) as unknown as Dataset;

const none = { scale: null, translation: [0, 0] } as const;

describe("the place of an image", () => {
  const fine = dataset([
    axis("y", 64, { scale: 0.5, unit: "micrometer" }),
    axis("x", 64, { scale: 0.5, unit: "micrometer" }),
  ]);

  it("follows scales and the centres of first elements, in any unit of length", () => {
    const step = { scale: 2000, unit: "nanometer" };
    const own = dataset([
      axis("x", 8, { ...step, translation: 4750 }),
      axis("y", 8, { ...step, translation: 0 }),
    ]);
    const { imageAxes, bounds, dataset: placed } = placeLayer(fine, own, none);
    expect(imageAxes).toEqual([1, 0]);
    // The centre at 4.75 µm is 9.5 elements from the first centre: the edge is two elements before its own half.
    expect(bounds).toEqual([
      [8, 40],
      [0, 32],
    ]);
    expect(placed.levels[0]).toMatchObject({ factor: [4, 4], origin: [8, 0] });
  });

  it("is moved and scaled about the origin of the coordinates", () => {
    const { bounds } = placeLayer(fine, fine, { scale: [0.5, 2], translation: [1, -2] });
    expect(bounds).toEqual([
      [2, 34],
      [-4, 124],
    ]);
  });

  it("is the picture's without scales, or counts elements if it is scaled", () => {
    const own = dataset([axis("y", 16), axis("x", 32)]);
    expect(placeLayer(fine, own, none).bounds).toEqual([
      [0, 64],
      [0, 64],
    ]);
    expect(placeLayer(fine, own, { scale: [1, 1], translation: [0, 0] }).bounds).toEqual([
      [0, 16],
      [0, 32],
    ]);
  });

  it("needs the axes of the picture, in the same direction", () => {
    expect(() => placeLayer(fine, dataset([axis("z", 4), axis("x", 4)]), none)).toThrow("it has no axis y");
    const flipped = dataset([axis("y", 64, { scale: -0.5 }), axis("x", 64, { scale: 0.5 })]);
    expect(() => placeLayer(fine, flipped, none)).toThrow("other direction");
  });

  it.each([
    ["nanometer", "micrometer", 1e-3],
    ["mm", "µm", 1e3],
    ["metre", "kilometre", 1e-3],
    ["angstrom", "nanometer", 0.1],
    ["degrees", "metre", 1],
    [undefined, "metre", 1],
  ])("%s in %s: %d", (from, to, ratio) => {
    expect(unitRatio(from, to)).toBeCloseTo(ratio, 12);
  });
});

const collection = (...geometries: unknown[]) =>
  JSON.stringify({
    type: "FeatureCollection",
    features: geometries.map((geometry, i) => ({
      type: "Feature",
      properties: { n: i, name: `f${i % 2}` },
      geometry,
    })),
  });

const square = (from: number, to: number) => [
  [from, from],
  [to, from],
  [to, to],
  [from, to],
  [from, from],
];

describe("GeoJSON", () => {
  it("reads all geometries, turns rings, and finds the feature under a position", async () => {
    const features = await parseGeoJson(
      collection(
        { type: "Polygon", coordinates: [square(0, 10), square(4, 6)] },
        { type: "Polygon", coordinates: [square(0, 10).reverse(), square(4, 6).reverse()] },
        {
          type: "MultiPoint",
          coordinates: [
            [30, 1],
            [31, 2, 99],
          ],
        },
        {
          type: "GeometryCollection",
          geometries: [
            {
              type: "LineString",
              coordinates: [
                [40, 0],
                [50, 0],
              ],
            },
            { type: "MultiPolygon", coordinates: [[square(60, 70)]] },
          ],
        },
        null,
      ),
    );
    expect(features.count).toBe(5);
    expect([...features.points.xy]).toEqual([30, 1, 31, 2]);
    expect([...features.paths.features]).toEqual([0, 0, 1, 1, 3, 3]);
    // The same vertices in the same direction, whatever the one of the source.
    expect([...features.paths.xy.slice(0, 20)].sort()).toEqual([...features.paths.xy.slice(20, 40)].sort());
    const at = (x: number, y: number) =>
      featureAt({ features, matrix: [1, 0, 0, 1, 0, 0], size: 2 }, x, y, 1.5);
    expect([at(2, 2), at(5, 5), at(45, 1), at(45, 3), at(30.5, 1), at(65, 65), at(20, 20)]).toEqual([
      1,
      undefined,
      3,
      undefined,
      2,
      3,
      undefined,
    ]);
    expect(features.text(1)).toBe("n: 1, name: f1");
    expect(features.column("n")).toEqual({ kind: "numbers", values: Float64Array.of(0, 1, 2, 3, 4) });
    expect(features.column("name")).toEqual({
      kind: "categories",
      codes: Int32Array.of(0, 1, 0, 1, 0),
      names: ["f0", "f1"],
    });
    expect(features.column("name")).toBe(features.column("name"));
    expect(features.column("missing")).toBeUndefined();
  });

  it.each([
    ["text", "not JSON", "it is not JSON"],
    ["a number", "3", "it is not GeoJSON"],
    ["another object", '{"type":"Topology"}', "it is not GeoJSON"],
    ["features", '{"type":"FeatureCollection","features":{}}', "not a list"],
    [
      "coordinates",
      collection({ type: "Point", coordinates: ["1", "2"] }),
      "its coordinates are not finite numbers",
    ],
    ["short positions", collection({ type: "LineString", coordinates: [[1]] }), "not finite numbers"],
    ["rings", collection({ type: "Polygon", coordinates: 3 }), "not a list"],
    ["types", collection({ type: "Circle", coordinates: [] }), "unknown type"],
    [
      "nesting",
      collection(
        Array.from({ length: 20 }).reduce<unknown>(
          (inner) => ({ type: "GeometryCollection", geometries: [inner] }),
          { type: "Point", coordinates: [1, 2] },
        ),
      ),
      "nested more than 8 deep",
    ],
    ["brackets", "[".repeat(200_000), "it is not JSON"],
  ])("refuses wrong %s", async (_, text, message) => {
    await expect(parseGeoJson(text)).rejects.toThrow(InvalidLayer);
    await expect(parseGeoJson(text)).rejects.toThrow(message);
  });

  it("leaves the page free while it reads 300,000 features, and can be aborted", async () => {
    const features = Array.from({ length: 300_000 }, (_, i) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [i % 1000, i] },
      properties: { kind: `cell ${i}` },
    }));
    const text = JSON.stringify({ type: "FeatureCollection", features });
    const progress = { turns: 0, isDone: false };
    const turn = () => {
      progress.turns++;
      if (!progress.isDone) setImmediate(turn);
    };
    turn();
    const found = await parseGeoJson(text);
    expect(found.count).toBe(300_000);
    expect(progress.turns).toBeGreaterThan(6);
    progress.isDone = true;
    const abort = new AbortController();
    expect(found.column("kind")).toMatchObject({ kind: "categories", names: { length: 300_000 } });
    const reading = parseGeoJson(text, abort.signal);
    abort.abort(new Error("no longer needed"));
    await expect(reading).rejects.toThrow("no longer needed");
  });
});

it("leaves out whole features with coordinates that are not finite, and counts them", async () => {
  const { points, paths, leftOut, count } = await parseGeoJson(
    collection(
      { type: "Point", coordinates: [1, 2] },
      {
        type: "MultiPoint",
        coordinates: [
          [3, 4],
          [null, 4],
        ],
      },
      { type: "Polygon", coordinates: [square(0, 4), [...square(1, 2), [1, "x"]]] },
      null,
      {
        type: "LineString",
        coordinates: [
          [5, 6],
          [7, 8],
        ],
      },
    ),
  );
  expect({ leftOut, count }).toEqual({ leftOut: 2, count: 5 });
  expect([...points.xy]).toEqual([1, 2]);
  expect([...points.features]).toEqual([0]);
  expect([...paths.xy]).toEqual([5, 6, 7, 8]);
  expect([...paths.features]).toEqual([4]);
  expect(paths.bounds).toHaveLength(4);
});

/** Well-known Binary of a geometry. */
function wkb(
  type: number,
  numbers: readonly number[],
  counts: readonly number[] = [],
  isLittle = true,
): Uint8Array {
  const view = new DataView(new ArrayBuffer(5 + 4 * counts.length + 8 * numbers.length));
  view.setUint8(0, isLittle ? 1 : 0);
  view.setUint32(1, type, isLittle);
  for (const [i, count] of counts.entries()) view.setUint32(5 + 4 * i, count, isLittle);
  for (const [i, value] of numbers.entries()) view.setFloat64(5 + 4 * counts.length + 8 * i, value, isLittle);
  return new Uint8Array(view.buffer);
}

const read = (...list: Uint8Array[]) => {
  const builder = new GeometryBuilder();
  for (const bytes of list) {
    addWkb(builder, bytes);
    builder.next();
  }
  return builder.geometry;
};

describe("Well-known Binary", () => {
  it("reads both byte orders, heights and measures, and collections", () => {
    const point = wkb(1, [3, 4]);
    const many = new Uint8Array(9 + 2 * point.length);
    many.set(wkb(4, [], [2]));
    many.set(point, 9);
    many.set(point, 9 + point.length);
    const { points, paths } = read(
      point,
      wkb(1, [5, 6], [], false),
      wkb(1001, [7, 8, 99]),
      wkb(3001, [9, 10, 0, 0]),
      wkb(2, [0, 0, 1, 1], [2]),
      many,
      wkb(1, [Number.NaN, Number.NaN]),
    );
    expect([...points.xy]).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 3, 4, 3, 4]);
    expect([...points.features]).toEqual([0, 1, 2, 3, 5, 5]);
    expect([...paths.xy]).toEqual([0, 0, 1, 1]);
  });

  it("refuses every truncation, counts beyond the end, and unknown types", () => {
    const polygon = wkb(3, [0, 0, 4, 0, 4, 4, 0, 0], [1, 4]);
    expect(read(polygon).paths.starts).toEqual(Uint32Array.of(0, 4));
    for (let length = 0; length < polygon.length; length++)
      expect(() => read(polygon.slice(0, length))).toThrow(InvalidLayer);
    expect(() => read(wkb(2, [], [0xffffffff]))).toThrow("damaged");
    expect(() => read(wkb(15, []))).toThrow("unknown type 15");
    const deep = new Uint8Array(9 * 40);
    for (let i = 0; i < 40; i++) deep.set(wkb(7, [], [1]), 9 * i);
    expect(() => read(deep)).toThrow("nested more than 8");
  });
});

it("transforms coordinates, bounds and radii", () => {
  const geometry = read(wkb(1, [1, 2]), wkb(2, [0, 0, 1, 3], [2]));
  const { points, paths } = transformed(
    { ...geometry, points: { ...geometry.points, radii: Float64Array.of(2) } },
    [0, 2, -2, 0, 10, 20],
  );
  expect([...points.xy]).toEqual([6, 22]);
  expect([...points.radii!]).toEqual([4]);
  expect([...paths.bounds]).toEqual([4, 20, 10, 22]);
});

it("the columns of a data frame are limited by its rows", async () => {
  const opened: string[] = [];
  const frame = {
    attributes: { _index: "id", "column-order": Array.from({ length: 1000 }, (_, i) => `c${i}`) },
    async open(name: string) {
      opened.push(name);
      throw new InvalidLayer("not readable");
    },
  } as unknown as ZarrGroup;
  const { signal } = new AbortController();
  expect((await readFrame(frame, 2 ** 24, signal)).columns.size).toBe(0);
  expect(opened).toEqual(["id", "c0", "c1", "c2"]);
  opened.length = 0;
  await readFrame(frame, 10, signal);
  expect(opened).toHaveLength(featureLimits.columns);
});
