// Failing, hanging and lying stores; concurrent requests.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { create, set } from "zarr-wasm";
import { type Behaviour, ObjectServer } from "../node/support/store-server.js";
import { addDataset, element, makeStores } from "./stores.js";
import { startMiniflare, startWorkerd } from "./tools.mjs";

let server: ObjectServer;
let original: Map<string, Uint8Array>;
beforeAll(async () => {
  original = await makeStores();
  server = await new ObjectServer().start();
});
afterAll(() => server.close());
beforeEach(() => {
  server.objects.clear();
  for (const [key, bytes] of original) server.objects.set(key, bytes);
  server.behaviour = {};
  server.seen.length = 0;
});

type Settings = Parameters<typeof startMiniflare>[0];
type Worker = Awaited<ReturnType<typeof startMiniflare>>;

/** A Worker without a response cache, so that every request reaches it. */
async function withWorker(settings: Settings, use: (worker: Worker) => Promise<void>): Promise<void> {
  const worker = await startMiniflare({ STORE_URL: server.url, ...settings }, { cache: false });
  try {
    await use(worker);
  } finally {
    await worker.close();
  }
}

const isChunk = (url: string | undefined) => /\/c\/\d|\/\d+\.\d+$/.test(url ?? "");
const chunkReads = () => server.log.filter((line) => isChunk(line.split(" ")[1]));
const never = new Promise<undefined>(() => {});

describe("coalescing", () => {
  it("concurrent requests of one tile make one request per chunk", async () => {
    await withWorker({}, async ({ url }) => {
      const answers = await Promise.all(Array.from({ length: 24 }, () => fetch(`${url}/v3/0/0/0.raw`)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(chunkReads()).toEqual([...new Set(chunkReads())]);
      expect(chunkReads()).toHaveLength(2); // 256 × 256 elements in chunks of 200 × 300
      expect(server.log.filter((line) => line === "GET /v3/zarr.json")).toHaveLength(1);
    });
  });

  it("tiles of one chunk make one request for it, and one for the index of its shard", async () => {
    await withWorker({ TILE_SIZE: 64 }, async ({ url }) => {
      const tiles = [0, 1, 2, 3].flatMap((y) =>
        [0, 1, 2, 3].map((x) => `${url}/plates/ome5/2/${y}/${x}.raw`),
      );
      await Promise.all(tiles.map((tile) => fetch(tile)));
      expect(chunkReads().sort()).toEqual(
        ["0/0", "0/1", "1/0", "1/1"].map((chunk) => expect.stringContaining(`/c/0/0/${chunk}`)),
      );
      server.seen.length = 0;
      await Promise.all([0, 1, 2, 3].map((x) => fetch(`${url}/sharded/0/0/${x}.raw`)));
      const suffixes = server.log.filter((line) => line.includes("bytes=-"));
      expect(suffixes).toHaveLength(1);
    });
  });

  it("a client that disconnects does not abort the chunk for others", async () => {
    // workerd alone: it notices a disconnected client immediately, and cancels the work of its request.
    const worker = await startWorkerd({ STORE_URL: server.url, TIMEOUT_MS: 5000 });
    await fetch(`${worker.url}/v3.json`);
    let release = (_: undefined) => {};
    const held = new Promise<undefined>((resolve) => {
      release = resolve;
    });
    server.behaviour = { trouble: ({ url: key }) => (isChunk(key) ? held : undefined) };
    const first = new AbortController();
    const gone = fetch(`${worker.url}/v3/0/0/0.raw`, { signal: first.signal }).catch(() => "gone");
    await expect.poll(() => chunkReads().length).toBe(2);
    const second = fetch(`${worker.url}/v3/0/0/0.raw`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    first.abort();
    expect(await gone).toBe("gone");
    await new Promise((resolve) => setTimeout(resolve, 200));
    release(undefined);
    expect((await second).status).toBe(200);
    expect(chunkReads()).toHaveLength(2);
    await worker.close();
  });
});

describe("faults of the store", () => {
  const cases: readonly (readonly [string, Behaviour["trouble"], number, string])[] = [
    ["500", () => ({ status: 500 }), 502, "the store answered 500"],
    ["403", () => ({ status: 403 }), 502, "the store answered 403"],
    ["broken connections", () => "break", 502, "cannot be read"],
  ];

  it.each(cases)("%s: 502, then it recovers", async (_, trouble, status, text) => {
    await withWorker({}, async ({ url }) => {
      for (const part of ["all", "chunks"]) {
        server.behaviour = {
          trouble: (request, count) =>
            part === "all" || isChunk(request.url) ? trouble!(request, count) : undefined,
        };
        const answer = await fetch(`${url}/v3/0/0/0.raw`);
        const { error } = (await answer.json()) as { error: string };
        expect([answer.status, error]).toEqual([status, expect.stringContaining(text)]);
        expect(answer.headers.get("retry-after")).toBe("5");
        expect(answer.headers.get("cache-control")).toBe("no-store");
        server.behaviour = {};
        if (part === "all") expect((await fetch(`${url}/v3.json`)).status).toBe(200);
      }
      expect((await fetch(`${url}/v3/0/0/0.raw`)).status).toBe(200);
    });
  });

  it("a single failure is hidden by a retry", async () => {
    await withWorker({}, async ({ url }) => {
      let failed = 0;
      server.behaviour = {
        trouble: ({ url: key }) => (isChunk(key) && failed++ === 0 ? { status: 503 } : undefined),
      };
      expect((await fetch(`${url}/v3/0/0/0.raw`)).status).toBe(200);
      expect(failed).toBeGreaterThan(1);
    });
  });

  it("no response: 504 in time for all waiting clients, then it recovers", async () => {
    await withWorker({ TIMEOUT_MS: 900 }, async ({ url }) => {
      for (const hangs of [isChunk, () => true]) {
        server.behaviour = { trouble: ({ url: key }) => (hangs(key) ? never : undefined) };
        const path = hangs === isChunk ? "v3/0/0/0.raw" : "v2/0/0/0.raw";
        const began = performance.now();
        const answers = await Promise.all([0, 1, 2].map(() => fetch(`${url}/${path}`)));
        expect(performance.now() - began).toBeLessThan(10_000); // within the timeout
        for (const { status, headers } of answers) {
          expect([502, 504]).toContain(status);
          expect(headers.get("retry-after")).toBe("5");
        }
        server.behaviour = {};
        expect((await fetch(`${url}/${path}`)).status).toBe(200);
      }
    });
  });

  it("damaged chunks: 502, and none of their bytes", async () => {
    await withWorker({}, async ({ url }) => {
      for (const [key, path] of [
        ["/v2/0.0", "v2/0/0/0.raw"],
        ["/v3/c/0/0", "v3/0/0/0.raw"],
        ["/sharded/c/0/0", "sharded/0/0/0.raw"],
      ] as const) {
        const whole = original.get(key)!;
        server.objects.set(key, whole.subarray(0, whole.byteLength - 9));
        const answer = await fetch(`${url}/${path}`);
        expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("damaged")]);
        server.objects.set(key, whole);
        expect((await fetch(`${url}/${path}`)).status).toBe(200);
      }
    });
  });

  it("chunks that are too large, and invalid metadata", async () => {
    const large = { shape: [8192, 8192], chunkShape: [8192, 8192], dtype: "uint16" } as const;
    await addDataset(server.objects, "large", (own) => create(own, large));
    server.objects.set(
      "/odd/zarr.json",
      new TextEncoder().encode('{"zarr_format":3,"node_type":"array","shape":[1e99]}'),
    );
    await withWorker({}, async ({ url }) => {
      expect((await fetch(`${url}/large/0/0/0.raw`)).status).toBe(422);
      expect((await fetch(`${url}/odd/0/0/0.raw`)).status).toBe(422);
    });
  });

  it("requests beyond the memory limit are refused", async () => {
    const slow = { shape: [8192, 8192], chunkShape: [1024, 1024], dtype: "uint8" } as const;
    await addDataset(server.objects, "slow", (own) => create(own, slow));
    await withWorker({ IN_FLIGHT_MB: 4, TIMEOUT_MS: 2000 }, async ({ url }) => {
      await fetch(`${url}/slow.json`);
      let release = (_: undefined) => {};
      const held = new Promise<undefined>((resolve) => {
        release = resolve;
      });
      server.behaviour = { trouble: ({ url: key }) => (isChunk(key) ? held : undefined) };
      const answers = [0, 4, 8, 12].map((x) => fetch(`${url}/slow/0/0/${x}.raw`));
      const turnedAway = await Promise.race(answers.slice(2));
      expect([turnedAway.status, turnedAway.headers.get("retry-after")]).toEqual([503, "1"]);
      release(undefined);
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 503, 503]);
    });
  });
});

describe("arrays of small chunks", () => {
  /** Adds an array of 256 × 256 elements whose chunks are served with a delay in milliseconds. */
  async function addSmall(side: number, delay = 0): Promise<void> {
    const options = { shape: [256, 256], chunkShape: [side, side], dtype: "uint8" } as const;
    await addDataset(server.objects, "small", (own) => create(own, options));
    const held = () => new Promise<undefined>((resolve) => setTimeout(resolve, delay, undefined));
    server.behaviour = { trouble: ({ url: key }) => (isChunk(key) ? held() : undefined) };
  }
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  it("a tile of too many chunks is refused before any chunk is read", async () => {
    await addSmall(1);
    await withWorker({}, async ({ url }) => {
      const answer = await fetch(`${url}/small/0/0/0.raw`);
      const { error } = (await answer.json()) as { error: string };
      expect([answer.status, error]).toEqual([422, expect.stringContaining("65536 chunks")]);
      expect(chunkReads()).toEqual([]);
    });
  });

  it("MAX_TILE_CHUNKS sets the maximum", async () => {
    await addSmall(32);
    for (const [most, status] of [
      [63, 422],
      [64, 200],
    ] as const)
      await withWorker({ MAX_TILE_CHUNKS: most }, async ({ url }) => {
        expect((await fetch(`${url}/small/0/0/0.raw`)).status).toBe(status);
      });
  });

  it("after 504 nothing more is read", async () => {
    await addSmall(16, 50);
    await withWorker({ TIMEOUT_MS: 600 }, async ({ url }) => {
      expect((await fetch(`${url}/small/0/0/0.raw`)).status).toBe(504);
      await pause(100); // requests still in flight
      const reads = chunkReads().length;
      expect(reads).toBeGreaterThan(0);
      await pause(600);
      expect(chunkReads()).toHaveLength(reads);
    });
  });
});

it("a single array has no variables", async () => {
  await withWorker({}, async ({ url }) => {
    for (const path of ["v3/0/0/0.raw?variable=x", "v2.json?variable=x"]) {
      const answer = await fetch(`${url}/${path}`);
      const { error } = (await answer.json()) as { error: string };
      expect([answer.status, error]).toEqual([400, "this dataset is a single array: it has no variables"]);
    }
  });
});

it("changed metadata is read after its cache time", async () => {
  await withWorker({ METADATA_TTL: 0 }, async ({ url }) => {
    const first = async () => new Uint16Array(await (await fetch(`${url}/v3/0/0/0.raw`)).arrayBuffer())[0];
    expect(await first()).toBe(element(0, 0, 0));
    await addDataset(server.objects, "v3", async (own) =>
      set(await create(own, { shape: [300, 300], dtype: "uint16" }), null, 9),
    );
    expect(await first()).toBe(9);
  });
});
