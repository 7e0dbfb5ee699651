// Methods under well-known symbols: disposal of pools and archives, and the text that consoles print.
import { spawnSync } from "node:child_process";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  create,
  DirectoryHandleStore,
  get,
  getChunk,
  HttpStore,
  MapStore,
  set,
  setChunk,
  WorkerPool,
  WritableHttpStore,
  ZipStore,
  ZipWriter,
} from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { addDisposal } from "#src/util/symbol-methods.js";
import { root } from "../../shared/places.js";
import { errorOf } from "../support/support.js";

type Disposers = Record<symbol, () => unknown>;
const symbols = Symbol as unknown as Record<"dispose" | "asyncDispose", symbol | undefined>;
const { dispose, asyncDispose } = symbols;

async function archive() {
  const pieces: Uint8Array[] = [];
  const writer = new ZipWriter((piece) => void pieces.push(piece.slice()));
  const array = await create(writer, { shape: [2], dtype: "int8" });
  await set(array, null, Int8Array.of(1, 2));
  return { writer, bytes: () => new Uint8Array(Buffer.concat(pieces)) };
}

describe("disposal", () => {
  it("destroys a pool", ({ skip }) => {
    skip(!dispose, "the engine has no Symbol.dispose");
    const pool = new WorkerPool({ size: 1 });
    (pool as unknown as Disposers)[dispose!]!();
    expect(pool.status.state).toBe("destroyed");
  });

  it("closes an archive, unless it was closed or aborted", async ({ skip }) => {
    skip(!asyncDispose, "the engine has no Symbol.asyncDispose");
    const { writer, bytes } = await archive();
    const end = () => (writer as unknown as Disposers)[asyncDispose!]!();
    await end();
    const length = bytes().byteLength;
    expect(await new ZipStore(bytes()).get("/zarr.json")).toBeDefined();
    await end();
    expect(bytes().byteLength).toBe(length);
    const aborted = await archive();
    await aborted.writer.abort();
    await (aborted.writer as unknown as Disposers)[asyncDispose!]!();
  });

  it("is absent in engines without the symbols", () => {
    const descriptor = Object.getOwnPropertyDescriptor(Symbol, "dispose");
    const target = {};
    if (!descriptor) {
      addDisposal(target, "dispose", () => {});
      expect(Reflect.ownKeys(target)).toEqual([]);
    }
    expect(Object.keys(new WorkerPool({ size: 0 }))).toEqual([]);
  });
});

describe("consoles print", () => {
  const folder = { kind: "directory", name: "data" } as unknown as FileSystemDirectoryHandle;
  const bytes = new Map([["/a", new Uint8Array(500)]]);
  it.each([
    [new MapStore(bytes), "MapStore { size: 1 }"],
    [
      new HttpStore("https://user:secret@example.org/a?signature=1"),
      'HttpStore { url: "https://example.org/a?…" }',
    ],
    [new WritableHttpStore("https://example.org/a"), 'WritableHttpStore { url: "https://example.org/a" }'],
    [new FileSystemStore("data/a.zarr"), 'FileSystemStore { root: "data/a.zarr" }'],
    [new FileSystemStore(new URL("file:///data")), 'FileSystemStore { root: "file:///data" }'],
    [new DirectoryHandleStore(folder as never), 'DirectoryHandleStore { root: "data" }'],
    [new ZipStore(new Uint8Array(300)), "ZipStore {}"],
    [new ZipWriter(() => {}), "ZipWriter { objects: 0, bytes: 0 }"],
    [new WorkerPool({ size: 2 }), 'WorkerPool { size: 2, state: "idle", workers: 0 }'],
  ])("%#: %o", (value, text) => expect(inspect(value)).toBe(text));

  it("an uncaught error without undefined fields and long lines", () => {
    const code = `import { HttpStore, open } from "zarr-wasm"; await open(new Map());`;
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stderr).toContain("_tag: 'NotFound'");
    expect(stderr).not.toContain("undefined");
    for (const line of stderr.split("\n")) expect(line.length).toBeLessThan(400);
  });
});

describe("getChunk as a function", () => {
  it("does what the method does, beside setChunk", async () => {
    const array = await create(new Map(), { shape: [3], chunkShape: [2], dtype: "int8" });
    await setChunk(array, [1], Int8Array.of(5, 0));
    expect(await getChunk(array, [1])).toEqual(await array.getChunk([1]));
    expect((await get(array)).data).toEqual(Int8Array.of(0, 0, 5));
    const error = await errorOf(() => getChunk({} as never, [0]));
    expect([error._tag, error.message]).toEqual([
      "InvalidArgument",
      "getChunk expects an array returned by open() or create()",
    ]);
  });
});
