/** Groups for the tests of the viewer, written with the library; the tests verify their pixels. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  consolidate,
  create,
  createGroup,
  type DType,
  MapStore,
  type Store,
  set,
  ZipWriter,
} from "zarr-wasm";
import { dualMesh, icosphere } from "./cell-grids.js";

type Attributes = Parameters<typeof createGroup>[1] extends { attributes?: infer A } ? A : never;
type Target = URL | Store;

interface NewArray {
  readonly path: string;
  readonly shape: number[];
  readonly dtype: string | DType;
  readonly names?: string[];
  readonly attributes?: object;
  readonly fillValue?: number;
  readonly chunkShape?: number[];
  readonly zarrFormat?: 2 | 3;
}

async function put(target: Target, array: NewArray, values: ArrayLike<number>): Promise<void> {
  const { names, attributes = {}, dtype, zarrFormat = 3, ...rest } = array;
  // In Zarr v2 dimension names exist only by xarray's convention.
  const named = names && zarrFormat === 2 ? { _ARRAY_DIMENSIONS: names, ...attributes } : attributes;
  const made = await create(target, {
    ...rest,
    dtype,
    zarrFormat,
    attributes: named as Attributes,
    ...(names && zarrFormat === 3 ? { dimensionNames: names } : {}),
  } as Parameters<typeof create>[1]);
  const kinds = { int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array } as const;
  const more = { int32: Int32Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array };
  const Kind = { ...kinds, ...more }[String(dtype) as keyof typeof kinds];
  await set(made, null, Kind.from(values));
}

const group = (target: Target, at: string, attributes: object = {}, zarrFormat: 2 | 3 = 3) =>
  createGroup(target, { path: at, attributes: attributes as Attributes, zarrFormat });

const table = (rows: number, columns: number, value: (row: number, column: number) => number): number[] =>
  Array.from({ length: rows * columns }, (_, i) => value(Math.floor(i / columns), i % columns));

export const imageValue = (level: number) => (row: number, column: number) =>
  (60 * level + 10 * row + column) % 256;

/** Side lengths of the levels of `image`. */
const sides = [32, 16, 8];

interface Image {
  readonly path: string;
  readonly zarrFormat?: 2 | 3;
  /** Version of OME-Zarr. Default: "0.4" in Zarr v2, "0.5" in v3. */
  readonly version?: string;
  /** Transformations from an image of 0.6 to others. */
  readonly links?: readonly object[];
  readonly ome?: object;
  readonly value?: (level: number) => (row: number, column: number) => number;
  readonly dtype?: string;
}

/** A multiscale image of version 0.4, 0.5 or 0.6 with pixels of half a micrometre. */
async function putImage(target: Target, image: Image): Promise<void> {
  const { path: at, zarrFormat = 3, ome = {}, value = imageValue, dtype = "uint8", version = "0.5" } = image;
  const axes = ["y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" }));
  const datasets = sides.map((_, level) => ({
    path: String(level),
    coordinateTransformations: [{ type: "scale", scale: [0.5 * 2 ** level, 0.5 * 2 ** level] }],
  }));
  const old = { axes, datasets, name: "cells", version: "0.4" };
  const described = { multiscales: [version === "0.6rc0" ? inSystems(old, image.links) : old], ...ome };
  await group(target, at, zarrFormat === 2 ? described : { ome: { version, ...described } }, zarrFormat);
  for (const [level, side] of sides.entries())
    await put(
      target,
      {
        path: at === "" ? String(level) : `${at}/${level}`,
        shape: [side, side],
        chunkShape: [8, 8],
        dtype,
        zarrFormat,
        ...(zarrFormat === 3 ? { names: ["y", "x"] } : {}),
      },
      table(side, side, value(level)),
    );
}

/** The same in 0.6, with an additional coordinate system that is not shown. */
function inSystems(
  { axes, datasets, name }: { axes: object[]; datasets: Dataset[]; name: string },
  links: readonly object[] = [],
): object {
  const own = {
    path: "coordinateTransformations/field",
    input: { name: "physical" },
    output: { name: "world" },
  };
  return {
    name,
    coordinateSystems: ["world", "physical"].map((system) => ({ name: system, axes })),
    coordinateTransformations: [{ type: "displacements", ...own }, ...links],
    datasets: datasets.map(({ path: at, coordinateTransformations: [step] }) => ({
      path: at,
      coordinateTransformations: [{ ...step, input: { path: at }, output: { name: "physical" } }],
    })),
  };
}

interface Dataset {
  readonly path: string;
  readonly coordinateTransformations: readonly object[];
}

/** Stored temperatures: kelvin · 100 − 27315; −32768 on land. Row 0 is the first latitude. */
/** Values of the grids of cells. */
export const cellValue = (time: number, cell: number): number => (37 * cell + 11 * time) % 251;

export const packed = (time: number, row: number, column: number): number =>
  row === 1 && column === 2 ? -32768 : 100 * time + 10 * row + column;

/** Sea temperatures of three days, with latitudes from the south or from the north. */
async function putClimate(target: Target, isFromSouth: boolean, zarrFormat: 2 | 3 = 3): Promise<void> {
  const [days, rows, columns] = [3, 4, 6];
  await group(target, "", { Conventions: "CF-1.11", title: "made up" }, zarrFormat);
  const latitudes = Array.from({ length: rows }, (_, i) => -30 + 20 * i);
  if (!isFromSouth) latitudes.reverse();
  await put(
    target,
    {
      path: "lat",
      shape: [rows],
      dtype: "float64",
      names: ["lat"],
      zarrFormat,
      attributes: { units: "degrees_north" },
    },
    latitudes,
  );
  await put(
    target,
    {
      path: "lon",
      shape: [columns],
      dtype: "float64",
      names: ["lon"],
      zarrFormat,
      attributes: { units: "degrees_east" },
    },
    Array.from({ length: columns }, (_, i) => -50 + 20 * i),
  );
  await put(
    target,
    {
      path: "time",
      shape: [days],
      dtype: "int32",
      names: ["time"],
      zarrFormat,
      attributes: { units: "days since 2020-02-28", calendar: "standard" },
    },
    [0, 1, 2],
  );
  const values = Array.from({ length: days }, (_, t) =>
    table(rows, columns, (y, x) => packed(t, y, x)),
  ).flat();
  await put(
    target,
    {
      path: "sst",
      shape: [days, rows, columns],
      dtype: "int16",
      names: ["time", "lat", "lon"],
      zarrFormat,
      fillValue: -32768,
      attributes: {
        _FillValue: -32768,
        scale_factor: 0.01,
        add_offset: 273.15,
        units: "K",
        long_name: "sea surface temperature",
      },
    },
    values,
  );
  await put(
    target,
    {
      path: "wind",
      shape: [rows, columns],
      dtype: "float32",
      names: ["lat", "lon"],
      zarrFormat,
      attributes: { units: "m s-1", long_name: "wind speed" },
    },
    table(rows, columns, (y, x) => y + x),
  );
}

/** Cells by genes, in AnnData's layout. */
async function putAnnData(target: Target): Promise<void> {
  await group(target, "", { "encoding-type": "anndata", "encoding-version": "0.1.0" }, 2);
  await put(
    target,
    { path: "X", shape: [5, 3], dtype: "float32", zarrFormat: 2, attributes: { "encoding-type": "array" } },
    table(5, 3, (y, x) => y * x),
  );
  await group(target, "obs", { "encoding-type": "dataframe", "column-order": ["size"], _index: "cell" }, 2);
  await put(target, { path: "obs/size", shape: [5], dtype: "float32", zarrFormat: 2 }, [1, 2, 3, 4, 5]);
  await group(target, "var", { "encoding-type": "dataframe", "column-order": [], _index: "gene" }, 2);
  await group(target, "obsm", { "encoding-type": "dict" }, 2);
}

/** All groups, by name. */
export const groups: Record<string, (target: Target) => Promise<void>> = {
  image: (target) => putImage(target, { path: "" }),
  "image-v2": (target) => putImage(target, { path: "", zarrFormat: 2 }),
  labelled: async (target) => {
    await putImage(target, { path: "" });
    await group(target, "labels", { ome: { version: "0.5", labels: ["cells"] } });
    await putImage(target, {
      path: "labels/cells",
      dtype: "uint16",
      ome: { "image-label": {} },
      value: (level) => (row, column) =>
        column * 2 ** level < 16 ? 0 : 1 + Math.floor((row * 2 ** level) / 16),
    });
  },
  "image-0.6": (target) => putImage(target, { path: "", version: "0.6rc0" }),
  "labelled-0.6": async (target) => {
    const version = "0.6rc0";
    await putImage(target, { path: "", version });
    await group(target, "labels", { ome: { version, labels: ["cells"] } });
    const value = (level: number) => (row: number, column: number) =>
      column * 2 ** level < 16 ? 0 : 1 + Math.floor((row * 2 ** level) / 16);
    await putImage(target, {
      path: "labels/cells",
      version,
      dtype: "uint16",
      ome: { "image-label": {} },
      value,
    });
  },
  healpix: async (target) => {
    await group(target, "");
    const values = [0, 1].flatMap((time) => Array.from({ length: 768 }, (_, cell) => cellValue(time, cell)));
    const attributes = { grid_mapping: "crs" };
    const names = ["time", "cell"];
    const shape = { shape: [2, 768], chunkShape: [1, 64] };
    await put(target, { path: "height", dtype: "uint8", names, attributes, ...shape }, values);
    const crs = { grid_mapping_name: "healpix", healpix_nside: 8, healpix_order: "nest" };
    await put(target, { path: "crs", shape: [], dtype: "int8", names: [], attributes: crs }, [0]);
  },
  polygons: async (target) => {
    await group(target, "");
    const { corners, nodes, longitudes, latitudes } = dualMesh(icosphere(2));
    const [cells, places] = [nodes.length / corners, longitudes.length];
    const values = Array.from({ length: cells }, (_, cell) => cellValue(0, cell));
    const put1 = (
      name: string,
      names: string[],
      shape: number[],
      attributes: object,
      list: number[],
      dtype: string,
    ) => put(target, { path: name, names, shape, attributes, dtype }, list);
    await put1("height", ["face"], [cells], { mesh: "mesh" }, values, "uint8");
    const topology = { cf_role: "mesh_topology", node_coordinates: "x y", face_node_connectivity: "faces" };
    await put1("mesh", [], [], topology, [0], "int8");
    await put1("x", ["node"], [places], { units: "degrees_east" }, longitudes, "float64");
    await put1("y", ["node"], [places], { units: "degrees_north" }, latitudes, "float64");
    await put1("faces", ["face", "corner"], [cells, corners], { _FillValue: -1 }, nodes, "int32");
  },
  "linked-0.6": async (target) => {
    const version = "0.6rc0";
    const link = { input: { path: "labels/cells", name: "physical" }, output: { name: "physical" } };
    const links = [{ type: "translation", translation: [2, -1], ...link }];
    await putImage(target, { path: "", version, links });
    await group(target, "labels", { ome: { version, labels: ["cells"] } });
    await putImage(target, { path: "labels/cells", version, dtype: "uint16", ome: { "image-label": {} } });
  },
  "plate-0.6": async (target) => {
    const version = "0.6rc0";
    const wells = [{ path: "A/1", rowIndex: 0, columnIndex: 0 }];
    const plate = { rows: [{ name: "A" }], columns: [{ name: "1" }], wells };
    await group(target, "", { ome: { version, "bioformats2raw.layout": 3, plate } });
    await group(target, "A");
    await group(target, "A/1", { ome: { version, well: { images: [{ path: "0" }] } } });
    await putImage(target, { path: "A/1/0", version });
  },
  "converted-0.6": async (target) => {
    const version = "0.6rc0";
    await group(target, "", { ome: { version, "bioformats2raw.layout": 3 } });
    await group(target, "OME", { ome: { version, series: ["second", "first"] } });
    await putImage(target, { path: "first", version });
    await putImage(target, { path: "second", version });
  },
  "scene-0.6": async (target) => {
    const version = "0.6rc0";
    const between = { input: { path: "a", name: "physical" }, output: { path: "b", name: "physical" } };
    const scene = { coordinateTransformations: [{ type: "translation", translation: [1, 2], ...between }] };
    await group(target, "", { ome: { version, scene } });
    await putImage(target, { path: "a", version });
    await putImage(target, { path: "b", version });
  },
  converted: async (target) => {
    await group(target, "", { "bioformats2raw.layout": 3 }, 2);
    await putImage(target, { path: "0", zarrFormat: 2 });
    await putImage(target, { path: "1", zarrFormat: 2 });
  },
  plate: async (target) => {
    const wells = [
      { path: "A/1", rowIndex: 0, columnIndex: 0 },
      { path: "B/2", rowIndex: 1, columnIndex: 1 },
    ];
    const plate = {
      version: "0.4",
      rows: [{ name: "A" }, { name: "B" }],
      columns: [{ name: "1" }, { name: "2" }],
      wells,
    };
    await group(target, "", { plate }, 2);
    for (const { path: at } of wells) {
      await group(target, at.slice(0, 1), {}, 2);
      await group(target, at, { well: { version: "0.4", images: [{ path: "0" }, { path: "1" }] } }, 2);
      await putImage(target, { path: `${at}/0`, zarrFormat: 2 });
      await putImage(target, { path: `${at}/1`, zarrFormat: 2 });
    }
  },
  "from-south": async (target) => {
    await putClimate(target, true);
    await consolidate(target);
  },
  "from-north": async (target) => {
    await putClimate(target, false, 2);
    await consolidate(target);
  },
  anndata: putAnnData,
  plain: async (target) => {
    await group(target, "", { made: "by hand" });
    await put(target, { path: "data", shape: [4, 4], dtype: "uint8" }, table(4, 4, imageValue(0)));
    await group(target, "volumes");
    await put(target, { path: "volumes/raw", shape: [4, 4], dtype: "uint8" }, table(4, 4, imageValue(1)));
  },
  empty: (target) => group(target, "").then(() => {}),
  broken: async (target) => {
    await group(target, "", { ome: { version: "0.5", multiscales: [{ axes: 3 }] } });
    await put(target, { path: "0", shape: [4, 4], dtype: "uint8" }, table(4, 4, imageValue(0)));
  },
  "levels-missing": (target) =>
    group(target, "", {
      ome: {
        version: "0.5",
        multiscales: [
          {
            axes: [
              { name: "y", type: "space" },
              { name: "x", type: "space" },
            ],
            datasets: [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1] }] }],
          },
        ],
      },
    }).then(() => {}),
  pyramid: async (target) => {
    const datasets = [0, 1, 2].map((level) => ({
      path: String(level),
      crs: "EPSG:3857",
      pixels_per_tile: 8,
    }));
    await group(target, "", { multiscales: [{ datasets }] });
    for (const level of [0, 1, 2]) {
      const side = 8 * 2 ** level;
      await group(target, String(level));
      await put(
        target,
        { path: `${level}/rain`, shape: [side, side], dtype: "float32", names: ["y", "x"] },
        table(side, side, (row, column) => row + column),
      );
      await put(
        target,
        { path: `${level}/snow`, shape: [side, side], dtype: "uint8", names: ["y", "x"] },
        table(side, side, imageValue(level)),
      );
      for (const name of ["y", "x"])
        await put(
          target,
          { path: `${level}/${name}`, shape: [side], dtype: "float64", names: [name] },
          Array.from({ length: side }, (_, i) => (i + 0.5) * (32 / side)),
        );
    }
    await consolidate(target);
  },
};

/** Writes one group to memory. */
export async function groupInMemory(name: string): Promise<MapStore> {
  const store = new MapStore();
  await groups[name]!(store);
  return store;
}

/** Writes all groups to a folder, which is emptied first. */
export async function writeGroups(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, write] of Object.entries(groups)) {
    const at = path.join(folder, `${name}.zarr`);
    mkdirSync(at, { recursive: true });
    await write(pathToFileURL(`${at}/`));
  }
  await writeArchive(path.join(folder, packedName), "");
  await writeArchive(path.join(folder, folderArchiveName), "/inside.zarr");
}

/** An image as a single file. */
export const packedName = "packed.ozx";

/** The same in a folder of the archive, as created by compressing a folder. */
export const folderArchiveName = "folder.zip";

async function writeArchive(file: string, below: string): Promise<void> {
  const pieces: Uint8Array[] = [];
  const writer = new ZipWriter((piece) => void pieces.push(piece.slice()));
  const objects = await groupInMemory("image-0.6");
  const keys = [...objects.list("")];
  for (const key of keys.filter((one) => one.endsWith(".json")))
    await writer.set(`${below}${key}`, objects.get(key)!);
  for (const key of keys.filter((one) => !one.endsWith(".json")))
    await writer.set(`${below}${key}`, objects.get(key)!);
  await writer.close();
  writeFileSync(file, Buffer.concat(pieces));
}
