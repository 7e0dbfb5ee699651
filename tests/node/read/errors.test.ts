// Errors of reads: their location, given once, and the stack of the original throw; and arguments that calls reject.
import { describe, expect, it } from "vitest";
import { get, getBytes, type Store, WorkerPool, ZarrError } from "zarr-wasm";
import { DType } from "#src/dtypes/dtype.js";
import { getSession } from "#src/engine/engine.js";
import { Plan } from "#src/engine/plan.js";
import { errorOf, openArray } from "../support/support.js";
import {
  bytesLittle,
  crc32c,
  documents,
  gzip,
  regular,
  sharded,
  v3Meta,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const elements = (value: number) => new Uint8Array(new Int32Array(24).fill(value).buffer);

describe("the index of a rewritten shard", () => {
  /** Shards of two layouts, so that the index of one is invalid for the other. */
  async function shards() {
    const codecs = [sharded([2, 3], [bytesLittle, gzip, crc32c])];
    const fields = v3Meta({ shape: [4, 6], chunk_grid: regular(4, 6), codecs });
    const [before, after] = [documents({}), documents({})];
    await writeV3(before, fields, elements(1));
    await writeV3(after, fields, elements(2), { order: "reverse", gap: 40 });
    let now = before;
    // A store that cannot tell versions.
    const store: Store = {
      get: (key) => now.get(key),
      getRange: (key, range) => now.getRange(key, range),
    };
    const rewrite = () => {
      now = after;
    };
    return { store, rewrite };
  }

  it.each([false, true])("is forgotten by getChunk as by get, with workers: %s", async (isPooled) => {
    const pool = isPooled ? new WorkerPool({ size: 1 }) : undefined;
    for (const read of ["get", "getChunk"] as const) {
      const { store, rewrite } = await shards();
      const array = await openArray(store);
      const values = async () =>
        new Set(
          (await (read === "get" ? get(array, null, { pool }) : array.getChunk([0, 1], { pool })))
            .data as Int32Array,
        );
      expect(await values()).toEqual(new Set([1]));
      rewrite();
      expect(await values()).toEqual(new Set([2])); // read once more within the call
      expect(await values()).toEqual(new Set([2]));
    }
    pool?.destroy();
  });
});

describe("errors of a chunk", () => {
  const spoilt = async (codecs: { name: string }[]) => {
    const store = documents({});
    await writeV3(store, v3Meta({ shape: [4, 6], chunk_grid: regular(4, 6), codecs }), elements(3));
    const chunk = store.get("/c/0/0")!.slice();
    chunk[chunk.length >> 1]! ^= 0xff;
    store.set("/c/0/0", chunk);
    return { array: await openArray(store) };
  };

  it("name it once, and keep the original stack", async () => {
    const { array } = await spoilt([bytesLittle, crc32c]);
    for (const read of [() => get(array), () => array.getChunk([0, 0]), () => getBytes(array)]) {
      const error = await errorOf(read);
      expect(error.message.match(/chunk \/c\/0\/0: /g)).toHaveLength(1);
      expect(error.stack).toContain(error.message);
      // At the check of the core's status, not at the place that adds the chunk's name.
      expect(error.stack?.split("\n")[1]).not.toMatch(/withDetails/);
      expect(error.stack).toMatch(/decode|place/);
    }
  });

  it("are the same objects that stores threw", async () => {
    const thrown = new ZarrError("Network", "the line is dead", { code: "fetch-failed" });
    const { stack } = thrown;
    const inner = documents({ "/zarr.json": v3Meta() });
    const array = await openArray({
      get: (key: string) => (key.startsWith("/c/") ? Promise.reject(thrown) : inner.get(key)),
    });
    expect(await errorOf(() => array.getChunk([0, 1]))).toBe(thrown);
    expect(thrown.message).toBe("chunk /c/0/1: the line is dead");
    expect(thrown.chunkKey).toBe("/c/0/1");
    expect(thrown.stack?.split("\n").slice(1)).toEqual(stack?.split("\n").slice(1));
    const frozen = Object.freeze(new ZarrError("Network", "cold"));
    const cold = await openArray({
      get: (key: string) => (key.startsWith("/c/") ? Promise.reject(frozen) : inner.get(key)),
    });
    expect(await errorOf(() => get(cold))).toBe(frozen);
  });

  it("do not touch a signal's reason", async () => {
    const inner = documents({ "/zarr.json": v3Meta() });
    const never = () => new Promise<never>(() => {});
    const array = await openArray({
      get: (key: string) => (key.startsWith("/c/") ? never() : inner.get(key)),
    });
    for (const read of [
      (signal: AbortSignal) => array.getChunk([0, 0], { signal }),
      (signal: AbortSignal) => get(array, null, { signal }),
    ]) {
      const controller = new AbortController();
      const reason = new ZarrError("InvalidArgument", "enough");
      setTimeout(() => controller.abort(reason), 5);
      expect(await errorOf(() => read(controller.signal))).toBe(reason);
      expect([reason.message, reason.chunkKey]).toEqual(["enough", undefined]);
    }
  });

  it("count byteOffset in the input of the named codec", async () => {
    // The checksum of the inner codec is at the end of zstd's output, not of the chunk.
    const inner = [bytesLittle, crc32c];
    const chain = async (codecs: { name: string }[], bytes: Uint8Array) => {
      const store = documents({ "/zarr.json": v3Meta({ shape: [2, 3], codecs }) });
      store.set("/c/0/0", bytes);
      return errorOf(async () => (await openArray(store)).getChunk([0, 0]));
    };
    const spoilt = new Uint8Array(28).fill(1);
    const alone = await chain(inner, spoilt);
    const session = await getSession("full");
    const plan = Plan.bytesOnly([{ core: "zstd", name: "zstd", params: [1, 0] }], 64);
    const behind = await chain([...inner, zstd], session.encode(plan, spoilt));
    expect([alone["codec"], alone.code, alone["byteOffset"]]).toEqual(["crc32c", "checksum-mismatch", 24]);
    expect([behind["codec"], behind.code, behind["byteOffset"]]).toEqual(["crc32c", "checksum-mismatch", 24]);
  });
});

describe("invalid arguments", () => {
  const odd = [null, -5, "text", true, Symbol("s"), () => {}];

  it("have a separate tag: coordinates", async () => {
    const array = await openArray(documents({ "/zarr.json": v3Meta() }));
    const coordinates = [
      undefined,
      ...odd,
      {},
      [],
      [0],
      [0, 0, 0],
      [0, "0"],
      [0, null],
      [0.5, 0],
      [0, -1],
      [0, 1n],
    ];
    for (const value of [
      ...coordinates,
      [Symbol("s"), 0],
      [Object.create(null), 0],
      { length: 2, 0: 0, 1: 0 },
    ]) {
      for (const call of ["getChunk", "fetchChunk"] as const)
        expect((await errorOf(() => array[call](value as never)))._tag).toBe("InvalidSelection");
    }
    expect((await errorOf(() => (array.getChunk as () => unknown)()))._tag).toBe("InvalidSelection");
  });

  it("have a separate tag: options, selections", async () => {
    const array = await openArray(documents({ "/zarr.json": v3Meta() }));
    for (const options of odd.filter((value) => typeof value !== "function")) {
      for (const read of [
        () => get(array, null, options as never),
        () => getBytes(array, null, options as never),
        () => array.getChunk([0, 0], options as never),
        () => array.fetchChunk([0, 0], options as never),
        () => get(array, null, { signal: options ?? 0 } as never),
        () => get(array, null, { pool: options ?? 0 } as never),
        () => array.getChunk([0, 0], { signal: options ?? 0 } as never),
        () => get(array, null, { onProgress: options ?? 0 } as never),
        () => get(array, null, { concurrency: options } as never),
        () => get(array, null, { priority: options } as never),
      ])
        expect((await errorOf(read))._tag).toBe("InvalidArgument");
    }
    const bare = Object.create(null) as never;
    for (const selection of [
      5,
      "x",
      Symbol("s"),
      [Symbol("s")],
      [bare],
      [[bare]],
      [{ start: bare, stop: 1, step: 1 }],
    ])
      expect((await errorOf(() => get(array, selection as never)))._tag).toBe("InvalidSelection");
  });
});

describe("a session with the core", () => {
  const dtype = DType.simple("uint8");
  const plan = new Plan({ dtype, shape: [4], fillItem: Uint8Array.of(9) }, [
    { core: "bytes", name: "bytes", params: [0] },
  ]);
  const right = Uint8Array.of(1, 2, 3, 4);

  it("rejects writes outside its memory, and keeps working", async () => {
    const session = await getSession("decode");
    const slab = session.makeSlab(4);
    const axes = [[0, 1, 4, 1]] as const;
    const step = { plan, encoded: right, offset: 0, axes };
    const freed = session.makeSlab(8);
    session.freeSlab(freed);
    const bad: (() => unknown)[] = [
      () => session.decode(plan, "abcd" as never),
      () => session.decode(plan, [1, 2, 3, 4] as never),
      () => session.decode(plan, { byteLength: 4, length: 4 } as never),
      () => session.decode(plan, new Int32Array(1) as never),
      () => session.encode(plan, new DataView(right.buffer) as never),
      () => session.decodeInto(plan, right, new Uint8Array(3)),
      () => session.decodeInto(plan, right, [] as never),
      () => session.place(slab, { ...step, encoded: "abcd" as never }),
      () => session.place(slab, { ...step, offset: 1 }),
      () => session.place(slab, { ...step, offset: -1 }),
      () => session.place(slab, { ...step, offset: 2 ** 32 }),
      () => session.place(slab, { ...step, offset: Number.NaN }),
      () => session.place(slab, { ...step, axes: [] }),
      () => session.place(slab, { ...step, axes: [[0, 1, 4, 2 ** 32 + 1]] }),
      () => session.place(slab, { ...step, axes: [[0.5, 1, 2, 1]] }),
      () => session.place(slab, { ...step, axes: [[1, 1, 4, 1]] }),
      () => session.place(slab, { ...step, encoded: undefined, axes: [...axes, ...axes] }),
      () => session.place({ id: 77, bytes: 4 }, step),
      () => session.place(freed, step),
      () => session.copySlab(freed),
      () => session.withSlab(freed, () => {}),
      () => session.makeSlab(Number.NaN),
      () => session.makeSlab(-1),
      () => session.makeSlab(2 ** 40),
    ];
    for (const call of bad) {
      const error = await errorOf(call);
      expect(error, call.toString()).toBeInstanceOf(ZarrError);
      expect(session.usable).toBe(true);
      session.place(slab, step);
      expect(session.copySlab(slab)).toEqual(right);
      expect(session.decode(plan, right)).toEqual(right);
    }
    session.freeSlab(slab);
  });

  it("does not read bytes of an earlier chunk, however short the next one is", async () => {
    const session = await getSession("decode");
    session.decode(Plan.bytesOnly([], 2 ** 16), new Uint8Array(2 ** 16).fill(77));
    for (const bytes of [right.subarray(0, 3), new Uint8Array(0)]) {
      const error = await errorOf(() => session.decode(plan, bytes));
      expect([error._tag, error.code]).toEqual(["CorruptChunk", "size-mismatch"]);
    }
    const lying = Object.defineProperty(right.slice(0, 2), "byteLength", { value: 4 });
    expect((await errorOf(() => session.decode(plan, lying))).code).toBe("size-mismatch");
  });
});
