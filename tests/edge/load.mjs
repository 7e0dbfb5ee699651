// Load test of the tiles: CPU time per tile, tiles per second and core, latency, the effect of the cache.
// Bounded in count and time. Slowness never fails the test.
import { availableParallelism, cpus, loadavg } from "node:os";
import { store } from "./load-store.mjs";
import { autocannon, cpuOf, memoryOf, startMiniflare, startWorkerd } from "./tools.mjs";

const edge = 4096;
const rows = edge / 256;
const chunkBytes = 256 * 256 * 2;
const range = "range=0,4095&map=viridis";

/** Every tile once, in an order without neighbours. */
const places = Array.from({ length: rows * rows }, (_, i) => {
  const shuffled = (i * 97) % (rows * rows);
  return `${Math.floor(shuffled / rows)}/${shuffled % rows}`;
});

const percentile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))];
const shown = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));

/** Unexpected responses. */
const failures = [];

async function ask(url, status = 200, headers = {}) {
  const answer = await fetch(url, { headers });
  const { byteLength } = await answer.arrayBuffer();
  if (answer.status !== status) failures.push(`${url} answered ${answer.status}, not ${status}`);
  return { answer, byteLength };
}

/** One request at a time: CPU time and latency of each. */
async function oneByOne(worker, name, paths, status, headers) {
  for (const path of paths.slice(0, 32)) await ask(`${worker.url}/${path}`, status, headers);
  const [cpu, wall, bytes] = [[], [], []];
  for (const path of paths) {
    const [before, began] = [cpuOf(worker.pid), performance.now()];
    const { byteLength } = await ask(`${worker.url}/${path}`, status, headers);
    wall.push(performance.now() - began);
    cpu.push(cpuOf(worker.pid) - before);
    bytes.push(byteLength);
  }
  const mean = cpu.reduce((a, b) => a + b, 0) / cpu.length;
  return {
    request: name,
    "CPU ms median": shown(percentile(cpu, 0.5)),
    "CPU ms mean": shown(mean),
    "CPU ms p95": shown(percentile(cpu, 0.95)),
    "wall ms p50": shown(percentile(wall, 0.5)),
    "KB median": shown(percentile(bytes, 0.5) / 1000),
    "tiles/s per core": shown(1000 / mean),
  };
}

/** Many connections for some seconds. */
async function crowd(worker, name, paths, { connections = 16, duration = 10 } = {}) {
  const requests = paths.map((path) => ({ method: "GET", path: `/${path}` }));
  const cpu = cpuOf(worker.pid);
  const running = autocannon({ url: worker.url, requests, connections, duration });
  running.on("response", (_, status) => {
    if (status !== 200) failures.push(`${name}: a status of ${status}`);
  });
  const result = await running;
  const total = result.requests.total;
  if (result.errors > 0) failures.push(`${name}: ${result.errors} errors`);
  const perRequest = (cpuOf(worker.pid) - cpu) / total;
  return {
    load: name,
    requests: total,
    "requests/s": shown(result.requests.average),
    "CPU ms": shown(perRequest),
    "requests/s per core": shown(1000 / perRequest),
    "p50 ms": result.latency.p50,
    "p99 ms": result.latency.p99,
    "MiB of memory": shown(memoryOf(worker.pid)),
  };
}

/** Tiles with the popularity of real requests: the k-th most popular one is requested 1/k as often. */
function popular(count) {
  const bounds = []; // cumulative shares of all requests by tile
  for (let k = 1; k <= places.length; k++) bounds.push((bounds.at(-1) ?? 0) + 1 / k);
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, () => {
    const at = random() * bounds.at(-1);
    return places[bounds.findIndex((bound) => at < bound)];
  });
}

async function coldTiles(url) {
  const worker = await startWorkerd({ STORE_URL: url, CHUNK_CACHE_MB: 0 });
  const tiles = [
    ["raw, blosc-lz4", "lz4", "raw", ""],
    ["png, blosc-lz4", "lz4", "png", `?${range}`],
    ["png, blosc-zstd", "zstd", "png", `?${range}`],
    ["png, shard of blosc-lz4", "sharded", "png", `?${range}`],
    ["webp, blosc-lz4", "lz4", "webp", `?${range}`],
  ];
  const table = [];
  for (const [name, dataset, format, query] of tiles)
    table.push(
      await oneByOne(
        worker,
        name,
        places.map((place) => `${dataset}/0/${place}.${format}${query}`),
        200,
      ),
    );
  const nothing = places.map(() => "page.css");
  table.push(await oneByOne(worker, "(a file of 250 bytes)", nothing, 200));
  console.table(table);
  await worker.close();
}

async function crowds(url) {
  const table = [];
  const cold = await startWorkerd({ STORE_URL: url, CHUNK_CACHE_MB: 0 });
  const paths = places.map((place) => `lz4/0/${place}.png?${range}`);
  table.push(await crowd(cold, "png, nothing kept", paths));
  await cold.close();
  const warm = await startWorkerd({ STORE_URL: url, CHUNK_CACHE_MB: 64 });
  for (const path of paths) await ask(`${warm.url}/${path}`);
  table.push(await crowd(warm, "png, decoded chunks kept", paths));
  await warm.close();
  console.table(table);
}

/** The response cache: its hit rate, as reported by the Worker, and the cost of hits. */
async function cache(url) {
  const worker = await startMiniflare({ STORE_URL: url });
  const counts = { hit: 0, miss: 0 };
  const asked = popular(1500);
  for (let i = 0; i < asked.length; i += 8) {
    const answers = asked.slice(i, i + 8).map((place) => ask(`${worker.url}/lz4/0/${place}.png?${range}`));
    for (const { answer } of await Promise.all(answers)) counts[answer.headers.get("x-cache")]++;
  }
  console.log(
    `cache: ${asked.length} requests of ${places.length} tiles by popularity (1/k), ${new Set(asked).size} different: ${counts.hit} hits, ${shown((100 * counts.hit) / asked.length)} %`,
  );
  if (!(counts.hit > 0)) failures.push("the cache has taken no request");
  const kept = places.map((place) => `lz4/0/${place}.png?${range}`);
  for (const path of kept) await ask(`${worker.url}/${path}`);
  console.table([await oneByOne(worker, "png from Miniflare's cache", kept, 200)]);
  await worker.close();
}

/**
 * Roughly the memory limit of a Cloudflare isolate; with the default, V8 collects garbage at unpredictable
 * times.
 */
const smallHeap = ["--max-old-space-size=48", "--max-semi-space-size=2"];

/** Memory while many more bytes pass through than may be kept: it must stop growing. */
async function memory(url) {
  const worker = await startWorkerd({ STORE_URL: url, CHUNK_CACHE_MB: 8, INDEX_CACHE_MB: 1 }, smallHeap);
  const rounds = [];
  for (let round = 0; round < 16; round++) {
    for (let i = 0; i < places.length; i += 8) {
      const dataset = i % 16 === 0 ? "lz4" : "sharded";
      const paths = places
        .slice(i, i + 8)
        .map((place) => `${dataset}/0/${place}.png?range=0,${4000 + round}`);
      await Promise.all(paths.map((path) => ask(`${worker.url}/${path}`)));
    }
    rounds.push(memoryOf(worker.pid));
  }
  console.log(
    `memory after each ${places.length} tiles, 8 at a time (${(places.length * chunkBytes) / 2 ** 20} MiB of elements), MiB: ${rounds.map((mib) => mib.toFixed(0)).join(" ")}`,
  );
  const [early, late] = [rounds[4], rounds.at(-1)];
  if (late - early > 16) failures.push(`memory has grown from ${shown(early)} to ${shown(late)} MiB`);
  await worker.close();
}

/** Runs all phases. @returns the failures */
export async function runLoad() {
  const began = performance.now();
  console.log(`${cpus()[0].model}, ${availableParallelism()} cores, load before: ${loadavg()[0].toFixed(1)}`);
  console.log(
    `uint16, ${edge} × ${edge}, chunks of 256 × 256 (${chunkBytes / 1024} KiB); processor time of workerd from /proc`,
  );
  const served = await store(edge);
  await coldTiles(served.url);
  await crowds(served.url);
  await cache(served.url);
  await memory(served.url);
  await served.close();
  console.log(`${((performance.now() - began) / 1000).toFixed(0)} s, load after: ${loadavg()[0].toFixed(1)}`);
  return [...new Set(failures)].slice(0, 20);
}
