// Cases that need more than a store: servers, aborts, strict policies.
import { spawnSync } from "node:child_process";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { readers } from "../readers.mjs";
import { int16, shard, sharding, storeOf, v3 } from "../stores.mjs";

const right = [1, 2, 3, 4];
const sharded = () =>
  storeOf({ "zarr.json": v3({ codecs: [sharding([2])] }), "c/0": shard([int16(1, 2), int16(3, 4)]) });

/** Serves a store on the loopback interface; `answer` writes the response for existing keys. */
async function served(store, answer, work) {
  const server = http.createServer((request, response) => {
    const bytes = store.get(request.url);
    if (bytes) answer(request, response, bytes);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A server without range support: sends everything with status 200. */
const everything = (request, response, bytes) => {
  response.writeHead(200, { "content-length": bytes.length });
  response.end(request.method === "HEAD" ? undefined : bytes);
};

/**
 * A server that supports ranges, ignores malformed ones (RFC 9110, 14.2), and answers HEAD without a length.
 */
const withoutLength = (request, response, bytes) => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
  if (request.method === "HEAD") return response.writeHead(200, { "transfer-encoding": "chunked" }).end();
  if (!match) return response.writeHead(200).end(bytes);
  const [first, last] = match.slice(1);
  const start = first === "" ? bytes.length - Number(last) : Number(first);
  const end = first === "" || last === "" ? bytes.length : Number(last) + 1;
  response.writeHead(206, { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` });
  return response.end(bytes.subarray(start, end));
};

/** A store with slow ranges, which are aborted by the request's signal. */
class SlowStore extends Map {
  async getRange(key, range, options) {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 100);
      options?.signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(options.signal.reason);
      });
    });
    const bytes = this.get(key);
    if ("suffixLength" in range) return bytes.slice(-range.suffixLength);
    return bytes.slice(range.offset, range.offset + range.length);
  }
}

/** Two reads of one array; aborting the first must not affect the second. */
async function readTwice(name) {
  const store = new SlowStore(sharded());
  const controller = new AbortController();
  const openAndRead = await shared(name, store);
  const first = openAndRead(controller.signal).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  const second = openAndRead(undefined);
  second.catch(() => {}); // awaited below
  controller.abort(new Error("the first read was aborted"));
  await first;
  return second;
}

/** Returns a function that reads an array, which is opened once. */
async function shared(name, store) {
  if (name === "zarrita") {
    const zarrita = await import("zarrita");
    const array = await zarrita.open(store, { kind: "array" });
    return async (signal) => [...(await zarrita.get(array, null, { signal })).data];
  }
  const { get, open } = await import("zarr-wasm");
  const array = await open(store, { kind: "array" });
  return async (signal) => [...(await get(array, null, { signal })).data];
}

/** Reads a blosc chunk in a process that forbids code from strings, as most content security policies do. */
function underPolicy(name) {
  const file = fileURLToPath(new URL("../strict.mjs", import.meta.url));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--disallow-code-generation-from-strings", file, name],
    { encoding: "utf8" },
  );
  if (stdout.trim() === "") throw new Error(/^\w*Error: .*$/m.exec(stderr)?.[0] ?? "the process failed");
  return JSON.parse(stdout);
}

/** @type {import("../run.mjs").Case[]} */
export const runCases = [
  {
    name: "shard on a server that knows no ranges",
    right,
    run: (name) => served(sharded(), everything, (url) => readers[name](url)),
  },
  {
    name: "shard on a server whose HEAD has no length",
    right,
    run: (name) => served(sharded(), withoutLength, (url) => readers[name](url)),
  },
  { name: "read concurrent with an aborted one, of one shard", right, run: readTwice },
  { name: "blosc where strings may not become code", right: [0, 4, 8, 12], run: underPolicy },
];
