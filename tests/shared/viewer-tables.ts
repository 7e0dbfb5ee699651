/** A SpatialData store for the tests of the viewer: labels, and a table of them with embeddings. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { create, createGroup, set } from "zarr-wasm";
import { bytesColumn, parquetFile } from "../node/support/parquet-writer.js";
import { frame, sparse } from "./anndata.js";
import { polygonWkb } from "./wkb.js";

type Attributes = NonNullable<NonNullable<Parameters<typeof createGroup>[1]>["attributes"]>;
type Target = URL;

/** Cells by row of the table: label, type, area, position in the embedding. */
export const tableRows = [
  { label: 4, type: "stroma", area: 10, umap: [0, 0] },
  { label: 9, type: "tumour", area: 20, umap: [10, 0] },
  { label: 2, type: "tumour", area: 30, umap: [10, 10] },
  { label: 70_001, type: "immune", area: Number.NaN, umap: [0, 10] },
  { label: 5, type: undefined, area: 50, umap: [5, 5] },
] as const;

/** Values of genes by row of the table. */
export const tableGenes = {
  CD3E: [0, 10, 20, 30, 40],
  MS4A1: [4, 0, 0, 2, 0],
  LYZ: [0, Number.NaN, 5, 1, 0],
} as const;

/** Squares of 8 × 8 elements of the 32 × 32 labels, by row of the table; label 7 has no row. */
export const tableSquares: readonly (readonly [label: number, row: number, column: number])[] = [
  [4, 2, 2],
  [9, 2, 12],
  [2, 2, 22],
  [70_001, 12, 2],
  [5, 12, 12],
  [7, 12, 22],
];

const types = ["immune", "stroma", "tumour"];

async function group(target: Target, at: string, attributes: object): Promise<void> {
  await createGroup(target, { path: at, zarrFormat: 3, attributes: attributes as Attributes });
}

async function array(
  target: Target,
  at: string,
  shape: readonly number[],
  dtype: "float32" | "float64" | "int32" | "int8" | "string",
  values: readonly number[] | readonly string[],
  dimensionNames?: readonly string[],
): Promise<void> {
  const made = await create(target, {
    path: at,
    shape: [...shape],
    chunkShape: [...shape],
    dtype,
    zarrFormat: 3,
    ...(dimensionNames ? { dimensionNames: [...dimensionNames] } : {}),
  });
  const kinds = { float32: Float32Array, float64: Float64Array, int32: Int32Array, int8: Int8Array };
  await set(made, null, (dtype === "string" ? values : kinds[dtype].from(values as number[])) as never);
}

async function writeLabels(target: Target): Promise<void> {
  const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
  const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1] }] }];
  const multiscales = [{ axes, datasets, name: "cells" }];
  await group(target, "labels/cells", { ome: { version: "0.5", multiscales, "image-label": {} } });
  const values = new Array<number>(32 * 32).fill(0);
  for (const [label, top, left] of tableSquares)
    for (let row = top; row < top + 8; row++) values.fill(label, 32 * row + left, 32 * row + left + 8);
  await array(target, "labels/cells/0", [32, 32], "int32", values, ["y", "x"]);
}

async function writeObs(target: Target, at: string): Promise<void> {
  const count = tableRows.length;
  const order = ["region", "cell", "type", "area"];
  await group(target, at, { "encoding-type": "dataframe", _index: "_index", "column-order": order });
  const names = tableRows.map((_, row) => `cell-${row}`);
  await array(target, `${at}/_index`, [count], "string", names);
  const labels = tableRows.map(({ label }) => label);
  await array(target, `${at}/cell`, [count], "int32", labels);
  const areas = tableRows.map(({ area }) => area);
  await array(target, `${at}/area`, [count], "float64", areas);
  const columns = {
    region: { categories: ["cells"], codes: tableRows.map(() => 0) },
    type: { categories: types, codes: tableRows.map(({ type }) => types.indexOf(type ?? "")) },
  };
  for (const [name, { categories, codes }] of Object.entries(columns)) {
    await group(target, `${at}/${name}`, { "encoding-type": "categorical", ordered: false });
    await array(target, `${at}/${name}/codes`, [count], "int8", codes);
    await array(target, `${at}/${name}/categories`, [categories.length], "string", categories);
  }
}

/** Shapes with identifiers, and a table of them and of other elements. */
async function writeShapes(folder: string): Promise<void> {
  const at = path.join(folder, "shapes.zarr");
  mkdirSync(at, { recursive: true });
  const target = pathToFileURL(`${at}/`);
  await group(target, "", { spatialdata_attrs: { version: "0.2" } });
  const axes = ["x", "y"];
  const space = (name: string) => ({ name, axes: axes.map((axis) => ({ name: axis, type: "space" })) });
  await group(target, "shapes/outlines", {
    "encoding-type": "ngff:shapes",
    axes,
    coordinateTransformations: [{ type: "identity", input: space("xy"), output: space("global") }],
  });
  const square = (from: number, to: number) =>
    polygonWkb([
      [from, from],
      [to, from],
      [to, to],
      [from, to],
      [from, from],
    ]);
  const columns = [
    bytesColumn("outline", [square(10, 20), square(30, 40), square(50, 60)]),
    bytesColumn(
      "cell_id",
      ["b", "a", "c"].map((text) => Buffer.from(text)),
    ),
  ];
  const metadata = {
    geo: JSON.stringify({ primary_column: "outline", columns: { outline: { encoding: "WKB" } } }),
    pandas: JSON.stringify({ index_columns: ["cell_id"] }),
  };
  writeFileSync(path.join(at, "shapes/outlines/shapes.parquet"), parquetFile(3, columns, 3, metadata));
  const table = "tables/table";
  const links = { region: ["outlines", "others"], region_key: "region", instance_key: "id" };
  await group(target, table, { "encoding-type": "anndata", ...links });
  const order = ["id", "region", "kind", "size"];
  const obs = `${table}/obs`;
  await group(target, obs, { "encoding-type": "dataframe", _index: "_index", "column-order": order });
  await array(target, `${obs}/_index`, [4], "string", ["r0", "r1", "r2", "r3"]);
  await array(target, `${obs}/id`, [4], "string", ["a", "b", "b", "none"]);
  await array(target, `${obs}/size`, [4], "float64", [1, 2, 3, 4]);
  for (const [name, categories, codes] of [
    ["region", ["others", "outlines"], [1, 0, 1, 1]],
    ["kind", types, [2, 0, 1, -1]],
  ] as const) {
    await group(target, `${obs}/${name}`, { "encoding-type": "categorical", ordered: false });
    await array(target, `${obs}/${name}/codes`, [4], "int8", codes);
    await array(target, `${obs}/${name}/categories`, [categories.length], "string", categories);
  }
  await group(target, `${table}/obsm`, { "encoding-type": "dict" });
  await array(target, `${table}/obsm/X_umap`, [4, 2], "float32", [0, 0, 1, 0, 1, 1, 0, 1]);
}

export async function writeTables(folder: string): Promise<void> {
  const at = path.join(folder, "tables.zarr");
  mkdirSync(at, { recursive: true });
  const target = pathToFileURL(`${at}/`);
  await group(target, "", { spatialdata_attrs: { version: "0.2" } });
  await writeLabels(target);
  const links = { region: "cells", region_key: "region", instance_key: "cell" };
  const table = "tables/table";
  await group(target, table, { "encoding-type": "anndata", ...links });
  await writeObs(target, `${table}/obs`);
  await group(target, `${table}/obsm`, { "encoding-type": "dict" });
  const count = tableRows.length;
  const umap = tableRows.flatMap(({ umap }) => umap);
  await array(target, `${table}/obsm/X_umap`, [count, 2], "float32", umap);
  const pca = tableRows.flatMap(({ umap: [x, y], area }) => [x, y, area / 5]);
  await array(target, `${table}/obsm/X_pca`, [count, 3], "float32", pca);
  const genes = Object.values(tableGenes);
  const matrix = {
    rows: count,
    columns: genes.length,
    at: (row: number, gene: number) => genes[gene]![row]!,
  };
  await frame(target, `${table}/var`, {
    _index: ["ENSG1", "ENSG2", "ENSG3"],
    gene_symbols: Object.keys(tableGenes),
  });
  await sparse(target, `${table}/X`, "csr", matrix, 4);
  await group(target, `${table}/layers`, { "encoding-type": "dict" });
  await sparse(target, `${table}/layers/counts`, "csc", matrix, 4);
  await writeShapes(folder);
}
