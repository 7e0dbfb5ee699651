// Responses of stores: only bytes are accepted, in any safe form; and responses that never arrive.
import vm from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { get, getBytes, open, type Store, type StoreGetOptions, WorkerPool, type ZarrArray } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { Zstd } from "zarr-wasm/numcodecs";
import { type RegisteredCodec, registerCodecs } from "zarr-wasm/zarrita";
import { errorOf, openArray } from "../support/support.js";
import {
  bytesLittle,
  crc32c,
  documents,
  gzip,
  regular,
  sharded,
  v2Meta,
  v3Meta,
  writeV3,
} from "../support/zarr-writer.js";

const chunkKey = "/c/0/0";
const values = Int32Array.from({ length: 6 }, (_, i) => 1000 + i);
const other = Int32Array.from({ length: 6 }, (_, i) => -7 - i);

/** An array of one chunk whose store gives a scripted response. */
class OddStore implements Store {
  constructor(
    private readonly inner: Store,
    private readonly answer: () => unknown,
    private readonly key = chunkKey,
  ) {}
  get(key: string): never {
    return (key === this.key ? this.answer() : this.inner.get(key)) as never;
  }
  locate(key: string): string {
    return `odd:/${key}`;
  }
}

async function stored(codecs: { name: string }[] = [bytesLittle, crc32c], content = values) {
  const store = documents({ "/zarr.json": v3Meta({ shape: [2, 3], codecs }) });
  const chain = await createCodecChain({ dtype: "int32", shape: [2, 3], codecs });
  const chunk = chain.encode(content);
  store.set(chunkKey, chunk);
  return { store, chunk };
}

const detached = () => {
  const bytes = new Uint8Array(64);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
};
const lying = (length: number) =>
  Object.defineProperty(new Uint8Array(3), "byteLength", { value: length }) as Uint8Array;

/** Responses that are not bytes. */
const bad: Record<string, unknown> = {
  null: null,
  "the number 0": 0,
  "the empty string": "",
  "a string": "x".repeat(40),
  "a plain array": [1, 2, 3],
  false: false,
  "an object": { byteLength: 24, length: 24 },
  "an Int32Array": new Int32Array(7),
  "a Float64Array": new Float64Array(4),
  "a function": () => {},
  "a DataView": new DataView(new ArrayBuffer(28)),
  "a blob": new Blob([new Uint8Array(28)]),
  "an iterable": new Set([1, 2, 3]),
  "detached bytes": detached(),
  "a proxy of bytes": new Proxy(new Uint8Array(28), {}),
  "an object with a tag": { [Symbol.toStringTag]: "Uint8Array", byteLength: 28, length: 28 },
  "an object of the prototype": Object.create(Uint8Array.prototype) as unknown,
};

/** The same bytes in other forms. */
const good: Record<string, (bytes: Uint8Array<ArrayBuffer>) => unknown> = {
  "an ArrayBuffer": (bytes) => bytes.slice().buffer,
  "a SharedArrayBuffer": (bytes) => {
    const shared = new SharedArrayBuffer(bytes.byteLength);
    new Uint8Array(shared).set(bytes);
    return shared;
  },
  "a Uint8ClampedArray": (bytes) => new Uint8ClampedArray(bytes),
  "an Int8Array": (bytes) => new Int8Array(bytes),
  "a Buffer": (bytes) => Buffer.from(bytes),
  "bytes over shared memory": (bytes) => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
    shared.set(bytes);
    return shared;
  },
  "bytes over memory that can be resized": (bytes) => {
    type Resizable = new (length: number, options: { maxByteLength: number }) => ArrayBuffer;
    const buffer = new (ArrayBuffer as unknown as Resizable)(bytes.byteLength, { maxByteLength: 4096 });
    const view = new Uint8Array(buffer);
    view.set(bytes);
    return view;
  },
  "bytes of another realm": (bytes) => {
    const foreign = vm.runInNewContext(`new Uint8Array(${bytes.byteLength})`) as Uint8Array;
    foreign.set(bytes);
    return foreign;
  },
  "a promise of bytes": (bytes) => Promise.resolve(bytes),
};

describe.each([
  ["codecs", [bytesLittle, crc32c]],
  ["no codecs", [bytesLittle]],
])("answers for a chunk with %s", (_, codecs) => {
  it.each(Object.keys(bad))("that are %s are rejected, and other stores can still be read", async (kind) => {
    const { store } = await stored(codecs, other);
    const array = await openArray(store);
    expect((await get(array)).data).toEqual(other);
    const odd = await openArray(new OddStore(store, () => bad[kind]));
    for (const read of [
      () => get(odd),
      () => getBytes(odd),
      () => odd.getChunk([0, 0]),
      () => odd.fetchChunk([0, 0]),
    ]) {
      const error = await errorOf(read);
      expect([error._tag, error.code, error["chunkKey"]]).toEqual(["Network", "bad-answer", chunkKey]);
      expect(error.message).toMatch(/OddStore returned .* for odd:\/\/c\/0\/0; expected a Uint8Array/);
      expect((await get(array)).data).toEqual(other);
      expect((await array.getChunk([0, 0])).data).toEqual(other);
    }
  });

  it.each(Object.keys(good))("that are %s are read", async (kind) => {
    const { store, chunk } = await stored(codecs);
    const odd = await openArray(new OddStore(store, () => good[kind]!(chunk)));
    expect((await get(odd)).data).toEqual(values);
    expect((await odd.getChunk([0, 0])).data).toEqual(values);
  });
});

it("takes the actual bytes, whatever a length says", async () => {
  const { store } = await stored();
  for (const length of [0, 28, 2 ** 31, Number.NaN]) {
    const array = await openArray(new OddStore(store, () => lying(length)));
    const error = await errorOf(() => get(array));
    expect([error._tag, error.code]).toEqual(["CorruptChunk", "truncated"]);
  }
});

it("refuses invalid responses for documents, and reads other forms of bytes", async () => {
  const { store } = await stored();
  const document = store.get("/zarr.json")!;
  for (const answer of Object.values(bad)) {
    const error = await errorOf(() => open(new OddStore(store, () => answer, "/zarr.json")));
    expect([error._tag, error.code]).toEqual(["Network", "bad-answer"]);
  }
  for (const form of Object.values(good)) {
    const odd = new OddStore(store, () => form(document as Uint8Array<ArrayBuffer>), "/zarr.json");
    expect((await get(await openArray(odd))).data).toEqual(values);
  }
});

it("checks responses to range requests, for example of shards", async () => {
  const store = documents({});
  const fields = { shape: [4, 6], chunk_grid: regular(4, 6), codecs: [sharded([2, 3], [bytesLittle, gzip])] };
  const written = await writeV3(store, v3Meta(fields), new Uint8Array(new Int32Array(24).fill(5).buffer));
  for (const answer of [null, "", new Int32Array(9), [1], detached()]) {
    const odd = { get: (key: string) => store.get(key), getRange: () => answer as never };
    const array = await openArray(odd);
    for (const read of [() => get(array), () => array.getChunk([0, 0])])
      expect((await errorOf(read)).code).toBe("bad-answer");
  }
  expect(new Uint8Array((await getBytes(await openArray(store))).bytes)).toEqual(written.elements);
});

it("the engine is unchanged for direct codec calls, too", async () => {
  const chain = await createCodecChain({ dtype: "int32", shape: [2, 3], codecs: [bytesLittle, crc32c] });
  const encoded = chain.encode(values);
  for (const odd of [...Object.values(bad), lying(2 ** 31)]) {
    expect(["InvalidArgument", "CorruptChunk"]).toContain(
      (await errorOf(() => chain.decode(odd as never)))._tag,
    );
    expect(chain.decode(encoded)).toEqual(values);
  }
  const codecs = new Map<string, () => Promise<{ fromConfig(...args: unknown[]): RegisteredCodec }>>();
  registerCodecs(codecs as never);
  const gzipOf = (await codecs.get("gzip")!()).fromConfig({ level: 1 }, { dataType: "uint8" });
  const packed = await gzipOf.encode(Uint8Array.of(7, 7, 7));
  const { "detached bytes": gone, ...others } = bad; // empty, so gzip can encode them
  expect((await errorOf(() => gzipOf.decode(gone as never)))._tag).toBe("CorruptChunk");
  for (const odd of Object.values(others)) {
    expect((await errorOf(() => gzipOf.decode(odd as never)))._tag).toBe("InvalidArgument");
    expect((await errorOf(() => gzipOf.encode(odd as never)))._tag).toBe("InvalidArgument");
    expect(await gzipOf.decode(packed)).toEqual(Uint8Array.of(7, 7, 7));
  }
  const bytes = Uint8Array.of(1, 2, 3, 4, 5);
  const zstd = new Zstd(1);
  const frame = await zstd.encode(bytes);
  for (const out of [new Int32Array(9), [1, 2], "text", null])
    expect((await errorOf(() => zstd.decode(frame, out as never)))._tag).toBe("InvalidArgument");
  expect(await zstd.decode(frame)).toEqual(bytes);
});

const never = () => new Promise<never>(() => {});

describe("an abort takes effect even if a store's promises never settle", () => {
  const aborted = async (work: (signal: AbortSignal) => Promise<unknown>) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const done = errorOf(() => work(controller.signal));
    await new Promise((later) => setTimeout(later, 5));
    controller.abort(reason);
    expect(await done).toBe(reason);
  };
  const stuck = { get: never, getRange: never, listChildren: never } as Store;

  it("by open", async () => {
    await aborted((signal) => open(stuck, { signal }));
    await aborted((signal) => open(stuck, { signal, version: 1 }));
  });

  const chunksStuck = (document: Store): Store => ({
    get: (key) => (key.startsWith("/c/") ? never() : document.get(key)),
  });

  it.each([
    ["plain chunks", [bytesLittle], chunksStuck],
    ["shards without ranges", [sharded([2, 3])], chunksStuck],
    [
      "shards",
      [sharded([2, 3])],
      (document: Store): Store => ({ get: (key) => document.get(key), getRange: never }),
    ],
  ])("by get, getBytes, getChunk and fetchChunk of %s", async (_, codecs, storeOf) => {
    const array = await openArray(
      storeOf(documents({ "/zarr.json": v3Meta({ chunk_grid: regular(4, 6), codecs }) })),
    );
    const pool = new WorkerPool({ size: 1 });
    await aborted((signal) => array.getChunk([0, 0], { signal }));
    await aborted((signal) => array.fetchChunk([0, 0], { signal }));
    await aborted((signal) => get(array, null, { signal, pool }));
    await aborted((signal) => getBytes(array, null, { signal }));
    pool.destroy();
  });

  it("by members, open and walk of groups", async () => {
    const root = documents({ "/zarr.json": { zarr_format: 3, node_type: "group" } });
    const read = (key: string) => (key.split("/").length > 2 ? never() : (root.get(key) as never));
    const lists = await open({ get: read, listChildren: never } as Store, { kind: "group" });
    const reads = await open({ get: read, listChildren: () => ["a"] } as Store, { kind: "group" });
    await aborted((signal) => lists.members({ signal }));
    await aborted((signal) => reads.members({ signal }));
    await aborted((signal) => reads.open("a", { signal }));
    await aborted((signal) => lists.walk({ signal }).next());
    await aborted((signal) => reads.walk({ signal }).next());
  });

  it("at once, if it is already aborted", async () => {
    const reason = new Error("before");
    const signal = AbortSignal.abort(reason);
    const { store } = await stored();
    const array = await openArray(store);
    expect(await errorOf(() => open(stuck, { signal }))).toBe(reason);
    expect(await errorOf(() => array.getChunk([0, 0], { signal }))).toBe(reason);
  });

  it("also when another chunk has failed", async () => {
    const { store } = await stored();
    const odd = documents({ "/zarr.json": v3Meta() });
    const answers = (key: string) =>
      key === "/c/1/1" ? Promise.reject(new Error("broken")) : key.startsWith("/c") ? never() : odd.get(key);
    expect((await errorOf(async () => get(await openArray({ get: answers } as Store)))).message).toBe(
      "broken",
    );
    expect((await get(await openArray(store))).data).toEqual(values);
  });
});

it("leaves no listeners behind, and drops late responses", async () => {
  const { store, chunk } = await stored();
  const controller = new AbortController();
  const { signal } = controller;
  const [add, remove] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
  const later: (() => void)[] = [];
  let isLate = false;
  const slow = new OddStore(store, () =>
    isLate
      ? new Promise((resolve, reject) =>
          later.push(() => (later.length % 2 ? resolve(chunk) : reject(new Error("late")))),
        )
      : Promise.resolve(chunk),
  );
  const array: ZarrArray = await openArray(slow, { signal });
  for (let i = 0; i < 20; i++) await array.getChunk([0, 0], { signal });
  await get(array, null, { signal });
  expect(add.mock.calls.length).toBeGreaterThan(20);
  expect(remove.mock.calls.length).toBeGreaterThanOrEqual(add.mock.calls.length);
  isLate = true;
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const reads = [0, 1].map(() => errorOf(() => array.getChunk([0, 0], { signal })));
  await new Promise((done) => setTimeout(done, 5));
  const reason = new Error("enough");
  controller.abort(reason);
  expect(await Promise.all(reads)).toEqual([reason, reason]);
  for (const answer of later) answer();
  await new Promise((done) => setTimeout(done, 20));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe("the size limit of a read", () => {
  /** The options of a store's reads, by key. */
  async function asked(store: Store, work: (array: ZarrArray) => Promise<unknown>) {
    const seen = new Map<string, number | undefined>();
    const watched: Store = {
      get: (key, options?: StoreGetOptions) => {
        seen.set(key, options?.maxBytes);
        return store.get(key);
      },
      ...(store.getRange && {
        getRange: (key, range, options) => {
          const wanted = "length" in range ? range.length : range.suffixLength;
          expect(options?.maxBytes).toBe(wanted);
          seen.set(`${key} range`, wanted);
          return store.getRange!(key, range);
        },
      }),
    };
    await work(await openArray(watched, { limits: { metadataBytes: 5000 } }));
    return seen;
  }

  it("is passed to the store: of documents, whole chunks and ranges", async () => {
    const { store } = await stored();
    const plain: Store = { get: (key) => store.get(key) };
    const seen = await asked(plain, (array) => array.getChunk([0, 0]));
    expect(seen.get("/zarr.json")).toBe(5000);
    // Elements, a checksum, and a margin so that longer data can be reported as an error.
    expect(seen.get(chunkKey)).toBe(24 + 4 + 2 ** 20);
    const shards = documents({});
    const fields = { shape: [4, 6], chunk_grid: regular(4, 6), codecs: [sharded([2, 3])] };
    await writeV3(shards, v3Meta(fields), new Uint8Array(96));
    expect((await asked(shards, (array) => get(array))).has(`${chunkKey} range`)).toBe(true);
  });

  it.each([
    ["gzip", [bytesLittle, gzip], 2 * 24 + 2 ** 21],
    ["two compressors", [bytesLittle, gzip, gzip], 4 * 24 + 2 ** 22],
  ])("is ample for %s", async (_, codecs, bytes) => {
    const { store } = await stored(codecs);
    const seen = await asked({ get: (key) => store.get(key) }, (array) => get(array));
    expect(seen.get(chunkKey)).toBeGreaterThanOrEqual(bytes as number);
    expect(seen.get(chunkKey)).toBeLessThan(2 ** 23);
  });

  it("is no more than the limit, and answers above it are refused", async () => {
    const { store } = await stored([bytesLittle, gzip]);
    const seen = new Set<number | undefined>();
    const watched: Store = {
      get: (key, options?: StoreGetOptions) => {
        if (key === chunkKey) seen.add(options?.maxBytes);
        return store.get(key);
      },
    };
    const array = await openArray(watched, { limits: { encodedBytes: 20 } });
    for (const read of [() => get(array), () => array.getChunk([0, 0]), () => array.fetchChunk([0, 0])])
      expect((await errorOf(read))._tag).toBe("LimitExceeded");
    expect([...seen]).toEqual([20]);
  });

  it("is unknown for elements of variable length", async () => {
    const store = documents({
      "/.zarray": v2Meta({ dtype: "|O", filters: [{ id: "vlen-utf8" }], fill_value: "" }),
    });
    const seen = await asked({ get: (key) => store.get(key) }, (array) => get(array));
    expect(seen.get("/0.0")).toBe(2 ** 31 - 2 ** 20);
  });
});
