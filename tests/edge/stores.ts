/** Datasets for the tiles in every layout that the example supports, with elements computed by a formula. */
import { type CreateOptions, create, createGroup, set, slice, type ZarrArray } from "zarr-wasm";
import { writeMultiscale } from "zarr-wasm/conventions";

export type Objects = Map<string, Uint8Array>;

/** Adds a dataset to a store: everything that `make` writes into an empty one. */
export async function addDataset(
  objects: Objects,
  name: string,
  make: (own: Objects) => unknown,
): Promise<void> {
  const own: Objects = new Map();
  await make(own);
  for (const [key, bytes] of own) objects.set(`/${name}${key}`, bytes);
}

/** An element of a plane without repetitions, so that any misplaced element is detected. */
export const element = (plane: number, y: number, x: number): number =>
  (37 * x + 101 * y + 5003 * plane) % 60_000;

export const blosc = {
  name: "blosc",
  configuration: { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: 2 },
};

/** A plane of `height` × `width` elements. */
export const planeOf = (plane: number, height: number, width: number): Uint16Array<ArrayBuffer> =>
  Uint16Array.from({ length: height * width }, (_, i) => element(plane, Math.floor(i / width), i % width));

export const height = 700;
export const width = 900;

async function flat(objects: Objects, options: Partial<CreateOptions>): Promise<void> {
  const shape = [height, width];
  const array = await create(objects, {
    shape,
    chunkShape: [200, 300],
    dtype: "uint16",
    codecs: [blosc],
    ...options,
  });
  await set(array, null, planeOf(0, height, width));
}

/** Time, channel, y and x, with display ranges for the channels. */
async function image(objects: Objects, zarrFormat: 2 | 3, shardShape?: number[]): Promise<void> {
  const source = await create(new Map(), {
    shape: [2, 3, 512, 600],
    chunkShape: [1, 1, 128, 128],
    dtype: "uint16",
    dimensionNames: ["t", "c", "y", "x"],
  });
  for (const t of [0, 1])
    for (const c of [0, 1, 2]) await set(source, [t, c, null, null], planeOf(3 * t + c, 512, 600));
  const channels = [0, 1, 2].map((c) => ({
    label: `channel ${c}`,
    color: "FF0000",
    window: { min: 0, max: 65535, start: 1000 * c, end: 60_000 },
  }));
  await writeMultiscale(objects, source, {
    zarrFormat,
    levels: 3,
    ome: { omero: { channels } },
    ...(shardShape ? { shardShape } : {}),
  });
}

/** Temperatures in kelvin, missing in the north. */
export const degrees = (y: number, x: number): number => (y < 40 ? Number.NaN : 273.15 + y / 8 - x / 16);

async function field(objects: Objects, path: string, size: number, step: number): Promise<ZarrArray> {
  const array = await create(objects, {
    path,
    shape: [size, 2 * size],
    chunkShape: [100, 100],
    dtype: "float32",
    fillValue: "NaN",
    dimensionNames: ["lat", "lon"],
  });
  const values = Float32Array.from({ length: 2 * size * size }, (_, i) =>
    degrees(step * Math.floor(i / (2 * size)), step * (i % (2 * size))),
  );
  await set(array, null, values);
  return array;
}

/** GeoZarr: levels are groups listed in an attribute. */
async function geo(objects: Objects): Promise<void> {
  const layout = [{ asset: "full" }, { asset: "half" }];
  await createGroup(objects, { attributes: { multiscales: { layout } } });
  for (const [i, name] of ["full", "half"].entries()) {
    await createGroup(objects, { path: name });
    await field(objects, `${name}/temperature`, 400 / 2 ** i, 2 ** i);
  }
}

/** A volume with deep chunks, and the axis of columns before the axis of rows. */
async function volume(objects: Objects): Promise<void> {
  const array = await create(objects, {
    shape: [300, 8, 280],
    chunkShape: [150, 8, 140],
    dtype: "int32",
    dimensionNames: ["x", "depth", "y"],
  });
  for (let depth = 0; depth < 8; depth++) {
    const plane = Int32Array.from({ length: 300 * 280 }, (_, i) =>
      element(depth, i % 280, Math.floor(i / 280)),
    );
    await set(array, [null, slice(depth, depth + 1), null], plane);
  }
}

export async function makeStores(): Promise<Objects> {
  const objects: Objects = new Map();
  const add = (name: string, make: (own: Objects) => unknown) => addDataset(objects, name, make);
  await add("v2", (own) => flat(own, { zarrFormat: 2 }));
  await add("v3", (own) => flat(own, { codecs: ["zstd"] }));
  await add("sharded", (own) => flat(own, { chunkShape: [64, 64], shardShape: [512, 512] }));
  await add("plates/ome5", (own) => image(own, 3));
  await add("plates/ome4", (own) => image(own, 2));
  await add("plates/ome-sharded", (own) => image(own, 3, [1, 1, 512, 512]));
  await add("geo", geo);
  await add("volume", volume);
  await add("texts", (own) => create(own, { shape: [4, 4], dtype: "string" }));
  return objects;
}
