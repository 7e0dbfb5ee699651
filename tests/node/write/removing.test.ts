// Deleting nodes: only Zarr nodes are deleted, refusals delete nothing, and interrupted deletions can be resumed.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import {
  consolidate,
  create,
  createGroup,
  DirectoryHandleStore,
  deleteNode,
  get,
  HttpStore,
  MapStore,
  open,
  type Store,
  set,
  slice,
  WritableHttpStore,
  ZipWriter,
} from "zarr-wasm";
import { writeMultiscale } from "zarr-wasm/conventions";
import { ReferenceStore } from "zarr-wasm/formats";
import { FileSystemStore } from "zarr-wasm/node";
import { create as createByZarrita, root as rootOf } from "zarr-wasm/zarrita";
import { writeObject } from "#src/store/write.js";
import { skipFor } from "../../shared/skips.js";
import { MemoryDirectoryHandle } from "../support/directory-mock.js";
import { S3Server } from "../support/s3-server.js";
import { bytesOf, errorOf } from "../support/support.js";
import { keysOf, tempFolder } from "../support/writing-tools.js";

const folder = tempFolder("removing");
const server = await new S3Server().start();
afterAll(() => server.close());

const place = () => mkdtempSync(path.join(folder, "place-"));
const files = () => {
  const root = place();
  return { root, store: new FileSystemStore(root) };
};
let count = 0;
const bucket = () => new WritableHttpStore(`${server.url}/${++count}/data.zarr`, { bucket: server.url });

const stores: [string, () => Store][] = [
  ["Map", () => new Map<string, Uint8Array>() as Store],
  ["MapStore", () => new MapStore()],
  ["FileSystemStore", () => files().store],
  ["DirectoryHandleStore", () => new DirectoryHandleStore(new MemoryDirectoryHandle())],
  ["WritableHttpStore", bucket],
];

const small = { shape: [4, 4], chunkShape: [2, 2], dtype: "uint8", codecs: "none" } as const;
const image = { data: new Uint8Array(16), shape: [4, 4] };

/** A group with two arrays of four chunks. */
async function tree(store: Store, at = "g", zarrFormat: 2 | 3 = 3): Promise<void> {
  for (const name of ["a", "h/b"])
    await set(await create(store, { ...small, path: `${at}/${name}`, zarrFormat }), null, 7);
}

/** All calls that delete the node at a path. */
const deletions: [string, (store: Store, path: string) => Promise<unknown>][] = [
  ["deleteNode", (store, at) => deleteNode(store, at)],
  ["create", (store, at) => create(store, { ...small, path: at, overwrite: true })],
  ["createGroup", (store, at) => createGroup(store, { path: at, overwrite: true })],
  ["writeMultiscale", (store, at) => writeMultiscale(store, image, { path: at, overwrite: true })],
];

describe.each(stores)("%s", (_name, make) => {
  it.each(deletions)(
    "%s refuses files that belong to no node, and deletes nothing",
    async (_what, remove) => {
      const store = make();
      await tree(store);
      await tree(store, "beside");
      for (const key of ["/g/notes.txt", "/g/a/c/0/0.bak", "/g/h/2024/01/05", "/g/h/b/c/01/1", "/g/x/1"])
        await writeObject(store, key, bytesOf("mine"));
      const before = await keysOf(store);
      const error = await errorOf(() => remove(store, "g"));
      expect(error).toMatchObject({ _tag: "NotAllowed", code: "foreign-files" });
      expect(error.message).toMatch(/: "[\w./]+", "[\w./]+", "[\w./]+" and 2 more; nothing was deleted/);
      expect(await keysOf(store)).toEqual(before);
    },
  );

  it.each(deletions)("%s refuses a folder without a Zarr document", async (what, remove) => {
    const store = make();
    await createGroup(store);
    for (const name of ["README", "meta", "c/0", "1/0"])
      await writeObject(store, `/g/${name}`, bytesOf("mine"));
    await tree(store, "data"); // of nodes, and no node itself
    await store.delete!("/data/zarr.json");
    const before = await keysOf(store);
    const error = await errorOf(() => remove(store, "g"));
    if (what === "deleteNode") expect(error).toMatchObject({ _tag: "NotFound" });
    else {
      expect(error).toMatchObject({ _tag: "NotAllowed", code: "not-zarr" });
      expect(error.message).toMatch(/is not a Zarr node and holds "[\w/]+", "[\w/]+", "[\w/]+" and 1 more;/);
      expect(await errorOf(() => remove(store, "data"))).toMatchObject({ code: "not-zarr" });
    }
    expect(await keysOf(store)).toEqual(before);
  });

  it.each(deletions)("%s deletes nodes of all kinds and nothing beside them", async (what, remove) => {
    const store = make();
    await createGroup(store);
    await tree(store);
    await create(store, { ...small, path: "g/v2/old", zarrFormat: 2 }).catch(() => {});
    await consolidate(store, { path: "g" });
    await tree(store, "gg");
    await store.delete!("/g/h/zarr.json"); // a folder of nodes without a document
    const beside = (await keysOf(store)).filter((key) => !key.startsWith("/g/"));
    await remove(store, "g");
    const left = await keysOf(store);
    expect(left.filter((key) => !key.startsWith("/g/"))).toEqual(beside);
    const own = left.filter((key) => key.startsWith("/g/"));
    if (what === "deleteNode") expect(own).toEqual([]);
    if (what === "createGroup" || what === "create") expect(own).toEqual(["/g/zarr.json"]);
    expect(own.some((key) => /tmp|\/a\/|\/h\//.test(key))).toBe(false);
  });

  it("overwrites missing and empty paths, and unfinished files", async () => {
    const store = make();
    for (const name of [
      `.zw-${"0a".repeat(16)}.tmp`,
      ".zw-lock012345678901234567890123.tmp",
      ".zw-writer012345678901234567890123.tmp",
    ])
      await writeObject(store, `/g/${name}`, bytesOf("x"));
    await create(store, { ...small, path: "g", overwrite: true });
    await create(store, { ...small, path: "new", overwrite: true });
    expect((await open(store, { path: "g" })).kind).toBe("array");
    await create(store, { ...small, path: "g", overwrite: true });
    expect(await keysOf(store, "g")).toContain("/g/zarr.json");
  });

  it("deletes documents before chunks, and can be resumed after an interruption", async () => {
    for (const at of ["g", ""]) {
      const store = make();
      await tree(store, at);
      const array = await create(store, { ...small, path: `${at}/h/s`, chunkKeyEncoding: suffix });
      await set(array, null, 7);
      const prefix = at === "" ? "/" : `/${at}/`;
      const remove = store.delete!.bind(store);
      let chunks = 0;
      const limited = (key: string) => {
        if (!/(zarr\.json|\.tmp)$/.test(key) && ++chunks > 3) throw new Error("interrupted");
        return remove(key);
      };
      Object.defineProperty(store, "delete", { value: limited, configurable: true, writable: true });
      expect((await errorOf(() => deleteNode(store, `/${at}`))).message).toContain("interrupted");
      const left = (await keysOf(store)).filter((key) => key.startsWith(prefix));
      expect(left.filter((key) => key.endsWith("zarr.json"))).toEqual([]);
      expect(left.length).toBeGreaterThan(5);
      // A file that was added in between is safe.
      await writeObject(store, `${prefix}h/notes`, bytesOf("mine"));
      Object.defineProperty(store, "delete", { value: remove, configurable: true, writable: true });
      expect(await errorOf(() => create(store, { ...small, path: at, overwrite: true }))).toMatchObject({
        code: "foreign-files",
        message: expect.stringContaining('"h/notes"'),
      });
      await store.delete!(`${prefix}h/notes`);
      if (at === "") await deleteNode(store, "/");
      else await create(store, { ...small, path: at, overwrite: true });
      const after = (await keysOf(store)).filter((key) => key.startsWith(prefix));
      expect(after).toEqual(at === "" ? [] : [`${prefix}zarr.json`]);
    }
  });
});

const suffix = { name: "suffix", suffix: ".bin" } as const;

describe("chunks", () => {
  it.each([
    ["v1", { zarrFormat: 1 }, "3.7", "0.0.0"],
    ["v2", { zarrFormat: 2 }, "3.7", "0/0"],
    ["v2 with folders", { zarrFormat: 2, chunkKeyEncoding: { separator: "/" } }, "3/7", "0.0"],
    ["v3", {}, "c/3/7", "3/7"],
    ["v3 with dots", { chunkKeyEncoding: { separator: "." } }, "c.3.7", "c/0/0"],
    ["v3 with keys of v2", { chunkKeyEncoding: { name: "v2" } }, "3.7", "c/0/0"],
    ["v3 with a suffix", { chunkKeyEncoding: suffix }, "c/3/7.bin", "c/3/7"],
    ["v3 with fanout", { chunkKeyEncoding: { name: "fanout" } }, "c/0/003/0/007", "c/0/3/0/7"],
    ["scalars of v2", { zarrFormat: 2, shape: [], chunkShape: [] }, "0", "0.0"],
    ["scalars of v3", { shape: [], chunkShape: [] }, "c", "c/0"],
  ] as [string, object, string, string][])(
    "of %s belong to their array, others do not",
    async (_name, options, own, other) => {
      const store = new MapStore();
      await create(store, { ...small, ...options, path: "a" });
      store.set(`/a/${own}`, bytesOf("x"));
      store.set(`/a/${other}`, bytesOf("x"));
      expect(await errorOf(() => deleteNode(store, "a"))).toMatchObject({
        code: "foreign-files",
        message: expect.stringContaining(`: "${other}";`),
      });
      store.delete(`/a/${other}`);
      await deleteNode(store, "a");
      expect(await keysOf(store, "a")).toEqual([]);
    },
  );

  it("of arrays whose documents cannot be read belong to them if they look like chunks", async () => {
    for (const [name, text] of [
      ["zarr.json", "{"],
      [
        "zarr.json",
        '{"zarr_format": 3, "node_type": "array", "shape": [1], "chunk_key_encoding": {"name": "new"}}',
      ],
      [".zarray", ""],
    ] as const) {
      const store = new MapStore();
      for (const key of [name, "c/0/0", "0.1", "1/2"])
        store.set(`/a/${key}`, bytesOf(key === name ? text : "x"));
      store.set("/a/c/x", bytesOf("x"));
      expect(await errorOf(() => deleteNode(store, "a"))).toMatchObject({
        message: expect.stringContaining(': "c/x";'),
      });
      store.delete("/a/c/x");
      await deleteNode(store, "a");
      expect(await keysOf(store)).toEqual([]);
    }
  });

  it("of v2 without a separator in the document may have either", async () => {
    const store = new MapStore();
    await create(store, { ...small, zarrFormat: 2 });
    const { dimension_separator: _, ...document } = JSON.parse(
      new TextDecoder().decode(store.get("/.zarray")!),
    );
    store.set("/.zarray", bytesOf(JSON.stringify(document)));
    for (const key of ["/0.1", "/1/1"]) store.set(key, bytesOf("x"));
    await deleteNode(store, "/");
    expect(await keysOf(store)).toEqual([]);
  });

  it("may be more than are remembered", async () => {
    const store = new MapStore();
    await create(store, { path: "a", shape: [200_000], chunkShape: [1], dtype: "uint8" });
    for (let i = 0; i < 100_100; i++) store.entries.set(`/a/c/${i}`, bytesOf(""));
    await deleteNode(store, "a");
    expect([...store.entries.keys()]).toEqual(["/zarr.json"]);
  });
});

describe("files named like documents of Zarr v1", () => {
  it("are not documents unless they are valid", async () => {
    const store = new MapStore();
    for (const name of ["meta", "attrs"]) store.set(`/a/${name}`, bytesOf("my notes"));
    expect(await errorOf(() => deleteNode(store, "a"))).toMatchObject({ _tag: "NotFound" });
    expect(await errorOf(() => createGroup(store, { path: "a", overwrite: true }))).toMatchObject({
      code: "not-zarr",
    });
    store.set("/a/zarr.json", bytesOf('{"zarr_format": 3, "node_type": "group"}'));
    expect((await errorOf(() => deleteNode(store, "a"))).message).toContain('"meta", "attrs"');
    // zarrita's create replaces documents without checking.
    await createByZarrita(rootOf(store).resolve("/a"), { shape: [2], chunkShape: [1], dtype: "uint8" });
    expect(await keysOf(store)).toEqual(["/a/attrs", "/a/meta", "/a/zarr.json"]);
    await create(store, { ...small, path: "old", zarrFormat: 1 });
    await deleteNode(store, "old");
    expect(await keysOf(store, "old")).toEqual([]);
  });
});

describe("consolidated metadata above", () => {
  it.each([2, 3] as const)("of v%i loses a node before its chunks are deleted", async (zarrFormat) => {
    const store = new MapStore();
    await createGroup(store, { zarrFormat });
    await tree(store, "g", zarrFormat);
    await consolidate(store);
    store.delete = (key) => {
      if (/\d$/.test(key)) throw new Error("interrupted");
      MapStore.prototype.delete.call(store, key);
    };
    for (const remove of [
      () => deleteNode(store, "g"),
      () => createGroup(store, { path: "g/h", overwrite: true }),
    ]) {
      await errorOf(remove);
      const group = await open(store, { kind: "group" });
      for (const name of ["g/a", "g/h/b"])
        expect(await errorOf(() => group.open(name))).toMatchObject({ _tag: "NotFound" });
    }
  });
});

it("a store that cannot list deletes no nodes", async () => {
  const entries = new MapStore();
  await tree(entries);
  const store: Store = {
    get: (key) => entries.get(key),
    set: (key, value) => entries.set(key, value),
    delete: (key) => entries.delete(key),
    deletePrefix: (at) => entries.deletePrefix(at),
  };
  const before = await keysOf(entries);
  for (const [, remove] of deletions)
    expect(await errorOf(() => remove(store, "g"))).toMatchObject({ _tag: "ReadOnly", code: "no-delete" });
  expect(await keysOf(entries)).toEqual(before);
});

it("a listing that lags behind does not keep documents", async () => {
  const store = bucket();
  await tree(store);
  const list = store.list!;
  const late = async function* (at: string) {
    for await (const key of list(at)) if (!key.endsWith("/g/zarr.json")) yield key;
  };
  const entries = async function* (at: string) {
    for await (const key of late(at)) yield [{ key, kind: "object" as const }];
  };
  Object.assign(store, { list: late, everythingBelow: entries });
  await create(store, { ...small, path: "g", overwrite: true });
  expect((await open(store, { path: "g" })).kind).toBe("array");
});

it("an archive that is being written keeps all or nothing", async () => {
  const writer = new ZipWriter(() => {});
  await create(writer, { ...small, path: "a" });
  await create(writer, { ...small, path: "a", overwrite: true });
  await set(await create(writer, { ...small, path: "b" }), [slice(0, 2), slice(0, 2)], 1);
  const before = [...writer.list("")];
  expect(await errorOf(() => create(writer, { ...small, path: "b", overwrite: true }))).toMatchObject({
    code: "append-only",
  });
  expect([...writer.list("")]).toEqual(before);
});

describe("folders", skipFor(process.platform === "win32" ? "does not run on win32" : undefined), () => {
  /** Names and kinds of everything in a folder. */
  const everything = (root: string) => readdirSync(root, { recursive: true }).map(String).sort();

  it.each([
    ["hidden files", (at: string) => writeFileSync(path.join(at, ".secret"), "x"), ".secret"],
    ["names that no key can have", (at: string) => writeFileSync(path.join(at, "a\nb"), "x"), "a\\nb"],
    ["folders with such names", (at: string) => mkdirSync(path.join(at, "a\tb")), "a\\tb"],
    ["pipes", (at: string) => execFileSync("mkfifo", [path.join(at, "0")]), "0"],
    ["links to folders", (at: string) => symlinkSync(place(), path.join(at, "link")), "link"],
    ["dangling links", (at: string) => symlinkSync("nowhere", path.join(at, "link")), "link"],
    [
      "folders named like unfinished files",
      (at: string) => {
        mkdirSync(path.join(at, ".zw-a.tmp"));
        writeFileSync(path.join(at, ".zw-a.tmp/notes"), "x");
      },
      ".zw-a.tmp/notes",
    ],
  ])("with %s are left alone", async (_what, add, name) => {
    const { root, store } = files();
    await tree(store);
    add(path.join(root, "g/h"));
    const before = everything(root);
    for (const [, remove] of deletions)
      expect((await errorOf(() => remove(store, "g"))).message).toContain(`: "h/${name}";`);
    expect(everything(root)).toEqual(before);
  });

  it("lose links, and keep their targets", async () => {
    const { root, store } = files();
    const other = files();
    await tree(store);
    await tree(other.store, "o");
    const before = everything(other.root);
    symlinkSync(path.join(other.root, "o"), path.join(root, "g/node"));
    rmSync(path.join(root, "g/a/c"), { recursive: true });
    symlinkSync(path.join(other.root, "o/a/c"), path.join(root, "g/a/c"));
    rmSync(path.join(root, "g/h/b/c/0/0"));
    symlinkSync("not fetched yet", path.join(root, "g/h/b/c/0/0"));
    symlinkSync(path.join(root, "g"), path.join(root, "link"));
    await deleteNode(store, "link"); // of the link only that goes
    expect(readdirSync(root)).toEqual(["g", "zarr.json"]);
    await deleteNode(store, "g");
    expect(readdirSync(root)).toEqual(["zarr.json"]);
    expect(everything(other.root)).toEqual(before);
  });

  it("that are empty are removed", async () => {
    const { root, store } = files();
    await tree(store);
    mkdirSync(path.join(root, "g/a/c/7/8"), { recursive: true });
    mkdirSync(path.join(root, "g/new/and/empty"), { recursive: true });
    await createGroup(store, { path: "g", overwrite: true });
    expect(everything(root)).toEqual(["g", "g/zarr.json", "zarr.json"]);
    mkdirSync(path.join(root, "lost+found"));
    await createGroup(store, { overwrite: true }); // the root of a volume
    await deleteNode(store, "/");
    expect(readdirSync(root)).toEqual(["lost+found"]);
  });

  it("above the working directory or the home folder are never emptied", () => {
    const { root } = files();
    mkdirSync(path.join(root, "home/me"), { recursive: true });
    mkdirSync(path.join(root, "work/deep/er"), { recursive: true });
    for (const name of ["", "home", "home/me", "work", "work/deep", "work/deep/er"])
      writeFileSync(path.join(root, name, "zarr.json"), '{"zarr_format": 3, "node_type": "group"}');
    symlinkSync(root, path.join(root, "work/deep/er/link"));
    const script = `
      import { create, createGroup, deleteNode } from "zarr-wasm";
      import { FileSystemStore } from "zarr-wasm/node";
      const codes = [];
      const note = (work) => work.then(() => codes.push("done"), (error) => codes.push(error.code));
      for (const name of ["", "home", "home/me", "work", "work/deep", "work/deep/er/link/work"]) {
        const store = () => new FileSystemStore(${JSON.stringify(`${root}/`)} + name);
        await note(deleteNode(store(), "/"));
        await note(createGroup(store(), { overwrite: true }));
        await note(create(store(), { shape: [1], dtype: "uint8", overwrite: true }));
        await note(store().deletePrefix(""));
        await note(new FileSystemStore(${JSON.stringify(root)}).deletePrefix(name));
      }
      await note(deleteNode(new FileSystemStore("."), "/"));
      console.log(JSON.stringify(codes));`;
    const file = path.join(import.meta.dirname, `../../../build/tmp/removing-${process.pid}.mjs`);
    writeFileSync(file, script);
    const { stdout } = spawnSync(process.execPath, [file], {
      cwd: path.join(root, "work/deep/er"),
      env: { ...process.env, HOME: path.join(root, "home/me") },
      encoding: "utf8",
    });
    rmSync(file);
    const codes = JSON.parse(stdout) as string[];
    expect(new Set(codes.slice(0, -1))).toEqual(new Set(["protected-folder"]));
    // The working directory itself is not protected.
    expect(codes.at(-1)).toBe("done");
    expect(everything(root).filter((name) => name.endsWith("zarr.json"))).toHaveLength(5);
  });
});

describe("the source is not deleted", () => {
  const options = { path: "g", overwrite: true, axes: ["y", "x"], levels: 2 };
  const arrayIn = (store: Store, at = "g/a") => open(store, { path: at, kind: "array" });
  const isSource = expect.objectContaining({ _tag: "NotAllowed", code: "is-source" });

  it(
    "through another store of the same folder, or a link",
    skipFor(process.platform === "win32" ? "does not run on win32" : undefined),
    async () => {
      const { root, store } = files();
      const other = files();
      await tree(store);
      await tree(other.store);
      rmSync(path.join(other.root, "g/h/b/c"), { recursive: true });
      symlinkSync(path.join(root, "g/a/c"), path.join(other.root, "g/h/b/c"));
      symlinkSync(path.join(root, "g"), path.join(other.root, "link"));
      linkSync(path.join(root, "g/zarr.json"), path.join(other.root, "hard"));
      const sources = [
        await arrayIn(new FileSystemStore(pathToFileURL(root))),
        await arrayIn(new FileSystemStore(path.join(root, "g")), "a"),
        await arrayIn(other.store, "g/h/b"),
        await arrayIn(other.store, "link/a"),
      ];
      for (const source of sources) {
        expect(await errorOf(() => writeMultiscale(store, source, options))).toEqual(isSource);
        const like = { like: source, path: "g", overwrite: true };
        expect(await errorOf(() => create(store, like))).toEqual(isSource);
        expect(new Set((await get(source)).data as Uint8Array)).toEqual(new Set([7]));
      }
      const beside = await arrayIn(other.store, "g/a");
      expect((await writeMultiscale(store, beside, options)).kind).toBe("group");
    },
  );

  it("in one store, above the array", async () => {
    const store = new MapStore();
    await tree(store);
    const array = await arrayIn(store);
    expect(await errorOf(() => create(store, { like: array, path: "g", overwrite: true }))).toEqual(isSource);
    // The array itself is meant to be replaced.
    await create(store, { like: array, path: "g/a", overwrite: true });
    expect(new Set((await get(array)).data as Uint8Array)).toEqual(new Set([0]));
  });

  it("through handles of a browser's folders in one another", async () => {
    const root = new MemoryDirectoryHandle();
    const store = new DirectoryHandleStore(root);
    await tree(store);
    const inner = new DirectoryHandleStore(await root.getDirectoryHandle("g"));
    expect(await errorOf(async () => writeMultiscale(store, await arrayIn(inner, "a"), options))).toEqual(
      isSource,
    );
    const target = { ...options, path: "" };
    expect(await errorOf(async () => writeMultiscale(inner, await arrayIn(store), target))).toEqual(isSource);
    const other = new DirectoryHandleStore(new MemoryDirectoryHandle());
    await tree(other);
    expect((await writeMultiscale(store, await arrayIn(other), options)).kind).toBe("group");
  });

  it("by another spelling of a URL", async () => {
    const store = bucket();
    await tree(store);
    const url = new URL(store.url);
    for (const source of [
      url.href,
      url.href.replace("data", "d%61ta"),
      url.href.replace("127.0.0.1", "localhost"),
      url.href.replace("/data", "//data"),
    ]) {
      const get = (key: string) => store.get(key);
      const other = Object.assign(new HttpStore(source), { get, getRange: undefined });
      const array = await arrayIn(other as Store);
      expect(await errorOf(() => writeMultiscale(store, array, options)), source).toEqual(isSource);
    }
  });

  it("by references to chunks", async () => {
    const { root, store } = files();
    await tree(store);
    const document = Object.fromEntries(
      ["zarr.json", "c/0/0", "c/0/1", "c/1/0", "c/1/1"].map((key) => [
        key,
        key === "zarr.json" ? readFileSync(path.join(root, "g/a", key), "utf8") : [`g/a/${key}`],
      ]),
    );
    writeFileSync(path.join(root, "refs.json"), JSON.stringify(document));
    const references = await ReferenceStore.open(path.join(root, "refs.json"));
    const array = await arrayIn(references, "");
    expect(await errorOf(() => writeMultiscale(store, array, options))).toEqual(isSource);
    expect((await writeMultiscale(store, array, { ...options, path: "other" })).kind).toBe("group");
  });

  const canMount =
    process.platform === "linux" &&
    spawnSync("unshare", ["-m", "mount", "--bind", folder, folder]).status === 0;

  it(
    "through a bind mount, wherever it is (needs the right to mount)",
    skipFor(canMount ? undefined : "needs the right to mount"),
    async () => {
      const { root, store } = files();
      await tree(store);
      const mounts = path.join(folder, "mounts");
      for (const name of ["same", "dest/inner"]) mkdirSync(path.join(mounts, name), { recursive: true });
      const file = path.join(import.meta.dirname, `../../../build/tmp/mounting-${process.pid}.mjs`);
      writeFileSync(
        file,
        `import { create, open } from "zarr-wasm";
       import { writeMultiscale } from "zarr-wasm/conventions";
       import { FileSystemStore } from "zarr-wasm/node";
       const [mounts, source] = process.argv.slice(2);
       const like = await open(new FileSystemStore(source), { path: "g/a", kind: "array" });
       const codes = [];
       for (const name of ["same", "dest"]) {
         const store = new FileSystemStore(mounts + "/" + name);
         const options = { overwrite: true, path: name === "same" ? "g" : "", axes: ["y", "x"] };
         if (name === "dest") await store.set("/zarr.json", Buffer.from('{"zarr_format": 3, "node_type": "group"}'));
         for (const work of [() => writeMultiscale(store, like, options), () => create(store, { ...options, like, axes: undefined })])
           await work().then(() => codes.push("done"), (error) => codes.push(error.code));
       }
       console.log(JSON.stringify(codes));`,
      );
      const script = `mount --bind "$1" "$0/same" && mount --bind "$1/g" "$0/dest/inner" && exec "$2" "$3" "$0" "$1"`;
      const { stdout, stderr } = spawnSync(
        "unshare",
        ["-m", "sh", "-c", script, mounts, root, process.execPath, file],
        { encoding: "utf8" },
      );
      rmSync(file);
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual(["is-source", "is-source", "is-source", "is-source"]);
      expect(new Set((await get(await arrayIn(store))).data as Uint8Array)).toEqual(new Set([7]));
    },
  );

  const upper = realpathSync(folder).toUpperCase();
  const ignoresCase = existsSync(upper) && lstatSync(upper).ino === lstatSync(folder).ino;

  it(
    "in other case (needs a file system that ignores case)",
    skipFor(ignoresCase ? undefined : "needs a file system that ignores case"),
    async () => {
      const { root, store } = files();
      await tree(store);
      const array = await arrayIn(new FileSystemStore(path.join(root, "G")), "A");
      expect(await errorOf(() => writeMultiscale(store, array, options))).toEqual(isSource);
    },
  );
});

describe("a node that another writer creates during the check", () => {
  it.each([
    ["deleted", (store: Store) => deleteNode(store, "x")],
    ["replaced", (store: Store) => create(store, { path: "x", shape: [2], dtype: "int8", overwrite: true })],
  ] as const)("is %s like one that existed before", async (_, change) => {
    const inner = new Map<string, Uint8Array>();
    const store: Store = {
      get: (key) => inner.get(key),
      set: (key, bytes) => void inner.set(key, bytes),
      delete: (key) => void inner.delete(key),
      async *list() {
        await appear();
        yield* inner.keys();
      },
    };
    let isMissing = true;
    const appear = async () => {
      if (isMissing) await create(inner, { path: "x", shape: [1], dtype: "int8", attributes: { other: 1 } });
      isMissing = false;
    };
    await createGroup(inner);
    await change(store);
    const other = await open(inner, { path: "x" }).catch(() => undefined);
    expect(other?.attributes.other).toBeUndefined();
  });
});
