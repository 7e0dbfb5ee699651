// HTTP responses to clients and caches: ETags, 304, keys, CORS, client errors.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ObjectServer } from "../node/support/store-server.js";
import { makeStores } from "./stores.js";
import { startMiniflare } from "./tools.mjs";

let server: ObjectServer;
let worker: Awaited<ReturnType<typeof startMiniflare>>;
beforeAll(async () => {
  server = await new ObjectServer(Object.fromEntries(await makeStores())).start();
  worker = await startMiniflare({ STORE_URL: server.url });
});
afterAll(async () => {
  await worker?.close();
  await server?.close();
});

const ask = (path: string, init?: RequestInit) => fetch(`${worker.url}${path}`, init);

describe("caches", () => {
  it("sends an ETag of the bytes, and 304 if the client has them", async () => {
    const first = await ask("/v3/0/0/0.png?range=0,60000");
    const etag = first.headers.get("etag")!;
    expect(etag).toMatch(/^"[\w-]{20}"$/);
    expect(first.headers.get("cache-control")).toContain("max-age=3600");
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await ask("/v3/0/0/0.png?range=0,60000", { headers: { "if-none-match": known } });
      expect([again.status, again.headers.get("etag"), (await again.arrayBuffer()).byteLength]).toEqual([
        304,
        etag,
        0,
      ]);
    }
    const other = await ask("/v3/0/0/0.png?range=0,60000", { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
    const changed = await ask("/v3/0/0/0.png?range=0,50000");
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  it("the same ETag from another Worker", async () => {
    const other = await startMiniflare({ STORE_URL: server.url });
    const tags = await Promise.all(
      [worker, other].map(async ({ url }) =>
        (await fetch(`${url}/v2/0/1/1.png?range=0,9`)).headers.get("etag"),
      ),
    );
    expect(tags[0]).toBe(tags[1]);
    await other.close();
  });

  it("uses one cache key for all spellings of a request", async () => {
    const path = "/plates/ome5/2/0/1.png";
    const cache = async (query: string) => (await ask(`${path}?${query}`)).headers.get("x-cache");
    expect(await cache("map=magma&range=5,6e2&c=1")).toBe("miss");
    for (const query of [
      "c=1&range=5,600&map=magma",
      "range=5.0,600&c=1&map=magma&t=0",
      "map=magma&c=1&v=17&range=%2B5,600",
    ])
      expect(await cache(query), query).toBe("hit");
    expect(await cache("map=magma&range=5,600&c=2")).toBe("miss");
  });

  it("HEAD is GET without the body", async () => {
    const [head, whole] = [await ask("/v3/0/0/1.raw", { method: "HEAD" }), await ask("/v3/0/0/1.raw")];
    expect(head.status).toBe(200);
    expect(head.headers.get("etag")).toBe(whole.headers.get("etag"));
    expect(head.headers.get("content-length")).toBe("131072");
    expect((await head.arrayBuffer()).byteLength).toBe(0);
  });
});

describe("documents of a dataset", () => {
  it("an image", async () => {
    const answer = await ask("/plates/ome5.json?c=2");
    expect(answer.headers.get("content-type")).toBe("application/json");
    const info = (await answer.json()) as Record<string, unknown>;
    expect(info).toMatchObject({
      tilejson: "3.0.0",
      tiles: [`${worker.url}/plates/ome5/{z}/{y}/{x}.png?c=2`],
      minzoom: 0,
      maxzoom: 2,
      tileSize: 256,
      dtype: "uint16",
      range: [2000, 60000],
    });
    expect(info["axes"]).toEqual([
      { name: "t", length: 2, role: "index" },
      { name: "c", length: 3, role: "index" },
      { name: "y", length: 512, role: "row" },
      { name: "x", length: 600, role: "column" },
    ]);
    expect(
      (info["levels"] as { rows: number; columns: number }[]).map(({ rows, columns }) => [rows, columns]),
    ).toEqual([
      [1, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(info["channels"]).toHaveLength(3);
  });

  it("tiles of the template exist", async () => {
    const { tiles } = (await (await ask("/plates/ome4.json")).json()) as { tiles: [string] };
    const url = tiles[0].replace("{z}", "1").replace("{y}", "0").replace("{x}", "1");
    expect((await fetch(url)).headers.get("content-type")).toBe("image/png");
  });

  it("a page that shows them", async () => {
    const answer = await ask("/");
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect((await ask("/page.js")).headers.get("content-type")).toContain("javascript");
  });
});

describe("client errors", () => {
  it.each([
    ["/none/0/0/0.png", 404, "no such dataset"],
    ["/none.json", 404, "no such dataset"],
    ["/v3", 404, "tiles are at"],
    ["/v3/0/0/0.gif", 404, "tiles are at"],
    ["/v3/0/9/0.raw", 400, "3 rows and 4 columns"],
    ["/v3/7/0/0.raw", 400, "below 1"],
    ["/v3/-1/0/0.raw", 400, "whole number"],
    ["/v3/0/1e3/0.raw", 400, "whole number"],
    ["/v3/0/0/99999999999999999999.raw", 400, "whole number"],
    ["/v3/0/0/0.png", 400, "range=low,high"],
    ["/v3/0/0/0.png?range=1", 400, "two numbers"],
    ["/v3/0/0/0.png?range=5,5", 400, "differ"],
    ["/v3/0/0/0.png?range=0,1e999", 400, "two numbers"],
    ["/v3/0/0/0.png?range=0,1&map=rainbow", 400, "viridis"],
    ["/v3/0/0/0.png?range=0,1&range=0,2", 400, "twice"],
    ["/v3/0/0/0.png?range=0,1&c=0", 400, "is not a parameter"],
    ["/plates/ome5/0/0/0.png?c=3", 400, "below 3"],
    ["/geo/0/0/0.raw", 400, "variable=NAME"],
    ["/geo/0/0/0.raw?variable=none", 422, "none"],
    ["/geo/0/0/0.raw?variable=../v3", 400, "variable"],
    ["/texts/0/0/0.raw", 422, "cannot be shown as pixels"],
    ["/a%2f..%2fv3/0/0/0.raw", 400, "name"],
    ["/%2e%2e%2f/v3/0/0/0.raw", 400, "name"],
    ["/%ff/0/0/0.raw", 400, "path"],
  ])("%s is %i", async (path, status, text) => {
    const answer = await ask(path);
    const { error } = (await answer.json()) as { error: string };
    expect([answer.status, error]).toEqual([status, expect.stringContaining(text)]);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
    expect(error).not.toContain("127.0.0.1");
  });

  it.each([
    [{}, "STORE_URL"],
    [{ STORE_URL: "http://127.0.0.1", TILE_SIZE: 1e6 }, "TILE_SIZE"],
  ])("settings that make no sense: %o", async (settings, name) => {
    const other = await startMiniflare(settings as Record<string, string>);
    const answer = await fetch(`${other.url}/v3/0/0/0.raw`);
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining(name)]);
    await other.close();
  });

  it("only GET and HEAD", async () => {
    expect((await ask("/v3/0/0/0.raw", { method: "POST", body: "x" })).status).toBe(405);
  });
});

describe("pages of other origins", () => {
  const origin = { origin: "https://maps.example" };

  it("all are allowed by default", async () => {
    const answer = await ask("/v3/0/0/0.raw", { headers: origin });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Tile-Shape");
    expect(
      (await ask("/none/0/0/0.png", { headers: origin })).headers.get("access-control-allow-origin"),
    ).toBe("*");
    expect((await ask("/v3/0/0/0.raw", { method: "OPTIONS", headers: origin })).status).toBe(204);
  });

  it("only listed origins and listed datasets", async () => {
    const ALLOW_ORIGIN = "https://maps.example, https://other.example";
    const own = await startMiniflare({ STORE_URL: server.url, ALLOW_ORIGIN, DATASETS: "v3" });
    const allowed = async (headers: Record<string, string>) => {
      const answer = await fetch(`${own.url}/v3/0/0/0.raw`, { headers });
      expect(answer.headers.get("vary")).toContain("Origin");
      return answer.headers.get("access-control-allow-origin");
    };
    expect(await allowed(origin)).toBe("https://maps.example");
    expect(await allowed({ origin: "https://bad.example" })).toBeNull();
    expect(await allowed({ origin: "https://other.example" })).toBe("https://other.example"); // from the cache
    expect((await fetch(`${own.url}/v2/0/0/0.raw`)).status).toBe(404);
    await own.close();
  });
});
