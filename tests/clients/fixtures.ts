/** The stores that the programs read: images (OME-Zarr 0.4 and 0.5), a table (AnnData), a climate model (xarray). */
import { elementsOf } from "../node/support/random-arrays.js";
import {
  blosc,
  bytesLittle,
  type Codec,
  documents,
  gzip,
  json,
  regular,
  sharded,
  v2Meta,
  v3Meta,
  vlenUtf8,
  writeV2,
  writeV3,
  zstd,
} from "../node/support/zarr-writer.js";

const store = documents({});
const put = (key: string, value: unknown) => store.set(key, json(value));

/** A v2 node's attributes; for a group, with its own document. */
function attributes(path: string, attrs: object, isGroup = false): void {
  put(`${path}/.zattrs`, attrs);
  if (isGroup) put(`${path}/.zgroup`, { zarr_format: 2 });
}

const bloscOfV2 = { id: "blosc", cname: "lz4", clevel: 1, shuffle: 1, blocksize: 0 };
const widths: Record<string, number> = { uint16: 2, float32: 4, float64: 8, int8: 1, int32: 4 };
const descr: Record<string, string> = {
  uint16: "<u2",
  float32: "<f4",
  float64: "<f8",
  int8: "|i1",
  int32: "<i4",
};

async function v2(
  path: string,
  dataType: string,
  shape: number[],
  chunks: number[],
  elements: Uint8Array,
  more = {},
) {
  const codecs = [bytesLittle, blosc({ typesize: widths[dataType]! })];
  const meta = v2Meta({ shape, chunks, dtype: descr[dataType], compressor: bloscOfV2, ...more });
  await writeV2(store, meta, { dataType, codecs }, elements, { path: path.slice(1) });
}

async function v3(
  path: string,
  dataType: string,
  shape: number[],
  codecs: Codec[],
  chunks: number[],
  elements: Uint8Array,
  more = {},
) {
  const meta = v3Meta({ shape, data_type: dataType, chunk_grid: regular(...chunks), codecs, ...more });
  await writeV3(store, meta, elements, { path: path.slice(1) });
}

const ranges = (type: string, values: number[]) =>
  new Uint8Array((type === "float64" ? Float64Array : Int8Array).from(values).buffer);
const sequence = (count: number, from: number, step: number) =>
  Array.from({ length: count }, (_, i) => from + i * step);

const levels = [
  { path: "0", shape: [1, 2, 2, 96, 160], scale: [1, 1, 1, 0.5, 0.5] },
  { path: "1", shape: [1, 2, 2, 48, 80], scale: [1, 1, 1, 1, 1] },
];
const channel = (color: string) => ({
  color,
  active: true,
  label: color,
  window: { min: 0, max: 65535, start: 0, end: 60000 },
});
const image = {
  multiscales: [
    {
      version: "0.4",
      name: "image",
      axes: [
        { name: "t", type: "time" },
        { name: "c", type: "channel" },
        { name: "z", type: "space" },
        { name: "y", type: "space" },
        { name: "x", type: "space" },
      ],
      datasets: levels.map(({ path, scale }) => ({
        path,
        coordinateTransformations: [{ type: "scale", scale }],
      })),
    },
  ],
  omero: {
    channels: [channel("FF0000"), channel("00FF00")],
    rdefs: { model: "color", defaultT: 0, defaultZ: 1 },
  },
};

async function images(): Promise<void> {
  attributes("/image2", image, true);
  put("/image3/zarr.json", {
    zarr_format: 3,
    node_type: "group",
    attributes: { ome: { version: "0.5", ...image } },
  });
  for (const { path, shape } of levels) {
    const elements = elementsOf(
      "uint16",
      shape.reduce((a, b) => a * b),
      7,
    );
    await v2(`/image2/${path}`, "uint16", shape, [1, 1, 1, 64, 64], elements, { dimension_separator: "/" });
    const codecs =
      path === "0"
        ? [sharded([1, 1, 1, 32, 32], [bytesLittle, zstd])]
        : [bytesLittle, blosc({ typesize: 2 })];
    await v3(`/image3/${path}`, "uint16", shape, codecs, [1, 1, 1, 64, 64], elements);
  }
}

/** A list of strings, as anndata writes it: objects through vlen-utf8. */
function strings(path: string, values: string[]): void {
  const meta = v2Meta({
    shape: [values.length],
    chunks: [values.length],
    dtype: "|O",
    filters: [{ id: "vlen-utf8" }],
  });
  put(`${path}/.zarray`, meta);
  attributes(path, { "encoding-type": "string-array", "encoding-version": "0.2.0" });
  store.set(`${path}/0`, vlenUtf8(values));
}

const cells = 60;
const genes = 9;

async function table(): Promise<void> {
  attributes("/table", { "encoding-type": "anndata", "encoding-version": "0.1.0" }, true);
  for (const [axis, count, columns] of [
    ["obs", cells, ["leiden", "total"]],
    ["var", genes, ["total"]],
  ] as const) {
    const frame = {
      "encoding-type": "dataframe",
      "encoding-version": "0.2.0",
      _index: "_index",
      "column-order": columns,
    };
    attributes(`/table/${axis}`, frame, true);
    strings(
      `/table/${axis}/_index`,
      Array.from({ length: count }, (_, i) => `${axis}-${i}-é`),
    );
    await v2(`/table/${axis}/total`, "float64", [count], [25], elementsOf("float64", count, 3));
    attributes(`/table/${axis}/total`, { "encoding-type": "array", "encoding-version": "0.2.0" });
  }
  attributes(
    "/table/obs/leiden",
    { "encoding-type": "categorical", "encoding-version": "0.2.0", ordered: false },
    true,
  );
  strings("/table/obs/leiden/categories", ["a", "b", "c"]);
  await v2(
    "/table/obs/leiden/codes",
    "int8",
    [cells],
    [cells],
    ranges(
      "int8",
      Array.from({ length: cells }, (_, i) => i % 3),
    ),
  );
  attributes("/table/obs/leiden/codes", { "encoding-type": "array", "encoding-version": "0.2.0" });
  for (const name of ["obsm", "obsp", "varm", "varp", "layers", "uns"])
    attributes(`/table/${name}`, { "encoding-type": "dict", "encoding-version": "0.1.0" }, true);
  await v2("/table/X", "float32", [cells, genes], [20, 4], elementsOf("float32", cells * genes, 4));
  await v2("/table/obsm/X_umap", "float32", [cells, 2], [30, 2], elementsOf("float32", cells * 2, 5));
  for (const name of ["X", "obsm/X_umap"])
    attributes(`/table/${name}`, { "encoding-type": "array", "encoding-version": "0.2.0" });
}

const [times, rows, columns] = [3, 90, 180] as const;

async function climate(): Promise<void> {
  attributes("/climate2", {}, true);
  put("/climate3/zarr.json", { zarr_format: 3, node_type: "group", attributes: {} });
  const axes = {
    time: sequence(times, 0, 1),
    lat: sequence(rows, 89, -2),
    lon: sequence(columns, -179, 2),
  };
  for (const [name, values] of Object.entries(axes)) {
    const [shape, elements] = [[values.length], ranges("float64", values)];
    await v2(`/climate2/${name}`, "float64", shape, shape, elements);
    attributes(`/climate2/${name}`, { _ARRAY_DIMENSIONS: [name] });
    await v3(`/climate3/${name}`, "float64", shape, [bytesLittle, gzip], shape, elements, {
      dimension_names: [name],
    });
  }
  const [shape, chunks, names] = [[times, rows, columns], [1, 45, 60], Object.keys(axes)];
  const elements = elementsOf("float32", times * rows * columns, 6);
  await v2("/climate2/temperature", "float32", shape, chunks, elements, { fill_value: "NaN" });
  attributes("/climate2/temperature", { _ARRAY_DIMENSIONS: names });
  const more = { dimension_names: names, fill_value: "NaN", attributes: { units: "K" } };
  await v3("/climate3/temperature", "float32", shape, [bytesLittle, zstd], chunks, elements, more);
}

/** All stores, by key. */
export async function stores(): Promise<Record<string, Uint8Array>> {
  await images();
  await table();
  await climate();
  return Object.fromEntries(store.entries);
}
