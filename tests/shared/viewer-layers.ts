/** Sources of layers for the tests of the viewer: images of different scales, points and shapes. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { create, createGroup, set } from "zarr-wasm";
import { bytesColumn, dictionaryColumn, numberColumn, parquetFile } from "../node/support/parquet-writer.js";
import { writeTables } from "./viewer-tables.js";
import { pointWkb, polygonWkb } from "./wkb.js";

interface Image {
  readonly side: number;
  /** Length of an element in `unit`. */
  readonly scale: number;
  /** Position of the centre of the first element. */
  readonly translation?: number;
  readonly unit?: string;
  readonly value: (row: number, column: number) => number;
}

async function writeImage(folder: string, name: string, image: Image): Promise<void> {
  const { side, scale, translation, unit = "micrometer", value } = image;
  const at = path.join(folder, `${name}.zarr`);
  mkdirSync(at, { recursive: true });
  const target = pathToFileURL(`${at}/`);
  const steps = [
    { type: "scale", scale: [scale, scale] },
    ...(translation === undefined ? [] : [{ type: "translation", translation: [translation, translation] }]),
  ];
  const multiscales = [
    {
      axes: ["y", "x"].map((axis) => ({ name: axis, type: "space", unit })),
      datasets: [{ path: "0", coordinateTransformations: steps }],
      name,
    },
  ];
  await createGroup(target, { zarrFormat: 3, attributes: { ome: { version: "0.5", multiscales } } });
  const array = await create(target, {
    path: "0",
    shape: [side, side],
    chunkShape: [Math.min(side, 16), Math.min(side, 16)],
    dtype: "uint8",
    zarrFormat: 3,
    fillValue: 255, // all chunks are stored
    dimensionNames: ["y", "x"],
  });
  await set(
    array,
    null,
    Uint8Array.from({ length: side * side }, (_, i) => value(Math.floor(i / side), i % side)),
  );
}

/** The square that the fine and the coarse image show, in elements of the fine one. */
export const square = { from: 8, to: 40 };

const isInside = (at: number) => at >= square.from && at < square.to;

/** Centre of the first coarse element in micrometres: it begins with the square, at element 8 of the fine image. */
const coarseStart = 0.5 * (square.from + 2 - 0.5);

const cells = {
  type: "FeatureCollection",
  features: [
    {
      type: "Feature",
      id: "left",
      properties: { class: "epithelial", area: 64 },
      geometry: {
        type: "Polygon",
        // Coordinates of centres, in micrometres: elements 4 to 12, with a hole of elements 6 to 10.
        coordinates: [ring(1.75, 5.75), ring(2.75, 4.75)],
      },
    },
    {
      type: "Feature",
      properties: { class: "stroma", area: 9.5, color: "#00ff00" },
      geometry: { type: "Point", coordinates: [12, 6] },
    },
    {
      type: "Feature",
      properties: null,
      geometry: {
        type: "LineString",
        coordinates: [
          [1, 14],
          [14, 14],
        ],
      },
    },
    { type: "Feature", properties: { class: "nowhere" }, geometry: null },
  ],
};

function ring(from: number, to: number): number[][] {
  return [
    [from, from],
    [to, from],
    [to, to],
    [from, to],
    [from, from],
  ];
}

const system = (name: string) => ({
  name,
  axes: ["x", "y"].map((axis) => ({ name: axis, type: "space", unit: "unit" })),
});

/** A transformation of SpatialData from a layer's coordinates to the common ones. */
const toGlobal = (step: object) => [{ ...step, input: system("xy"), output: system("global") }];

/** From y and x of an image to coordinates of the picture, with shifts: turned, sheared and enlarged. */
export const turnedRows: readonly (readonly [y: number, x: number, shift: number])[] = [
  [0.8, -0.45, 14],
  [0.6, 0.9, -6],
];

/** The elements of the turned image: squares of 8 × 8. */
export const turnedValue = (row: number, column: number): number =>
  60 + 40 * (((row >> 3) * 3 + (column >> 3) * 2) % 5);

type Attributes = NonNullable<NonNullable<Parameters<typeof createGroup>[1]>["attributes"]>;

const attributes = (value: object) => value as Attributes;

/** A SpatialData store: an image of 64 × 64 elements, points in two files, polygons, circles, shapes of version 0.1. */
async function writeSpatial(folder: string): Promise<void> {
  const at = path.join(folder, "spatial.zarr");
  mkdirSync(at, { recursive: true });
  const target = pathToFileURL(`${at}/`);
  await createGroup(target, {
    zarrFormat: 2,
    attributes: attributes({ spatialdata_attrs: { version: "0.2" } }),
  });
  const axes = ["c", "y", "x"].map((name) => ({ name, type: name === "c" ? "channel" : "space" }));
  const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1, 1] }] }];
  const coordinateTransformations = [
    { type: "identity", input: { name: "cyx", axes }, output: { name: "global", axes } },
  ];
  await createGroup(target, {
    path: "images/picture",
    zarrFormat: 2,
    attributes: attributes({
      multiscales: [{ version: "0.4", axes, datasets, coordinateTransformations, name: "picture" }],
    }),
  });
  const array = await create(target, {
    path: "images/picture/0",
    shape: [1, 64, 64],
    chunkShape: [1, 64, 64],
    dtype: "uint8",
    zarrFormat: 2,
  });
  await set(array, null, new Uint8Array(64 * 64).fill(20));

  await createGroup(target, {
    path: "images/turned",
    zarrFormat: 2,
    attributes: attributes({
      multiscales: [
        {
          version: "0.4",
          axes,
          datasets,
          coordinateTransformations: [
            {
              type: "affine",
              affine: [[1, 0, 0, 0], ...turnedRows.map((row) => [0, ...row])],
              input: { name: "cyx", axes },
              output: { name: "global", axes },
            },
          ],
          name: "turned",
        },
      ],
    }),
  });
  const turned = await create(target, {
    path: "images/turned/0",
    shape: [1, 48, 64],
    chunkShape: [1, 16, 24],
    dtype: "uint8",
    zarrFormat: 2,
  });
  await set(
    turned,
    null,
    Uint8Array.from({ length: 48 * 64 }, (_, i) => turnedValue(Math.floor(i / 64), i % 64)),
  );

  const points = { "encoding-type": "ngff:points", axes: ["x", "y"] };
  const affine = [
    [0, 2, 4],
    [2, 0, 8],
  ];
  await createGroup(target, {
    path: "points/transcripts",
    zarrFormat: 2,
    attributes: attributes({ ...points, coordinateTransformations: toGlobal({ type: "affine", affine }) }),
  });
  const parts = path.join(at, "points/transcripts/points.parquet");
  mkdirSync(parts, { recursive: true });
  const part = (x: number[], y: number[], gene: string[]) =>
    parquetFile(x.length, [
      numberColumn("x", x),
      numberColumn("y", y, "FLOAT"),
      dictionaryColumn("gene", gene),
    ]);
  writeFileSync(path.join(parts, "part.0.parquet"), part([4.25, 12.25], [6.25, 6.25], ["Actb", "Gapdh"]));
  writeFileSync(path.join(parts, "part.1.parquet"), part([20.25], [20.25], ["Actb"]));

  const shapes = { "encoding-type": "ngff:shapes", axes: ["x", "y"] };
  const sequence = {
    type: "sequence",
    transformations: [
      { type: "scale", scale: [2, 2] },
      { type: "translation", translation: [10, 0] },
    ],
  };
  for (const [name, columns] of Object.entries({
    cells: [
      bytesColumn("geometry", [polygonWkb(ring(5, 10)), polygonWkb(ring(20, 24))]),
      bytesColumn(
        "cell",
        ["a", "b"].map((text) => Buffer.from(text)),
      ),
    ],
    spots: [bytesColumn("geometry", [pointWkb(10, 20), pointWkb(20, 20)]), numberColumn("radius", [3, 1.5])],
  })) {
    await createGroup(target, {
      path: `shapes/${name}`,
      zarrFormat: 2,
      attributes: attributes({ ...shapes, coordinateTransformations: toGlobal(sequence) }),
    });
    writeFileSync(path.join(at, "shapes", name, "shapes.parquet"), parquetFile(2, columns));
  }
  const geos = { name: "POLYGON", type: 3 };
  await createGroup(target, {
    path: "shapes/old",
    zarrFormat: 2,
    attributes: attributes({ ...shapes, spatialdata_attrs: { geos, version: "0.1" } }),
  });
  const put = async (at_: string, shape: number[], dtype: string, values: ArrayLike<number>) => {
    const made = await create(target, {
      path: at_,
      shape,
      chunkShape: shape,
      dtype: dtype as "float64",
      zarrFormat: 2,
    });
    await set(
      made,
      null,
      dtype === "float64" ? Float64Array.from(values) : (Int32Array.from(values) as never),
    );
  };
  const rings = [...ring(10, 20), ...ring(13, 16), ...ring(30, 40)];
  await put("shapes/old/coords", [rings.length, 2], "float64", rings.flat());
  await put("shapes/old/offset0", [4], "int32", [0, 5, 10, 15]);
  await put("shapes/old/offset1", [3], "int32", [0, 2, 3]);

  const frame = { "encoding-type": "dataframe", _index: "_index", "column-order": ["kind", "depth"] };
  await createGroup(target, {
    path: "tables/table",
    zarrFormat: 2,
    attributes: attributes({ "encoding-type": "anndata" }),
  });
  await createGroup(target, { path: "tables/table/obs", zarrFormat: 2, attributes: attributes(frame) });
  await createGroup(target, {
    path: "tables/table/obs/kind",
    zarrFormat: 2,
    attributes: attributes({ "encoding-type": "categorical", ordered: false }),
  });
  await put("tables/table/obs/kind/codes", [3], "int32", [1, 0, -1]);
  await put("tables/table/obs/depth", [3], "float64", [1.5, 2.5, Number.NaN]);
  for (const [name, texts] of Object.entries({
    "kind/categories": ["tumour", "stroma"],
    _index: ["c1", "c2", "c3"],
  })) {
    const made = await create(target, {
      path: `tables/table/obs/${name}`,
      shape: [texts.length],
      chunkShape: [texts.length],
      dtype: "string",
      zarrFormat: 2,
    });
    await set(made, null, texts as never);
  }
  await createGroup(target, { path: "tables/table/obsm", zarrFormat: 2 });
  await put("tables/table/obsm/spatial", [3, 2], "float64", [10.5, 10.5, 30.5, 10.5, 50.5, 50.5]);
}

/** Squares of 8 × 8 elements by label; all other elements of the 32 × 32 are 0. */
export const segments: readonly (readonly [label: number, row: number, column: number])[] = [
  [3, 4, 4],
  [70_001, 4, 16],
  [9, 16, 4],
  [80_000, 16, 16],
];

async function writeSegments(folder: string): Promise<void> {
  const at = path.join(folder, "segments.zarr");
  mkdirSync(at, { recursive: true });
  const array = await create(pathToFileURL(`${at}/`), {
    shape: [32, 32],
    chunkShape: [32, 32],
    dtype: "int32",
    zarrFormat: 3,
    dimensionNames: ["y", "x"],
  });
  const values = new Int32Array(32 * 32);
  for (const [label, top, left] of segments)
    for (let row = top; row < top + 8; row++) values.fill(label, 32 * row + left, 32 * row + left + 8);
  await set(array, null, values);
}

/** Writes the sources to a folder. */
export async function writeLayers(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await writeTables(folder);
  const fine = (row: number, column: number) => (isInside(row) && isInside(column) ? 128 : 0);
  await writeImage(folder, "fine", { side: 64, scale: 0.5, value: fine });
  await writeImage(folder, "coarse", {
    side: 8,
    scale: 2000,
    translation: 1000 * coarseStart,
    unit: "nanometer",
    value: () => 200,
  });
  await writeImage(folder, "beyond", { side: 64, scale: 0.5, translation: 24, value: () => 200 });
  writeFileSync(path.join(folder, "cells.geojson"), JSON.stringify(cells));
  await writeSpatial(folder);
  await writeSegments(folder);
  writeFileSync(path.join(folder, "broken.geojson"), '{"type": "FeatureCollection", "features": 3}');
}
