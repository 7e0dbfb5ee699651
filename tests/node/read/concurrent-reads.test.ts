// Many concurrent reads over a real server, aborted at random: none is lost, wrong, leaked or affected by
// another. ZARR_WASM_LOAD sets the number of reads; ZARR_WASM_SEED selects them.
import { getEventListeners } from "node:events";
import v8 from "node:v8";
import vm from "node:vm";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  getBytes,
  HttpStore,
  type HttpStoreOptions,
  MapStore,
  slice,
  WorkerPool,
  type ZarrArray,
} from "zarr-wasm";
import { amount } from "../support/amounts.js";
import { type Behaviour, ObjectServer } from "../support/store-server.js";
import { openArray, randomBytes, randomizer } from "../support/support.js";
import {
  blosc,
  bytesBig,
  type Codec,
  regular,
  sharded,
  v3Meta,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

const reads = amount(120, 1000, "ZARR_WASM_LOAD");
const seed = Number(process.env["ZARR_WASM_SEED"] ?? 1);
const isVerbose = process.env["ZARR_WASM_LOAD"] !== undefined;
const [rows, columns, itemBytes] = [768, 640, 4];

const layouts: Record<string, { chunk_grid: object; codecs: Codec[] }> = {
  chunks: { chunk_grid: regular(48, 64), codecs: [bytesBig, blosc()] },
  shards: { chunk_grid: regular(96, 128), codecs: [sharded([24, 32], [bytesBig, zstd])] },
};

const elements = randomBytes(rows * columns * itemBytes, 3).map((byte) => (byte & 0x3f) | 1);
const objects: Record<string, Uint8Array> = {};

beforeAll(async () => {
  for (const [name, layout] of Object.entries(layouts)) {
    const store = new MapStore();
    await writeV3(store, v3Meta({ data_type: "int32", shape: [rows, columns], ...layout }), elements);
    for (const [key, bytes] of store.entries) objects[`/${name}${key}`] = bytes;
  }
});

/** A part of the array, copied by a slow reference. */
function cut([top, bottom, left, right]: readonly [number, number, number, number]): Buffer {
  const parts = [];
  for (let row = top; row < bottom; row++) {
    const start = row * columns;
    parts.push(elements.subarray((start + left) * itemBytes, (start + right) * itemBytes));
  }
  return Buffer.concat(parts);
}

type Box = readonly [number, number, number, number];

function randomBox(random: () => number): Box {
  const edge = (length: number, most: number): [number, number] => {
    const start = Math.floor(random() * length);
    return [start, Math.min(length, start + 1 + Math.floor(random() * most))];
  };
  return [...edge(rows, 200), ...edge(columns, 600)];
}

const servers: ObjectServer[] = [];
const pools: WorkerPool[] = [];
let rejections: unknown[] = [];
const note = (error: unknown) => rejections.push(error);

beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));
beforeEach(() => {
  rejections = [];
});
afterEach(async () => {
  for (const pool of pools.splice(0)) pool.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await settled();
  expect(rejections).toEqual([]);
});

const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

async function start(layout: string, options: HttpStoreOptions = {}, behaviour: Behaviour = {}) {
  const random = randomizer(seed + 1);
  const delay = async () => {
    await new Promise((resolve) => setTimeout(resolve, random() * 20));
    return undefined;
  };
  const server = await new ObjectServer(objects, { trouble: delay, ...behaviour }).start();
  servers.push(server);
  const store = new HttpStore(`${server.url}/${layout}`, { retryDelay: 1, ...options });
  return { server, array: await openArray(store) };
}

interface Load {
  /** Reads with the expected result. */
  right: number;
  /** Reads that rejected with their own signal's reason. */
  aborted: number;
  /** Reads aborted after they had settled. */
  late: number;
  /** Everything else. */
  bad: unknown[];
}

interface LoadOptions {
  count?: number;
  pool?: WorkerPool;
  /** Percentage of reads that are aborted. */
  aborts?: number;
  seed?: number;
}

/** Reads regions concurrently and aborts some of them. */
async function load(
  array: ZarrArray,
  { count = reads, pool, aborts = 40, ...options }: LoadOptions = {},
): Promise<Load> {
  const random = randomizer(options.seed ?? seed);
  const found: Load = { right: 0, aborted: 0, late: 0, bad: [] };
  const one = async (number: number) => {
    const box = randomBox(random);
    // Milliseconds: some reads are aborted before they wait, some after they are complete.
    const [begin, end] = [random() * 200, random() ** 2 * 4000];
    const isDoomed = random() * 100 < aborts;
    const concurrency = 1 + Math.floor(random() * 16);
    await new Promise((resolve) => setTimeout(resolve, begin));
    const controller = new AbortController();
    const reason = new Error(`read ${number} is given up`);
    let isOver = false;
    if (isDoomed) setTimeout(() => (isOver ? found.late++ : controller.abort(reason)), end);
    const selection = [slice(box[0], box[1]), slice(box[2], box[3])];
    try {
      const { bytes } = await getBytes(array, selection, { signal: controller.signal, pool, concurrency });
      isOver = true;
      if (controller.signal.aborted || Buffer.compare(bytes, cut(box)) !== 0) found.bad.push(box);
      else found.right++;
    } catch (error) {
      isOver = true;
      if (controller.signal.aborted && error === reason) found.aborted++;
      else found.bad.push(error);
    }
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  };
  await Promise.all(Array.from({ length: count }, (_, i) => one(i)));
  return found;
}

function check(what: string, { right, aborted, late, bad }: Load, count: number, server: ObjectServer): void {
  if (isVerbose)
    console.log(
      `${what}: ${count} reads, ${right} right, ${aborted} aborted (${late} too late), ${bad.length} lost or wrong; ` +
        `${server.seen.length} requests, at most ${server.peak} at a time`,
    );
  expect(bad).toEqual([]);
  expect(right + aborted).toBe(count);
}

const pooled = (): WorkerPool => {
  const pool = new WorkerPool({ size: 2 });
  pools.push(pool);
  return pool;
};

describe.each(Object.keys(layouts))("reads of %s", (layout) => {
  it.each([1, 7, 32])("of which some are aborted, with %i requests at a time", async (concurrency) => {
    const { server, array } = await start(layout, { concurrency });
    server.behaviour.trouble = crowd(server, concurrency);
    const count = concurrency === 1 ? amount(25, 100) : reads;
    const found = await load(array, { count });
    check(`${layout}, ${concurrency} requests`, found, count, server);
    expect(found.aborted).toBeGreaterThan(0);
    expect(server.peak).toBe(concurrency);
    await until(() => server.open === 0);
  });

  it("of which some are aborted, decoded by workers", async () => {
    const { server, array } = await start(layout);
    const found = await load(array, { pool: pooled() });
    check(`${layout}, workers`, found, reads, server);
    expect(found.aborted).toBeGreaterThan(0);
    expect(server.peak).toBeLessThanOrEqual(32);
    await until(() => server.open === 0);
  });

  it("go on while workers are killed", async () => {
    const forced = [
      vi.spyOn(WorkerPool.prototype, "outweighsCopy").mockReturnValue(true),
      vi.spyOn(WorkerPool.prototype, "helps").mockReturnValue(false),
    ];
    onTestFinished(() => {
      for (const spy of forced) spy.mockRestore();
    });
    const { server, array } = await start(layout);
    const workers: Worker[] = [];
    const createWorker = () => {
      const worker = new Worker(new URL("../../../dist/workers/worker.js", import.meta.url), {
        execArgv: [],
      });
      workers.push(worker);
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (...args: Parameters<typeof post>) => {
        post(...args);
        if (++posts % 20 === 0) void worker.terminate();
      };
      return worker;
    };
    let posts = 0;
    const pool = new WorkerPool({ size: 2, createWorker });
    pools.push(pool);
    check(`${layout}, workers that are killed`, await load(array, { pool }), reads, server);
    if (isVerbose) console.log(`${workers.length} workers, ${posts} pieces of work`);
    expect(workers.length).toBeGreaterThan(2);
    expect(pool.size).toBe(2);
  });

  it("over a connection that breaks, from a server with occasional errors", async () => {
    const random = randomizer(seed + 3);
    const trouble: Behaviour["trouble"] = async () => {
      await new Promise((resolve) => setTimeout(resolve, random() * 4));
      const dice = random();
      if (dice < 0.05) return "break";
      return dice < 0.1 ? { status: 503 } : undefined;
    };
    const send: Behaviour["send"] = () => {
      if (random() > 0.05) return undefined;
      return ({ status, headers, body }, response) => {
        response.writeHead(status, headers);
        response.write(body.subarray(0, body.byteLength / 2), () => response.socket?.destroy());
      };
    };
    const { server, array } = await start(layout, { retries: 12 }, {});
    Object.assign(server.behaviour, { trouble, send });
    check(`${layout}, errors`, await load(array), reads, server);
    expect(server.peak).toBeLessThanOrEqual(32);
  });
});

/** Holds responses back until a number of callers wait for them. */
function crowd(server: ObjectServer, most: number): NonNullable<Behaviour["trouble"]> {
  const { trouble } = server.behaviour;
  let isThere = false;
  return async (request, count) => {
    isThere ||= server.open >= most;
    while (!isThere && !request.socket.destroyed) await slowly(1);
    return trouble?.(request, count);
  };
}

describe("readers of one chunk", () => {
  it("are unaffected by aborts of other readers", async () => {
    const { server, array } = await start("chunks", {}, { trouble: () => slowly(20) });
    const box: Box = [0, 48, 0, 64];
    const selection = [slice(0, 48), slice(0, 64)];
    const random = randomizer(seed);
    const reason = new Error("enough");
    let aborted = 0;
    const one = async (number: number) => {
      const controller = new AbortController();
      if (number % 10 !== 0) setTimeout(() => controller.abort(reason), random() * 30);
      try {
        const { bytes } = await getBytes(array, selection, { signal: controller.signal });
        expect(Buffer.compare(bytes, cut(box))).toBe(0);
      } catch (error) {
        expect(error).toBe(reason);
        aborted++;
      }
    };
    await Promise.all(Array.from({ length: reads }, (_, i) => one(i)));
    expect(aborted).toBeGreaterThan(0);
    expect(aborted).toBeLessThanOrEqual(0.9 * reads);
    // All of them share one request.
    expect(server.log.filter((line) => line.endsWith("/c/0/0"))).toHaveLength(1);
  });
});

describe("nothing is left behind", () => {
  it("neither listeners of a long-lived signal nor timers", async () => {
    const { array } = await start("shards");
    const { signal } = new AbortController();
    const random = randomizer(seed);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const box = randomBox(random);
        const { bytes } = await getBytes(array, [slice(box[0], box[1]), slice(box[2], box[3])], { signal });
        expect(Buffer.compare(bytes, cut(box))).toBe(0);
      }),
    );
    await settled();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(timers()).toBeLessThanOrEqual(before + 1); // the server's own
  });

  it.each(["alone", "with workers"])("no memory, %s", async (how) => {
    const { server, array } = await start("chunks");
    const pool = how === "with workers" ? pooled() : undefined;
    const count = amount(63, 250);
    const used: number[] = [];
    for (let round = 0; round < 4; round++) {
      const found = await load(array, { count, aborts: 60, seed: round + 1, ...(pool && { pool }) });
      check(`memory, round ${round}`, found, count, server);
      server.seen.length = 0;
      used.push(await memory());
    }
    if (isVerbose)
      console.log(`memory, ${how}: ${used.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(", ")} MiB`);
    // The first round allocates permanent memory (buffers, code, connections); results alone are tens of MiB a round.
    expect(used.at(-1)! - used[0]!).toBeLessThan(4 * 2 ** 20);
  });

  it("no connections", async () => {
    const { server, array } = await start("chunks");
    await load(array, { count: amount(25, 100), aborts: 90 });
    await until(() => server.open === 0);
    await server.close();
    await until(() => !process.getActiveResourcesInfo().includes("TCPSocketWrap"));
  });
});

async function slowly(milliseconds: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return undefined;
}

/** Waits until a condition holds; the test's time limit ends an endless wait. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await slowly(5);
}

/** Bytes in use once everything that can be collected is. */
async function memory(): Promise<number> {
  v8.setFlagsFromString("--expose-gc");
  const collect = vm.runInNewContext("gc") as () => void;
  for (let i = 0; i < 4; i++) {
    collect();
    await settled();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
