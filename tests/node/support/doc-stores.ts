/** Stores that the samples of the documentation read: at https://example.org, and in the folder where they run. */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { consolidate, create, createGroup, set, type ZarrGroup, ZipWriter } from "zarr-wasm";
import { root } from "./doc-samples.js";
import { repository } from "./icechunk-repository.js";
import { netcdf3 } from "./netcdf3.js";
import { numberColumn, parquetFile, referenceFolder } from "./parquet-writer.js";
import { bytesOf, serve } from "./support.js";

type Documents = Record<string, Uint8Array>;

const v3 = (fields: object) => ({ zarr_format: 3, attributes: {}, ...fields });

function array(
  shape: number[],
  { names, attributes = {}, type = "int16" }: { names?: string[]; attributes?: object; type?: string } = {},
) {
  return v3({
    node_type: "array",
    shape,
    data_type: type,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default" },
    fill_value: 7,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    attributes,
    ...(names && { dimension_names: names }),
  });
}

function group(attributes: object, metadata?: Record<string, object>) {
  const consolidated_metadata = { kind: "inline", must_understand: false, metadata };
  return v3({ node_type: "group", attributes, ...(metadata && { consolidated_metadata }) });
}

const image = group({
  ome: {
    version: "0.5",
    multiscales: [
      {
        axes: [
          { name: "c", type: "channel" },
          { name: "y", type: "space", unit: "micrometer" },
          { name: "x", type: "space", unit: "micrometer" },
        ],
        datasets: [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 0.5, 0.5] }] }],
      },
    ],
  },
});

/** Two images with known positions in an atlas (OME-Zarr 0.6). */
const micrometers = ["y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" }));
const side = group({
  ome: {
    version: "0.6rc0",
    multiscales: [
      {
        coordinateSystems: [{ name: "physical", axes: micrometers }],
        datasets: [
          {
            path: "0",
            coordinateTransformations: [
              { type: "scale", scale: [0.5, 0.5], input: { path: "0" }, output: { name: "physical" } },
            ],
          },
        ],
      },
    ],
  },
});
const registered = group({
  ome: {
    version: "0.6rc0",
    scene: {
      coordinateSystems: [{ name: "atlas", axes: micrometers }],
      coordinateTransformations: ["left", "right"].map((path, i) => ({
        type: "translation",
        translation: [100, 20 + 300 * i],
        input: { path, name: "physical" },
        output: { name: "atlas" },
      })),
    },
  },
});

/** Documents of stores without chunks, in which every element is 7. */
const remote: Record<string, object> = {
  "/data.zarr/zarr.json": array([120, 6, 30]),
  "/a.zarr/zarr.json": array([12, 6]),
  "/scan.zarr/zarr.json": array([4, 64, 64], { type: "uint16" }),
  "/registered.zarr/zarr.json": registered,
  "/registered.zarr/left/zarr.json": side,
  "/registered.zarr/right/zarr.json": side,
  "/image.zarr/zarr.json": image,
  "/image.zarr/0/zarr.json": array([2, 8, 8], { names: ["c", "y", "x"] }),
  "/refs.json": { version: 1, refs: { "zarr.json": JSON.stringify(array([3])) } },
};

const ramp = (length: number, start = 0, step = 1) => Int16Array.from({ length }, (_, i) => start + step * i);

/** An array with its elements below a group; without `values` all are 7. */
async function add(
  target: ZarrGroup,
  path: string,
  {
    shape,
    names,
    attributes,
    values,
  }: { shape: number[]; names?: string[]; attributes?: object; values?: Int16Array },
) {
  const options = {
    path,
    shape,
    dtype: "int16" as const,
    fillValue: 7,
    dimensionNames: names,
    attributes: attributes as never,
  };
  const created = await create(target, options);
  if (values) await set(created, null, values);
}

/** A year of rain on a grid, with coordinates. */
async function climate(): Promise<Map<string, Uint8Array>> {
  const store = new Map<string, Uint8Array>();
  const top = await createGroup(store);
  const names = ["time", "lat", "lon"];
  await add(top, "pr", { shape: [400, 50, 20], names, attributes: { units: "mm d-1", scale_factor: 0.5 } });
  await add(top, "temperature", { shape: [30, 6, 5], names });
  const time = { attributes: { units: "days since 2019-12-01" }, values: ramp(400) };
  await add(top, "time", { shape: [400], names: ["time"], ...time });
  await add(top, "lat", { shape: [50], names: ["lat"], values: ramp(50, 30) });
  await add(top, "lon", { shape: [20], names: ["lon"], values: ramp(20) });
  await consolidate(top);
  return store;
}

/** Two years of daily temperatures with missing values, and numbers of regions: the dataset of tests/compute/recipes.py. */
async function air(): Promise<Map<string, Uint8Array>> {
  const store = new Map<string, Uint8Array>();
  const top = await createGroup(store);
  const names = ["time", "lat", "lon"];
  const raw = new Int16Array(731 * 20);
  for (let i = 0; i < raw.length; i++) {
    const [t, y, x] = [Math.floor(i / 20), Math.floor(i / 4) % 5, i % 4];
    const isMissing = (t * 5 + y * 3 + x) % 97 === 0;
    raw[i] = isMissing ? -32768 : ((t * 7919 + y * 104729 + x * 1299709) % 4001) - 2000;
  }
  const packing = { scale_factor: 0.01, add_offset: 280, _FillValue: -32768 };
  const options = { path: "t2m", shape: [731, 5, 4], dtype: "int16", dimensionNames: names } as const;
  await set(await create(top, { ...options, chunkShape: [100, 5, 4], attributes: packing }), null, raw);
  await add(top, "basins", { shape: [5, 4], names: names.slice(1), values: ramp(20).map((i) => i % 4) });
  const time = { attributes: { units: "days since 2000-01-01" }, values: ramp(731) };
  await add(top, "time", { shape: [731], names: ["time"], ...time });
  await add(top, "lat", {
    shape: [5],
    names: ["lat"],
    values: ramp(5, -60, 30),
    attributes: { units: "degrees_north" },
  });
  await add(top, "lon", {
    shape: [4],
    names: ["lon"],
    values: ramp(4, 0, 90),
    attributes: { units: "degrees_east" },
  });
  return store;
}

/** Two bands of an image, of the same script. */
async function bands(): Promise<Map<string, Uint8Array>> {
  const store = new Map<string, Uint8Array>();
  const top = await createGroup(store);
  const names = ["y", "x"];
  const band = (y: number, x: number, modulus: number) =>
    Int16Array.from({ length: 4096 }, (_, i) => ((Math.floor(i / 64) * y + (i % 64) * x) % modulus) + 1);
  await add(top, "red", { shape: [64, 64], names, values: band(31, 17, 1000) });
  await add(top, "nir", { shape: [64, 64], names, values: band(13, 29, 3000) });
  return store;
}

/** Counts of 1200 cells and 20 genes, one in each row. */
async function cells(): Promise<Map<string, Uint8Array>> {
  const store = new Map<string, Uint8Array>();
  const attributes = { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [1200, 20] };
  const matrix = await createGroup(store, { path: "X", attributes });
  await add(matrix, "indptr", { shape: [1201], values: ramp(1201) });
  await add(matrix, "indices", { shape: [1200], values: ramp(1200).map((i) => i % 20) });
  await add(matrix, "data", { shape: [1200], values: ramp(1200) });
  return store;
}

/** A band of 10 m around one tile of the map. */
async function sentinel(): Promise<Map<string, Uint8Array>> {
  const store = new Map<string, Uint8Array>();
  const transform = [10, 0, 1_480_000, 0, -10, 6_910_000];
  const attributes = {
    "proj:code": "EPSG:3857",
    "spatial:dimensions": ["y", "x"],
    "spatial:transform": transform,
  };
  const measurements = await createGroup(store, { path: "measurements", attributes });
  await add(measurements, "b02", { shape: [3000, 3000], names: ["y", "x"] });
  return store;
}

/** Winds in the 48 cells of a HEALPix grid, at two times. */
async function healpix(): Promise<Map<string, Uint8Array>> {
  const store = new Map<string, Uint8Array>();
  const group = await createGroup(store);
  const dggs = { name: "healpix", refinement_level: 1, indexing_scheme: "nested" };
  const attributes = { dggs: { ...dggs, spatial_dimension: "cell" } };
  await add(group, "wind", { shape: [2, 48], names: ["time", "cell"], attributes });
  return store;
}

/** Two temperatures, by a reference that holds them itself. */
function weather(): Map<string, Uint8Array> {
  const array = { zarr_format: 2, shape: [2], chunks: [2], dtype: "<i2", compressor: null, filters: null };
  const metadata = {
    ".zgroup": { zarr_format: 2 },
    ".zattrs": { title: "weather" },
    "temperature/.zarray": { ...array, fill_value: 0, order: "C" },
  };
  return new Map(Object.entries(referenceFolder(metadata, { temperature: [Uint8Array.of(3, 0, 4, 0)] }, 10)));
}

/** A NetCDF file: temperatures of three times. */
const era5 = () =>
  netcdf3(
    { time: 3, lat: 2, lon: 4 },
    {
      time: { dimensions: ["time"], values: [0, 1, 2], attributes: { units: "hours since 2024-01-01" } },
      t2m: {
        dimensions: ["time", "lat", "lon"],
        values: [...ramp(24)],
        type: "int16",
        attributes: { units: "K" },
      },
    },
  );

/** Points of SpatialData. */
function transcripts(): Map<string, Uint8Array> {
  const columns = [numberColumn("x", [1.5, 2]), numberColumn("y", [3, 4])];
  return new Map([["/points/transcripts/points.parquet/part.0.parquet", parquetFile(2, columns)]]);
}

/** Serves the samples' files of https://example.org: stores, the sample arrays, the modules. */
export async function serveStores() {
  const stores = {
    "climate.zarr": await climate(),
    "air.zarr": await air(),
    "bands.zarr": await bands(),
    "cells.zarr": await cells(),
    "sentinel.zarr": await sentinel(),
    "healpix.zarr": await healpix(),
    repo: repository(), // of Icechunk
    "refs.parquet": weather(),
    "sample.zarr": transcripts(),
  };
  const objects = new Map(
    Object.entries(stores).flatMap(([name, store]) =>
      [...store].map(([key, bytes]) => [`/${name}${key}`, bytes]),
    ),
  );
  objects.set("/era5.nc", era5());
  return serve((url) => {
    const address = url.split("?")[0]!;
    const document = remote[address];
    if (document) return bytesOf(JSON.stringify(document));
    const file = address.replace(/^\/samples\//, "examples/").replace(/^\/wasm\//, "dist/wasm/");
    const place = path.join(root, file);
    return file !== address && existsSync(place) ? new Uint8Array(readFileSync(place)) : objects.get(address);
  });
}

/** Fills the folder where samples run, except `new.zarr`, which commands create. */
export async function fillFolder(folder: string, planes = ["old.zarr"]): Promise<void> {
  const at = (name: string) => new URL(`file://${path.join(folder, name)}/`);
  const sawtooth = (length: number) => Int16Array.from({ length }, (_, i) => i % 1000);
  await set(await create(at("data.zarr"), { shape: [100, 6, 30], dtype: "int16" }), null, sawtooth(18_000));
  await set(
    await create(await createGroup(at("group.zarr")), { path: "raw", shape: [64, 64], dtype: "int16" }),
    null,
    sawtooth(4096),
  );
  for (const name of planes) {
    const zarrFormat = name === "old.zarr" ? 2 : 3;
    const created = await create(at(name), {
      shape: [600, 700],
      chunkShape: [100, 100],
      dtype: "int16",
      zarrFormat,
      codecs: "zstd:1",
    });
    await set(created, null, sawtooth(420_000));
  }
  const tree = await createGroup(at("climate.zarr"));
  for (const name of ["pr", "tas"]) await create(tree, { path: name, shape: [2, 3], dtype: "int16" });
  writeFileSync(path.join(folder, "era5.nc"), era5());
  for (const month of [1, 2]) {
    const time = { dimensions: ["time"], values: [month] };
    writeFileSync(path.join(folder, `2024-0${month}.nc`), netcdf3({ time: 1 }, { time }));
  }
  cpSync(path.join(root, "examples/field.zarr"), path.join(folder, "field.zarr"), { recursive: true });
}

/** An archive with an array "plate", and references in both layouts, as arguments of `view`. */
export async function archives(): Promise<Documents> {
  const pieces: Uint8Array[] = [];
  const writer = new ZipWriter((piece) => {
    pieces.push(Uint8Array.from(piece));
  });
  await createGroup(writer, {});
  await create(writer, { path: "plate", shape: [2, 2], dtype: "int8" });
  await writer.close();
  return {
    "images.zip": new Uint8Array(Buffer.concat(pieces)),
    "refs.json": bytesOf(JSON.stringify(remote["/refs.json"])),
    ...Object.fromEntries([...weather()].map(([key, bytes]) => [`refs.parquet${key}`, bytes])),
  };
}
