// Requests of the zarrita drop-in to stores: those of open, and the options of reads.
import { describe, expect, it } from "vitest";
import { MapStore, open as openOwn } from "zarr-wasm";
import * as dropIn from "zarr-wasm/zarrita";
import { both, noting } from "../support/both-libraries.js";
import { elementsOf } from "../support/random-arrays.js";
import { ObjectServer } from "../support/store-server.js";
import { randomBytes } from "../support/support.js";
import {
  bytesLittle,
  documents,
  regular,
  sharded,
  v2Meta,
  v3Meta,
  writeV2,
  writeV3,
} from "../support/zarr-writer.js";

const v3Group = { zarr_format: 3, node_type: "group", attributes: {} };

const raw = { dataType: "int32", codecs: [bytesLittle] };

async function hierarchy(version: 2 | 3): Promise<MapStore> {
  const store =
    version === 2
      ? documents({
          "/.zgroup": { zarr_format: 2 },
          "/.zattrs": { a: 1 },
          "/g/.zgroup": { zarr_format: 2 },
          "/g/x/.zattrs": { b: 2 },
        })
      : documents({ "/zarr.json": v3Group, "/g/zarr.json": v3Group });
  for (const path of ["x", "y", "g/x"]) {
    if (version === 2) await writeV2(store, v2Meta(), raw, elementsOf("int32", 24, 1), { path });
    else await writeV3(store, v3Meta(), elementsOf("int32", 24, 1), { path });
  }
  return store;
}

describe("requests of open", () => {
  /** Nodes that programs open in one store, one after the other. */
  const programs: Record<string, [string, object][]> = {
    "a map layer": [
      ["", { kind: "group" }],
      ["x", { kind: "array" }],
      ["y", { kind: "array" }],
      ["g/x", { kind: "array" }],
    ],
    "existing nodes": [
      ["", {}],
      ["g", {}],
      ["g/x", {}],
      ["x", {}],
    ],
    "an array alone": [["x", { kind: "array" }]],
    "the other kind": [
      ["x", { kind: "array" }],
      ["g", { kind: "array" }],
      ["x", { kind: "group" }],
    ],
    "groups opened again": [
      ["x", { kind: "array" }],
      ["g", { kind: "group" }],
      ["", { kind: "group" }],
      ["g", { kind: "group" }],
    ],
    "missing nodes": [
      ["x", { kind: "array" }],
      ["nothing", {}],
      ["nothing", { kind: "group" }],
    ],
    "without attributes": [
      ["g/x", { kind: "array", attrs: false }],
      ["x", { kind: "array", attrs: false }],
    ],
  };

  it.each(Object.entries(programs).flatMap(([name, steps]) => [2, 3].map((v) => [name, v, steps] as const)))(
    "%s, v%i: no more than zarrita's",
    async (_, version, steps) => {
      const counts = new Map<string, number>();
      for (const [name, zarr] of both) {
        const { store, asked } = noting(await hierarchy(version as 2 | 3));
        for (const [path, options] of steps)
          await zarr.open(zarr.root(store as never).resolve(path), options).catch(() => undefined);
        counts.set(name, asked.length);
      }
      expect(counts.get("zarr-wasm/zarrita")).toBeLessThanOrEqual(counts.get("zarrita")!);
    },
  );

  it("looks for v1 if nothing else was found", async () => {
    const v1 = documents({
      "/meta": {
        zarr_format: 1,
        shape: [2],
        chunks: [2],
        dtype: "<i4",
        compression: null,
        compression_opts: null,
        fill_value: 7,
        order: "C",
      },
      "/attrs": {},
    });
    const array = await dropIn.open(v1 as never, { kind: "array" });
    expect([...((await dropIn.get(array)).data as Int32Array)]).toEqual([7, 7]);
    const { store, keys } = noting(await hierarchy(3));
    await dropIn.open(store, { kind: "group" });
    keys();
    await expect(dropIn.open(dropIn.root(store).resolve("nothing"))).rejects.toThrow(dropIn.NotFoundError);
    expect(keys()).not.toContain("/nothing/meta");
  });

  it("reports an error in the version found, not that another version is missing", async () => {
    const store = documents({ "/.zarray": { zarr_format: 2, shape: "no" } });
    await expect(dropIn.open(store as never)).rejects.toThrow(dropIn.InvalidMetadataError);
  });

  it("this library's open requests the most recently found version first", async () => {
    for (const version of [2, 3] as const) {
      const { store, keys } = noting(await hierarchy(version));
      await openOwn(store, { path: "x" });
      expect(new Set(keys())).toEqual(
        new Set(["/x/zarr.json", "/x/.zarray", "/x/.zgroup", ...(version === 2 ? ["/x/.zattrs"] : [])]),
      );
      await openOwn(store, { path: "y" });
      expect(keys().sort()).toEqual(
        version === 2 ? ["/y/.zarray", "/y/.zattrs", "/y/.zgroup"] : ["/y/zarr.json"],
      );
    }
  });

  it("this library's open still finds nodes of other versions; an explicit version applies to one call", async () => {
    const store = await hierarchy(2);
    await writeV3(store, v3Meta(), elementsOf("int32", 24, 1), { path: "new" });
    await writeV3(store, v3Meta(), elementsOf("int32", 24, 1), { path: "x" });
    const of = async (path: string, options = {}) => {
      const node = await openOwn(store, { path, ...options });
      return node.zarrFormat;
    };
    expect(await of("x", { version: 2 })).toBe(2);
    expect([await of("x"), await of("y"), await of("new"), await of("x")]).toEqual([3, 2, 3, 3]);
    await of("y");
    expect(await of("x")).toBe(2); // both exist: the store last returned v2
  });
});

describe("options for stores", () => {
  it.each(both)("of getChunk, with %s", async (_, zarr) => {
    const written = new MapStore();
    const meta = v3Meta({ shape: [4, 6], chunk_grid: regular(4, 6), codecs: [sharded([2, 3])] });
    await writeV3(written, meta, elementsOf("int32", 24, 1));
    const { store, asked, keys } = noting(written);
    const array = await zarr.open(store as never, { kind: "array" });
    keys();
    const { signal } = new AbortController();
    const options = () => ({ signal, headers: { "x-token": "t" }, cache: "no-store" }) as never;
    const chunk = await array.getChunk([0, 0], options());
    const requests = asked.length;
    expect(asked.every(({ options: o }) => o["cache"] === "no-store")).toBe(true);
    expect(asked.map(({ options: o }) => o["headers"])).toEqual(asked.map(() => ({ "x-token": "t" })));
    const again = await array.getChunk([0, 1], options());
    expect(asked.length - requests).toBe(1); // the shard's index is known by now
    expect(again.shape).toEqual(chunk.shape);
  });

  it("of get, as programs for zarrita before 0.7 give them", async () => {
    const written = new MapStore();
    await writeV3(written, v3Meta(), elementsOf("int32", 24, 1));
    const { store, asked, keys } = noting(written);
    const array = await dropIn.open(store, { kind: "array" });
    keys();
    await dropIn.get(array, null, { opts: { headers: { a: "b" } } });
    expect(asked.length).toBeGreaterThan(0);
    for (const { options } of asked) expect(options["headers"]).toEqual({ a: "b" });
  });

  it.each(both)("of single requests of %s's FetchStore", async (_, zarr) => {
    const server = await new ObjectServer({ "/x": randomBytes(100), "/y": randomBytes(100) }).start();
    try {
      const seen: (string | null)[] = [];
      const store = new zarr.FetchStore(server.url, {
        overrides: { headers: { "x-usual": "u", "x-token": "u" }, cache: "no-store" },
        fetch: (request) => {
          const { headers } = request;
          seen.push(`${headers.get("x-usual")} ${headers.get("x-token")} ${request.cache}`);
          return fetch(request);
        },
      });
      await store.get("/x", { headers: { "x-token": "a" } } as never);
      await store.getRange("/x", { offset: 1, length: 2 }, {
        headers: { "x-token": "b" },
        cache: "reload",
      } as never);
      // Two concurrent requests for the same bytes, with different options.
      await Promise.all([
        store.get("/y", { headers: { "x-token": "c" } } as never),
        store.get("/y", { headers: { "x-token": "d" } } as never),
        store.get("/y"),
      ]);
      expect(seen.slice(0, 2)).toEqual(["u a no-store", "u b reload"]);
      expect(seen.slice(2).sort()).toEqual(["u c no-store", "u d no-store", "u u no-store"]);
      const aborted = AbortSignal.abort(new Error("enough"));
      await expect(store.get("/x", { signal: aborted })).rejects.toThrow("enough");
    } finally {
      await server.close();
    }
  });

  it.each(both)("a FetchStore of %s without a URL fails on first use", async (_, zarr) => {
    const store = new zarr.FetchStore("");
    expect(store.url).toBe("");
    await expect(store.get("/x")).rejects.toThrow();
  });

  it.each(both)("attrs: false reads no attributes of v2, with %s", async (_, zarr) => {
    const { store, keys } = noting(await hierarchy(2));
    const array = await zarr.open.v2(zarr.root(store as never).resolve("g/x"), {
      kind: "array",
      attrs: false,
    });
    expect(array.attrs).toEqual({});
    expect(keys()).toEqual(["/g/x/.zarray"]);
    const group = await zarr.open.v2(store as never, { kind: "group", attrs: false });
    expect([group.attrs, keys()]).toEqual([{}, ["/.zgroup"]]);
    expect((await zarr.open.v2(store as never, { kind: "group" })).attrs).toEqual({ a: 1 });
  });
});
