// `zarr-wasm info` on groups: trees, and the metadata of conventions.

import { existsSync, mkdtempSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { create, createGroup, open } from "zarr-wasm";
import { skipFor } from "../../shared/skips.js";
import { root, run, temporaryFolder, writeStore } from "../support/cli-tool.js";
import { bytesOf, goldenCases, serve, storeOf } from "../support/support.js";

const folder = temporaryFolder();

/** Writes a store to a new folder. */
const write = (store: ReadonlyMap<string, Uint8Array>) =>
  writeStore(mkdtempSync(path.join(folder, "store-")), store);

async function info(...args: string[]): Promise<string> {
  const { status, text, err } = await run("info", ...args);
  expect([status, err]).toEqual([0, ""]);
  return text;
}

const goldenStore = (part: string) =>
  storeOf(goldenCases("conventions").find(({ name }) => name.includes(part))!);
const json = (value: object) => bytesOf(JSON.stringify(value));
const v3Group = (attributes: object, more = {}) => ({
  zarr_format: 3,
  node_type: "group",
  attributes,
  ...more,
});
const v3Array = (attributes: object) => ({
  zarr_format: 3,
  node_type: "array",
  shape: [2],
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: ["bytes"],
  attributes,
});

describe("zarr-wasm info of a group", () => {
  it("shows axes, scales and arrays of an OME-Zarr image", async () => {
    expect(await info(write(goldenStore("omezarr-0.4")))).toBe(
      `/  Zarr v2 group  (multiscales)
│  OME-Zarr 0.4 image: axes t, c, y (micrometer), x (micrometer)
│  scales 0 [1, 1, 0.5, 0.5], 1 [1, 1, 1, 1], 2 [1, 1, 2, 2]
├─ 0  uint16 [2, 2, 64, 72], chunks [1, 2, 32, 40], bytes, blosc
├─ 1  uint16 [2, 2, 32, 36], chunks [1, 2, 32, 40], bytes, blosc
├─ 2  uint16 [2, 2, 16, 18], chunks [1, 2, 32, 40], bytes, blosc
└─ labels/  (labels)
   └─ cells/  (image-label)
      └─ 0  uint32 [64, 72], chunks [32, 32], bytes, zlib
`,
    );
  });

  it("shows names and units of what xarray wrote", async () => {
    const lines = (await info(write(goldenStore("v3/xarray")))).split("\n");
    expect(lines[0]).toBe("/  Zarr v3 group  (Conventions, title, history)");
    expect(lines).toContain("├─ lat  float32 [lat: 37], chunks [37], bytes, zstd  (degrees_north)");
    expect(lines.find((line) => line.includes(" pr "))).toMatch(/zstd {2}\(mm d-1, packed\)$/);
    expect(lines.find((line) => line.includes(" tas "))).toMatch(/ {2}\(air_temperature, K\)$/);
  });

  it("shows channels, and reports errors in an image", async () => {
    const image = (fields: object) => ({ multiscales: [{ axes: [{ name: "c" }], datasets: [], ...fields }] });
    const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1 / 3] }] }];
    const channels = Array.from({ length: 8 }, (_, i) => ({ label: `ch${i}` }));
    const ome = { version: "0.5", omero: { channels }, ...image({ datasets, name: "cells" }) };
    const dir = write(
      new Map([
        ["zarr.json", json(v3Group({}))],
        ["bad/zarr.json", json(v3Group({ ome: { version: "0.5", ...image({}) } }))],
        ["good/zarr.json", json(v3Group({ ome }))],
        ["good/0/zarr.json", json(v3Array({}))],
      ]),
    );
    expect(await info(dir)).toBe(
      `/  Zarr v3 group
├─ bad/  (ome)
│     OME-Zarr: multiscales[0]: "datasets" must be a list of at least one level, got []
└─ good/  (ome)
   │  OME-Zarr 0.5 image "cells": axes c
   │  scales 0 [0.333333]
   │  channels ch0, ch1, ch2, ch3, ch4, ch5, 2 more
   └─ 0  uint8 [2], chunks [2], bytes
`,
    );
  });

  it("shows the levels of a GeoZarr pyramid", async () => {
    const attributes = { multiscales: { layout: [{ asset: "0" }, { asset: "1", derived_from: "0" }] } };
    const dir = write(
      new Map([
        ["zarr.json", json(v3Group(attributes))],
        ["0/zarr.json", json(v3Array({}))],
      ]),
    );
    expect(await info(dir)).toBe(
      `/  Zarr v3 group  (multiscales)
│  GeoZarr pyramid: levels 0, 1
└─ 0  uint8 [2], chunks [2], bytes
`,
    );
  });

  it("shows the images and coordinate systems of a scene", async () => {
    const between = (input: object, output: object) => ({ type: "identity", input, output });
    const scene = {
      coordinateSystems: [{ name: "atlas" }],
      coordinateTransformations: [
        between({ path: "left", name: "physical" }, { name: "atlas" }),
        between({ path: "right", name: "physical" }, { path: "left", name: "physical" }),
      ],
    };
    const scenes = {
      all: scene,
      none: {},
      wrong: { coordinateSystems: [null], coordinateTransformations: [7] },
    };
    const dir = write(new Map([["zarr.json", json(v3Group({}))]]));
    for (const [name, one] of Object.entries(scenes))
      writeStore(
        dir,
        new Map([[`${name}/zarr.json`, json(v3Group({ ome: { version: "0.6", scene: one } }))]]),
      );
    expect(await info(dir)).toBe(
      `/  Zarr v3 group
├─ all/  (ome)
│     OME-Zarr 0.6 scene: images left, right
│     coordinate systems atlas
│     2 transformations
├─ none/  (ome)
│     OME-Zarr 0.6 scene: images none
│     0 transformations
└─ wrong/  (ome)
      OME-Zarr 0.6 scene: images none
      coordinate systems undefined
      1 transformation
`,
    );
  });

  it("shows the levels of an image in a store without listing", async () => {
    const store = goldenStore("omezarr-0.5");
    const server = await serve((url) => store.get(url));
    const { status, text, err } = await run("info", server.url);
    await server.close();
    expect([status, err]).toEqual([0, ""]);
    expect(text.split("\n").map((line) => line.slice(0, 12))).toEqual([
      "/  Zarr v3 g",
      "│  OME-Zarr ",
      "│  scales 0 ",
      "├─ 0  uint16",
      "├─ 1  uint16",
      "└─ 2  uint16",
      "",
    ]);
  });

  it("fails with a readable message if the store cannot be listed", async () => {
    const server = await serve((url) => (url === "/zarr.json" ? json(v3Group({})) : undefined));
    const { status, err } = await run("info", server.url);
    await server.close();
    expect(status).toBe(1);
    expect(err).toMatch(/^zarr-wasm: this store does not support listing/);
  });
});

it("shows units and lengths of types in a tree", async () => {
  const store = new Map<string, Uint8Array>();
  await createGroup(store);
  for (const dtype of ["<M8[ns]", "<m8[10s]", "<U5", "|S1"] as const)
    await create(store, { path: `x${dtype.replace(/\W/g, "")}`, shape: [1], dtype });
  const lines = (await info(write(store))).split("\n");
  expect(lines.flatMap((line) => /^.─ \w+ {2}(.*?) \[1\], /.exec(line)?.slice(1) ?? []).sort()).toEqual([
    "fixed_length_utf32 (5 characters)",
    "null_terminated_bytes (1 byte)",
    "numpy.datetime64[ns]",
    "numpy.timedelta64[10s]",
  ]);
});

describe("zarr-wasm info of an array", () => {
  it("shows an attribute per line, shortened", async () => {
    const dir = write(
      new Map([["zarr.json", json(v3Array({ units: "K", long: "x".repeat(500), list: [1, 2] }))]]),
    );
    const text = await info(dir);
    expect(text).toContain("attributes   units: K\n             long: xxx");
    expect(text).toMatch(/x…\n {13}list: \[1,2\]\n$/);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(300);
    expect(await info(write(new Map([["zarr.json", json(v3Array({}))]])))).toMatch(/attributes {3}none\n$/);
  });
});

it("shortens codec strings, except in JSON", async () => {
  const tables = "A".repeat(800);
  const codecs = [{ name: "imagecodecs_jpeg", configuration: { tables } }];
  const compressor = { id: "imagecodecs_jpeg", tables };
  const dir = write(
    new Map([
      [
        ".zarray",
        json({
          ...{ zarr_format: 2, shape: [4, 6, 3], chunks: [4, 6, 3], dtype: "|u1", compressor },
          ...{ filters: null, order: "C", fill_value: 0 },
        }),
      ],
    ]),
  );
  const text = await info(dir);
  expect(text).toMatch(/imagecodecs_jpeg .*"tables":"A{59}…"/);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(200);
  expect(JSON.parse(await info(dir, "--json")).codecs).toEqual(
    expect.arrayContaining([expect.objectContaining(codecs[0]!)]),
  );
});

describe("groups in consolidated metadata of Zarr v3", () => {
  // As zarr-python writes it: nested groups have their own, empty consolidated metadata.
  const empty = { consolidated_metadata: { kind: "inline", must_understand: false, metadata: {} } };
  const metadata = {
    a: v3Group({}, empty),
    "a/b": v3Group({}, empty),
    "a/b/c": v3Array({}),
    ab: v3Array({}),
  };
  const document = v3Group({}, { consolidated_metadata: { ...empty.consolidated_metadata, metadata } });

  it("list their members", async () => {
    const requests: string[] = [];
    const store = {
      get: async (key: string) => {
        requests.push(key);
        return key === "/zarr.json" ? json(document) : undefined;
      },
    };
    const group = await open(store, { kind: "group" });
    requests.length = 0;
    const nodes: string[] = [];
    for await (const node of group.walk()) nodes.push(`${node.kind} ${node.path}`);
    expect(nodes).toEqual(["group a", "group a/b", "array a/b/c", "array ab"]);
    expect(requests.filter((key) => key.endsWith("zarr.json"))).toEqual([]);
  });
});

// Public samples beside the checkout.
const real = path.join(root, "../shared/fixtures/real");
const noStores = existsSync(real) ? undefined : "there are no public samples beside the checkout";
describe("zarr-wasm info of real stores", skipFor(noStores), () => {
  it.each([
    ["viv-ome-blobs/ome-zarr/blobs_image_v04.ome.zarr", /OME-Zarr 0\.4-dev-spatialdata image/],
    ["viv-ome-blobs/ome-zarr/blobs_image_v05.ome.zarr", /axes c, y, x\n│ {2}scales 0 \[1, 1, 1\]/],
    ["loaders.gl-ome/ome.zarr", /OME-Zarr 0\.1 image: axes t, c, z, y, x\n│ {2}levels 0, 1\n/],
    ["viv-bioformats/bioformats-zarr/data.zarr", /└─ 0\/ {2}\(multiscales\)\n {3}│ {2}OME-Zarr 0\.1/],
    ["titiler-xarray-pyramid/pyramid.zarr", /time {2}int64 \[time: 1\].* {2}\(days since 2023-11-01/],
    ["vitessce-spatialdata-0.7/blobs.sdata.zarr", /scales s0 \[1, 1, 1\], s1 \[1, 2, 2\], s2 \[1, 4, 4\]/],
    ["intake-xarray-blank/blank.zarr", /temp {2}float32 .* {2}\(temperature, celsius\)/],
  ])("%s", async (name, expected) => {
    expect(await info(path.join(real, name))).toMatch(expected);
  });
});
