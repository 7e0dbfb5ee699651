// Tiles contain the right elements and pixels, for every layout of the data.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, open, type Selection, slice, type ZarrArray } from "zarr-wasm";
import { ObjectServer } from "../node/support/store-server.js";
import { degrees, element, height, makeStores, type Objects, width } from "./stores.js";
import { sharp, startMiniflare } from "./tools.mjs";

let objects: Objects;
let server: ObjectServer;
let worker: Awaited<ReturnType<typeof startMiniflare>>;
beforeAll(async () => {
  objects = await makeStores();
  server = await new ObjectServer(Object.fromEntries(objects)).start();
  worker = await startMiniflare({ STORE_URL: server.url });
});
afterAll(async () => {
  await worker?.close();
  await server?.close();
});

async function raw(path: string) {
  const answer = await fetch(`${worker.url}/${path}`);
  expect(answer.status, await answer.clone().text()).toBe(200);
  const shape = answer.headers.get("x-tile-shape")!.split(",").map(Number) as [number, number];
  return { shape, type: answer.headers.get("x-tile-type"), bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** RGBA pixels, as decoded by libvips. */
async function pixels(path: string, format: "png" | "webp") {
  const answer = await fetch(`${worker.url}/${path}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.status, String(bytes)).toBe(200);
  expect(answer.headers.get("content-type")).toBe(`image/${format}`);
  expect(await sharp(bytes).metadata()).toMatchObject({ format, width: 256, height: 256 });
  const data = await sharp(bytes).ensureAlpha().raw().toBuffer();
  return (y: number, x: number) => [...data.subarray(4 * (256 * y + x), 4 * (256 * y + x) + 4)];
}

describe.each(["v2", "v3", "sharded"])("a single array, %s", (name) => {
  it.each([
    [0, 0],
    [1, 2],
    [2, 3],
  ])("row %i, column %i", async (row, column) => {
    const { shape, type, bytes } = await raw(`${name}/0/${row}/${column}.raw`);
    const expected = [Math.min(256, height - 256 * row), Math.min(256, width - 256 * column)];
    expect({ shape, type }).toEqual({ shape: expected, type: "uint16" });
    const data = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    expect(data).toEqual(
      Uint16Array.from({ length: shape[0] * shape[1] }, (_, i) =>
        element(0, 256 * row + Math.floor(i / shape[1]), 256 * column + (i % shape[1])),
      ),
    );
  });
});

describe.each(["plates/ome5", "plates/ome4", "plates/ome-sharded"])("an OME-Zarr image, %s", (name) => {
  it("has its levels, the coarsest first, as the library reads them", async () => {
    const shapes: number[][] = [];
    for (const [z, path] of ["s2", "s1", "s0"].entries()) {
      const stored = [`${name}/${path}`, `${name}/${2 - z}`].find((candidate) =>
        [...objects.keys()].some((key) => key.startsWith(`/${candidate}/`)),
      )!;
      const array: ZarrArray = await open(objects, { path: stored, kind: "array" });
      const { shape, bytes } = await raw(`${name}/${z}/0/0.raw?t=1&c=2`);
      const selection: Selection = [1, 2, slice(0, 256), slice(0, 256)];
      const { data } = await get(array, selection);
      expect(bytes.equals(Buffer.from((data as Uint16Array<ArrayBuffer>).slice().buffer))).toBe(true);
      shapes.push(shape);
    }
    expect(shapes).toEqual([
      [128, 150],
      [256, 256],
      [256, 256],
    ]);
  });

  it("has the requested time and channel", async () => {
    const first = await raw(`${name}/2/1/2.raw?c=1`);
    const second = await raw(`${name}/2/1/2.raw?c=1&t=1`);
    expect(first.shape).toEqual([256, 88]);
    expect(first.bytes.readUInt16LE(2)).toBe(element(1, 256, 513));
    expect(second.bytes.readUInt16LE(2)).toBe(element(4, 256, 513));
  });

  it("uses the display range of the channel", async () => {
    const at = await pixels(`${name}/2/0/0.png?c=1`, "png");
    for (const [y, x] of [
      [0, 0],
      [10, 200],
      [255, 255],
    ] as const) {
      const share = Math.min(1, Math.max(0, (element(1, y, x) - 1000) / 59_000));
      const gray = Math.round((255 * Math.round(254 * share)) / 254);
      expect(at(y, x)).toEqual([gray, gray, gray, 255]);
    }
  });
});

it("GeoZarr: the levels of a variable, transparent where data is missing", async () => {
  const { shape, type, bytes } = await raw("geo/1/1/1.raw?variable=temperature");
  expect({ shape, type }).toEqual({ shape: [144, 256], type: "float32" });
  expect(bytes.readFloatLE(4 * (256 * 5 + 7))).toBe(Math.fround(degrees(261, 263)));
  const coarse = await raw("geo/0/0/0.raw?variable=temperature");
  expect(coarse.bytes.readFloatLE(4 * (256 * 30 + 9))).toBe(Math.fround(degrees(60, 18)));
  const at = await pixels("geo/1/0/0.png?variable=temperature&map=viridis&range=200,201", "png");
  expect(at(0, 0)[3]).toBe(0);
  expect(at(50, 50)).toEqual([253, 231, 37, 255]); // last colour of viridis
});

it("a volume: planes of deep chunks, columns before rows", async () => {
  const { shape, type, bytes } = await raw("volume/0/1/0.raw?depth=5");
  expect({ shape, type }).toEqual({ shape: [24, 256], type: "int32" });
  expect(bytes.readInt32LE(4 * (256 * 3 + 200))).toBe(element(5, 259, 200));
});

it("colours: the ends of a map, values beyond them, and missing data", async () => {
  const value = element(0, 3, 4);
  const low = await pixels(`v3/0/0/0.png?map=viridis&range=${value},${value + 1}`, "png");
  expect(low(3, 4)).toEqual([68, 1, 84, 255]);
  const reversed = await pixels(`v3/0/0/0.png?map=viridis&range=${value},${value - 1}`, "png");
  expect(reversed(3, 5)).toEqual([68, 1, 84, 255]);
  expect(reversed(3, 3)).toEqual([253, 231, 37, 255]);
  const without = await pixels(`v3/0/0/0.png?range=0,60000&nodata=${value}`, "png");
  expect(without(3, 4)[3]).toBe(0);
  expect(without(3, 5)[3]).toBe(255);
  const edge = await pixels("v3/0/2/3.png?range=0,60000", "png");
  expect(edge(187, 131)[3]).toBe(255);
  expect(edge(188, 131)[3]).toBe(0);
  expect(edge(187, 132)[3]).toBe(0);
});

it("WebP has the pixels of PNG", async () => {
  const query = "map=magma&range=0,60000";
  const [png, webp] = [
    await pixels(`v3/0/2/3.png?${query}`, "png"),
    await pixels(`v3/0/2/3.webp?${query}`, "webp"),
  ];
  for (let i = 0; i < 256; i += 5) expect(webp(i, 255 - i)).toEqual(png(i, 255 - i));
});

it("chunks that are not stored are fill value", async () => {
  const key = "/v3/c/0/0";
  const bytes = server.objects.get(key)!;
  server.objects.delete(key);
  try {
    const other = await startMiniflare({ STORE_URL: server.url });
    const answer = await fetch(`${other.url}/v3/0/0/0.raw`);
    expect(Buffer.from(await answer.arrayBuffer()).readUInt16LE(0)).toBe(0);
    await other.close();
  } finally {
    server.objects.set(key, bytes);
  }
});
