// Store of the load test. Runs in a separate thread, so that its load is not the caller's.
import http from "node:http";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { create, set } from "zarr-wasm";

const blosc = (cname) => ({
  name: "blosc",
  configuration: { cname, clevel: 5, shuffle: "shuffle", typesize: 2 },
});

/** A camera-like image: 12 bits, smooth, with noise in the lowest bits. */
function image(edge) {
  let state = 1;
  return Uint16Array.from({ length: edge * edge }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const [y, x] = [Math.floor(i / edge), i % edge];
    return 2048 + 1500 * Math.sin(x / 90) * Math.cos(y / 70) + (state >>> 27) - 16;
  });
}

async function objectsOf(edge) {
  const shape = [edge, edge];
  const kinds = {
    lz4: { codecs: [blosc("lz4")] },
    zstd: { codecs: [blosc("zstd")] },
    sharded: { codecs: [blosc("lz4")], shardShape: [2048, 2048] },
  };
  const data = image(edge);
  const objects = new Map();
  for (const [name, options] of Object.entries(kinds)) {
    const own = new Map();
    const array = await create(own, { shape, chunkShape: [256, 256], dtype: "uint16", ...options });
    await set(array, null, data);
    for (const [key, bytes] of own) objects.set(`/${name}${key}`, bytes);
  }
  return objects;
}

/** Serves objects and byte ranges of them. */
function serve(objects, request, response) {
  const bytes = objects.get(request.url);
  if (!bytes) return void response.writeHead(404).end();
  const asked = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
  if (!asked) return void response.writeHead(200, { "content-length": bytes.length, etag: '"1"' }).end(bytes);
  const start = asked[1] === "" ? bytes.length - Number(asked[2]) : Number(asked[1]);
  const end = asked[1] === "" || asked[2] === "" ? bytes.length : Number(asked[2]) + 1;
  const headers = {
    "content-range": `bytes ${start}-${end - 1}/${bytes.length}`,
    "content-length": end - start,
    etag: '"1"',
  };
  response.writeHead(206, headers).end(bytes.subarray(start, end));
}

if (!isMainThread) {
  const objects = await objectsOf(workerData);
  const server = http.createServer((request, response) => serve(objects, request, response));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
}

/** Starts the store. @param edge length of an image's sides, in elements */
export async function store(edge) {
  const thread = new Worker(new URL(import.meta.url), { workerData: edge });
  const port = await new Promise((resolve, reject) => thread.once("message", resolve).once("error", reject));
  return { url: `http://127.0.0.1:${port}`, close: () => thread.terminate() };
}
