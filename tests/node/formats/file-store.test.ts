// ArrayFileStore over nodes of any parser: names, cycles, chunks beyond the file, joined ranges, changed files.
import { describe, expect, it } from "vitest";
import { get, open, type ZarrWarning } from "zarr-wasm";
import { ArrayFileStore } from "#src/formats/array-file/store.js";
import { bytesCodec } from "#src/formats/file/documents.js";
import type { FileArray, FileChunk, FileGroup, FileNode } from "#src/formats/file/model.js";
import { type ByteReader, byteReader } from "#src/store/source/byte-reader.js";
import { checkVersion, type Store } from "#src/store/store.js";
import { unsupported } from "#src/util/errors.js";
import { JsonNumber } from "#src/util/json.js";
import { errorOf } from "../support/support.js";

const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251);

/** An array of bytes in chunks. */
function arrayOf(length: number, chunk: number, place: (at: number) => FileChunk | undefined): FileArray {
  return {
    kind: "array",
    describe: () => ({
      shape: [length],
      dataType: "uint8",
      chunks: [chunk],
      fillValue: new JsonNumber("9"),
      codecs: [bytesCodec(true)],
      attributes: {},
    }),
    chunk: ([at]) => place(at!),
  };
}

function groupOf(members: Record<string, FileNode>): FileGroup {
  return {
    kind: "group",
    attributes: () => ({}),
    members: () => Object.keys(members),
    member: (name) => members[name],
  };
}

interface Requests {
  readonly file: ByteReader;
  readonly seen: [offset: number, length: number][];
}

function source(etag = { now: "1" }): Requests {
  const seen: Requests["seen"] = [];
  const inner = byteReader(bytes, {});
  const read: ByteReader["read"] = async (range, options) => {
    if (range && "offset" in range) seen.push([range.offset, range.length]);
    checkVersion(options.version, { etag: etag.now, size: bytes.byteLength }, "a.bin");
    return inner.read(range, { ...options, version: undefined });
  };
  return { file: { name: "a.bin", read }, seen };
}

function storeOf(root: FileNode, file = source().file) {
  const warnings: ZarrWarning[] = [];
  return { store: new ArrayFileStore(file, root, { onWarning: (one) => warnings.push(one) }), warnings };
}

const read = async (store: Store, path = ""): Promise<number[]> => {
  const array = await open(store, { path, kind: "array" });
  return [...((await get(array)).data as Uint8Array)];
};

describe("members", () => {
  it("whose names cannot be in keys are left out, with a warning", async () => {
    const array = arrayOf(1, 1, () => undefined);
    const names = ["a", ".", "..", "", "a/b", "zarr.json", ".zgroup", "tab\t", "é", "c", "a"];
    const root = { ...groupOf(Object.fromEntries(names.map((name) => [name, array]))), members: () => names };
    const { store, warnings } = storeOf(root);
    expect(await store.listChildren("")).toEqual(["a", "é", "c"]);
    expect(warnings.map(({ code }) => code)).toEqual(Array(7).fill("bad-member"));
    expect(await read(store, "c")).toEqual([9]);
    expect((await errorOf(() => open(store, { path: "zarr.json" })))._tag).toBe("NotFound");
  });

  it("that contain themselves are left out", async () => {
    const members: Record<string, FileNode> = { x: arrayOf(1, 1, () => undefined) };
    const inner = groupOf(members);
    members["again"] = inner;
    const { store } = storeOf(groupOf({ inner }));
    expect(await read(store, "inner/x")).toEqual([9]);
    expect((await errorOf(() => open(store, { path: "inner/again" })))._tag).toBe("NotFound");
  });

  it("that cannot be described do not hide the others", async () => {
    const bad: FileArray = {
      kind: "array",
      describe: () => {
        throw unsupported("no form");
      },
      chunk: () => undefined,
    };
    const { store } = storeOf(groupOf({ bad, good: arrayOf(1, 1, () => undefined) }));
    const found: string[] = [];
    const group = await open(store, { kind: "group", onWarning: ({ message }) => found.push(message) });
    expect((await group.members()).map(({ name }) => name)).toEqual(["good"]);
    expect(found).toEqual([expect.stringContaining('"/bad" is left out: no form')]);
    expect((await errorOf(() => open(store, { path: "bad" }))).message).toContain("no form");
    expect(await read(store, "good")).toEqual([9]);
  });
});

describe("chunks", () => {
  it("are ranges, bytes or several of them; missing ones have the fill value", async () => {
    const parts: FileChunk[] = [
      { offset: 10, length: 2 },
      { bytes: Uint8Array.of(1, 2) },
      { parts: [{ offset: 20, length: 1 }, { bytes: Uint8Array.of(3) }] },
    ];
    const { store } = storeOf(arrayOf(8, 2, (at) => parts[at]));
    expect(await read(store)).toEqual([10, 11, 1, 2, 20, 3, 9, 9]);
  });

  it("of adjacent parts are one request", async () => {
    const { file, seen } = source();
    const parts = Array.from({ length: 4 }, (_, i) => ({ offset: 1000 + 20_000 * i, length: 20_000 }));
    const { store } = storeOf(
      arrayOf(80_000, 80_000, () => ({ parts })),
      file,
    );
    expect(await read(store)).toEqual([...bytes.subarray(1000, 81_000)]);
    expect(seen).toEqual([[1000, 80_000]]);
  });

  it("that are small and close together are one request", async () => {
    const { file, seen } = source();
    const { store } = storeOf(
      arrayOf(900, 10, (at) => ({ offset: 100 * at, length: 10 })),
      file,
    );
    const array = await open(store, { kind: "array" });
    for (let at = 0; at < 90; at++) await get(array, [at]);
    expect(seen).toHaveLength(1);
  });

  it("next to one another are read together", async () => {
    const { file, seen } = source();
    const { store } = storeOf(
      arrayOf(160_000, 40_000, (at) => ({ offset: 40_000 * at, length: 40_000 })),
      file,
    );
    expect((await read(store)).length).toBe(160_000);
    expect(seen).toEqual([[0, 160_000]]);
  });

  it.each([
    [199_999, 2],
    [2 ** 52, 2],
    [-1, 2],
    [0.5, 2],
    [150_000, 60_000],
  ])("beyond the end of the file are not read: %d, %d bytes", async (offset, length) => {
    const { file, seen } = source();
    const { store } = storeOf(
      arrayOf(length, length, () => ({ offset, length })),
      file,
    );
    const error = await errorOf(() => read(store));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-file"]);
    expect(seen.every(([, wanted]) => wanted <= 2 ** 17)).toBe(true);
  });

  it("longer than a chunk can be are refused", async () => {
    const { store } = storeOf(arrayOf(10, 10, () => ({ parts: [{ offset: 0, length: 150_000 }] })));
    expect((await errorOf(() => read(store)))._tag).toMatch(/LimitExceeded|CorruptChunk/);
  });

  it("of a changed file are not mixed with others", async () => {
    const etag = { now: "1" };
    const { file } = source(etag);
    const { store } = storeOf(
      arrayOf(160_000, 40_000, (at) => ({ offset: 40_000 * at, length: 40_000 })),
      file,
    );
    const array = await open(store, { kind: "array" });
    await get(array, [0]);
    etag.now = "2";
    const error = await errorOf(() => get(array, [50_000]));
    expect([error._tag, error.code]).toEqual(["Network", "changed"]);
  });

  it("with other keys do not exist", async () => {
    const { store } = storeOf(arrayOf(4, 2, () => ({ offset: 0, length: 2 })));
    for (const key of ["/c", "/c/2", "/c/00", "/c/0/0", "/c/-1", "/0", "/.zarray", "/c/zarr.json", "/c/1e0"])
      expect(await store.get(key)).toBeUndefined();
    expect(await store.get("/c/1")).toHaveLength(2);
    expect(await store.getRange("/c/1", { suffixLength: 1 })).toEqual(bytes.subarray(1, 2));
    expect(await store.getRange("/zarr.json", { offset: 0, length: 1 })).toEqual(Uint8Array.of(123));
  });
});
