/** Server of the engine tests: files, and faulty or slow responses on request. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { isolationHeaders, startServer } from "../../scripts/lib/server.mjs";
import { bundleFolder, dataFolder, packageMounts, pageFolder, viewerFolder, viewerStores } from "./places.js";

const base = "default-src 'self'; worker-src 'self'; report-uri /violation; ";
/** The strict policy, enforced on every page; engines report violations. */
const strict = `${base}script-src 'self' 'wasm-unsafe-eval'`;
/** Stricter: no compilation of WebAssembly. */
const withoutWasm = `${base}script-src 'self'`;

export interface Site {
  readonly url: string;
  /** Policy violations reported by engines: directive and blocked resource. */
  readonly violations: string[];
  /** The next report from a page. */
  nextReport<T>(): Promise<T>;
  close(): Promise<void>;
}

type Answer = (rest: string, request: IncomingMessage, response: ServerResponse, headers: Headers) => boolean;
type Headers = Record<string, string>;

/** A file of the test data, by its path on the server. */
const dataFile = (rest: string) => readFileSync(path.join(dataFolder, rest.replace(/^data\//, "")));

/** Delegates a request to the file server, with another path and other headers. */
function asFile(to: string, request: IncomingMessage, response: ServerResponse, changed: Headers): boolean {
  request.url = to;
  const plain = response.writeHead.bind(response) as (status: number, headers: object) => ServerResponse;
  response.writeHead = ((status: number, headers: object) =>
    plain(status, { ...headers, ...changed })) as typeof response.writeHead;
  return false;
}

export async function startSite(isolated: boolean): Promise<Site> {
  const violations: string[] = [];
  const asked: string[] = [];
  /** Requests that are never answered: total, and aborted ones. */
  const held = { count: 0, gone: 0 };

  let onReport: (text: string) => void = () => {};

  const answers: Record<string, Answer> = {
    violation: (_rest, request, response) =>
      taken(request, response, (text) => violations.push(violationOf(text))),
    report: (_rest, request, response) => taken(request, response, (text) => onReport(text)),
    asked: (_rest, request, response, headers) => {
      const prefix = new URL(request.url!, "http://localhost").searchParams.get("prefix")!;
      const count = asked.filter((url) => url.startsWith(prefix)).length;
      response.writeHead(200, { ...headers, "cache-control": "no-store" }).end(String(count));
      return true;
    },
    // /fresh/FAULT/ID/… is the library at an address that is in no cache.
    fresh: (rest, request, response, headers) => {
      const [fault, , ...file] = rest.split("/");
      const name = file.join("/");
      const isWasm = name.endsWith(".wasm");
      if (/-embedded\.js$/.test(name) && fault?.endsWith("-without-copies")) {
        response.writeHead(404, headers).end("not here");
        return true;
      }
      if (isWasm && fault?.startsWith("missing")) {
        response.writeHead(404, headers).end("not here");
        return true;
      }
      if (isWasm && fault?.startsWith("as-page")) {
        response.writeHead(200, { ...headers, "content-type": "text/html" }).end("<!doctype html><p>Hello");
        return true;
      }
      if (name.endsWith("/part.js") && fault === "no-parts") {
        response.writeHead(404, headers).end("not here");
        return true;
      }
      const type: Headers =
        isWasm && fault === "as-bytes" ? { "content-type": "application/octet-stream" } : {};
      return asFile(`/lib/${name}`, request, response, type);
    },
    hold: (_rest, _request, response) => {
      held.count++;
      response.on("close", () => held.gone++);
      return true;
    },
    held: (_rest, _request, response, headers) => {
      response.writeHead(200, { ...headers, "cache-control": "no-store" }).end(JSON.stringify(held));
      return true;
    },
    // A web page for every path, as application servers respond.
    page: (_rest, _request, response, headers) => {
      response.writeHead(200, { ...headers, "content-type": "text/html" }).end("<!doctype html><p>Hello");
      return true;
    },
    status: (rest, _request, response, headers) => {
      response.writeHead(Number(rest.split("/")[0]), headers).end("so it is");
      return true;
    },
    // In small parts with a late last one, and without a length.
    drip: (rest, _request, response, headers) => {
      const bytes = dataFile(rest);
      response.writeHead(200, { ...headers, "cache-control": "no-store" });
      const size = Math.max(1, Math.ceil(bytes.byteLength / 5));
      const next = (offset: number) => {
        if (offset >= bytes.byteLength) return void response.end();
        response.write(bytes.subarray(offset, offset + size));
        setTimeout(next, 20, offset + size);
      };
      next(0);
      return true;
    },
    gzip: (rest, _request, response, headers) => {
      const body = gzipSync(dataFile(rest));
      response
        .writeHead(200, { ...headers, "content-encoding": "gzip", "content-length": String(body.byteLength) })
        .end(body);
      return true;
    },
    // Half of the announced bytes, then the connection breaks.
    cut: (rest, request, response, headers) => {
      const bytes = dataFile(rest);
      response.writeHead(200, { ...headers, "content-length": String(bytes.byteLength) });
      response.write(bytes.subarray(0, bytes.byteLength >> 1), () =>
        setTimeout(() => request.socket.destroy(), 50),
      );
      return true;
    },
    // Responses that engines may cache, including ranges.
    cached: (rest, request, response) =>
      asFile(`/${rest}`, request, response, { "cache-control": "max-age=600", etag: '"1"' }),
    "no-wasm": (rest, request, response) =>
      asFile(`/${rest}`, request, response, { "content-security-policy": withoutWasm }),
    // The viewer page with an error recorder before its own scripts.
    "watched-viewer": (_rest, _request, response, headers) => {
      const page = readFileSync(path.join(viewerFolder, "index.html"), "utf8");
      const head = '<head><base href="/viewer/"><script src="/pages/watch.js"></script>';
      response
        .writeHead(200, { ...headers, "content-type": "text/html; charset=utf-8" })
        .end(page.replace("<head>", head));
      return true;
    },
  };

  const { url, close } = await startServer({
    policy: strict,
    headers: isolated ? isolationHeaders : {},
    mounts: {
      ...packageMounts,
      "/stores/": viewerStores,
      "/data/": dataFolder,
      "/suite/": bundleFolder,
      "/pages/": pageFolder,
    },
    route: (request, response, headers) => {
      asked.push(request.url!);
      const [, place, rest = ""] = /^\/([^/?]+)\/?([^?]*)/.exec(request.url!) ?? [];
      const answer = place === undefined ? undefined : answers[place];
      try {
        return answer?.(decodeURIComponent(rest), request, response, headers) ?? false;
      } catch {
        response.writeHead(404, headers).end("not found");
        return true;
      }
    },
  });
  const nextReport = <T>() =>
    new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("the page sent no report")), reportTimeout);
      onReport = (text) => {
        clearTimeout(timer);
        resolve(JSON.parse(text) as T);
      };
    });
  return { url, violations, nextReport, close };
}

/** Timeout of a whole suite in milliseconds; slow tests in it fail earlier by their own timeouts. */
const reportTimeout = 800_000;

/** Reads the body of a page's request. */
function taken(request: IncomingMessage, response: ServerResponse, use: (text: string) => void): boolean {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    response.writeHead(204).end();
    use(Buffer.concat(parts).toString());
  });
  return true;
}

/** Parses a violation report; all engines use the same field names. */
function violationOf(text: string): string {
  try {
    const report = (JSON.parse(text) as { "csp-report": Record<string, string> })["csp-report"];
    return `${report["effective-directive"] ?? report["violated-directive"]} ${report["blocked-uri"]}`;
  } catch {
    return `a report that cannot be read: ${text}`;
  }
}
