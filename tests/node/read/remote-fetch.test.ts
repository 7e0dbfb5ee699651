// Requests that workers send for the thread that reads: both sides in one thread, and a server on the loopback interface.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HttpClient } from "#src/store/http/store.js";
import type { HttpResponse, Transport } from "#src/store/transport.js";
import { IdleTimeout } from "#src/util/async.js";
import { Fetching, isFetchRequest } from "#src/workers/fetching.js";
import { FetchConnection } from "#src/workers/remote-fetch.js";
import { errorOf } from "../support/support.js";

const megabyte = 2 ** 20;
const body = Uint8Array.from({ length: 3 * megabyte + 77 }, (_, i) => (i * 31) >> 3);

let server: Server;
let url: URL;
let sentOfEndless = 0;

beforeAll(async () => {
  server = createServer(({ url: path, headers }, response) => {
    if (path === "/whole") response.writeHead(200, { "content-length": body.length }).end(body);
    else if (path === "/small") response.end(body.subarray(0, 1000));
    else if (path === "/empty") response.end();
    else if (path === "/headers") response.end(String(headers["x-key"]));
    else if (path === "/forbidden") response.writeHead(403).end("no");
    else if (path === "/busy") response.writeHead(503, { "retry-after": "0" }).end();
    else if (path === "/short") {
      response.writeHead(200, { "content-length": 2000 }).write(body.subarray(0, 1000));
      setTimeout(() => response.destroy(), 30);
    } else if (path === "/slow") {
      response.write(body.subarray(0, 10));
      setTimeout(() => response.end(body.subarray(10, 20)), 400);
    } else if (path === "/silent") response.write(body.subarray(0, 10));
    else if (path === "/endless") {
      const pour = () => {
        while (!response.destroyed) {
          sentOfEndless += 65_536;
          if (!response.write(body.subarray(0, 65_536))) return void response.once("drain", pour);
        }
      };
      pour();
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Connects to a worker's side in this thread; messages are cloned as between threads. */
function connect() {
  const said: object[] = [];
  const fetching = new Fetching({
    post: (message, transfer) => {
      const copy = structuredClone(message, { transfer }) as object;
      queueMicrotask(() => line.receive(copy));
    },
  });
  const line = new FetchConnection((message) => {
    said.push(message);
    const copy = structuredClone(message) as object;
    queueMicrotask(() => {
      if (isFetchRequest(copy)) fetching.receive(copy);
    });
  });
  const transport: Transport = (target, request) => line.send(target, request);
  return { line, said, transport };
}

const clientOf = (timeout = 10_000) =>
  new HttpClient({
    headers: { "x-key": "a key" },
    maxBytes: 2 ** 26,
    retries: 2,
    retryDelay: 1,
    timeout,
    concurrency: 4,
  });

const at = (path: string) => new URL(path, url);

it("objects are the same through a worker, and so are missing ones", async () => {
  const { transport, line, said } = connect();
  const client = clientOf();
  for (const [path, expected] of [
    ["whole", body],
    ["small", body.subarray(0, 1000)],
    ["empty", new Uint8Array(0)],
    ["slow", body.subarray(0, 20)],
  ] as const)
    expect(Buffer.compare((await client.lend(at(path), {}, transport))!, expected), path).toBe(0);
  expect(await client.lend(at("nothing"), {}, transport)).toBeUndefined();
  expect(new TextDecoder().decode(await client.lend(at("headers"), {}, transport))).toBe("a key");
  expect(line.count).toBe(0);
  expect(said.filter((message) => "fetch" in message)).toHaveLength(6);
});

it("errors are those that the calling thread gets", async () => {
  const { transport, line, said } = connect();
  for (const [path, options] of [
    ["forbidden", {}],
    ["busy", {}],
    ["short", {}],
    ["whole", { maxBytes: 1000 }],
  ] as const) {
    const alone = await errorOf(() => clientOf().lend(at(path), options));
    const remote = await errorOf(() => clientOf().lend(at(path), options, transport));
    const { _tag, code, status } = alone as { _tag?: string; code?: string; status?: number };
    expect(remote, path).toMatchObject({ _tag, code, ...(status && { status }) });
  }
  expect(said.filter((message) => "fetch" in message)).toHaveLength(1 + 3 + 3 + 1); // as often as without
  expect(line.count).toBe(0);
});

it("a server that stops responding times out", async () => {
  const { transport, line, said } = connect();
  const error = await errorOf(() => clientOf(100).lend(at("silent"), {}, transport));
  expect(error).toMatchObject({ _tag: "Network", code: "timeout" });
  expect(line.count).toBe(0);
  expect(said.filter((message) => "drop" in message)).toHaveLength(3);
});

it("an aborted caller gets the reason, and the worker drops the request", async () => {
  const { transport, line, said } = connect();
  const abort = new AbortController();
  const reading = clientOf().lend(at("silent"), { signal: abort.signal }, transport);
  setTimeout(() => abort.abort(new Error("enough")), 50);
  await expect(reading).rejects.toThrow("enough");
  await new Promise((resolve) => setTimeout(resolve));
  expect(line.count).toBe(0);
  expect(said.at(-1)).toMatchObject({ drop: 0 });
});

it("an endless body is read no further than needed", async () => {
  const { line, said } = connect();
  const watch = new IdleTimeout(new AbortController().signal, 10_000);
  const answer = await line.send(at("endless"), { method: "GET", headers: new Headers(), watch });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = sentOfEndless;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(sentOfEndless).toBe(before); // nothing has consumed it yet
  let bytes = 0;
  await answer.read((piece) => {
    bytes += piece.byteLength;
    return bytes < 8 * megabyte;
  });
  expect(bytes).toBeGreaterThanOrEqual(8 * megabyte);
  expect(said.at(-1)).toMatchObject({ drop: 0 });
  watch.stop();
  const error = await errorOf(() =>
    clientOf().lend(at("endless"), { maxBytes: 2 * megabyte }, connect().transport),
  );
  expect(error).toMatchObject({ _tag: "LimitExceeded" });
});

it("a worker that ends, or sends another message, fails the request", async () => {
  const silent = new AbortController().signal;
  const ask = (said: object | undefined): Promise<HttpResponse> => {
    const line = new FetchConnection(() => {});
    const answer = line.send(at("whole"), {
      method: "GET",
      headers: new Headers(),
      watch: new IdleTimeout(silent, Number.POSITIVE_INFINITY),
    });
    if (said) line.receive({ fetched: 0, ...said });
    else line.close();
    return answer;
  };
  const head = { status: 200, statusText: "", isCors: false, headers: [] };
  await expect(ask(undefined)).rejects.toThrow("ended");
  for (const said of [
    {},
    { piece: new ArrayBuffer(4) },
    { head, piece: "text" },
    { head: { ...head, status: "200" } },
    { head: null },
    { head: { ...head, headers: [["a"]] } },
    { head: { ...head, headers: [null] } },
    { failure: 5 },
  ])
    await expect(ask(said), JSON.stringify(said)).rejects.toThrow("invalid message");
  await expect(ask({ failure: "no route" })).rejects.toThrow("no route");
});
