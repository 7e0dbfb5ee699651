// Folders and archives dropped on the viewer's page, or chosen there, in the forms that browsers provide.
import { describe, expect, it } from "vitest";
import { create, createGroup, get, isZarrError, MapStore, open, type Store, set, ZipWriter } from "zarr-wasm";
import {
  type Dropped,
  type NotDropped,
  openStores,
  storeOfHandle,
  storesOfFiles,
  type TransferItem,
} from "../../../web/viewer/source/drop.ts";
import type { FileEntry, FolderEntry } from "../../../web/viewer/source/local-files.ts";
import { MemoryDirectoryHandle } from "../support/directory-mock.js";

/** A group with an array of Zarr v3 in shards, so that parts of objects are read. */
async function sample(): Promise<Map<string, Uint8Array>> {
  const store = new MapStore();
  await createGroup(store, { attributes: { title: "sample" } });
  const array = await create(store, {
    path: "a/b",
    shape: [8, 8],
    chunkShape: [2, 2],
    shardShape: [4, 8],
    dtype: "int16",
  });
  await set(
    array,
    null,
    Int16Array.from({ length: 64 }, (_, i) => i),
  );
  const objects = new Map<string, Uint8Array>();
  for (const key of store.list("")) objects.set(key, (await store.get(key))!);
  return objects;
}
const objects = await sample();

const file = (bytes: Uint8Array | string, name: string, webkitRelativePath = ""): File => {
  const made = new File([bytes as Uint8Array<ArrayBuffer>], name);
  Object.defineProperty(made, "webkitRelativePath", { value: webkitRelativePath });
  return made;
};
const nameOf = (key: string) => key.slice(key.lastIndexOf("/") + 1);

async function archive(): Promise<File> {
  const pieces: Uint8Array[] = [];
  const writer = new ZipWriter((piece) => void pieces.push(piece));
  for (const [key, bytes] of objects) await writer.set(key, bytes);
  await writer.close();
  return new File(pieces as Uint8Array<ArrayBuffer>[], "sample.zarr.zip");
}

/** The File and Directory Entries API as implemented by browsers: batches of entries, errors identified by name. */
class Entries {
  asked: string[] = [];
  constructor(
    readonly files: ReadonlyMap<string, Uint8Array>,
    readonly portion = 1,
  ) {}

  folder(path: string): FolderEntry {
    const at = (below: string) => (path === "" ? below : `${path}/${below}`);
    const find = (
      below: string,
      isWanted: boolean,
      done: (entry: never) => void,
      failed: (error: DOMException) => void,
    ) => {
      this.asked.push(at(below));
      const isFile = this.files.has(`/${at(below)}`);
      const isFolder = [...this.files.keys()].some((key) => key.startsWith(`/${at(below)}/`));
      const name =
        !isFile && !isFolder ? "NotFoundError" : isFile === isWanted ? undefined : "TypeMismatchError";
      setTimeout(() =>
        name
          ? failed(new DOMException(name, name))
          : done((isFile ? this.file(at(below)) : this.folder(at(below))) as never),
      );
    };
    return {
      isDirectory: true,
      name: path === "" ? "dropped.zarr" : nameOf(path),
      getFile: (below, _, done, failed) => find(below, true, done as never, failed),
      getDirectory: (below, _, done, failed) => find(below, false, done as never, failed),
      createReader: () => {
        const prefix = path === "" ? "/" : `/${path}/`;
        const keys = [...this.files.keys()]
          .filter((key) => key.startsWith(prefix))
          .map((key) => key.slice(prefix.length));
        const left = [...new Set(keys.map((key) => key.split("/")[0]!))];
        return {
          readEntries: (done) => {
            const names = left.splice(0, this.portion);
            setTimeout(() =>
              done(
                names.map((name) =>
                  this.files.has(prefix + name) ? this.file(at(name)) : this.folder(at(name)),
                ),
              ),
            );
          },
        };
      },
    };
  }

  file(path: string): FileEntry {
    const bytes = this.files.get(`/${path}`)!;
    return {
      isDirectory: false,
      name: nameOf(path),
      file: (done) => setTimeout(() => done(file(bytes, nameOf(path)))),
    };
  }
}

const item = (more: Partial<TransferItem>): TransferItem => ({
  kind: "file",
  getAsFile: () => null,
  ...more,
});

function storeIn([found]: readonly (Dropped | NotDropped)[]): Store {
  if (!found || "refused" in found) throw new Error(found?.refused ?? "nothing");
  return found.store;
}

async function check(store: Store): Promise<void> {
  const group = await open(store, { kind: "group" });
  expect(group.attributes).toEqual({ title: "sample" });
  const array = await group.open("a/b", { kind: "array" });
  expect(Array.from((await get(array, [5, null])).data as Int16Array)).toEqual([
    40, 41, 42, 43, 44, 45, 46, 47,
  ]);
  expect((await group.members()).map(({ name }) => name)).toEqual(["a"]);
  expect(isZarrError(await group.open("none").catch((error: unknown) => error), "NotFound")).toBe(true);
  expect(await store.get("/a/b")).toBeUndefined();
  expect(await store.get("/a/b/zarr.json/x")).toBeUndefined();
  const end = await store.getRange?.("/a/b/zarr.json", { suffixLength: 3 });
  expect(end).toEqual(objects.get("/a/b/zarr.json")!.slice(-3));
}

async function directoryHandle(): Promise<MemoryDirectoryHandle> {
  const root = new MemoryDirectoryHandle();
  for (const [key, bytes] of objects) {
    let folder = root;
    const names = key.slice(1).split("/");
    for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true });
    const stream = await (await folder.getFileHandle(names.at(-1)!, { create: true })).createWritable!();
    await stream.write(bytes as Uint8Array<ArrayBuffer>);
    await stream.close();
  }
  return root;
}

describe("a dropped item", () => {
  it("is a folder as a handle", async () => {
    const handle = await directoryHandle();
    await check(
      storeIn(await openStores({ items: [item({ getAsFileSystemHandle: async () => handle as never })] })),
    );
    await check(storeIn([await storeOfHandle(handle as never)]));
  });

  it.each([1, 100])("is a folder as entries, listed %i at a time", async (portion) => {
    const entries = new Entries(objects, portion);
    const found = await openStores({ items: [item({ webkitGetAsEntry: () => entries.folder("") })] });
    expect(found[0]!.name).toBe("dropped.zarr");
    await check(storeIn(found));
  });

  it("is an archive, however it is called and handed over", async () => {
    const zip = await archive();
    await check(storeIn(await openStores({ items: [item({ getAsFile: () => zip })] })));
    await check(storeIn(await openStores({ files: [zip] })));
    const handle = { kind: "file", name: zip.name, getFile: async () => zip } as never;
    await check(storeIn(await openStores({ items: [item({ getAsFileSystemHandle: async () => handle })] })));
    await check(storeIn(await storesOfFiles([new File([zip], "renamed.bin")])));
  });

  it("falls back to the file if a handle is refused", async () => {
    const zip = await archive();
    const refused = item({
      getAsFile: () => zip,
      getAsFileSystemHandle: () => Promise.reject(new DOMException("no", "NotAllowedError")),
    });
    await check(storeIn(await openStores({ items: [refused] })));
  });

  it("is read before anything is awaited", async () => {
    let isOver = false;
    const zip = await archive();
    const items = [1, 2, 3].map(() =>
      item({
        getAsFile: () => {
          if (isOver) throw new Error("asked too late");
          return zip;
        },
      }),
    );
    const waiting = openStores({ items });
    isOver = true;
    expect(await waiting).toHaveLength(3);
  });

  it("is a file of references", async () => {
    const refs = Object.fromEntries(
      [...objects]
        .filter(([key]) => key.endsWith(".json"))
        .map(([key, bytes]) => [key.slice(1), new TextDecoder().decode(bytes)]),
    );
    const store = storeIn(await storesOfFiles([file(JSON.stringify({ version: 1, refs }), "refs.json")]));
    expect((await open(store, { kind: "group" })).attributes).toEqual({ title: "sample" });
  });

  it("is ignored if it is text, or empty", async () => {
    expect(await openStores({ items: [{ kind: "string", getAsFile: () => null }] })).toEqual([]);
    expect(await openStores({})).toEqual([]);
    expect(await openStores({ items: [item({})] })).toEqual([]);
  });

  it.each([
    ["picture.png", "\x89PNG", /has an unknown format; supported are NetCDF, HDF5, TIFF/],
    ["empty.zip", "", /has an unknown format; supported are NetCDF, HDF5, TIFF/],
    ["broken.json", "{", /cannot be opened/],
    ["other.json", '{"version":"9.1"}', /cannot be opened/],
    ["zarr.json", "{}", /drop the folder that it is in/],
    [".zarray", "{}", /drop the folder that it is in/],
  ])("refuses %s with a reason", async (name, text, reason) => {
    const [found] = await storesOfFiles([file(text, name)]);
    expect(found && "refused" in found ? found.refused : found).toMatch(reason);
  });

  it("reports once that parts of a node need their folder", async () => {
    const found = await storesOfFiles([file("{}", "zarr.json"), file("x", "0"), file("y", "1")]);
    expect(found).toEqual([
      { name: "zarr.json", refused: "zarr.json is a part of a Zarr node: drop the folder that it is in." },
    ]);
  });
});

describe("a chosen item", () => {
  it("is a folder as a list of files", async () => {
    const files = [...objects].map(([key, bytes]) => file(bytes, nameOf(key), `chosen.zarr${key}`));
    const found = await storesOfFiles(files);
    expect(found[0]!.name).toBe("chosen.zarr");
    await check(storeIn(found));
  });
});

describe("files that cannot be read", () => {
  const failing = Object.assign(file("123456", "0", "x/0"), {
    slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("changed", "NotReadableError")) }),
  });

  it("are Network errors, never missing objects", async () => {
    const store = storeIn(await storesOfFiles([failing]));
    await expect(store.get("/0")).rejects.toMatchObject({ _tag: "Network", code: "file-failed" });
    const entries = new Entries(objects);
    const root = {
      ...entries.folder(""),
      getFile: (_: string, __: unknown, ___: unknown, failed: (e: DOMException) => void) =>
        failed(new DOMException("", "SecurityError")),
    };
    const dropped = storeIn(await openStores({ items: [item({ webkitGetAsEntry: () => root })] }));
    await expect(dropped.get("/zarr.json")).rejects.toMatchObject({ _tag: "Network", code: "file-failed" });
  });

  it("are not read if they are too long, or the reader has aborted", async () => {
    const store = storeIn(await storesOfFiles([file("0123456789", "c", "x/c")]));
    await expect(store.get("/c", { maxBytes: 9 })).rejects.toMatchObject({ _tag: "LimitExceeded" });
    expect(await store.getRange!("/c", { offset: 8, length: 5 })).toEqual(new TextEncoder().encode("89"));
    expect(await store.getRange!("/c", { offset: 20, length: 5 })).toEqual(new Uint8Array());
    await expect(store.get("/c", { signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone");
  });
});
