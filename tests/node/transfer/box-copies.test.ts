// Rechunked and re-encoded copies: within wasm memory and on several threads, compared with the way of `get` and `set`.
import { createHash } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import path from "node:path";
import threads from "node:worker_threads";
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { create, type DTypeInput, get, open, set, slice, WorkerPool } from "zarr-wasm";
import { copy as copyNodes } from "zarr-wasm/transfer";
import { inLanes } from "#src/walk/boxes.js";
import { amount } from "../support/amounts.js";
import { temporaryPlaces } from "../support/cli-tool.js";
import { copy, digestsOf, urlOf, verify } from "../support/copying.js";
import { dataTypes, elementsOf } from "../support/random-arrays.js";
import { errorOf, randomizer } from "../support/support.js";

const place = temporaryPlaces("boxes");

const codecs = ["none", "zstd:1", "blosc:lz4", "gzip:1", "lz4"];
const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)]!;

describe("copies within wasm memory have the bytes of those through arrays", () => {
  const rounds = amount(15, 400);
  it(`${rounds} random arrays, chunks, shards, codecs and selections`, async () => {
    for (let round = 0; round < rounds; round++) {
      const random = randomizer(round + 1);
      const below = (n: number) => Math.floor(random() * n);
      const rank = 1 + below(3);
      const lengths = (most: number) => Array.from({ length: rank }, () => 1 + below(most));
      const [shape, chunkShape] = [lengths(24), lengths(9)];
      const dtype = pick(dataTypes, random);
      const shardShape = random() < 0.3 ? chunkShape.map((length) => length * (1 + below(3))) : undefined;
      const source = place("source.zarr");
      const array = await create(urlOf(source), {
        shape,
        chunkShape,
        dtype: dtype as DTypeInput,
        shardShape,
        codecs: pick(codecs, random),
      });
      // The rest stays missing.
      const part = shape.map((length) => slice(0, Math.ceil(length * (0.3 + random()))));
      const count = part.reduce((n, { stop }, axis) => n * Math.min(stop!, shape[axis]!), 1);
      const bytes = elementsOf(dtype, count, round);
      const TypedArray = typeFor(dtype);
      await set(array, part, new TypedArray(bytes.buffer as ArrayBuffer, bytes.byteOffset, count) as never);
      const chunks = lengths(9);
      const values = {
        chunks: chunks.join(),
        codecs: pick(codecs, random),
        shards: random() < 0.3 ? chunks.map((length) => length * (1 + below(3))).join() : "none",
      };
      const starts = shape.map((length) => (random() < 0.15 ? below(length) : 0));
      const selected = { ...values, select: starts.map((start) => `${start}:`).join() };
      const [fast, slow, verified] = [place(), place(), place()];
      const facts = await copy(source, fast, selected);
      const checked = await copy(source, verified, { ...selected, verify: true });
      await copy(source, slow, { ...selected, "metadata-only": true });
      const { data } = await get(
        array,
        starts.map((start) => slice(start, null)),
      );
      await set(await open(urlOf(slow), { kind: "array" }), null, data as never);
      const what = JSON.stringify({ round, dtype, shape, chunkShape, shardShape, selected });
      expect([what, [...digestsOf(fast).keys()]]).toEqual([what, [...digestsOf(slow).keys()]]);
      expect([what, digestsOf(fast)]).toEqual([what, digestsOf(slow)]);
      expect([what, digestsOf(verified)]).toEqual([what, digestsOf(slow)]);
      expect(facts.chunks).toEqual(checked.chunks);
      const inMemory = new Map<string, Uint8Array>();
      await copyNodes(urlOf(source), inMemory, {
        ...{ chunkShape: chunks, codecs: values.codecs, select: starts.map((start) => slice(start, null)) },
        shardShape: values.shards === "none" ? null : values.shards.split(",").map(Number),
      });
      expect([what, digestsIn(inMemory)]).toEqual([what, digestsOf(fast)]);
    }
  });
});

const digestsIn = (store: ReadonlyMap<string, Uint8Array>): Map<string, string> =>
  new Map([...store].map(([key, bytes]) => [key.slice(1), createHash("sha256").update(bytes).digest("hex")]));

/** The typed array of a data type; bytes for booleans. */
function typeFor(dtype: string) {
  const types = {
    ...{ bool: Uint8Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array },
    ...{ int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array },
    ...{ float32: Float32Array, float64: Float64Array },
  };
  return types[dtype as keyof typeof types];
}

describe("several threads", () => {
  let source: string;
  const values = { chunks: "64,256", codecs: "zstd:1", memory: "8" };
  beforeAll(async () => {
    source = place("source.zarr");
    const array = await create(urlOf(source), {
      ...{ shape: [2000, 1000], chunkShape: [128, 128], dtype: "uint32", codecs: "blosc:lz4" },
    });
    const random = randomizer(11);
    await set(
      array,
      [slice(0, 1800), null], // the last chunks are missing
      Uint32Array.from({ length: 1_800_000 }, () => random() * 1e6),
    );
  });

  const { Worker } = threads;
  function onStart(make: typeof Worker): void {
    threads.Worker = make;
    syncBuiltinESMExports();
  }
  afterEach(() => onStart(Worker));

  const temporary = (dir: string) =>
    (readdirSync(dir, { recursive: true }) as string[]).filter((name) => name.includes(".zw-"));

  it("write the bytes of one, and count the same", async () => {
    const [one, several] = [place(), place()];
    let started = 0;
    onStart(
      class extends Worker {
        constructor(...args: ConstructorParameters<typeof Worker>) {
          super(...args);
          if (String(args[0]).includes("bundle/worker.node.js")) started++;
        }
      },
    );
    vi.stubGlobal("navigator", { hardwareConcurrency: 3 });
    onTestFinished(() => void vi.unstubAllGlobals());
    const facts = await copy(source, one, { ...values, threads: "1" });
    expect(started).toBe(0);
    const others = await copy(source, several, { ...values, threads: "3" });
    expect(started).toBe(2);
    expect(digestsOf(several)).toEqual(digestsOf(one));
    expect(others).toEqual({ ...facts, ...{ destination: several }, ...times(others) });
    expect((await verify(several)).badCount).toBe(0);
  });

  const times = (facts: object) =>
    Object.fromEntries(Object.entries(facts).filter(([name]) => /econds?$/.test(name)));

  it("keep whole chunks of an interrupted copy", async () => {
    const [whole, dest] = [place(), place()];
    await copy(source, whole, values);
    await copy(source, dest, values);
    for (const name of ["c/3/1", "c/20/2", "c/11/0"]) rmSync(path.join(dest, name));
    const facts = await copy(source, dest, { ...values, resume: true, threads: "2" });
    expect(facts.chunks).toMatchObject({ reencoded: 3 });
    expect(digestsOf(dest)).toEqual(digestsOf(whole));
  });

  it("compare with the source", async () => {
    const [whole, dest] = [place(), place()];
    await copy(source, whole, values);
    expect(await copy(source, dest, { ...values, verify: true, threads: "2" })).toMatchObject({
      verified: true,
    });
    expect(digestsOf(dest)).toEqual(digestsOf(whole));
  });

  it("that cannot start, or end, are replaced by this one", async () => {
    const whole = place();
    await copy(source, whole, { ...values, threads: "1" });
    const failing = [
      class {
        constructor() {
          throw new Error("no threads");
        }
      },
      class extends Worker {
        constructor(script: string | URL, options: object) {
          super(
            String(script).includes("bundle/worker.node.js")
              ? new URL("data:text/javascript,process.exit(3)")
              : script,
            options,
          );
        }
      },
    ];
    for (const make of failing) {
      onStart(make as never);
      const dest = place();
      using pool = new WorkerPool({ size: 1 });
      await copyNodes(urlOf(source), urlOf(dest), {
        ...{ chunkShape: [64, 256], codecs: "zstd:1", memory: 2 ** 23, pool },
      });
      expect(digestsOf(dest)).toEqual(digestsOf(whole));
    }
  });

  it("stop when the signal aborts, with whole objects only", async () => {
    const [whole, dest] = [place(), place()];
    await copy(source, whole, values);
    const abort = new AbortController();
    const reason = new Error("enough");
    using pool = new WorkerPool({ size: 1 });
    const error = await errorOf(() =>
      copyNodes(urlOf(source), urlOf(dest), {
        ...{ chunkShape: [64, 256], codecs: "zstd:1", memory: 2 ** 23, pool, signal: abort.signal },
        onProgress: ({ chunks }) => {
          if (chunks > 20) abort.abort(reason);
        },
      }),
    );
    expect(error).toBe(reason);
    expect(temporary(dest)).toEqual([]);
    const wanted = digestsOf(whole);
    for (const [name, digest] of digestsOf(dest)) expect([name, digest]).toEqual([name, wanted.get(name)]);
  });

  it("report the chunk that cannot be decoded", async () => {
    const broken = place();
    await copy(source, broken);
    const file = path.join(broken, "c/5/5");
    writeFileSync(file, new Uint8Array(400).fill(9));
    const error = await errorOf(() => copy(broken, place(), { ...values, threads: "2" }));
    expect(error).toMatchObject({ _tag: "CorruptChunk" });
    expect(error.message).toContain("/c/5/5");
  });
});

describe("files that cannot be written at once", () => {
  const blocking = createRequire(import.meta.url)("node:fs") as typeof import("node:fs");
  const { openSync } = blocking;
  afterEach(() => {
    blocking.openSync = openSync;
    syncBuiltinESMExports();
  });

  it("are written in another way, or reported, and none is left", async () => {
    const source = place("source.zarr");
    const array = await create(urlOf(source), { shape: [64, 64], chunkShape: [16, 16], dtype: "uint16" });
    await set(
      array,
      null,
      Uint16Array.from({ length: 4096 }, (_, i) => i),
    );
    const [whole, fallback, full] = [place(), place(), place()];
    await copy(source, whole, { chunks: "32,16", threads: "1" });
    let left = 0;
    const fail = (failures: number) => {
      left = failures;
      blocking.openSync = ((...args: Parameters<typeof openSync>) => {
        const isNew = /\/c\/.*\.zw-/.test(String(args[0]));
        if (!isNew || left-- <= 0) return openSync(...args);
        throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
      }) as typeof openSync;
      syncBuiltinESMExports();
    };
    fail(1);
    await copy(source, fallback, { chunks: "32,16", threads: "1" });
    expect(left).toBeLessThan(1);
    expect(digestsOf(fallback)).toEqual(digestsOf(whole));
    fail(Number.POSITIVE_INFINITY);
    const error = await errorOf(() => copyNodes(urlOf(source), urlOf(full), { chunkShape: [32, 16] }));
    expect(error).toMatchObject({ _tag: "Network", code: "disk-full" });
    for (const dir of [fallback, full])
      expect(readdirSync(dir, { recursive: true }).filter((name) => String(name).includes(".zw-"))).toEqual(
        [],
      );
  });
});

it("work that blocks the thread stops when a timer aborts the signal", async () => {
  const abort = new AbortController();
  const reason = new Error("too late");
  let items = 0;
  const work = async () => {
    items++;
    for (const end = performance.now() + 3; performance.now() < end; );
  };
  setTimeout(() => abort.abort(reason));
  const error = await errorOf(() => inLanes(Array.from({ length: 500 }), 2, work, abort.signal));
  expect(error).toBe(reason);
  expect(items).toBeLessThan(500);
});
