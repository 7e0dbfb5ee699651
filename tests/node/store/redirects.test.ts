// Redirects of every method, by Node's client and by fetch: keys stay with their origin, bodies are sent again, nothing
// that is signed is replayed.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpStore, WritableHttpStore, type WritableHttpStoreOptions } from "zarr-wasm";
import { bytesOf, errorOf } from "../support/support.js";

interface Seen {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

type Answer = (seen: Seen, response: http.ServerResponse) => void;

const closing: http.Server[] = [];
afterEach(() => {
  for (const server of closing.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that records its requests. */
async function startServer(answer: Answer) {
  const seen: Seen[] = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { method = "", url: path = "", headers } = request;
    seen.push({ method, path, headers, body });
    answer(seen.at(-1)!, response);
  });
  closing.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const listing = "<ListBucketResult><Contents><Key>data/k</Key></Contents></ListBucketResult>";
/** Serves every key and a listing, and accepts every write. */
const serveAll: Answer = ({ method, path }, response) =>
  void response.writeHead(200).end(path.includes("list-type") ? listing : method === "GET" ? "value" : "");
const redirectTo =
  (status: number, location: string): Answer =>
  (_, response) =>
    void response.writeHead(status, { location }).end("moved");

const keys = { "x-api-key": "k", authorization: "Bearer t", cookie: "c=1", "x-amz-security-token": "s" };
const statuses = [301, 302, 303, 307, 308];
const storeAt = (url: string, options: WritableHttpStoreOptions = {}) =>
  new WritableHttpStore(`${url}/data`, { retries: 0, bucket: `${url}/`, ...options });

/** Adds keys to a new request, as signers do. */
const sign = (request: Request) => {
  const headers = {
    ...Object.fromEntries(request.headers),
    ...keys,
    "x-signed": new URL(request.url).pathname,
  };
  return new Request(request, { headers });
};
const ways: [string, WritableHttpStoreOptions][] = [
  ["headers", { headers: keys }],
  ["headers and a fetch of the caller's", { headers: keys, fetch: (request) => fetch(request) }],
  ["sign", { sign }],
  ["sign and a fetch of the caller's", { sign, fetch: (request) => fetch(request) }],
];

async function listed(store: WritableHttpStore): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list!("")) found.push(key);
  return found;
}

describe.each(ways)("to another origin, with %s", (_, options) => {
  it.each(statuses)("reads of status %i are followed without keys", async (status) => {
    const other = await startServer(serveAll);
    const { url } = await startServer((seen, response) =>
      redirectTo(status, other.url + seen.path)(seen, response),
    );
    const store = storeAt(url, options);
    expect(await store.get("/k")).toEqual(bytesOf("value"));
    expect(await store.getRange("/k", { offset: 0, length: 5 })).toEqual(bytesOf("value"));
    expect(await listed(store)).toEqual(["/k"]);
    expect(await store.listChildren!("")).toEqual([]);
    for (const { headers } of other.seen)
      for (const name of [...Object.keys(keys), "x-signed"]) expect(headers[name], name).toBeUndefined();
    expect(other.seen.map(({ headers }) => headers.range)).toContain("bytes=0-4");
  });

  it.each(statuses)("writes of status %i are refused", async (status) => {
    const other = await startServer(serveAll);
    const { url, seen } = await startServer(redirectTo(status, `${other.url}/there`));
    const store = storeAt(url, { ...options, retries: 2, retryDelay: 1 });
    const absent = { ifVersion: "absent" } as const;
    for (const write of [
      () => store.set("/k", bytesOf("new")),
      () => store.set("/k", bytesOf("new"), absent),
      () => store.delete("/k"),
    ]) {
      const error = await errorOf(write);
      expect(error).toMatchObject({ _tag: "Network", code: "redirect" });
      expect(error.message).toContain(other.url);
    }
    expect(other.seen).toEqual([]);
    expect(seen.map(({ method }) => method)).toEqual(["PUT", "PUT", "DELETE"]);
  });
});

describe.each(ways)("on the same origin, with %s", (_, options) => {
  const moved: Answer = (seen, response) => {
    const [, status, where] = /^\/data\/(\d+)\/(.*)$/.exec(seen.path) ?? [];
    if (status) redirectTo(Number(status), `/moved/${where}`)(seen, response);
    else serveAll(seen, response);
  };

  it.each([301, 302, 307, 308])("a PUT of status %i is sent again, with its body", async (status) => {
    const { url, seen } = await startServer(moved);
    await storeAt(url, options).set(`/${status}/k`, bytesOf("new"), { ifVersion: "absent" });
    expect(seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["PUT", `/data/${status}/k`, "new"],
      ["PUT", "/moved/k", "new"],
    ]);
    for (const { headers, path } of seen) {
      expect(headers).toMatchObject({ ...keys, "if-none-match": "*", "content-length": "3" });
      if (options.sign) expect(headers["x-signed"]).toBe(path); // signed for its target
    }
  });

  it.each([301, 302, 307, 308])("a DELETE of status %i is sent again", async (status) => {
    const { url, seen } = await startServer(moved);
    await storeAt(url, options).delete(`/${status}/k`);
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `DELETE /data/${status}/k`,
      "DELETE /moved/k",
    ]);
    expect(seen[1]!.headers).toMatchObject(keys);
  });

  it("303 turns a write into a GET without body and condition", async () => {
    const { url, seen } = await startServer(moved);
    const store = storeAt(url, options);
    await store.set("/303/k", bytesOf("new"), { ifVersion: "absent" });
    await store.delete("/303/k");
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "PUT /data/303/k",
      "GET /moved/k",
      "DELETE /data/303/k",
      "GET /moved/k",
    ]);
    expect(seen[1]!.body).toBe("");
    expect(seen[1]!.headers).toMatchObject(keys);
    for (const name of ["if-none-match", "content-type", "content-length"])
      expect(seen[1]!.headers[name], name).toBeUndefined();
  });

  it("404 or 412 after 303 is not the result of a condition", async () => {
    for (const status of [404, 412]) {
      const { url } = await startServer((seen, response) => {
        if (seen.method === "PUT") redirectTo(303, "/gone")(seen, response);
        else response.writeHead(status).end();
      });
      const error = await errorOf(() =>
        storeAt(url, options).set("/k", bytesOf("new"), { ifVersion: { etag: '"1"' } }),
      );
      expect(error).toMatchObject({ _tag: "Network", code: "http-status", status });
    }
  });

  it("a login page after 302 or 303 is not a successful write", async () => {
    for (const status of [302, 303]) {
      const { url } = await startServer((seen, response) => {
        if (seen.path === "/login") response.writeHead(200, { "content-type": "text/html" }).end("<html>");
        else redirectTo(status, "/login")(seen, response);
      });
      const error = await errorOf(() => storeAt(url, options).set("/k", bytesOf("new")));
      expect(error).toMatchObject({ _tag: "Network", code: "html-page" });
    }
  });

  it("loops end after 20 redirects, for writes without a retry", async () => {
    const { url, seen } = await startServer(redirectTo(307, "/loop"));
    const store = storeAt(url, { ...options, retries: 1, retryDelay: 1 });
    const reads = [() => store.get("/k"), () => listed(store)];
    const writes = [() => store.set("/k", bytesOf("new")), () => store.delete("/k")];
    for (const ask of [...reads, ...writes]) {
      seen.length = 0;
      const isRead = reads.includes(ask as never);
      const code = isRead ? "fetch-failed" : "redirect";
      expect(await errorOf(ask)).toMatchObject({ _tag: "Network", code, message: /redirect/ });
      expect(seen).toHaveLength(isRead ? 42 : 21);
    }
  });

  it.each(["file:///etc/hostname", "data:text/plain,x", "ftp://x/y", "http://["])(
    "%s is not followed",
    async (location) => {
      const { url, seen } = await startServer(redirectTo(307, location));
      const store = storeAt(url, { ...options, retries: 1, retryDelay: 1 });
      expect(await errorOf(() => store.get("/k"))).toMatchObject({ _tag: "Network", code: "fetch-failed" });
      expect(seen).toHaveLength(2);
      expect(await errorOf(() => store.set("/k", bytesOf("new")))).toMatchObject({ code: "redirect" });
      expect(seen).toHaveLength(3);
    },
  );
});

it("keys do not come back to a request that has left its origin", async () => {
  const back: { url?: string } = {};
  const other = await startServer((seen, response) => redirectTo(302, `${back.url}/back`)(seen, response));
  const { url, seen } = await startServer((asked, response) =>
    asked.path === "/back" ? serveAll(asked, response) : redirectTo(302, other.url)(asked, response),
  );
  back.url = url;
  for (const [, options] of ways) {
    seen.length = 0;
    expect(await storeAt(url, options).get("/k")).toEqual(bytesOf("value"));
    expect(seen[0]!.headers).toMatchObject(keys);
    for (const name of [...Object.keys(keys), "x-signed"]) expect(seen[1]!.headers[name]).toBeUndefined();
  }
});

it("presigned URLs may lead to another origin, but redirects of writes from there may not", async () => {
  const third = await startServer(serveAll);
  let isMoved = false;
  const bucket = await startServer((seen, response) =>
    (isMoved ? redirectTo(307, `${third.url}/x?signature=1`) : serveAll)(seen, response),
  );
  const presign = async (request: Request) => {
    const { method, url, headers } = request;
    const body = method === "PUT" ? await request.arrayBuffer() : null;
    return new Request(`${bucket.url}${new URL(url).pathname}?signature=1`, { method, headers, body });
  };
  const { url, seen } = await startServer(serveAll);
  const store = storeAt(url, { sign: presign });
  await store.set("/k", bytesOf("new"));
  expect(await store.get("/k")).toEqual(bytesOf("value"));
  isMoved = true;
  expect(await store.get("/k")).toEqual(bytesOf("value"));
  expect(await errorOf(() => store.set("/k", bytesOf("new")))).toMatchObject({ code: "redirect" });
  expect(seen).toEqual([]);
  expect(bucket.seen.map(({ method }) => method)).toEqual(["PUT", "GET", "GET", "PUT"]);
  expect(third.seen.map(({ method }) => method)).toEqual(["GET"]);
});

it("the caller's fetch does not see redirects that it is to follow itself, unless there are keys", async () => {
  const modes: string[] = [];
  const { url } = await startServer(serveAll);
  const seeing = async (request: Request) => {
    modes.push(`${request.method} ${request.redirect}`);
    return fetch(request);
  };
  await new HttpStore(url, { fetch: seeing }).get("/k");
  await new HttpStore(url, { fetch: seeing, headers: { accept: "text/plain" } }).get("/k");
  await new HttpStore(url, { fetch: seeing, headers: { "x-api-key": "k" } }).get("/k");
  await storeAt(url, { fetch: seeing }).set("/k", bytesOf("x"));
  expect(modes).toEqual(["GET follow", "GET follow", "GET manual", "PUT manual"]);
});

it("a runtime that hides redirects, like browsers, follows those of reads only", async () => {
  const modes: string[] = [];
  const { url } = await startServer((seen, response) =>
    seen.path === "/there" ? serveAll(seen, response) : redirectTo(302, "/there")(seen, response),
  );
  const hiding = async (request: Request) => {
    modes.push(`${request.method} ${request.redirect}`);
    const response = await fetch(request);
    if (response.status !== 302) return response;
    await response.body?.cancel();
    return {
      type: "opaqueredirect",
      status: 0,
      headers: new Headers(),
      body: null,
      url: request.url,
    } as never;
  };
  const store = storeAt(url, { fetch: hiding, headers: keys });
  for (let i = 0; i < 2; i++) expect(await store.get("/k")).toEqual(bytesOf("value"));
  expect(modes).toEqual(["GET manual", "GET follow", "GET follow"]);
  for (const write of [() => store.set("/k", bytesOf("x")), () => store.delete("/k")])
    expect(await errorOf(write)).toMatchObject({ _tag: "Network", code: "redirect" });
  const signing = storeAt(url, { fetch: hiding, sign });
  expect(await errorOf(() => signing.get("/k"))).toMatchObject({ _tag: "Network", code: "redirect" });
});
