// `zarr-wasm view`: which requests it serves, which it rejects, and how it ends.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rename } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { get, isZarrError, open, ZipWriter } from "zarr-wasm";
import { fileSink } from "zarr-wasm/node";
import { startServer } from "#src/cli/server/server.js";
import { skipFor, unsupportedSystem } from "../../shared/skips.js";
import { root, run, temporaryFolder, tool, writeStore } from "../support/cli-tool.js";
import { plainReferences, plainValues, repository } from "../support/icechunk-repository.js";

const folder = temporaryFolder();
const field = path.join(root, "examples/field.zarr");

interface Viewing {
  readonly child: ChildProcess;
  readonly link: URL;
  readonly site: string;
  /** The source that the page opens, as an absolute address. */
  readonly source: string;
  errors(): string;
  end(signal?: NodeJS.Signals): Promise<readonly [code: number | null, signal: string | null]>;
}

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

/** Starts the command and waits for its link. */
async function view(
  args: readonly string[],
  env: Record<string, string> = {},
  command = [tool, "view"],
): Promise<Viewing> {
  const child = spawn(process.execPath, [...command, ...args], { env: { ...process.env, ...env } });
  running.add(child);
  let errors = "";
  child.stderr.on("data", (text: Buffer) => {
    errors += text;
  });
  let out = "";
  for await (const text of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    out += text;
    if (out.includes("\n")) break;
  }
  if (!out.includes("\n")) throw new Error(errors);
  const link = new URL(out.trim());
  const source = new URL(link.searchParams.get("source")!, link).href;
  const exited = once(child, "exit") as Promise<[number | null, string | null]>;
  const end = async (signal: NodeJS.Signals = "SIGINT") => {
    child.kill(signal);
    return exited;
  };
  return { child, link, site: link.origin, source, errors: () => errors, end };
}

/** Sends a request unmodified: `fetch` would normalise the path and reject the headers. */
function ask(
  site: string,
  target: string,
  options: { method?: string; headers?: http.OutgoingHttpHeaders } = {},
) {
  const { hostname, port } = new URL(site);
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      const request = http.request({ hostname, port, path: target, agent: false, ...options }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(pieces) }),
        );
      });
      request.on("error", reject);
      request.end();
    },
  );
}

describe("zarr-wasm view", () => {
  it("serves the page and a folder, and ends with Ctrl-C", async () => {
    const { link, site, source, errors, end } = await view([field]);
    expect(link.pathname).toBe("/viewer/");
    expect(link.searchParams.get("source")).toBe("/data/field.zarr");
    const page = await fetch(link);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(await page.text()).toContain("page.min.js");
    expect(await ask(site, "/")).toMatchObject({
      status: 302,
      headers: { location: link.pathname + link.search },
    });
    const types = {
      "viewer/page.min.js": "text/javascript",
      "viewer/style.css": "text/css",
      "wasm/decode.wasm": "application/wasm",
    };
    for (const [part, type] of Object.entries(types)) {
      const answer = await fetch(`${site}/${part}`);
      expect([part, answer.status]).toEqual([part, 200]);
      expect(answer.headers.get("content-type")).toContain(type);
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
    const [here, there] = await Promise.all([open(new URL(`file://${field}/`)), open(source)]);
    if (here.kind !== "array" || there.kind !== "array") throw new Error("not arrays");
    expect((await get(there)).data).toEqual((await get(here)).data);
    const begun = Date.now();
    expect(await end()).toEqual([0, null]);
    expect(Date.now() - begun).toBeLessThan(5000);
    expect(errors()).toBe("Press Ctrl-C to stop.\n");
  });

  it("ends on SIGTERM even with open connections", async () => {
    const { site, end } = await view([field]);
    const socket = net.connect(Number(new URL(site).port), "127.0.0.1");
    await once(socket, "connect");
    socket.on("error", () => {});
    expect(await end("SIGTERM")).toEqual([0, null]);
  });

  it("names the path, the order and an odd folder in the link", async () => {
    const odd = path.join(folder, "a b&c=%2f#ü.zarr");
    cpSync(field, path.join(odd, "x/y&z"), { recursive: true });
    const { link, source } = await view([odd, "--path", "x/y&z", "--v1-order", "writer"]);
    expect(link.searchParams.get("path")).toBe("x/y&z");
    expect(link.searchParams.get("order")).toBe("writer");
    expect((await open(source, { path: "x/y&z" })).kind).toBe("array");
  });

  it("serves a folder with the extension of an archive", async () => {
    const named = path.join(folder, "folder.zip");
    cpSync(field, named, { recursive: true });
    const { source } = await view([named]);
    expect((await open(source)).kind).toBe("array");
  });

  it.each([
    ["packed.ozx", "packed.ozx"],
    ["packed.bin", "packed.bin.zip"],
  ])("opens a zip archive, whatever it is called: %s", async (name, served) => {
    const archive = path.join(folder, name);
    const writer = new ZipWriter(await fileSink(archive));
    for (const key of ["meta", "attrs", "0.0"]) {
      await writer.set(`/inner/${key}`, new Uint8Array(readFileSync(path.join(field, key))));
    }
    await writer.close();
    const { link, source } = await view([archive]);
    expect(link.searchParams.get("source")).toBe(`/data/${served}`);
    const node = await open(source, { path: "inner" });
    if (node.kind !== "array") throw new Error("no array");
    expect((await get(node, [0, null])).shape).toEqual(node.shape.slice(1));
  });

  it("serves a version of an Icechunk repository as a store", async () => {
    const references = plainReferences.map((reference, i) =>
      i === 1 ? { index: [0, 1], location: "s3://bucket/x.nc", offset: 1, length: 4 } : reference,
    );
    const repo = path.join(folder, "a repo");
    writeStore(repo, repository({ references }));
    const files = path.join(folder, "files");
    writeStore(files, [["x.nc", Uint8Array.of(9, 10, 11, 12, 13)]]);
    const valuesOf = async ({ source }: Viewing) => {
      const array = await open(source, { path: "a", kind: "array" });
      return [...((await get(array, null)).data as Uint8Array)];
    };
    expect(await valuesOf(await view([repo, "--virtual", `s3://bucket/=${files}`]))).toEqual(plainValues);
    const old = await view([`icechunk+${repo}`, "--tag", "v1"]);
    expect(new URL(old.source).pathname).toBe("/data/a%20repo");
    expect((await valuesOf(old)).slice(0, 3)).toEqual([9, 9, 7]);
    expect(await run("view", repo, "--tag", "v1", "--branch", "main")).toMatchObject({ status: 2 });
    expect(await run("view", repo, "--tag", "none")).toMatchObject({ status: 1 });
  });

  it("serves a reference file as a store", async () => {
    writeFileSync(path.join(folder, "blob.bin"), Uint8Array.of(9, 9, 1, 2, 3, 4));
    const array = {
      zarr_format: 2,
      shape: [4],
      chunks: [4],
      dtype: "|u1",
      compressor: null,
      fill_value: 0,
      order: "C",
      filters: null,
    };
    const refs = {
      version: 1,
      refs: {
        ".zgroup": '{"zarr_format":2}',
        "v/.zarray": JSON.stringify(array),
        "v/0": ["blob.bin", 2, 4],
        "v/9": ["gone.bin", 0, 4],
      },
    };
    writeFileSync(path.join(folder, "refs.json"), JSON.stringify(refs));
    const { site, source } = await view([path.join(folder, "refs.json")]);
    const group = await open(source);
    if (group.kind !== "group") throw new Error("no group");
    expect([...((await get(await group.open("v", { kind: "array" }))).data as Uint8Array)]).toEqual([
      1, 2, 3, 4,
    ]);
    expect(await (await fetch(`${source}/`)).json()).toEqual([{ name: "v", type: "directory" }]);
    const part = await fetch(`${source}/v/0`, { headers: { range: "bytes=1-2" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 1-2/4"]);
    expect([...new Uint8Array(await part.arrayBuffer())]).toEqual([2, 3]);
    expect((await ask(site, "/data/refs.json/v/8")).status).toBe(404);
    expect((await ask(site, "/data/refs.json/v/%2e%2e/0")).status).toBe(404);
    const lost = await ask(site, "/data/refs.json/v/9");
    expect([lost.status, lost.body.toString()]).toEqual([502, expect.stringContaining("gone.bin")]);
  });

  it("passes an address on unchanged, and warns if it cannot read it", async () => {
    const address = "https://example.invalid/a.zarr?sig=a%2Fb&c=1";
    const { link, errors } = await view([address]);
    expect(link.searchParams.get("source")).toBe(address);
    expect(errors()).toMatch(/^zarr-wasm: warning: .*example\.invalid/);
  });

  it("refuses an address without a node, unless the server has something else there", async () => {
    const served = path.join(folder, "addresses");
    writeStore(served, [["stores/one/zarr.json", { zarr_format: 3, node_type: "group" }]]);
    const server = await startServer({ mounts: { "/": { root: served, isData: true } } });
    await expect(view([`${server.url}/nowhere.zarr`])).rejects.toThrow(/no Zarr array or group found/);
    await expect(view([`${server.url}/stores/one`, "--path", "two"])).rejects.toThrow(
      /no Zarr array or group/,
    );
    const { link, errors } = await view([`${server.url}/stores`]);
    expect(link.searchParams.get("source")).toBe(`${server.url}/stores`);
    expect(errors()).toMatch(/warning: no Zarr array or group found/);
    await server.close();
  });

  const skipping = skipFor(unsupportedSystem(process.platform !== "win32"));
  it("opens the browser that BROWSER names with --open", skipping, async () => {
    const seen = path.join(folder, "seen.txt");
    const browser = path.join(folder, "browser.sh");
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${seen}.part' && mv '${seen}.part' '${seen}'\n`);
    chmodSync(browser, 0o755);
    const { link } = await view([field, "--open"], { BROWSER: browser });
    await expect
      .poll(() => readFileSync(seen, { encoding: "utf8", flag: "a+" }), { timeout: 20_000 })
      .toBe(link.href);
  });

  it("keeps running if there is no browser to open", async () => {
    const { link, errors } = await view([field, "--open"], { BROWSER: path.join(folder, "no-such-browser") });
    await expect.poll(errors, { timeout: 20_000 }).toContain("cannot open a browser");
    expect((await fetch(link)).status).toBe(200);
  });

  it("listens on --port, and reports a port in use", async () => {
    const { link } = await view([field]);
    const { status, text, err } = await run("view", field, "--port", link.port);
    expect([status, text, err]).toEqual([
      1,
      "",
      `zarr-wasm: port ${link.port} is in use; omit --port to use a free one\n`,
    ]);
  });

  it.each([
    ["a missing folder", [path.join(folder, "nowhere")], 1, /does not exist/],
    ["a folder without nodes", [mkdtempSync(`${folder}/empty-`)], 1, /no Zarr array or group found/],
    ["a path without a node", [field, "--path", "nowhere"], 1, /no Zarr array or group found/],
    [
      "a file of another kind",
      [path.join(root, "package.json").replace("package.json", "LICENSE")],
      1,
      /is not a folder/,
    ],
    ["a .json that has no references", [path.join(root, "tsconfig.json")], 1, /reference/],
    ["a bad port", [field, "--port", "70000"], 2, /--port must be a number/],
    ["a port in words", [field, "--port", "0x10"], 2, /--port must be a number/],
    ["an invalid URL", ["http://["], 2, /not a valid URL/],
    ["a bad order", [field, "--v1-order", "F"], 2, /v1-order/],
  ])("refuses %s", async (_, args, code, message) => {
    const { status, text, err } = await run("view", ...args);
    expect([status, text]).toEqual([code, ""]);
    expect(err).toMatch(message);
  });
});

describe("the server", () => {
  const data = writeStore(path.join(folder, "served.zarr"), [
    ["zarr.json", { zarr_format: 3, node_type: "group" }],
    [".zattrs", { a: 1 }],
    ["c/0", Uint8Array.from({ length: 1000 }, (_, i) => i)],
    ["empty", new Uint8Array()],
    ["evil.html", "<script>alert(1)</script>"],
    ["sub/zarr.json", { zarr_format: 3, node_type: "group" }],
  ]);
  writeStore(folder, [
    ["secret.txt", "secret"],
    ["served.zarr-beside/secret.txt", "secret"],
    ["page/index.html", "<p>page"],
    ["page/app.js", "1"],
  ]);
  symlinkSync(path.join(folder, "secret.txt"), path.join(data, "link"));
  symlinkSync(folder, path.join(data, "up"));
  symlinkSync("c", path.join(data, "inside"));
  symlinkSync("loop", path.join(data, "loop"));
  mkdirSync(path.join(data, "c.d"));
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    server = await startServer({
      mounts: {
        "/data/served.zarr/": { root: data, isData: true },
        "/page/": path.join(folder, "page"),
      },
      policy: "default-src 'self'",
    });
  });
  afterAll(() => server.close());
  const at = (below: string, options?: Parameters<typeof ask>[2]) =>
    ask(server.url, `/data/served.zarr/${below}`, options);
  const range = (text: string) => ({ headers: { range: text } });

  it.each([
    "../secret.txt",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "%2e%2e%2fsecret.txt",
    "..%5csecret.txt",
    "c/..%2f..%2fsecret.txt",
    "c/../../served.zarr-beside/secret.txt",
    "..%252fsecret.txt",
    "./c/0",
    "%00",
    "c/0%00.json",
    "link",
    "up/secret.txt",
    "up/",
    "loop",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "c/0/",
    "c",
    "nothing",
    "n".repeat(5000),
  ])("does not serve %s", async (below) => {
    const { status, body } = await at(below);
    expect(status).toBe(404);
    expect(body.toString()).toBe("not found\n");
  });

  it("serves nothing beside the folder, and rejects paths without a mount", async () => {
    for (const target of [
      "/data/served.zarr-beside/secret.txt",
      "/data/secret.txt",
      "/secret.txt",
      "/data/",
      "/",
      "//etc/passwd",
      "/data/served.zarr",
    ])
      expect([target, (await ask(server.url, target)).status]).toEqual([target, 404]);
    expect((await ask(server.url, "/data/%zz")).status).toBe(400);
    expect((await ask(server.url, "*", { method: "GET" })).status).toBe(400);
    expect((await ask(server.url, `${server.url}/page/app.js`)).status).toBe(400);
  });

  it("follows links that stay inside", async () => {
    expect((await at("inside/0")).body.byteLength).toBe(1000);
  });

  it("sends data with types and a sandbox that keep browsers from running it", async () => {
    const { headers } = await at("evil.html");
    expect(headers["content-type"]).toBe("application/octet-stream");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["content-security-policy"]).toBe("default-src 'none'; sandbox");
    expect((await at("zarr.json")).headers["content-type"]).toBe("application/json");
    expect((await at(".zattrs")).headers["content-type"]).toBe("application/json");
    expect((await at("c/0")).headers["access-control-allow-origin"]).toBeUndefined();
    const page = await ask(server.url, "/page/");
    expect([page.headers["content-type"], page.headers["content-security-policy"]]).toEqual([
      "text/html; charset=utf-8",
      "default-src 'self'",
    ]);
    expect(page.body.toString()).toBe("<p>page");
  });

  it("lists folders of data", async () => {
    const list = JSON.parse((await at("")).body.toString()) as { name: string; type: string }[];
    expect(list).toContainEqual({ name: "sub", type: "directory" });
    expect(list).toContainEqual({ name: "zarr.json", type: "file" });
    expect(list.map(({ name }) => name)).toEqual(list.map(({ name }) => name).sort());
    expect((await at("sub/")).body.toString()).toBe('[{"name":"zarr.json","type":"file"}]');
  });

  it.each([
    ["bytes=0-9", 206, "bytes 0-9/1000", 10],
    ["bytes=990-", 206, "bytes 990-999/1000", 10],
    ["bytes=-5", 206, "bytes 995-999/1000", 5],
    ["bytes=-5000", 206, "bytes 0-999/1000", 1000],
    ["bytes=0-99999999999999999999999", 206, "bytes 0-999/1000", 1000],
    [`bytes=5-${"9".repeat(4000)}`, 206, "bytes 5-999/1000", 995],
    [`bytes=-${"9".repeat(4000)}`, 206, "bytes 0-999/1000", 1000],
    ["bytes=1000-", 416, "bytes */1000", 0],
    ["bytes=99999999999999999999999-", 416, "bytes */1000", 0],
    [`bytes=${"9".repeat(400)}-${"9".repeat(400)}`, 416, "bytes */1000", 0],
    ["bytes=-0", 416, "bytes */1000", 0],
    ["bytes=9-3", 200, undefined, 1000],
    ["bytes=0-1,5-6", 200, undefined, 1000],
    ["bytes=-", 200, undefined, 1000],
    ["bytes=a-b", 200, undefined, 1000],
    ["bytes=-1-5", 200, undefined, 1000],
    ["items=0-5", 200, undefined, 1000],
  ])("answers the range %s", async (header, status, contentRange, length) => {
    const answer = await at("c/0", range(header));
    expect([answer.status, answer.headers["content-range"], answer.body.byteLength]).toEqual([
      status,
      contentRange,
      length,
    ]);
    expect(answer.headers["content-length"]).toBe(String(length));
    const first = Number(/\d+/.exec(contentRange ?? "0"));
    if (status !== 416) expect(answer.body[0]).toBe(first % 256);
  });

  it("answers HEAD, conditions and empty files", async () => {
    const whole = await at("c/0");
    const { etag } = whole.headers;
    const head = await at("c/0", { method: "HEAD" });
    expect([head.status, head.headers["content-length"], head.body.byteLength]).toEqual([200, "1000", 0]);
    expect((await at("c/0", { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await at("c/0", { headers: { range: "bytes=0-1", "if-range": etag } })).status).toBe(206);
    expect((await at("c/0", { headers: { range: "bytes=0-1", "if-range": '"other"' } })).status).toBe(200);
    const empty = await at("empty");
    expect([empty.status, empty.headers["content-length"]]).toEqual([200, "0"]);
    expect((await at("empty", range("bytes=0-0"))).status).toBe(416);
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])(
    "refuses %s",
    async (method) => {
      const { status, headers } = await at("c/0", { method });
      expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
    },
  );

  it("responds only to the names of the loopback interface", async () => {
    for (const host of [
      "attacker.example",
      "127.0.0.1.attacker.example",
      "localhost.attacker.example:80",
      "0.0.0.0",
      "[::]",
    ])
      expect([host, (await at("c/0", { headers: { host } })).status]).toEqual([host, 421]);
    for (const host of ["localhost", "localhost:1234", "127.0.0.1:1", "[::1]:1"])
      expect([host, (await at("c/0", { headers: { host } })).status]).toEqual([host, 200]);
  });

  it("survives disconnecting clients and malformed requests", async () => {
    const port = Number(new URL(server.url).port);
    for (const text of [
      "GET /data/served.zarr/c/0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "\0\0\0\0\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
    ]) {
      const socket = net.connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(text);
      await new Promise((resolve) => setTimeout(resolve, 5));
      socket.destroy();
    }
    expect((await at("c/0")).status).toBe(200);
  });

  it("does not follow links that replace a file or folder while requests run", async () => {
    const outside = writeStore(path.join(folder, "outside"), [["0", "secret"]]);
    writeStore(data, [
      ["swapped/file", "inside"],
      ["swapped/folder/0", "inside"],
    ]);
    const swapped = path.join(data, "swapped");
    // The other one of each pair waits beside it, and they take turns.
    symlinkSync(path.join(outside, "0"), path.join(swapped, "file.other"));
    symlinkSync(outside, path.join(swapped, "folder.other"));
    let isDone = false;
    const swap = async (name: string) => {
      const place = path.join(swapped, name);
      while (!isDone) {
        await rename(place, `${place}.kept`);
        await rename(`${place}.other`, place);
        await rename(`${place}.kept`, `${place}.other`);
        await at("c/0");
      }
    };
    const swapping = [swap("file"), swap("folder")];
    const seen = new Set<string>();
    const request = async (below: string) => seen.add((await at(below)).body.toString());
    for (let i = 0; i < 400; i++)
      await Promise.all(["swapped/file", "swapped/folder/0", "swapped/file"].map(request));
    isDone = true;
    await Promise.all(swapping);
    expect(seen).toContain("inside");
    expect(seen).not.toContain("secret");
  });

  const openFiles = () => readdirSync("/proc/self/fd").length;
  const skippingFiles = skipFor(unsupportedSystem(existsSync("/proc/self/fd")));

  it("opens one file at a time for a connection with thousands of requests", skippingFiles, async () => {
    writeStore(data, [["large", new Uint8Array(2 ** 16)]]);
    const request = (connection: string) =>
      `GET /data/served.zarr/large HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`;
    const before = openFiles();
    const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(request("keep-alive").repeat(1999) + request("close"));
    let bytes = 0;
    let most = 0;
    for await (const piece of socket as AsyncIterable<Buffer>) {
      most = Math.max(most, openFiles() - before);
      bytes += piece.byteLength;
    }
    expect(bytes).toBeGreaterThan(2000 * 2 ** 16);
    expect(most).toBeLessThan(20);
  });

  it("listens on the loopback interface", () => {
    expect(new URL(server.url).hostname).toBe("127.0.0.1");
  });

  it("is what open reads from, missing nodes included", async () => {
    const error = await open(`${server.url}/data/served.zarr/none`).catch((reason: unknown) => reason);
    expect(isZarrError(error, "NotFound")).toBe(true);
  });
});

describe("zarr-wasm view without the viewer", () => {
  // Outside the checkout, whose node_modules has the viewer; TMPDIR of `npm test` lies in it.
  const home = mkdtempSync(path.join(process.platform === "win32" ? tmpdir() : "/tmp", "zarr-wasm-view-"));
  const modules = path.join(home, "node_modules");
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    version: string;
  };

  beforeAll(() => {
    for (const name of ["package.json", "dist/bundle", "dist/cli", "dist/wasm"])
      cpSync(path.join(root, name), path.join(modules, "zarr-wasm", name), { recursive: true });
  });
  afterAll(() => rmSync(home, { recursive: true }));

  const runThere = (...args: string[]) => {
    const script = path.join(modules, "zarr-wasm/dist/cli/main.js");
    const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
    return { status, err: stderr };
  };

  it("prints the line that runs it", () => {
    expect(runThere("view", field, "--path", "a b")).toEqual({
      status: 1,
      err: `zarr-wasm: the viewer is not installed; run it with: npx zarr-wasm-viewer@${version} ${field} --path 'a b'\n`,
    });
  });

  it("refuses one of another version", () => {
    const viewer = { name: "zarr-wasm-viewer", version: "99.0.0" };
    mkdirSync(path.join(modules, "zarr-wasm-viewer"));
    writeFileSync(path.join(modules, "zarr-wasm-viewer/package.json"), JSON.stringify(viewer));
    expect(runThere("view", field)).toEqual({
      status: 1,
      err: `zarr-wasm: zarr-wasm-viewer 99.0.0 is installed, but zarr-wasm ${version} needs the same version\n`,
    });
  });
});

describe("zarr-wasm-viewer", () => {
  const script = path.join(root, "web/viewer/bin.js");

  it("has the options of zarr-wasm view", async () => {
    const { status, stdout } = spawnSync(process.execPath, [script, "--help"], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toBe((await run("view", "--help")).text);
  });

  it("serves its own page", async () => {
    const { link, end } = await view([field], {}, [script]);
    expect(await (await fetch(link)).text()).toContain("page.min.js");
    expect(await end()).toEqual([0, null]);
  });
});
