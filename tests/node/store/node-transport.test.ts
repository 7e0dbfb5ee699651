// How requests are sent in Node: by its HTTP client, unless the store has a fetch, or the global one has been replaced
// since the library was loaded (docs/stores.md, "Transport").

import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import http from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HttpStore, type HttpStoreOptions } from "zarr-wasm";
import { skipNow } from "../../shared/skips.js";
import { errorOf, randomBytes } from "../support/support.js";

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

let servers: http.Server[] = [];

/** A server, its address, and its recorded requests and connections. */
async function serve(handler: Handler, host = "127.0.0.1") {
  const met: { path: string; headers: http.IncomingHttpHeaders }[] = [];
  let connections = 0;
  const server = http.createServer((request, response) => {
    met.push({ path: request.url!, headers: request.headers });
    handler(request, response);
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { url, met, connections: () => connections };
}

const storeAt = (url: string, options: HttpStoreOptions = {}) =>
  new HttpStore(url, { retryDelay: 1, ...options });

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

it("does not detach the body of a simulated response, which a test may send again", async () => {
  const sent = new Uint8Array(new ArrayBuffer(5000)).fill(7);
  const answer = () => {
    const message = new http.IncomingMessage(new Socket());
    message.statusCode = 200;
    message.push(sent);
    message.push(null);
    return message;
  };
  const simulated = vi.spyOn(http, "request").mockImplementation(() => {
    const request = new EventEmitter() as http.ClientRequest;
    request.end = () => {
      setImmediate(() => request.emit("response", answer()));
      return request;
    };
    return request;
  });
  try {
    const store = storeAt("http://simulated.test");
    for (const key of ["/a", "/b"]) expect(await store.get(key)).toEqual(new Uint8Array(5000).fill(7));
    expect(simulated).toHaveBeenCalledTimes(2);
    expect(sent.byteLength).toBe(5000);
  } finally {
    simulated.mockRestore();
  }
});

const body = randomBytes(5000, 1);
const sendBody: Handler = (_, response) => void response.end(body);

describe("which transport is used", () => {
  /** Only requests of fetch carry the mode headers of browsers. */
  async function usesFetch(options?: HttpStoreOptions): Promise<boolean> {
    const { url, met } = await serve(sendBody);
    expect(await storeAt(url, options).get("/a")).toEqual(body);
    return met[0]!.headers["sec-fetch-mode"] !== undefined;
  }

  it("Node's client by default", async () => {
    expect(await usesFetch()).toBe(false);
    await fetch("data:,"); // creates undici's default dispatcher
    expect(await usesFetch()).toBe(false);
  });

  it("the global fetch while it is replaced", async () => {
    const original = globalThis.fetch;
    const replacement = vi.fn((...asked: Parameters<typeof fetch>) => original(...asked));
    vi.stubGlobal("fetch", replacement);
    expect(await usesFetch()).toBe(true);
    expect(replacement).toHaveBeenCalledTimes(1);
    vi.unstubAllGlobals();
    expect(await usesFetch()).toBe(false);
  });

  it("the store's fetch", async () => {
    expect(await usesFetch({ fetch: (request) => fetch(request) })).toBe(true);
    expect(await usesFetch({ fetch: globalThis.fetch })).toBe(true);
  });

  it("the global fetch if proxies of the environment are to be used", async () => {
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    expect(await usesFetch()).toBe(true);
  });

  it("fetch in runtimes that call themselves Node", async () => {
    for (const name of ["Deno", "Bun", "WebSocketPair"]) {
      vi.stubGlobal(name, {});
      expect(await usesFetch(), name).toBe(true);
      vi.unstubAllGlobals();
    }
  });

  it("dispatchers of undici by fetch: globalThis.fetch only", async () => {
    const key = Symbol.for("undici.globalDispatcher.1");
    const holder = globalThis as Record<symbol, unknown>;
    await fetch("data:,");
    const original = holder[key] as { dispatch(...asked: unknown[]): unknown };
    const dispatch = vi.fn((...asked: unknown[]) => original.dispatch(...asked));
    try {
      holder[key] = { dispatch };
      expect(await usesFetch()).toBe(false);
      expect(dispatch).not.toHaveBeenCalled();
      expect(await usesFetch({ fetch: globalThis.fetch })).toBe(true);
      expect(dispatch).toHaveBeenCalledTimes(1);
    } finally {
      holder[key] = original;
    }
  });

  it("a replaced node:http, as mocks of it do", async () => {
    const request = vi.spyOn(http, "request");
    expect(await usesFetch()).toBe(false);
    expect(request).toHaveBeenCalledTimes(1);
    request.mockRestore();
  });
});

describe("Node's client", () => {
  it("sends what fetch would send, and the store's headers", async () => {
    const { url, met } = await serve(sendBody);
    await storeAt(url, { headers: { "X-Key": "k", "user-agent": "mine" } }).get("/a b?c");
    await storeAt(url).getRange("/a", { offset: 3, length: 4 });
    expect(met[0]).toMatchObject({
      path: "/a%20b%3Fc",
      headers: { accept: "*/*", "x-key": "k", "user-agent": "mine", "accept-encoding": "gzip, deflate, br" },
    });
    expect(met[1]!.headers).toMatchObject({
      range: "bytes=3-6",
      "accept-encoding": "identity",
      "user-agent": "node",
    });
  });

  it("reads over IPv6", async (context) => {
    const server = await serve(sendBody, "::1").catch(() => undefined);
    if (!server) skipNow(context, "this machine has no IPv6");
    expect(await storeAt(server.url).get("/a")).toEqual(body);
  });

  it("reuses connections, also after unread responses", async () => {
    const { url, connections } = await serve(({ url: path }, response) => {
      response.statusCode = path === "/missing" ? 404 : 200;
      response.end(path === "/missing" ? "nothing here" : body);
    });
    const store = storeAt(url);
    for (let i = 0; i < 5; i++) {
      expect(await store.get("/missing")).toBeUndefined();
      expect(await store.get("/a")).toEqual(body);
    }
    // The rest of an answer may still be under way when the next request is sent.
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it("closes a connection rather than read a long body without a reader", async () => {
    const { url, connections } = await serve(({ url: path }, response) => {
      response.writeHead(path === "/missing" ? 404 : 200, { "content-length": 2 ** 30 });
      response.write(body);
    });
    expect(await storeAt(url).get("/missing")).toBeUndefined();
    expect(await storeAt(url).get("/missing")).toBeUndefined();
    expect(connections()).toBe(2);
  });

  it("lets the process end, while the server would keep connections", async () => {
    const { url } = await serve(sendBody);
    const script = `
      const { HttpStore } = await import(${JSON.stringify(import.meta.resolve("zarr-wasm"))});
      const bytes = await new HttpStore(process.argv[1]).get("/a");
      console.log(bytes.length);`;
    // The server is in this process, so this must not block on the other one.
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, url]);
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
    });
    expect(await new Promise((resolve) => child.on("exit", resolve))).toBe(0);
    expect(said.trim()).toBe(String(body.length));
  });

  it("stops at an abort, before and during a response", async () => {
    const { url } = await serve(({ url: path }, response) => {
      if (path === "/silent") return;
      response.writeHead(200, { "content-length": 2 * body.length });
      response.write(body);
    });
    for (const key of ["/silent", "/half"]) {
      const reason = new Error("enough");
      const signal = AbortSignal.timeout(50);
      const controller = new AbortController();
      signal.addEventListener("abort", () => controller.abort(reason));
      expect(await errorOf(() => storeAt(url).get(key, { signal: controller.signal })), key).toBe(reason);
    }
  });

  it("reports why there is no response", async () => {
    const { url } = await serve((request) => void request.socket.destroy());
    const failure = { _tag: "Network", code: "fetch-failed" };
    expect(await errorOf(() => storeAt(url).get("/a"))).toMatchObject({
      ...failure,
      message: /socket hang up/,
    });
    const refused = await errorOf(() => storeAt("http://localhost:1").get("/a"));
    expect(refused).toMatchObject({ ...failure, message: /ECONNREFUSED/ });
    const secret = await errorOf(() => storeAt(url.replace("//", "//user:word@")).get("/a"));
    expect(secret).toMatchObject({ ...failure, message: /credentials/ });
  });
});

describe("redirections", () => {
  const own = { headers: { authorization: "Bearer t", cookie: "c=1", "x-key": "k" } };

  it.each([301, 302, 303, 307, 308])("of status %i are followed", async (status) => {
    const { url, met } = await serve(({ url: path }, response) => {
      if (path === "/there") response.end(body);
      else response.writeHead(status, { location: "/there" }).end("moved");
    });
    expect(await storeAt(url, own).get("/here")).toEqual(body);
    expect(met[1]!.headers).toMatchObject(own.headers);
  });

  it("without a place, and other answers of their kind, are none", async () => {
    const { url } = await serve(({ url: path }, response) => {
      response.writeHead(Number(path!.slice(1)), path === "/304" ? { location: "/200" } : {}).end();
    });
    for (const status of [302, 304]) {
      const error = await errorOf(() => storeAt(url).get(`/${status}`));
      expect(error).toMatchObject({ _tag: "Network", code: "http-status", status });
    }
  });
});

describe("bodies that are compressed on the way", () => {
  const codings: Record<string, (bytes: Uint8Array) => Uint8Array> = {
    gzip: gzipSync,
    "X-GZIP": gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    "gzip, br": (bytes) => brotliCompressSync(gzipSync(bytes)),
    "aws-chunked": (bytes) => bytes,
    "": (bytes) => bytes,
  };

  it.each(Object.keys(codings))("by %j", async (coding) => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": coding }).end(codings[coding]!(body));
    });
    expect(await storeAt(url).get("/a")).toEqual(body);
  });

  it.each(["unknown", "gzip, unknown", "br, br, br", Array(5000).fill("br").join(",")])(
    "in ways that are not known, or many of them, are refused: %.20s",
    async (coding) => {
      for (const fetch of [undefined, (request: Request) => globalThis.fetch(request)]) {
        const { url, met } = await serve((_, response) => {
          response.writeHead(200, { "content-encoding": coding }).end(body);
        });
        const error = await errorOf(() => storeAt(url, { fetch, retries: 0 }).get("/a"));
        // Some versions of fetch abort on their own.
        const codes = fetch ? ["bad-answer", "fetch-failed"] : ["bad-answer"];
        expect(codes).toContain(error.code);
        expect(met).toHaveLength(1);
      }
    },
  );

  it("and are damaged are broken answers", async () => {
    const packed = gzipSync(body);
    for (const bytes of [packed.subarray(0, 1000), body, packed.with(500, packed[500]! ^ 255)]) {
      const { url } = await serve((_, response) => {
        response.writeHead(200, { "content-encoding": "gzip" }).end(bytes);
      });
      const error = await errorOf(() => storeAt(url).get("/a"));
      expect(error).toMatchObject({ _tag: "Network", code: "fetch-failed" });
    }
  });
});

describe("memory that bodies are read into", () => {
  it("exposes only the body", async () => {
    // The response is shorter than announced: previous content of the memory must not be visible.
    const { url } = await serve(({ url: path }, response) => {
      if (path === "/chunked") response.write(body.subarray(0, 10));
      response.end(path === "/chunked" ? body.subarray(10, 50) : undefined);
    });
    expect(await storeAt(url).get("/chunked")).toEqual(body.slice(0, 50));
    expect(await storeAt(url).get("/empty")).toEqual(new Uint8Array(0));
  });
});
