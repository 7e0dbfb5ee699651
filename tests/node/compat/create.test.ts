// zarrita's `create` in the drop-in: the documents written, and the effect on existing nodes.
import { describe, expect, it } from "vitest";
import { MapStore } from "zarr-wasm";
import * as dropIn from "zarr-wasm/zarrita";
import * as zarrita from "zarrita";
import { small, stored, valuesOf } from "../support/both-libraries.js";
import { errorOf } from "../support/support.js";
import { type Files, files, jsonIn } from "../support/writing-tools.js";
import { sharded } from "../support/zarr-writer.js";

describe("written documents", () => {
  it("groups", async () => {
    const store = files();
    const group = await dropIn.create(dropIn.root(store).resolve("g"), { attributes: { n: 2n ** 60n } });
    expect(group).toBeInstanceOf(dropIn.Group);
    expect([...store.keys()]).toEqual(["/g/zarr.json"]); // nothing above it
    const again = await dropIn.open(group, { kind: "group" });
    expect([again.attrs, group.attrs]).toEqual([{ n: 2n ** 60n }, { n: 2n ** 60n }]);
    const inside = await small(group.resolve("x") as never);
    expect(inside.path).toBe("/g/x");
  });

  it("are valid metadata, with the fields that zarrita omits and other readers need", async () => {
    const store = files();
    const array = await small(store, { chunkSeparator: "." });
    expect(jsonIn(store, "/zarr.json")).toMatchObject({
      codecs: [{ name: "bytes", configuration: { endian: "little" } }],
      fill_value: 0,
      chunk_key_encoding: { name: "default", configuration: { separator: "." } },
    });
    await dropIn.set(array, [0, 0], 1);
    expect([...store.keys()]).toEqual(["/zarr.json", "/c.0.0"]);
  });

  it("include chunks of fill value unless the caller disables them", async () => {
    const store = files();
    const array = await small(store);
    await dropIn.set(array, null, 0);
    expect(store.size).toBe(1 + 9);
    await dropIn.set(array, null, 0, { writeEmptyChunks: false });
    expect(store.size).toBe(1);
  });

  it("may be shards, which zarrita cannot write, and v2", async () => {
    const store = files();
    const array = await small(store, { shape: [8, 8], chunkShape: [4, 4], codecs: [sharded([2, 2])] });
    expect([array.chunks, array.shape]).toEqual([
      [2, 2],
      [8, 8],
    ]);
    await dropIn.set(array, [dropIn.slice(1, 6), null], 5);
    const read = await zarrita.open(new MapStore(store) as never, { kind: "array" });
    expect(valuesOf((await zarrita.get(read)).data)).toEqual(
      Array.from({ length: 64 }, (_, i) => (i >= 8 && i < 48 ? 5 : 0)),
    );
    expect([...store.keys()].sort()).toEqual(["/c/0/0", "/c/0/1", "/c/1/0", "/c/1/1", "/zarr.json"]);
    const v2 = new Map([
      [
        "/.zarray",
        new TextEncoder().encode(
          '{"zarr_format":2,"shape":[3],"chunks":[2],"dtype":">i2","compressor":{"id":"zlib","level":1},"fill_value":9,"order":"C","filters":null}',
        ),
      ],
    ]);
    const older = (await dropIn.open(v2, { kind: "array" })) as dropIn.Array<"int16">;
    await dropIn.set(older as never, [dropIn.slice(1, 3)], {
      data: Int16Array.of(258, -1),
      shape: [2],
      stride: [1],
    });
    expect(await stored(v2)).toEqual([9, 258, -1]);
  });
});

describe("existing nodes", () => {
  it("an array is deleted with its chunks, and nothing else is", async () => {
    const store = files();
    const root = dropIn.root(store);
    await dropIn.set(await small(root.resolve("a") as never), null, 7);
    await dropIn.set(await small(root.resolve("a/inside") as never), null, 8);
    await dropIn.set(await small(root.resolve("ab") as never), null, 9);
    store.set("/a/notes", new Uint8Array(1));
    await small(root.resolve("a") as never, { chunkShape: [5, 7] });
    expect(await stored(store, "a")).toEqual(new Array(35).fill(0));
    expect(await stored(store, "a/inside")).toEqual(new Array(35).fill(8));
    expect(await stored(store, "ab")).toEqual(new Array(35).fill(9));
    expect(store.has("/a/notes")).toBe(true);
    const single = root.resolve("single") as never;
    const scalar = { shape: [], chunkShape: [], dtype: "uint8" } as const;
    await dropIn.set(await dropIn.create(single, { ...scalar, shape: [], chunkShape: [] }), null, 3);
    expect(await dropIn.get(await dropIn.create(single, { ...scalar, shape: [], chunkShape: [] }))).toBe(0);
  });

  it("a group keeps its members", async () => {
    const store = files();
    const group = await dropIn.create(store);
    await dropIn.set(await small(group.resolve("x") as never), null, 4);
    await dropIn.create(store, { attributes: { second: true } });
    expect(await stored(store, "x")).toEqual(new Array(35).fill(4));
    expect((await dropIn.open(store, { kind: "group" })).attrs).toEqual({ second: true });
  });

  it("of older versions is deleted, because it would be found first", async () => {
    const v2 = {
      zarr_format: 2,
      shape: [2],
      chunks: [1],
      dtype: "|u1",
      compressor: null,
      fill_value: 1,
      order: "C",
      filters: null,
    };
    const bytes = (value: object) => new TextEncoder().encode(JSON.stringify(value));
    const store: Files = new Map([
      ["/.zarray", bytes(v2)],
      ["/.zattrs", bytes({ old: true })],
      ["/0", Uint8Array.of(1)],
      ["/keep/.zgroup", bytes({ zarr_format: 2 })],
    ]);
    await small(store);
    const found = await dropIn.open(store, { kind: "array" });
    expect([found.shape, found.attrs, [...store.keys()].sort()]).toEqual([
      [5, 7],
      {},
      ["/keep/.zgroup", "/zarr.json"],
    ]);
  });

  it("in a store that can only get and set: an array stays an array, a node of v2 is refused", async () => {
    const held = files();
    const store = {
      get: async (key: string) => held.get(key),
      set: async (key: string, value: Uint8Array) => void held.set(key, value),
    };
    const array = await small(store as never);
    await dropIn.set(array, [0, 0], 6);
    await small(store as never);
    expect((await stored(held))[0]).toBe(6); // as with zarrita: the object is immutable for every caller
    held.set("/old/.zgroup", new TextEncoder().encode('{"zarr_format":2}'));
    const error = await errorOf(() => dropIn.create(dropIn.root(store).resolve("old")));
    expect([error["_tag"], error["code"]]).toEqual(["ReadOnly", "no-delete"]);
    expect(held.has("/old/zarr.json")).toBe(false);
  });

  it("consolidated metadata above stays current", async () => {
    const store = files();
    const consolidated = { kind: "inline", must_understand: false, metadata: {} };
    const group = { zarr_format: 3, node_type: "group", attributes: {}, consolidated_metadata: consolidated };
    store.set("/zarr.json", new TextEncoder().encode(JSON.stringify(group)));
    await small(dropIn.root(store).resolve("new") as never);
    const through = await dropIn.withConsolidatedMetadata(store as never as dropIn.AsyncReadable);
    expect(through.contents()).toContainEqual({ path: "/new", kind: "array" });
  });
});
