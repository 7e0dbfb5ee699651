// Kinds of nodes in the viewer, and discovery of members in groups that cannot be listed.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  consolidate,
  create,
  createGroup,
  type DTypeInput,
  HttpStore,
  MapStore,
  open,
  type Store,
} from "zarr-wasm";
import { startServer } from "#src/cli/server/server.js";
import { text } from "../../../web/viewer/language/text.ts";
import { readAddress } from "../../../web/viewer/source/address.ts";
import { folderContents, maxProbes, namesFrom, nodesBelow } from "../../../web/viewer/source/browse.ts";
import { type Kind, nodeKind } from "../../../web/viewer/source/kinds.ts";
import { findBucket, listedByServer, namesInJson, namesInPage } from "../../../web/viewer/source/listing.ts";
import { publicData } from "../../../web/viewer/source/public-data.ts";

type Node = { attributes?: object; array?: { shape: number[]; dims?: string[]; dtype?: string } };

/** A store with these nodes, of Zarr v3 or v2. */
async function storeWith(nodes: Record<string, Node>, zarrFormat: 2 | 3 = 3): Promise<MapStore> {
  const store = new MapStore();
  // JavaScript objects list numeric keys first.
  const paths = Object.keys(nodes).sort((a, b) => a.length - b.length);
  for (const path of paths) {
    const { attributes = {}, array } = nodes[path]!;
    if (!array) await createGroup(store, { path, attributes: attributes as never, zarrFormat });
    else {
      const { shape, dims, dtype = "float32" } = array;
      const dimensionNames = dims ? { dimensionNames: dims } : {};
      await create(store, {
        path,
        shape,
        dtype: dtype as DTypeInput,
        attributes: attributes as never,
        zarrFormat,
        ...dimensionNames,
      });
    }
  }
  return store;
}

const kindAt = async (nodes: Record<string, Node>, path = "", format: 2 | 3 = 3): Promise<Kind> =>
  nodeKind(await open(await storeWith(nodes, format), { path }));

const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
const scale = [{ type: "scale", scale: [1, 1] }];
const images = (...paths: string[]) => [
  { axes, datasets: paths.map((path) => ({ path, coordinateTransformations: scale })) },
];
const plane = { array: { shape: [4, 4] } };
const grid = { array: { shape: [2, 3, 4], dims: ["time", "lat", "lon"] } };
const line = (name: string, length: number) => ({ array: { shape: [length], dims: [name] } });

describe("kinds of nodes", () => {
  it("knows arrays and images of OME-Zarr of either version", async () => {
    expect((await kindAt({ "": plane })).kind).toBe("array");
    const v5 = await kindAt({
      "": { attributes: { ome: { version: "0.5", multiscales: images("0") } } },
      "0": plane,
    });
    expect(v5).toMatchObject({
      kind: "image",
      isLabel: false,
      images: [{ version: "0.5", levels: [{ path: "0" }] }],
    });
    const v4 = await kindAt(
      { "": { attributes: { multiscales: images("s0", "s1"), "image-label": {} } } },
      "",
      2,
    );
    expect(v4).toMatchObject({
      kind: "image",
      isLabel: true,
      images: [{ version: "0.4", levels: [{ path: "s0" }, { path: "s1" }] }],
    });
    const v1 = await kindAt(
      { "": { attributes: { multiscales: [{ version: "0.1", datasets: [{ path: "0" }] }] } } },
      "",
      2,
    );
    expect(v1).toMatchObject({
      kind: "image",
      images: [{ axes: [{ name: "t" }, { name: "c" }, { name: "z" }, { name: "y" }, { name: "x" }] }],
    });
  });

  it("shows an image that is not valid as the group that it is, with the reason", async () => {
    const broken = await kindAt({
      "": { attributes: { ome: { version: "0.5", multiscales: [{ axes: 3 }] } } },
      "0": plane,
    });
    expect(broken).toMatchObject({
      kind: "group",
      problem: expect.stringContaining("axes"),
      contents: { members: [{ name: "0" }] },
    });
    const future = await kindAt({
      "": { attributes: { ome: { version: "0.9", multiscales: images("0") } } },
    });
    expect(future).toMatchObject({ kind: "group", problem: expect.stringContaining("0.9") });
  });

  it("knows plates, wells, labels and bioformats2raw", async () => {
    const plate = {
      rows: [{ name: "A" }, { name: "B" }],
      columns: [{ name: "1" }],
      wells: [
        { path: "A/1", rowIndex: 0, columnIndex: 0 },
        { path: "B/1", rowIndex: -1 },
      ],
    };
    expect(await kindAt({ "": { attributes: { ome: { plate } } } })).toEqual({
      kind: "plate",
      rows: ["A", "B"],
      columns: ["1"],
      wells: [
        { path: "A/1", row: 0, column: 0 },
        { path: "B/1", row: undefined, column: undefined },
      ],
    });
    expect(
      await kindAt({ "": { attributes: { well: { images: [{ path: "0" }, { path: "1" }] } } } }, "", 2),
    ).toEqual({ kind: "well", fields: ["0", "1"] });
    expect(await kindAt({ "": { attributes: { labels: ["cells", "../out"] } } }, "", 2)).toEqual({
      kind: "labels",
      paths: ["cells"],
    });
    const layout = { "bioformats2raw.layout": 3 };
    expect(await kindAt({ "": { attributes: layout }, "0": {}, "1": {} }, "", 2)).toEqual({
      kind: "images",
      paths: ["0", "1"],
    });
    const listed = {
      "": { attributes: { ome: layout } },
      OME: { attributes: { ome: { series: ["b", "a"] } } },
    };
    expect(await kindAt(listed)).toEqual({ kind: "images", paths: ["b", "a"] });
    expect((await kindAt({ "": { attributes: layout } })).kind).toBe("group");
  });

  it("knows positions by their units, and bounds by their name, where nothing refers to them", async () => {
    const map = (units?: string) => ({
      array: { shape: [3, 4], dims: ["y", "x"] },
      attributes: units === undefined ? {} : { units },
    });
    const found = await kindAt({
      "": {},
      a_lat: map("degrees_north"),
      a_lon: { ...map(), attributes: { standard_name: "longitude" } },
      depth: line("depth", 2),
      depth_bnds: { array: { shape: [2, 2], dims: ["depth", "nv"] } },
      snow_bnds: map(),
      t: map("K"),
    });
    if (found.kind !== "dataset") throw new Error(found.kind);
    expect(found.variables.map(({ name }) => name)).toEqual(["snow_bnds", "t"]);
    const only = await kindAt({ "": {}, lat: map("degrees_north") });
    expect(only).toMatchObject({ kind: "dataset", first: { name: "lat" } });
  });

  it("tells a dataset's variables from what describes them", async () => {
    const found = await kindAt({
      "": { attributes: { Conventions: "CF-1.11", coordinates: "area" } },
      a_flag: { ...grid, attributes: { flag_meanings: "a b", flag_values: [0, 1] } },
      area: { array: { shape: [3, 4], dims: ["lat", "lon"] } },
      lat: { ...line("lat", 3), attributes: { bounds: "lat_bnds" } },
      lat_bnds: { array: { shape: [3, 2], dims: ["lat", "bnds"] } },
      lon: line("lon", 4),
      names: { array: { shape: [3], dims: ["lat"], dtype: "string" } },
      pr: { ...grid, attributes: { grid_mapping: "crs_of_it", coordinates: "height" } },
      crs_of_it: { array: { shape: [], dims: [] } },
      height: { array: { shape: [], dims: [] } },
      spatial_ref: {
        array: { shape: [], dims: [] },
        attributes: { grid_mapping_name: "latitude_longitude" },
      },
      tas: grid,
      time: line("time", 2),
    });
    if (found.kind !== "dataset") throw new Error(found.kind);
    expect(found.variables.map(({ name }) => name)).toEqual(["a_flag", "names", "pr", "tas"]);
    expect(found.first.name).toBe("pr");
    expect(found.coordinates.map(({ name }) => name)).toEqual([
      "area",
      "crs_of_it",
      "height",
      "lat",
      "lat_bnds",
      "lon",
      "spatial_ref",
      "time",
    ]);
  });

  const area = { array: { shape: [3, 4], dims: ["lat", "lon"] } };
  const flat = { array: { shape: [1, 1, 3, 4], dims: ["time", "z", "lat", "lon"] } };
  const cells = { ...area, attributes: { bounds: "cells_bnds" } };
  const bounds = { array: { shape: [3, 4, 4], dims: ["lat", "lon", "corner"] } };
  const track = { ...grid, attributes: { units: "degrees_north" } };
  const pair = (shape: number[]) => ({ array: { shape, dims: ["x", "y"] } });
  it.each<[string, Record<string, Node>]>([
    ["lat", { lat: line("lat", 3) }],
    ["b", { lat: line("lat", 3), b: { array: { shape: [3], dims: ["lat"] } } }],
    ["b", { a: pair([1, 1]), b: pair([2, 2]) }],
    ["group", { a: plane }],
    ["snow", { area, lat: line("lat", 3), snow: grid, time: line("time", 2) }],
    ["area", { area, zone: area }],
    // Axes of length 1 count only among equals.
    ["snow", { area, flat, snow: grid }],
    ["flat", { area, flat }],
    // Bounds and positions are not chosen, however many dimensions they have.
    ["area", { area: { ...area, attributes: { coordinates: "track" } }, cells_bnds: bounds, cells, track }],
  ])("opens the main variable, with most dimensions: %s", async (name, nodes) => {
    const found = await kindAt({ "": {}, ...nodes });
    expect(found.kind === "dataset" ? found.first.name : found.kind).toBe(name);
  });

  it("reads xarray's names of dimensions in Zarr v2", async () => {
    const found = await kindAt(
      { "": {}, x: line("x", 4), v: { array: { shape: [4, 4], dims: ["y", "x"] } } },
      "",
      2,
    );
    expect(found).toMatchObject({ kind: "dataset", first: { name: "v", dimensions: ["y", "x"] } });
  });

  it("knows pyramids of maps, AnnData, MuData and SpatialData", async () => {
    const ndpyramid = [{ datasets: [{ path: "0", pixels_per_tile: 128, crs: "EPSG:3857" }, { path: "1" }] }];
    expect(await kindAt({ "": { attributes: { multiscales: ndpyramid } }, "0": {}, "1": {} }, "", 2)).toEqual(
      { kind: "levels", paths: ["0", "1"] },
    );
    const layout = { layout: [{ asset: "r10m" }, { asset: "r20m" }, { asset: "../../x" }] };
    expect(await kindAt({ "": { attributes: { multiscales: layout } } })).toEqual({
      kind: "levels",
      paths: ["r10m", "r20m"],
    });
    expect(
      (await kindAt({ "": { attributes: { "encoding-type": "anndata" } }, X: plane, obs: {} })).kind,
    ).toBe("anndata");
    expect((await kindAt({ "": { attributes: { "encoding-type": "MuData" } } })).kind).toBe("mudata");
    expect(
      (await kindAt({ "": { attributes: { spatialdata_attrs: { version: "0.1" } } }, images: {} })).kind,
    ).toBe("spatialdata");
    expect((await kindAt({ "": {} })).kind).toBe("group");
  });

  it.each([
    null,
    [],
    "x",
    3,
    { multiscales: null },
    { multiscales: [] },
    { multiscales: [null] },
    { multiscales: [{ datasets: 3 }] },
    { plate: 3 },
    { plate: { wells: [3] } },
    { labels: 3 },
    { "bioformats2raw.layout": null },
    { series: {} },
  ])("does not stumble over ome: %j", async (ome) => {
    expect(["group", "image"]).toContain((await kindAt({ "": { attributes: { ome } }, a: {} })).kind);
  });
});

/** Serves a store by key, and records the requests. */
async function served(store: Store, around?: (listener: RequestListener) => RequestListener) {
  const asked: string[] = [];
  const answer: RequestListener = async ({ url = "" }, response) => {
    asked.push(url);
    const bytes = await store.get(decodeURIComponent(url));
    if (bytes) response.end(bytes);
    else response.writeHead(404).end();
  };
  const server = createServer(around ? around(answer) : answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
const servers: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const groupAt = (url: string) => open(new HttpStore(url), { kind: "group" });
const namesOf = ({ members }: Awaited<ReturnType<typeof folderContents>>) => members.map(({ name }) => name);

describe("members of a group", () => {
  it("is known from consolidated metadata", async () => {
    const store = await storeWith({ "": {}, b: plane, a: {} });
    await consolidate(store);
    const { url, asked } = await served(store);
    const found = await folderContents(await groupAt(url));
    expect([namesOf(found), found.how, found.note]).toEqual([["a", "b"], "known", undefined]);
    expect(asked.length).toBeLessThan(8);
  });

  it("is known from consolidated metadata of a group above, also if it is opened by itself", async () => {
    const nodes = { "": {}, table: {}, "table/obs": {}, "table/obs/rare": {}, "table/obs/size": plane };
    for (const format of [2, 3] as const) {
      for (const path of ["", "table"]) {
        const store = await storeWith(nodes, format);
        await consolidate(store, { path });
        const { url } = await served(store);
        const group = await open(new HttpStore(url), { path: "table/obs", kind: "group", version: format });
        const found = await folderContents(group);
        expect([namesOf(found), found.how, found.note]).toEqual([["rare", "size"], "known", undefined]);
      }
    }
  });

  it("is found by the names that attributes speak of", async () => {
    const nodes = {
      "": { attributes: { multiscales: images("deep/0", "1") } },
      deep: {},
      "1": plane,
      labels: {},
    };
    const { url, asked } = await served(await storeWith(nodes, 2));
    const found = await folderContents(await groupAt(url));
    expect([namesOf(found), found.how]).toEqual([["1", "deep", "labels"], "probed"]);
    expect(found.note).toMatch(/3 names in common use/);
    expect(asked.length).toBeLessThan(30);
  });

  it("are found by usual names, and then by names of dimensions", async () => {
    const nodes = {
      "": {},
      t2m: { array: { shape: [2, 2], dims: ["valid_time", "station"] } },
      valid_time: line("valid_time", 2),
      station: line("station", 2),
    };
    const { url } = await served(await storeWith(nodes));
    expect(namesOf(await folderContents(await groupAt(url)))).toEqual(["station", "t2m", "valid_time"]);
  });

  it("guesses each name with one request, and the names of a kind only after its first", async () => {
    const empty = await served(await storeWith({ "": {} }));
    await folderContents(await open(empty.url, { kind: "group" }));
    expect(empty.asked.filter((url) => url.includes("/lon/"))).toEqual([]);
    expect(new Set(empty.asked).size).toBe(empty.asked.length);
    expect(empty.asked.filter((url) => url.includes("/time/"))).toEqual(["/time/zarr.json"]);
    const climate = await served(await storeWith({ "": {}, lat: line("lat", 2), lon: line("lon", 2) }));
    expect(namesOf(await folderContents(await open(climate.url, { kind: "group" })))).toEqual(["lat", "lon"]);
  });

  it("is enumerated if names are numbers, up to a limit", async () => {
    const nodes = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [String(i), plane]));
    const { url } = await served(await storeWith({ "": {}, ...nodes }));
    expect(namesOf(await folderContents(await groupAt(url)))).toEqual(Object.keys(nodes));
    const empty = await served(await storeWith({ "": {} }));
    const found = await folderContents(await groupAt(empty.url));
    expect(namesOf(found)).toEqual([]);
    expect(empty.asked.length).toBeLessThan(maxProbes + 10);
  });

  it("is listed by zarr-wasm view's server", async () => {
    const server = await startServer({
      mounts: { "/data/x.zarr/": { store: await storeWith({ "": {}, odd: plane, "other one": {} }) } },
    });
    servers.push(server);
    const found = await folderContents(await groupAt(`${server.url}/data/x.zarr`));
    expect([namesOf(found), found.how, found.note]).toEqual([["odd", "other one"], "listed", undefined]);
  });

  it("is listed by a page of links", async () => {
    const page =
      '<html><a href="../">..</a> <a href="odd/">odd/</a> <A HREF=zarr.json>x</A> <a href="?C=N;O=D">Name</a> <a href="//evil.example/x/">x</a>';
    const { url } = await served(
      await storeWith({ "": {}, odd: plane }),
      (next) => (request, response) =>
        request.url === "/"
          ? void response.setHeader("content-type", "text/html").end(page)
          : next(request, response),
    );
    const found = await folderContents(await groupAt(url));
    expect([namesOf(found), found.how]).toEqual([["odd"], "listed"]);
  });

  it("stop when aborted", async () => {
    const { url } = await served(await storeWith({ "": {} }));
    const group = await groupAt(url);
    const controller = new AbortController();
    const waiting = folderContents(group, controller.signal);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("takes names from attributes with care", () => {
    const attributes = {
      multiscales: [{ datasets: [{ path: "../x" }, { path: "a\\b" }, { path: "./ok/0" }, null, 3] }],
      coordinates: "lat /../lon",
      "column-order": ["c", 4],
    };
    expect(namesFrom({ attributes: attributes as never })).toEqual(["ok", "labels", "c", "lat"]);
  });

  it("are found in folders below, if the root is not a node", async () => {
    const store = await storeWith({ "": {}, "data/run.zarr/a": plane });
    for (const key of ["/zarr.json", "/data/zarr.json"]) await store.delete(key);
    expect(await nodesBelow(store)).toEqual(["data/run.zarr"]);
    expect(await nodesBelow(new MapStore())).toEqual([]);
    const server = await startServer({ mounts: { "/data/all/": { store } } });
    servers.push(server);
    expect(await nodesBelow(new HttpStore(`${server.url}/data/all`))).toEqual(["data/run.zarr"]);
  });
});

describe("buckets", () => {
  it.each([
    ["https://b.s3.amazonaws.com/a/x.zarr", "https://b.s3.amazonaws.com/"],
    ["https://b.c.s3.eu-west-1.amazonaws.com/x.zarr", "https://b.c.s3.eu-west-1.amazonaws.com/"],
    ["https://s3.eu-west-1.amazonaws.com/b/x.zarr", "https://s3.eu-west-1.amazonaws.com/b/"],
    ["https://s3.embl.de/i2k-2020/x.zarr", "https://s3.embl.de/i2k-2020/"],
    ["https://storage.googleapis.com/b/x.zarr", "https://storage.googleapis.com/b/"],
    ["https://storage.googleapis.com/", undefined],
    ["https://example.org/s3/x.zarr", undefined],
    ["http://127.0.0.1:8080/data/x.zarr", undefined],
  ])("%s", (url, bucket) => {
    expect(findBucket(new URL(url))?.href).toBe(bucket);
  });

  it("are listed, a few pages of them", async () => {
    const list = (name: string, next = "") =>
      `<ListBucketResult><CommonPrefixes><Prefix>x.zarr/${name}/</Prefix></CommonPrefixes><Contents><Key>x.zarr/zarr.json</Key></Contents>${next && `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`}</ListBucketResult>`;
    const asked: URL[] = [];
    let answer = (url: URL) => (url.searchParams.has("continuation-token") ? list("b") : list("a", "1"));
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (request) => {
      asked.push(new URL((request as Request).url));
      return new Response(answer(asked.at(-1)!));
    });
    try {
      const store = new HttpStore("https://s3.embl.de/bucket/x.zarr");
      expect(await listedByServer(store, "", undefined)).toEqual(["a", "b"]);
      expect(asked[0]!.href).toMatch(/^https:\/\/s3\.embl\.de\/bucket\/\?list-type=2/);
      answer = () => list(`a${asked.length}`, String(asked.length)); // without an end
      asked.length = 0;
      expect(await listedByServer(store, "", undefined)).toBeUndefined();
      expect(asked.length).toBe(3);
      answer = () => "<Error><Code>AccessDenied</Code></Error>";
      expect(await listedByServer(store, "", undefined)).toBeUndefined();
    } finally {
      fetched.mockRestore();
    }
  });
});

describe("lists of folders", () => {
  const page = new URL("https://x.org/data/a.zarr/");
  it("are read in nginx's JSON", () => {
    expect(
      namesInJson(
        '[{"name":"0","type":"directory"},{"name":"zarr.json","type":"file"},{"name":"../x","type":"directory"},{"name":"a","type":"directory"}]',
      ),
    ).toEqual(["0", "a"]);
    for (const text of ["", "{}", "null", "[1]", '[{"type":"directory"}]', "<a>"])
      expect(namesInJson(text)).toBeUndefined();
  });
  it("are read in pages of links", () => {
    expect(
      namesInPage(
        '<a class="x" href="0/">0</a><a href=\'/data/a.zarr/b%20c/\'>b</a><a href="https://x.org/data/a.zarr/d/">d</a>',
        page,
      ),
    ).toEqual(["0", "b c", "d"]);
    expect(
      namesInPage(
        '<a href="deep/er/">x</a><a href="file">x</a><a href="%2e%2e%2f/">x</a><a href="javascript:x/">x</a><a href="http://[/">',
        page,
      ),
    ).toEqual([]);
    expect(namesInPage("<p>no links", page)).toBeUndefined();
  });
  it("are read quickly, whatever they contain", () => {
    const begun = performance.now();
    for (const piece of ["<a ", "<a href=", '<a href="', '<a href="x', "<a href='y/'"])
      namesInPage(piece.repeat(100_000), page);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});

describe("public data", () => {
  it("have addresses that are opened unchanged, each once", () => {
    const all = Object.values(publicData).flat();
    expect(new Set(all.map(({ source, path }) => `${source} ${path}`)).size).toBe(all.length);
    for (const { source, key, owner } of all) {
      expect(readAddress(source)).toEqual({ source });
      expect(new URL(source).protocol).toBe("https:");
      expect([...text.publicData[key], owner]).not.toContain("");
    }
  });
});
