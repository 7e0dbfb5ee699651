/** What the samples of the documentation read: stores at https://example.org, and in the folder where they run. */
import { cpSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { create, createGroup, set, ZipWriter } from "zarr-wasm";
import { root } from "./doc-samples.js";
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

const climate = {
  pr: array([400, 50, 20], {
    names: ["time", "lat", "lon"],
    attributes: { units: "mm d-1", scale_factor: 0.5 },
  }),
  time: array([400], { names: ["time"], attributes: { units: "days since 2000-01-01" } }),
  lat: array([50], { names: ["lat"] }),
  lon: array([20], { names: ["lon"] }),
  temperature: array([30, 6, 5], { names: ["time", "lat", "lon"] }),
};

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

/** What stands behind https://example.org: metadata, and no chunks, so that every element is 7. */
const remote: Record<string, object> = {
  "/data.zarr/zarr.json": array([120, 6, 30]),
  "/a.zarr/zarr.json": array([12, 6]),
  "/scan.zarr/zarr.json": array([4, 64, 64], { type: "uint16" }),
  "/climate.zarr/zarr.json": group({}, climate),
  ...Object.fromEntries(
    Object.entries(climate).map(([name, node]) => [`/climate.zarr/${name}/zarr.json`, node]),
  ),
  "/image.zarr/zarr.json": image,
  "/image.zarr/0/zarr.json": array([2, 8, 8], { names: ["c", "y", "x"] }),
  "/refs.json": { version: 1, refs: { "zarr.json": JSON.stringify(array([3])) } },
};

/** Serves what the samples find at https://example.org: stores, the sample arrays, the modules. */
export function serveStores() {
  return serve((url) => {
    const address = url.split("?")[0]!;
    const document = remote[address];
    if (document) return bytesOf(JSON.stringify(document));
    const file = address.replace(/^\/samples\//, "examples/").replace(/^\/wasm\//, "dist/wasm/");
    const place = path.join(root, file);
    return file !== address && existsSync(place) ? new Uint8Array(readFileSync(place)) : undefined;
  });
}

/** Fills the folder where samples run; `new.zarr` is one that commands make. */
export async function fillFolder(folder: string, planes = ["old.zarr"]): Promise<void> {
  const at = (name: string) => new URL(`file://${path.join(folder, name)}/`);
  const ramp = (length: number) => Int16Array.from({ length }, (_, i) => i % 1000);
  await set(await create(at("data.zarr"), { shape: [100, 6, 30], dtype: "int16" }), null, ramp(18_000));
  await set(
    await create(await createGroup(at("group.zarr")), { path: "raw", shape: [64, 64], dtype: "int16" }),
    null,
    ramp(4096),
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
    await set(created, null, ramp(420_000));
  }
  const tree = await createGroup(at("climate.zarr"));
  for (const name of ["pr", "tas"]) await create(tree, { path: name, shape: [2, 3], dtype: "int16" });
  cpSync(path.join(root, "examples/field.zarr"), path.join(folder, "field.zarr"), { recursive: true });
}

/** An archive with an array "plate", and a document of references, as `view` is given them. */
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
  };
}
