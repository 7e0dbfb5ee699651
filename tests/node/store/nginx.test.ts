// A real nginx: files served under various configurations, and a failing upstream server with nginx as its proxy.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, getBytes, HttpStore, type HttpStoreOptions, open } from "zarr-wasm";
import { skipFor } from "../../shared/skips.js";
import { makeReads, type Reads, resultOf } from "../support/fault-reads.js";
import { FaultServer, faults, type ReadKind, readKinds } from "../support/fault-server.js";
import { NginxServer, nginxProgram } from "../support/nginx-server.js";
import { errorOf } from "../support/support.js";

if (!nginxProgram) console.warn("nginx is not installed: its tests are skipped");

/** Outcomes of reads below a place: of each kind, or of the kinds that differ from `rest`. */
interface Place {
  /** Directives of its location. */
  directives: string;
  options?: HttpStoreOptions;
  outcomes: { rest?: string } & Partial<Record<ReadKind, string>>;
}

const authorization = `Basic ${btoa("reader:secret")}`;
const right = { rest: "right" };
const gzip = "gzip on; gzip_min_length 1; gzip_types *; gzip_proxied any; gzip_http_version 1.0;";
const ofPage = { rest: "InvalidMetadata not-json 200", zip: "InvalidMetadata bad-zip 206" };

const places: Record<string, Place> = {
  plain: { directives: "", outcomes: right },
  gzip: { directives: gzip, outcomes: right },
  etagless: { directives: "etag off;", outcomes: right },
  rangeless: { directives: "max_ranges 0;", outcomes: right },
  "rangeless-gzip": { directives: `max_ranges 0; ${gzip}`, outcomes: right },
  slow: { directives: "limit_rate 30k;", outcomes: right },
  limited: {
    directives: "limit_req zone=slow burst=1 nodelay;",
    options: { retries: 30, retryDelay: 10 },
    outcomes: right,
  },
  "limited-429": {
    directives: "limit_req zone=slow burst=1 nodelay; limit_req_status 429;",
    options: { retries: 30, retryDelay: 10 },
    outcomes: right,
  },
  listed: { directives: "autoindex on;", outcomes: right },
  locked: {
    directives: 'auth_basic "data"; auth_basic_user_file FOLDER/passwords;',
    options: { headers: { authorization } },
    outcomes: right,
  },
  "locked-to-us": {
    directives: 'auth_basic "data"; auth_basic_user_file FOLDER/passwords;',
    outcomes: { rest: "Network http-status 401" },
  },
  forbidden: { directives: "deny all;", outcomes: { rest: "Network http-status 403" } },
  moved: { directives: "rewrite ^/moved/(.*)$ /plain/$1 redirect;", outcomes: right },
  "moved-for-good": { directives: "return 308 http://localhost:$server_port/plain$path;", outcomes: right },
  circle: { directives: "return 302 $request_uri;", outcomes: { rest: "Network fetch-failed" } },
  closed: { directives: "return 444;", outcomes: { rest: "Network fetch-failed" } },
  "one-page": { directives: "try_files /one-page/login.html =404;", outcomes: ofPage },
  nowhere: {
    directives: "return 404;",
    outcomes: { rest: "NotFound not-found" },
  },
};

describe("behind nginx", skipFor(nginxProgram ? undefined : "nginx is not installed"), () => {
  let reads: Reads;
  let nginx: NginxServer;
  let upstream: FaultServer;

  beforeAll(async () => {
    reads = await makeReads();
    upstream = await new FaultServer(reads.objects, {
      headers: (own) => ({ ...own, "content-type": "application/octet-stream" }),
    }).start();
    const locations = Object.entries(places).map(
      ([name, { directives }]) => `location /${name}/ { ${directives} }`,
    );
    const proxy = `proxy_pass ${upstream.url}/; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_read_timeout 1s; proxy_next_upstream off;`;
    nginx = await NginxServer.start(
      { ...reads.objects, "/gone/zarr.json": reads.objects["/large/zarr.json"]! },
      [...Object.keys(places), "pages"],
      `
      error_page 404 /404.html;
      if ($request_uri ~ ^/[^/]+(/.*)$) { set $path $1; }
      location /pages/ { try_files $uri /plain/login.html; }
      location = /login.html { alias FOLDER/data/login.html; }
      location /proxied/ { ${proxy} }
      location /unbuffered/ { ${proxy} proxy_buffering off; }
      location /cached/ { ${proxy} proxy_cache kept; proxy_cache_valid 200 1m; }
      location /packing/ { ${proxy} ${gzip} }
      ${locations.join("\n      ")}`,
    );
  });

  afterAll(async () => {
    await nginx?.stop();
    await upstream?.close();
  });

  it.each(Object.keys(places))("at /%s", async (name) => {
    const { outcomes, options } = places[name]!;
    const found: Partial<Record<ReadKind, string>> = {};
    for (const kind of readKinds) {
      found[kind] = await resultOf(reads.kinds[kind], `${nginx.url}/${name}`, { retryDelay: 1, ...options });
    }
    const stated = readKinds.map((kind) => [kind, outcomes[kind] ?? outcomes.rest]);
    expect(found).toEqual(Object.fromEntries(stated));
  });

  it("a missing chunk is missing even if 404 has a page", async () => {
    const array = await open(`${nginx.url}/plain/large`, { kind: "array" });
    const gone = await open(`${nginx.url}/plain/gone`, { kind: "array" });
    expect(Buffer.compare((await getBytes(gone)).bytes, new Uint8Array(2 * 64 * 1024))).toBe(0);
    expect((await get(array, [0, 0])).data[0]).not.toBe(0);
  });

  it("a missing chunk is an error if the server returns a page instead", async () => {
    const read = reads.kinds.run;
    const options = { retryDelay: 1 };
    expect(await resultOf(read, `${nginx.url}/pages`, options)).toBe("right");
    const gone = await open(`${nginx.url}/pages/gone`, { kind: "array" });
    for (const selection of [null, [3], [3, 5]]) {
      expect(await errorOf(() => getBytes(gone, selection))).toMatchObject({
        _tag: "Network",
        code: "html-page",
      });
    }
    // A group of v2 has neither zarr.json nor .zarray; a page in their place is not taken for "there is none".
    const store = new HttpStore(`${nginx.url}/pages/group`, options);
    expect((await errorOf(() => open(store)))._tag).toBe("InvalidMetadata");
  });

  it("requests above the rate limit are retried", async () => {
    const statuses: number[] = [];
    const counting: HttpStoreOptions = {
      retries: 50,
      retryDelay: 10,
      fetch: async (request) => {
        const answer = await fetch(request);
        statuses.push(answer.status);
        return answer;
      },
    };
    const all = await Promise.all(
      ["limited", "limited-429"].flatMap((place) =>
        Array.from({ length: 4 }, () => resultOf(reads.kinds.chunk, `${nginx.url}/${place}`, counting)),
      ),
    );
    expect(new Set(all)).toEqual(new Set(["right"]));
    expect(statuses).toContain(503);
    expect(statuses).toContain(429);
  });

  it("through a cache", async () => {
    upstream.behaviour.send = () => undefined;
    upstream.seen.length = 0;
    for (let round = 0; round < 2; round++) {
      for (const kind of readKinds)
        expect(await resultOf(reads.kinds[kind], `${nginx.url}/cached`, {}), kind).toBe("right");
    }
    expect(upstream.log.filter((line) => line === "GET /packed/c/0/0")).toHaveLength(1);
  });

  describe.each(["proxied", "unbuffered", "packing"])("a server that errs, at /%s", (place) => {
    const url = () => `${nginx.url}/${place}`;

    it("reads succeed otherwise", async () => {
      upstream.behaviour.send = () => undefined;
      for (const kind of readKinds) expect(await resultOf(reads.kinds[kind], url(), {}), kind).toBe("right");
    });

    it("never returns wrong data", async () => {
      const results = new Map<string, number>();
      for (const fault of faults) {
        // Silence takes long, and has separate tests below. 404 means that a chunk is missing, here as well,
        // and redirects of a server that does not know its proxy lead there.
        if (fault.timeout || /^404|redirect/.test(fault.name)) continue;
        for (const kind of ["chunk", "run", "innerChunk"] as const) {
          const read = reads.kinds[kind];
          upstream.met = 0;
          upstream.err(read.key, fault, read.isMeant ?? (() => true));
          const result = await resultOf(read, url(), { retryDelay: 1, timeout: fault.timeout, retries: 1 });
          expect(result, `${fault.name}: ${kind}`).not.toMatch(/fill|WRONG/);
          results.set(result, (results.get(result) ?? 0) + 1);
        }
      }
      expect(results.get("right")).toBeGreaterThan(30);
    });

    it.each([
      ["the connection is closed without a response, always", "Network http-status 502"],
      ["no response ever arrives", "Network http-status 504"],
      ["every body stops in the middle", /fetch-failed/],
      ["the connection is reset in the middle of every body", /fetch-failed/],
    ])("%s", async (name, expected) => {
      const fault = faults.find((one) => one.name === name)!;
      const read = reads.kinds.chunk;
      upstream.met = 0;
      upstream.err(read.key, fault, () => true);
      expect(await resultOf(read, url(), { retryDelay: 1, retries: 1 })).toMatch(expected);
    });
  });
});
