// docs/cors.md: its settings name the same headers for every server, and they are the ones that reads need.
import { describe, expect, it } from "vitest";
import { create, get, HttpStore, open, set } from "zarr-wasm";
import { samplesOf, textOf } from "../support/doc-samples.js";

const exposed = ["Accept-Ranges", "Content-Length", "Content-Range", "ETag"];
const allowed = ["GET", "HEAD", "Range"];

/** The first sample of each section, by heading. */
function settings(): Map<string, string> {
  const lines = textOf("docs/cors.md").split("\n");
  const samples = samplesOf("docs/cors.md");
  return new Map(
    samples.map(({ line, text }) => [
      lines
        .slice(0, line)
        .findLast((heading) => heading.startsWith("## "))!
        .slice(3),
      text,
    ]),
  );
}

describe("docs/cors.md", () => {
  const servers = [...settings()].filter(([title]) => title !== "Check it");

  it("has settings for six servers", () => {
    expect(servers.map(([title]) => title)).toEqual([
      "Amazon S3",
      "Google Cloud Storage",
      "Azure Blob Storage",
      "Cloudflare R2",
      "nginx",
      "Caddy",
    ]);
  });

  it.each(servers)("%s allows what reads send, and exposes what they check", (_title, text) => {
    for (const name of [...allowed, ...exposed]) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
    expect(text).toMatch(/\*/);
    expect(text).toContain("86400");
  });
});

describe("reads over HTTP", () => {
  /** Reads one inner chunk of a shard through a `fetch` that serves a Map. @returns the requests sent. */
  async function requestsOf(refusesSuffix: boolean): Promise<Request[]> {
    const files = new Map<string, Uint8Array>();
    const array = await create(files, { shape: [8], chunkShape: [2], shardShape: [8], dtype: "int32" });
    await set(
      array,
      null,
      Int32Array.from({ length: 8 }, (_, i) => i + 1),
    );
    const sent: Request[] = [];
    const fetch = async (request: Request) => {
      sent.push(request);
      const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "");
      if (refusesSuffix && range?.[1] === "") throw new TypeError("Failed to fetch"); // a rejected preflight
      return callStore(files.get(new URL(request.url).pathname), request.method, range);
    };
    const store = new HttpStore("https://data.example.org/", { fetch, retryDelay: 0 });
    const opened = await open(store, { kind: "array", version: 3 });
    expect([...((await get(opened, [3])).data as Int32Array)]).toEqual([4]);
    return sent;
  }

  function callStore(bytes: Uint8Array | undefined, method: string, range: RegExpExecArray | null): Response {
    if (!bytes) return new Response(null, { status: 404 });
    const size = bytes.length;
    const body = (part: Uint8Array) => (method === "HEAD" ? null : Uint8Array.from(part));
    if (!range) return new Response(body(bytes), { headers: { "content-length": String(size) } });
    const start = range[1] === "" ? size - Number(range[2]) : Number(range[1]);
    const end = range[1] === "" ? size : Number(range[2]) + 1;
    const headers = { "content-range": `bytes ${start}-${end - 1}/${size}` };
    return new Response(body(bytes.slice(start, end)), { status: 206, headers });
  }

  it.each([false, true])(
    "send GET and HEAD with no header but Range (suffixes refused: %s)",
    async (refuses) => {
      const sent = await requestsOf(refuses);
      const kinds = new Set(
        sent.map(({ method, headers }) => `${method} ${headers.get("range")?.replaceAll(/\d+/g, "N") ?? ""}`),
      );
      const expected = ["GET ", "GET bytes=-N", "GET bytes=N-N"];
      expect([...kinds].sort()).toEqual(refuses ? [...expected, "HEAD "] : expected);
      const names = new Set(sent.flatMap(({ headers }) => [...headers.keys()]));
      expect([...names]).toEqual(["range"]);
    },
  );
});
