/** Server faults, each a script that sends a bad response, with the expected outcome. */
import type http from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ObjectServer, type Ready, type Send } from "./store-server.js";
import { bytesOf } from "./support.js";

/** The reads under fault; each stands for all reads of its kind. */
export const readKinds = [
  "metadata",
  "consolidated",
  "chunk",
  "plainChunk",
  "run",
  "innerChunk",
  "index",
  "zip",
] as const;
export type ReadKind = (typeof readKinds)[number];

/**
 * "right", or the tag and code of the error; then the number of requests. If all kinds of reads end alike, one
 * outcome; otherwise those kinds with an outcome other than `rest`.
 */
export type Outcomes = string | ({ rest?: string } & Partial<Record<ReadKind, string>>);

export interface Fault {
  /** Behaviour of the server, in the words of docs/networks.md. */
  name: string;
  send: Send;
  /** Whether only some requests fail. */
  applies?: (ready: Ready, request: http.IncomingMessage) => boolean;
  /** Number of faulty requests, after which the server works. */
  times?: number;
  /** Milliseconds without a byte that the client allows. */
  timeout?: number;
  outcomes: Outcomes;
}

/** The only kind of read to which the fault applies. */
export const outcomeOf = (outcomes: Outcomes, kind: ReadKind): string | undefined =>
  typeof outcomes === "string" ? outcomes : (outcomes[kind] ?? outcomes.rest);

const isRange = ({ status }: Ready) => status === 206;
const isWhole = ({ status }: Ready) => status === 200;
const half = (bytes: Uint8Array) => bytes.subarray(0, bytes.byteLength >> 1);

/** Sends a normal response, modified by a fault. */
const changed =
  (change: (ready: Ready, request: http.IncomingMessage) => Partial<Ready>): Send =>
  (ready, response, request) => {
    const { status, headers, body } = { ...ready, ...change(ready, request) };
    response.writeHead(status, headers).end(body);
  };

const headers = (change: (ready: Ready) => Record<string, string | undefined>): Send =>
  changed((ready) => {
    const all = { ...ready.headers, ...change(ready) };
    const told = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { headers: Object.fromEntries(told) };
  });

const status = (code: number, extra: Record<string, string> = {}): Send =>
  changed(() => ({ status: code, headers: extra, body: bytesOf("not today") }));

/** Writes a raw response to the connection, and closes it. `length` is the value of Content-Length, if any. */
const byHand =
  (cut: (body: Uint8Array) => Uint8Array, length?: (bytes: number) => number): Send =>
  ({ status: code, headers: own, body }, response, request) => {
    const { "content-length": _, ...rest } = own;
    if (length) rest["content-length"] = String(length(body.byteLength));
    const lines = Object.entries({ ...rest, connection: "close" }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const head = [`HTTP/1.1 ${code} Whatever`, ...lines, "", ""].join("\r\n");
    response.socket!.write(head);
    if (request.method !== "HEAD") response.socket!.write(cut(body));
    response.socket!.end();
  };

const all = (body: Uint8Array) => body;

/** Begins a correct response, and sends its first half. */
function begin({ status: code, headers: own, body }: Ready, response: http.ServerResponse): Promise<void> {
  response.writeHead(code, own);
  return new Promise((resolve) => response.write(half(body), () => resolve()));
}

const breakOff: Send = async (ready, response) => {
  await begin(ready, response);
  response.socket?.destroy();
};
const reset: Send = async (ready, response) => {
  await begin(ready, response);
  response.socket?.resetAndDestroy();
};
const unannounced = ({ "content-length": _, ...rest }: Record<string, string>) => rest;

/** Sends a body in a number of pieces, with pauses. */
const trickle =
  (pieces: number, pause: number): Send =>
  async ({ status: code, headers: own, body }, response) => {
    response.writeHead(code, own);
    const size = Math.max(1, Math.ceil(body.byteLength / pieces));
    for (let at = 0; at < body.byteLength; at += size) {
      response.write(body.subarray(at, at + size));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    response.end();
  };

/** A page longer than the object it replaces. */
export const page = bytesOf(
  `<!DOCTYPE html>\n<title>Welcome</title>\n${"<p>Please log in.</p>\n".repeat(20_000)}`,
);
const binary = { "content-type": "application/octet-stream" };
const html = { "content-type": "text/html; charset=utf-8" };
/** Serves ranges of the page, like a server that supports them. */
const pagePart = changed(({ headers: own }, { headers: asked }) => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(asked.range ?? "");
  if (!match) return { status: 200, headers: html, body: page };
  const start = match[1] ? Number(match[1]) : Math.max(0, page.byteLength - Number(match[2]));
  const end = match[1] ? Math.min(page.byteLength, Number(match[2]) + 1) : page.byteLength;
  const told = own["content-range"]
    ? { "content-range": `bytes ${start}-${end - 1}/${page.byteLength}` }
    : {};
  return { status: 206, headers: { ...html, ...told }, body: page.subarray(start, end) };
});

const redirect =
  (code: number, to: (request: http.IncomingMessage) => string): Send =>
  (_, response, request) =>
    void response.writeHead(code, { location: to(request) }).end("elsewhere");
const isMoved = (_: Ready, { url }: http.IncomingMessage) => url!.includes("?moved");
const isHere = (ready: Ready, request: http.IncomingMessage) => !isMoved(ready, request);

const short = 600;

/** Every tested fault. */
export const faults: readonly Fault[] = [
  // Connections.
  {
    name: "the connection is closed in the middle of the body, once",
    send: breakOff,
    times: 1,
    outcomes: "right, +1",
  },
  {
    name: "the connection is closed in the middle of every body",
    send: breakOff,
    outcomes: {
      rest: "Network fetch-failed, 4",
      index: "Network fetch-failed, 9",
      zip: "Network fetch-failed, 9",
    },
  },
  {
    name: "the connection is reset in the middle of the body, three times",
    send: reset,
    times: 3,
    outcomes: "right, +3",
  },
  {
    name: "the connection is reset in the middle of every body",
    send: reset,
    outcomes: {
      rest: "Network fetch-failed, 4",
      index: "Network fetch-failed, 9",
      zip: "Network fetch-failed, 9",
    },
  },
  {
    name: "the connection is closed without a response, once",
    send: (_, response) => void response.socket!.destroy(),
    times: 1,
    outcomes: { rest: "right, +1", index: "right, +2", zip: "right, +2" },
  },
  {
    name: "the connection is closed without a response, always",
    send: (_, response) => void response.socket!.destroy(),
    outcomes: {
      rest: "Network fetch-failed, 4",
      index: "Network fetch-failed, 6",
      zip: "Network fetch-failed, 6",
    },
  },
  {
    name: "the response is not HTTP",
    send: (_, response) => void response.socket!.end("220 mail.example.org ESMTP\r\n"),
    outcomes: {
      rest: "Network fetch-failed, 4",
      index: "Network fetch-failed, 6",
      zip: "Network fetch-failed, 6",
    },
  },
  // Time.
  { name: "no response arrives, once", send: () => {}, times: 1, timeout: short, outcomes: "right, +1" },
  { name: "no response ever arrives", send: () => {}, timeout: short, outcomes: "Network timeout, 4" },
  {
    name: "the body stops in the middle, once",
    send: begin,
    times: 1,
    timeout: short,
    outcomes: "right, +1",
  },
  { name: "every body stops in the middle", send: begin, timeout: short, outcomes: "Network timeout, 4" },
  {
    name: "the body arrives in small pieces, over more than `timeout` but with shorter pauses",
    send: trickle(12, 100),
    timeout: short,
    outcomes: "right, +0",
  },
  // Lengths.
  {
    name: "`Content-Length` is greater than the body",
    send: byHand(all, (n) => n + 7),
    outcomes: {
      rest: "Network fetch-failed, 4",
      index: "Network fetch-failed, 9",
      zip: "Network fetch-failed, 9",
    },
  },
  {
    name: "`Content-Length` is less than the body",
    send: byHand(all, (n) => n - 7),
    outcomes: {
      rest: "Network truncated-answer, 4",
      metadata: "InvalidMetadata not-json, 1",
      consolidated: "Unsupported no-listing, 1",
      chunk: "CorruptChunk truncated, 1",
      plainChunk: "CorruptChunk size-mismatch, 1",
    },
  },
  {
    name: "`Content-Length: 0`, and no body",
    send: headers(() => ({ "content-length": "0" })),
    outcomes: {
      rest: "Network truncated-answer, 4",
      metadata: "InvalidMetadata not-json, 1",
      consolidated: "Unsupported no-listing, 1",
      chunk: "CorruptChunk truncated, 1",
      plainChunk: "CorruptChunk size-mismatch, 1",
    },
  },
  {
    name: "no `Content-Length`, the body in chunks",
    send: changed((r) => ({ headers: unannounced(r.headers) })),
    outcomes: "right, +0",
  },
  {
    name: "no `Content-Length`, the body in chunks, the last ones missing, once",
    send: (ready, response, request) =>
      breakOff({ ...ready, headers: unannounced(ready.headers) }, response, request),
    times: 1,
    outcomes: "right, +1",
  },
  {
    name: "no `Content-Length`, the body in chunks, the last ones missing, always",
    send: (ready, response, request) =>
      breakOff({ ...ready, headers: unannounced(ready.headers) }, response, request),
    outcomes: {
      rest: "Network fetch-failed, 4",
      index: "Network fetch-failed, 9",
      zip: "Network fetch-failed, 9",
    },
  },
  {
    name: "no `Content-Length`, the body ends with the connection",
    send: byHand(all),
    outcomes: "right, +0",
  },
  {
    name: "no `Content-Length`, the connection closes early without an error",
    send: byHand(half),
    outcomes: {
      rest: "Network truncated-answer, 4",
      metadata: "InvalidMetadata not-json, 1",
      consolidated: "Unsupported no-listing, 1",
      chunk: "CorruptChunk truncated, 1",
      plainChunk: "CorruptChunk size-mismatch, 1",
    },
  },
  // Ranges.
  {
    name: "200 and the whole object for a range",
    send: changed(({ object, headers: own }) => ({
      status: 200,
      headers: { ...own, "content-length": String(object.byteLength), "content-range": "none" },
      body: object,
    })),
    applies: isRange,
    outcomes: { rest: "right, +0", zip: "right, -1" },
  },
  {
    name: "200 and the whole object for a range, no `Content-Length`",
    send: (ready, response, request) =>
      byHand(all)({ ...ready, status: 200, headers: binary, body: ready.object }, response, request),
    applies: isRange,
    outcomes: { rest: "right, +0", index: "right, +2", zip: "right, +2" },
  },
  {
    name: "206 with the `Content-Range` of another part",
    send: headers(() => ({ "content-range": "bytes 1-4/100000" })),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "Network bad-range, 1",
      innerChunk: "Network bad-range, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  {
    name: "206 with a malformed `Content-Range`",
    send: headers(() => ({ "content-range": "lines 1-4/9" })),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "Network bad-range, 1",
      innerChunk: "Network bad-range, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  {
    name: "206 without `Content-Range`",
    send: headers(() => ({ "content-range": undefined })),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "Network bad-range, 1",
      innerChunk: "Network bad-range, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  {
    name: "206 with more bytes than requested",
    send: changed(({ headers: own, body }) => ({
      headers: unannounced(own),
      body: new Uint8Array([...body, 1, 2, 3]),
    })),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "Network bad-range, 1",
      innerChunk: "Network bad-range, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  {
    name: "206 with fewer bytes than `Content-Range` says",
    send: changed(({ headers: own, body }) => ({ headers: unannounced(own), body: half(body) })),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "Network truncated-answer, 4",
      innerChunk: "Network truncated-answer, 4",
      index: "Network truncated-answer, 4",
      zip: "Network truncated-answer, 4",
    },
  },
  {
    name: "206 with several parts",
    send: headers(() => ({ "content-type": "multipart/byteranges; boundary=x", "content-range": undefined })),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "Network bad-range, 1",
      innerChunk: "Network bad-range, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  {
    name: "206 for a whole object",
    send: changed(({ body }) => ({ status: 206, body: half(body), headers: {} })),
    applies: isWhole,
    outcomes: {
      rest: "Network bad-range, 1",
      run: "right, +0",
      innerChunk: "right, +0",
      index: "right, +0",
      zip: "right, +0",
    },
  },
  {
    name: "416 for a range, with the object's size",
    send: changed(({ object }) => ({
      status: 416,
      headers: { "content-range": `bytes */${object.byteLength}` },
      body: bytesOf("no"),
    })),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "Network http-status 416, 1",
      innerChunk: "Network http-status 416, 1",
      index: "Network http-status 416, 2",
      zip: "Network http-status 416, 2",
    },
  },
  {
    name: "416 for a range",
    send: status(416),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "CorruptChunk truncated, 1",
      innerChunk: "CorruptChunk truncated, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  // Statuses.
  {
    name: "202",
    send: status(202),
    outcomes: {
      rest: "Network http-status 202, 1",
      index: "Network http-status 202, 3",
      zip: "Network http-status 202, 3",
    },
  },
  { name: "203", send: changed(() => ({ status: 203 })), applies: isWhole, outcomes: "right, +0" },
  {
    name: "400",
    send: status(400),
    outcomes: {
      rest: "Network http-status 400, 1",
      index: "Network http-status 400, 3",
      zip: "Network http-status 400, 3",
    },
  },
  { name: "401", send: status(401), outcomes: "Network http-status 401, 1" },
  { name: "403", send: status(403), outcomes: "Network http-status 403, 1" },
  {
    name: "404",
    send: status(404),
    outcomes: {
      rest: "fill, 1",
      metadata: "NotFound not-found, 1",
      consolidated: "Unsupported no-listing, 1",
      innerChunk: "Network changed, 2",
      zip: "NotFound not-found, 1",
    },
  },
  {
    name: "404, once",
    send: status(404),
    times: 1,
    outcomes: {
      rest: "fill, 1",
      metadata: "NotFound not-found, 1",
      consolidated: "Unsupported no-listing, 1",
      innerChunk: "right, +1",
      zip: "NotFound not-found, 1",
    },
  },
  {
    name: "429 with `Retry-After`, twice",
    send: status(429, { "retry-after": "0" }),
    times: 2,
    outcomes: "right, +2",
  },
  { name: "429, always", send: status(429), outcomes: "Network http-status 429, 4" },
  { name: "500, three times", send: status(500), times: 3, outcomes: "right, +3" },
  { name: "500, always", send: status(500), outcomes: "Network http-status 500, 4" },
  {
    name: "501",
    send: status(501),
    outcomes: {
      rest: "Network http-status 501, 1",
      index: "Network http-status 501, 3",
      zip: "Network http-status 501, 3",
    },
  },
  { name: "502, twice", send: status(502), times: 2, outcomes: "right, +2" },
  { name: "503, always", send: status(503), outcomes: "Network http-status 503, 4" },
  // Pages.
  {
    name: "an HTML page with status 200",
    send: changed(() => ({ status: 200, headers: html, body: page })),
    outcomes: {
      rest: "Network html-page 200, 1",
      metadata: "InvalidMetadata not-json 200, 1",
      consolidated: "Unsupported no-listing, 1",
      run: "Network html-page 200, 2",
      innerChunk: "Network html-page 200, 2",
      index: "Network html-page 200, 4",
      zip: "InvalidMetadata bad-zip 200, 4",
    },
  },
  {
    name: "an HTML page, and parts of it for ranges",
    send: pagePart,
    outcomes: {
      rest: "Network html-page 206, 2",
      metadata: "InvalidMetadata not-json 200, 1",
      consolidated: "Unsupported no-listing, 1",
      chunk: "Network html-page 200, 1",
      plainChunk: "Network html-page 200, 1",
      zip: "InvalidMetadata bad-zip 206, 2",
    },
  },
  {
    name: "an HTML page with another content type",
    send: changed(() => ({ status: 200, headers: {}, body: page })),
    outcomes: {
      rest: "Network html-page 200, 2",
      metadata: "InvalidMetadata not-json, 1",
      consolidated: "Unsupported no-listing, 1",
      chunk: "CorruptChunk bad-header, 1",
      plainChunk: "CorruptChunk size-mismatch, 1",
      index: "CorruptChunk checksum-mismatch, 4",
      zip: "InvalidMetadata bad-zip, 4",
    },
  },
  {
    name: "data with the content type of an HTML page",
    send: headers(() => html),
    outcomes: {
      rest: "right, +0",
      run: "right, +1",
      innerChunk: "right, +1",
      index: "right, +2",
      zip: "right, +3",
    },
  },
  {
    name: "a redirect to a page",
    send: redirect(302, () => "/login.html"),
    outcomes: {
      rest: "Network html-page 200, 1",
      metadata: "InvalidMetadata not-json 200, 1",
      consolidated: "Unsupported no-listing, 1",
      run: "Network html-page 206, 2",
      innerChunk: "Network html-page 206, 2",
      index: "Network html-page 206, 2",
      zip: "InvalidMetadata bad-zip 206, 2",
    },
  },
  // Encodings.
  {
    name: "a whole object, compressed in transit by gzip",
    send: changed(({ body }) => ({ headers: { "content-encoding": "gzip" }, body: gzipSync(body) })),
    applies: isWhole,
    outcomes: "right, +0",
  },
  {
    name: "a whole object, compressed in transit by Brotli",
    send: changed(({ body }) => ({ headers: { "content-encoding": "br" }, body: brotliCompressSync(body) })),
    applies: isWhole,
    outcomes: "right, +0",
  },
  {
    name: "a part, compressed in transit by gzip",
    send: changed(({ body, headers: own }) => ({
      headers: { ...unannounced(own), "content-encoding": "gzip" },
      body: gzipSync(body),
    })),
    applies: isRange,
    outcomes: {
      rest: "right, +0",
      run: "Network bad-range, 1",
      innerChunk: "Network bad-range, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  {
    name: "`Content-Encoding: gzip`, but the body is not compressed",
    send: headers(() => ({ "content-encoding": "gzip" })),
    outcomes: {
      rest: "Network fetch-failed, 4",
      run: "Network bad-range, 1",
      innerChunk: "Network bad-range, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  {
    name: "an unknown `Content-Encoding`, or three of them",
    send: headers(({ attempt }) => ({ "content-encoding": attempt % 2 ? "zip" : "br, br, gzip" })),
    outcomes: {
      rest: "Network bad-answer, 1",
      run: "Network bad-range, 1",
      innerChunk: "Network bad-range, 1",
      index: "Network bad-range, 3",
      zip: "Network bad-range, 3",
    },
  },
  // Redirects.
  {
    name: "a redirect",
    send: redirect(302, ({ url }) => `${url}?moved`),
    applies: isHere,
    outcomes: { rest: "right, +1", index: "right, +2", zip: "right, +3" },
  },
  {
    name: "a redirect to another origin",
    send: redirect(
      307,
      ({ url, headers: { host } }) => `http://localhost:${host!.split(":")[1]}${url}?moved`,
    ),
    applies: isHere,
    outcomes: { rest: "right, +1", index: "right, +2", zip: "right, +3" },
  },
  {
    name: "redirects in a circle",
    send: redirect(301, ({ url }) => url!),
    outcomes: {
      rest: "Network fetch-failed, 84",
      index: "Network fetch-failed, 126",
      zip: "Network fetch-failed, 126",
    },
  },
  {
    name: "a redirect to nowhere",
    send: redirect(302, () => "http://127.0.0.1:1/"),
    outcomes: {
      rest: "Network fetch-failed, 4",
      index: "Network fetch-failed, 6",
      zip: "Network fetch-failed, 6",
    },
  },
];

/** Names of the kinds of reads in the table. */
const kindNames: Record<ReadKind, string> = {
  metadata: "metadata",
  consolidated: "`.zmetadata`",
  chunk: "compressed chunks",
  plainChunk: "plain chunks",
  run: "parts of chunks",
  innerChunk: "inner chunks",
  index: "indexes",
  zip: "archives",
};

/** "Network http-status 500, 4" → "`Network` `http-status` 500, 4 requests". */
function describeOutcome(outcome: string): string {
  const [what, count] = outcome.split(", ") as [string, string];
  if (what === "right") return count === "+0" ? "right" : `right, ${count.replace("-", "−")}`;
  if (what === "fill") return "fill value";
  const [tag, code, status] = what.split(" ");
  const number = count === "1" ? "1 request" : `${count} requests`;
  return `${[`\`${tag}\``, `\`${code}\``, status].filter(Boolean).join(" ")}, ${number}`;
}

function describeOutcomes(outcomes: Outcomes): string {
  const kinds = new Map<string, ReadKind[]>();
  for (const kind of readKinds) {
    const outcome = describeOutcome(outcomeOf(outcomes, kind)!);
    kinds.set(outcome, [...(kinds.get(outcome) ?? []), kind]);
  }
  if (kinds.size === 1) return [...kinds.keys()][0]!;
  const groups = [...kinds].sort(([, some], [, others]) => some.length - others.length);
  const [rest, kindsOfRest] = groups.at(-1)!;
  const isMost = kindsOfRest.length > 2;
  const named = (isMost ? groups.slice(0, -1) : groups).map(
    ([outcome, of]) => `${of.map((kind) => kindNames[kind]).join(", ")}: ${outcome}`,
  );
  return [...named, ...(isMost ? [`others: ${rest}`] : [])].join("; ");
}

/** The table of docs/networks.md. */
export function faultTable(): string {
  const rows = faults.map(({ name, outcomes }) => `| ${name} | ${describeOutcomes(outcomes)} |\n`);
  return `\n| the server | outcome |\n|---|---|\n${rows.join("")}\n`;
}

/** A server with faulty responses for one object. */
export class FaultServer extends ObjectServer {
  /** Requests selected for the fault, whether or not they failed. */
  met = 0;

  /** From now on, fails requests for an object that `isMeant` selects. */
  err(key: string, fault: Fault, isMeant: (ready: Ready, request: http.IncomingMessage) => boolean): void {
    this.behaviour.send = (ready, request) => {
      if (request.url!.split("?")[0] !== key || !isMeant(ready, request)) return undefined;
      this.met++;
      if (this.met > (fault.times ?? Number.POSITIVE_INFINITY)) return undefined;
      return (fault.applies ?? (() => true))(ready, request) ? fault.send : undefined;
    };
  }
}
