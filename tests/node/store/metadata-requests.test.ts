// Requests for metadata that `open` sends: their number and the round trips in sequence, beside zarrita's. Writes the table
// of docs/networks.md (ZARR_WASM_WRITE_NETWORKS=1).

import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpStore, type OpenOptions, open } from "zarr-wasm";
import * as zarrita from "zarrita";
import { errorOf } from "../support/support.js";

const v3Array = {
  zarr_format: 3,
  node_type: "array",
  shape: [4],
  data_type: "int32",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [{ name: "bytes", configuration: { endian: "little" } }],
};
const v3Group = { zarr_format: 3, node_type: "group", attributes: {} };
const consolidatedGroup = {
  ...v3Group,
  consolidated_metadata: { kind: "inline", must_understand: false, metadata: { a: v3Array } },
};
const v2Array = {
  zarr_format: 2,
  shape: [4],
  chunks: [2],
  dtype: "<i4",
  compressor: null,
  filters: null,
  fill_value: 0,
  order: "C",
};
const v2Group = { zarr_format: 2 };
const v2Consolidated = {
  zarr_consolidated_format: 1,
  metadata: { ".zgroup": v2Group, "a/.zarray": v2Array, "a/.zattrs": { unit: "m" } },
};
const v1Array = { ...v2Array, zarr_format: 1, compression: "none", compression_opts: null };

type Documents = Readonly<Record<string, unknown>>;
const below = (folder: string, documents: Documents): Documents =>
  Object.fromEntries(Object.entries(documents).map(([name, document]) => [`${folder}/${name}`, document]));

const array3 = { "zarr.json": v3Array };
const array2 = { ".zarray": v2Array, ".zattrs": { unit: "m" } };
const tree3 = { "zarr.json": v3Group, ...below("a", array3), ...below("b", array3) };
const tree2 = { ".zgroup": v2Group, ".zattrs": {}, ...below("a", array2), ...below("b", array2) };

/** Answers all requests that arrive together at the same time, and counts how often. */
class RoundTripServer {
  readonly requests: string[] = [];
  roundTrips = 0;
  /** Paths that are never answered. */
  silent: readonly string[] = [];
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #server: http.Server;

  constructor(documents: Documents) {
    this.#server = http.createServer(({ url }, response) => {
      const path = url!.slice(1);
      this.requests.push(path);
      if (this.silent.includes(path)) return;
      const document = documents[path];
      this.#waiting.push(() => {
        response.writeHead(document ? 200 : 404).end(document ? JSON.stringify(document) : "");
      });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#answer(), 40);
    });
  }

  #answer(): void {
    this.roundTrips++;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const servers: RoundTripServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(documents: Documents) {
  const server = new RoundTripServer(documents);
  servers.push(server);
  return { server, url: await server.start() };
}

type Kind = "array" | "group";
interface Opening {
  readonly path?: string;
  readonly kind?: Kind;
  readonly version?: 1 | 2 | 3;
}

/** Opens nodes of one store one after the other; returns the requests and round trips of the last one. */
async function measure({ documents, openings }: Case, library: "ours" | "zarrita") {
  const { server, url } = await serve(documents);
  const store = library === "ours" ? new HttpStore(url) : new zarrita.FetchStore(url);
  for (const opening of openings) {
    server.requests.length = server.roundTrips = 0;
    await (library === "ours"
      ? open(store as HttpStore, opening as OpenOptions)
      : openByZarrita(store, opening));
  }
  return `${server.requests.length} in ${server.roundTrips}`;
}

async function openByZarrita(store: unknown, { path, kind, version }: Opening): Promise<void> {
  const root = zarrita.root(store as zarrita.FetchStore);
  const location = path === undefined ? root : root.resolve(path);
  const by = version === 2 ? zarrita.open.v2 : version === 3 ? zarrita.open.v3 : zarrita.open;
  await (by as typeof zarrita.open)(location, { kind } as { kind: "array" });
}

const [begins, ends] = ["<!-- metadata requests -->", "<!-- end of metadata requests -->"];
const file = new URL("../../../docs/networks.md", import.meta.url);

interface Case {
  readonly name: string;
  readonly documents: Documents;
  /** The last one is measured. */
  readonly openings: readonly Opening[];
  readonly ours: string;
  /** Undefined for documents that zarrita does not read. */
  readonly zarrita: string | undefined;
}

const cases: readonly Case[] = [
  { name: "v3 array", documents: array3, openings: [{}], ours: "3 in 1", zarrita: "4 in 4" },
  {
    name: "v3 array, `version: 3`",
    documents: array3,
    openings: [{ version: 3 }],
    ours: "1 in 1",
    zarrita: "1 in 1",
  },
  { name: "v3 group", documents: tree3, openings: [{}], ours: "3 in 1", zarrita: "4 in 4" },
  {
    name: "v3 array in a group that is open",
    documents: tree3,
    openings: [{}, { path: "a" }],
    ours: "1 in 1",
    zarrita: "1 in 1",
  },
  {
    name: "v3 array in consolidated metadata",
    documents: { ...tree3, "zarr.json": consolidatedGroup },
    openings: [{}, { path: "a" }],
    ours: "1 in 1",
    zarrita: "1 in 1",
  },
  { name: "v2 array", documents: array2, openings: [{}], ours: "4 in 2", zarrita: "2 in 2" },
  {
    name: 'v2 array, `kind: "array"`, `version: 2`',
    documents: array2,
    openings: [{ kind: "array", version: 2 }],
    ours: "2 in 1",
    zarrita: "2 in 2",
  },
  {
    name: "v2 array, `version: 2`",
    documents: array2,
    openings: [{ version: 2 }],
    ours: "3 in 1",
    zarrita: "2 in 2",
  },
  { name: "v2 group", documents: tree2, openings: [{}], ours: "5 in 2", zarrita: "3 in 3" },
  {
    name: 'v2 group, `kind: "group"`, `version: 2`',
    documents: tree2,
    openings: [{ kind: "group", version: 2 }],
    ours: "4 in 1",
    zarrita: "2 in 2",
  },
  {
    name: "v2 array, another node of the store is open",
    documents: tree2,
    openings: [{ path: "a" }, { path: "b" }],
    ours: "3 in 1",
    zarrita: "2 in 2",
  },
  {
    name: "v2 group with consolidated metadata",
    documents: { ...tree2, ".zmetadata": v2Consolidated },
    openings: [{}],
    ours: "5 in 2",
    zarrita: "3 in 3",
  },
  {
    name: "v1 array",
    documents: { meta: v1Array, attrs: {} },
    openings: [{}],
    ours: "5 in 3",
    zarrita: undefined,
  },
];

describe("requests for metadata", () => {
  it.each(cases)("$name", async (tested) => {
    const { ours, zarrita: theirs } = tested;
    expect(await measure(tested, "ours")).toBe(ours);
    if (theirs !== undefined) expect(await measure(tested, "zarrita")).toBe(theirs);
    const roundTrips = (text: string) => Number(text.split(" in ")[1]);
    if (theirs !== undefined) expect(roundTrips(ours)).toBeLessThanOrEqual(roundTrips(theirs));
  });

  it("of nodes in consolidated metadata that is open: none", async () => {
    for (const documents of [
      { "zarr.json": consolidatedGroup },
      { ...tree2, ".zmetadata": v2Consolidated },
    ]) {
      const { server, url } = await serve(documents);
      const group = await open(new HttpStore(url), { kind: "group" });
      server.requests.length = 0;
      expect((await group.open("a", { kind: "array" })).shape).toEqual([4]);
      expect(server.requests).toEqual([]);
    }
  });

  it("are not waited for once there is a valid zarr.json", async () => {
    for (const [path, document] of [
      ["", v3Array],
      ["", v3Group],
      ["a/", v3Array],
    ] as const) {
      const { server, url } = await serve({ [`${path}zarr.json`]: document });
      server.silent = [".zarray", ".zgroup", "meta"].map((name) => path + name);
      const node = await open(new HttpStore(url), { path: path.slice(0, -1) });
      expect(node.zarrFormat).toBe(3);
      expect(server.roundTrips).toBe(1);
    }
  });

  it("fail with the error of zarr.json, whatever the other versions have", async () => {
    const { url } = await serve({ "zarr.json": { ...v3Array, shape: "wide" }, ...array2 });
    const error = await errorOf(() => open(new HttpStore(url)));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "invalid-metadata"]);
  });

  it.each([
    ["a.zarr", undefined, 6],
    ["a.nc", undefined, 5],
    ["a.parquet", undefined, 6],
    ["a", undefined, 7],
    ["a.zarr", "b", 6],
    ["a", "b", 7],
  ])("of a source that does not exist, %s with path %s, are sent once: %i", async (name, path, count) => {
    const { server, url } = await serve({});
    await errorOf(() => open(`${url}/${name}`, { path }));
    expect(new Set(server.requests).size).toBe(count);
    expect(server.requests).toHaveLength(count);
  });

  it("name all documents if there is none", async () => {
    for (const [options, names] of [
      [{}, ["zarr.json", ".zarray", ".zgroup", "meta"]],
      [{ version: 1 }, ["meta"]],
      [{ version: 2, kind: "group" }, [".zarray", ".zgroup"]],
      [{ version: 2, kind: "array" }, [".zarray", ".zgroup"]],
    ] as const) {
      const { url } = await serve({ ".zattrs": {}, ".zmetadata": v2Consolidated });
      const error = await errorOf(() => open(new HttpStore(url), options));
      expect(error._tag).toBe("NotFound");
      for (const name of names) expect(error.message).toContain(`${url}/${name}`);
    }
  });

  it("do not fail because of attributes of a node that does not exist", async () => {
    const { url } = await serve({ ".zattrs": ["not an object"], ".zgroup": v2Group });
    const error = await errorOf(() => open(new HttpStore(url), { version: 2, kind: "array" }));
    expect(error._tag).toBe("InvalidMetadata");
    const missing = await serve({ ".zattrs": ["not an object"] });
    expect((await errorOf(() => open(new HttpStore(missing.url), { version: 2 })))._tag).toBe("NotFound");
  });

  it("can be aborted", async () => {
    const { server, url } = await serve(array2);
    server.silent = [".zattrs"];
    const abort = new AbortController();
    const opening = open(new HttpStore(url), { version: 2, signal: abort.signal });
    setTimeout(() => abort.abort(new Error("not needed")), 80);
    expect((await errorOf(() => opening)).message).toBe("not needed");
  });
});

describe("docs/networks.md", () => {
  const rows = cases.map(
    ({ name, ours, zarrita: theirs = "not read" }) => `| ${name} | ${ours} | ${theirs} |`,
  );
  const table = ["| `open` of a | zarr-wasm | zarrita |", "|---|---|---|", ...rows].join("\n");

  it("has these numbers", () => {
    const text = readFileSync(file, "utf8");
    const [before, rest] = text.split(begins);
    const [now, after] = rest!.split(ends);
    if (process.env["ZARR_WASM_WRITE_NETWORKS"] === "1")
      writeFileSync(file, `${before}${begins}\n\n${table}\n\n${ends}${after}`);
    else expect(now!.trim()).toBe(table);
  });
});
