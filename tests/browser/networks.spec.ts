// Servers on another origin: responses that a page may read, and errors for others.

import type * as Library from "zarr-wasm";
import { startServer, strictPolicy } from "../../scripts/lib/server.mjs";
import { makeReads, type Reads } from "../node/support/fault-reads.js";
import { FaultServer, faults } from "../node/support/fault-server.js";
import type { Behaviour } from "../node/support/store-server.js";
import { distFolder, pagesFolder, viewerFolder } from "../shared/places.js";
import { expect, test } from "./site.js";

type Headers = Record<string, string>;

let reads: Reads;
let server: FaultServer;

test.beforeAll(async () => {
  reads = await makeReads();
});

let site: Awaited<ReturnType<typeof startServer>>;

test.beforeEach(async ({ page, problems }) => {
  // Requests fail here deliberately, which browsers report.
  problems.expect(/^(Failed to load resource|Access to fetch)/);
  server = await new FaultServer(reads.objects).start();
  // The pages of other tests may only read from their own origin.
  const mounts = {
    "/lib/": distFolder,
    "/viewer/": viewerFolder,
    "/pages/": pagesFolder,
  };
  const policy = `${strictPolicy}; connect-src 'self' ${server.url}`;
  site = await startServer({ policy, mounts });
  await page.goto(`${site.url}/pages/blank.html`);
});

test.afterEach(async () => {
  await server.close();
  await site.close();
});

/** Adds headers to every response; also to preflights, if they are allowed. */
function allow(headers: Headers, preflight?: Headers): void {
  const trouble: Behaviour["trouble"] = ({ method }) => {
    if (method !== "OPTIONS") return undefined;
    return preflight ? { status: 204, headers: { ...headers, ...preflight } } : { status: 403 };
  };
  Object.assign(server.behaviour, { trouble, headers: (own: Headers) => ({ ...own, ...headers }) });
}

/** Reads arrays in the page: returns their bytes or the error. */
function read(page: import("@playwright/test").Page, paths: string[], options = {}) {
  return page.evaluate(
    async ({ url, paths, options }) => {
      const entry = "/lib/index.js";
      const { getBytes, HttpStore, isZarrError, open, slice } = (await import(entry)) as typeof Library;
      const results: string[] = [];
      for (const path of paths) {
        try {
          const store = new HttpStore(`${url}/${path}`, { retryDelay: 1, ...options });
          const array = await open(store, { kind: "array", version: 3 });
          const corner = path === "large" || path === "shard" ? [3, slice(5, 9)] : null;
          results.push([...(await getBytes(array, corner)).bytes].join());
        } catch (error) {
          if (!isZarrError(error)) throw error;
          results.push(`${error._tag} ${error.code} ${error.message}`);
        }
      }
      return results;
    },
    { url: server.url, paths, options },
  );
}

const paths = ["packed", "plain", "large", "shard"];
const truth = () => {
  const { chunk, plainChunk, run, index } = reads.kinds;
  return [chunk, plainChunk, run, index].map(({ truth }) => [...truth].join());
};

test("a server without CORS is an error that names the header", async ({ page }) => {
  for (const found of await read(page, paths, { retries: 1 })) {
    expect(found).toMatch(/^Network fetch-failed .*127\.0\.0\.1.*Access-Control-Allow-Origin/);
  }
});

test("a server with CORS for GET only, and no exposed headers", async ({ page }) => {
  allow({ "access-control-allow-origin": "*" });
  expect(await read(page, paths)).toEqual(truth());
  // Suffix ranges are not allowed, HEAD is refused, and sizes are hidden: the shard is read whole.
  expect(server.log.filter((line) => line.includes("/shard/c/0/0 bytes=-"))).toEqual([]);
  expect(server.log).toContain("GET /shard/c/0/0");
});

test("a server that allows ranges and exposes its headers", async ({ page }) => {
  const leave = { "access-control-allow-headers": "range", "access-control-max-age": "60" };
  allow(
    { "access-control-allow-origin": "*", "access-control-expose-headers": "Content-Range, ETag" },
    leave,
  );
  expect(await read(page, paths)).toEqual(truth());
  expect(server.log.filter((line) => line.startsWith("GET /shard/c/0/0 bytes=-"))).toHaveLength(1);
});

test("faulty responses of a server on another origin", async ({ page }) => {
  const leave = { "access-control-allow-headers": "range", "access-control-max-age": "60" };
  const tried = faults.filter(({ name, timeout }) => !timeout && !/redirect|404/.test(name));
  const right: string[] = [];
  for (const fault of tried) {
    allow({ "access-control-allow-origin": "*" }, leave);
    server.met = 0;
    const headers = { "access-control-allow-origin": "*" };
    // Faulty responses are readable too: the fault is in the response, not in its permissions.
    const send: typeof fault.send = (ready, response, request) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      return fault.send(ready, response, request);
    };
    for (const [i, name] of paths.entries()) {
      server.err(`/${name}/c/0/0`, { ...fault, send }, () => true);
      const [found] = await read(page, [name], { retries: 3 });
      if (found === truth()[i]) right.push(`${fault.name}: ${name}`);
      else expect(found, `${fault.name}: ${name}`).toMatch(/^(Network|CorruptChunk) /);
    }
  }
  expect(right.length).toBeGreaterThan(50);
});

test("redirects, whose targets browsers hide: followed for reads, refused for writes", async ({ page }) => {
  const leave = {
    "access-control-allow-headers": "content-type, x-api-key",
    "access-control-allow-methods": "PUT, DELETE",
  };
  const headers = { "access-control-allow-origin": "*" };
  server.behaviour.trouble = ({ method, url }) => {
    if (method === "OPTIONS") return { status: 204, headers: { ...headers, ...leave } };
    if (url!.startsWith("/moved/")) return undefined;
    return { status: 307, headers: { ...headers, location: `/moved${url}` } };
  };
  server.behaviour.headers = (own: Headers) => ({ ...own, ...headers });
  server.objects.set("/moved/k", new Uint8Array([7]));
  const found = await page.evaluate(async (url) => {
    const entry = "/lib/index.js";
    const { isZarrError, WritableHttpStore } = (await import(entry)) as typeof Library;
    const store = new WritableHttpStore(url, { headers: { "x-api-key": "k" }, retries: 0 });
    const sign = (request: Request) =>
      new Request(request, { headers: { ...Object.fromEntries(request.headers), "x-api-key": "k" } });
    const signing = new WritableHttpStore(url, { sign, retries: 0 });
    const codeOf = (error: unknown) => (isZarrError(error) ? error.code : String(error));
    return [
      String(await store.get("/k")),
      String(await store.get("/k")),
      await store.set("/k", new Uint8Array(1)).catch(codeOf),
      await store.delete("/k").catch(codeOf),
      await signing.get("/k").catch(codeOf),
    ];
  }, server.url);
  expect(found).toEqual(["7", "7", "redirect", "redirect", "redirect"]);
  const sent = server.log.filter((line) => !line.startsWith("OPTIONS"));
  expect(sent).toEqual([
    "GET /k", // shows that redirects are opaque
    ...["GET /k", "GET /moved/k", "GET /k", "GET /moved/k"],
    ...["PUT /k", "DELETE /k", "GET /k"],
  ]);
});
