/**
 * Requests by Node's own client. What `fetch` does besides, streams of the web above all, costs as much as a chunk takes
 * to decode.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable, Transform } from "node:stream";
import { nodeModule } from "../../util/platform.js";
import type { Transport } from "../transport.js";
import { type HopAnswer, redirectable, type SendHop } from "./redirects.js";
import { codingError, codingsOf } from "./response.js";

/** A body that nobody wants is read to its end where it is this short, so that the connection can be used again. */
const shortBody = 2 ** 16;
/** … if it comes within so many milliseconds. */
const shortTime = 2000;

/** Connections are kept open for so many idle milliseconds, less than servers keep theirs. */
const keeping = { keepAlive: true, timeout: 4000 };

/** One of Node's clients, with its connections. */
interface Client {
  request(options: RequestOptions): ClientRequest;
  readonly agent: Agent;
}

type Clients = Readonly<Record<string, Client>>;
type Decoders = Readonly<Record<string, () => Transform>>;

/** The transport of Node. Connections are kept for further requests, and do not keep the process alive. */
export async function nodeTransport(): Promise<Transport> {
  const [http, https, zlib] = await Promise.all([
    nodeModule<typeof import("node:http")>("node:http"),
    nodeModule<typeof import("node:https")>("node:https"),
    nodeModule<typeof import("node:zlib")>("node:zlib"),
  ]);
  const clients: Clients = {
    "http:": { request: http.request, agent: new http.Agent(keeping) },
    "https:": { request: https.request, agent: new https.Agent(keeping) },
  };
  const decoders = decodersOf(zlib);
  const sendHop: SendHop = async (url, { method, headers, watch: { signal } }) => {
    const client = clients[url.protocol];
    if (!client) throw new Error(`${url.protocol} URLs are not read over HTTP`);
    if (url.username || url.password) throw new Error("the URL includes credentials: give them as a header");
    const message = await send(client, url, { method, headers: headersOf(headers) }, signal);
    return new NodeAnswer(url, message, decoders, signal);
  };
  return redirectable(sendHop);
}

/**
 * Decoders give their output in pieces of some 16 KiB and wait until they are taken, so that no more than a piece for
 * each is in memory, however long the body is that a few bytes stand for.
 */
function decodersOf(zlib: typeof import("node:zlib")): Decoders {
  type Zstd = { createZstdDecompress?: (options: object) => Transform };
  const { createZstdDecompress } = zlib as Zstd;
  return {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    // The window that RFC 9659 allows: others may take 128 MiB and more.
    ...(createZstdDecompress && { zstd: () => createZstdDecompress({ params: { [zstdWindowLogMax]: 23 } }) }),
  };
}

/** ZSTD_d_windowLogMax. Spec: zstd.h, ZSTD_dParameter. */
const zstdWindowLogMax = 100;

/** The headers that `fetch` would send. */
function headersOf(own: Headers): Record<string, string> {
  return {
    accept: "*/*",
    "user-agent": "node",
    // Nobody can say what a part of a compressed body is part of.
    "accept-encoding": own.has("range") ? "identity" : "gzip, deflate, br",
    ...Object.fromEntries(own),
  };
}

/** Sends one request; resolves with the head of its answer. */
function send(client: Client, url: URL, options: RequestOptions, signal: AbortSignal) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    signal.throwIfAborted();
    const { hostname, port, protocol, pathname, search } = url;
    const request = client.request({
      ...options,
      protocol,
      hostname: hostname.replace(/^\[(.*)\]$/, "$1"), // an IPv6 address
      port,
      path: pathname + search,
      agent: client.agent,
    });
    // Also without an error of the request's: one that has been destroyed already says nothing more.
    const abort = () => {
      request.destroy(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    request.on("response", (message) => {
      signal.removeEventListener("abort", abort);
      message.on("error", () => {}); // whoever reads it hears of it; nobody may
      resolve(message);
    });
    const fail = (error: Error) => {
      signal.removeEventListener("abort", abort);
      reject(error);
    };
    request.on("error", fail);
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("the server switched to another protocol"));
    });
    request.on("close", () => fail(new Error("the connection was closed without an answer")));
    request.end();
  });
}

/** Ends an answer, without ending the connection where there is little more to come. */
function drop(message: IncomingMessage): void {
  if (message.readableEnded || message.destroyed) return;
  const bytes = Number(message.headers["content-length"] ?? Number.POSITIVE_INFINITY);
  if (!(bytes <= shortBody)) {
    message.destroy();
    return;
  }
  const timer = setTimeout(() => message.destroy(), shortTime);
  message.on("close", () => clearTimeout(timer));
  message.resume();
}

class NodeAnswer implements HopAnswer {
  readonly isCors = false;
  readonly status: number;
  readonly statusText: string;
  readonly headers = {
    get: (name: string): string | null => {
      const value = this.message.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(", ") : (value ?? null);
    },
  };
  #isRead = false;

  constructor(
    readonly url: URL,
    private readonly message: IncomingMessage,
    private readonly decoders: Decoders,
    private readonly signal: AbortSignal,
  ) {
    this.status = message.statusCode!;
    this.statusText = message.statusMessage ?? "";
  }

  async read(take: (piece: Uint8Array) => boolean): Promise<void> {
    this.#isRead = true;
    const stream = await this.#decoded();
    const abort = () => stream.destroy(this.signal.reason);
    this.signal.addEventListener("abort", abort, { once: true });
    try {
      this.signal.throwIfAborted();
      await drain(stream, take);
    } finally {
      this.signal.removeEventListener("abort", abort);
      // Ends a download of which enough is there; without effect on one that is complete.
      if (!stream.readableEnded) this.message.destroy();
    }
  }

  discard(): void {
    if (!this.#isRead) drop(this.message);
  }

  /** The body as it was before it was compressed on the way. */
  async #decoded(): Promise<Readable> {
    const codings = codingsOf(this.headers);
    if (codings.length === 0) return this.message;
    const makers = codings.map((coding) => {
      const make = this.decoders[coding];
      if (!make)
        throw codingError("the server", `compressed by "${coding}", which this version of Node cannot undo`);
      return make;
    });
    const { pipeline } = await nodeModule<typeof import("node:stream")>("node:stream");
    const stages = makers.reverse().map((make) => make());
    return pipeline([this.message, ...stages], () => {}) as Transform;
  }
}

/** Pieces come as events, without a promise for each of them. */
function drain(stream: Readable, take: (piece: Uint8Array) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed) throw stream.errored ?? new Error("the connection was closed");
    const onData = (piece: Uint8Array) => {
      try {
        const goesOn = take(piece);
        free(piece);
        if (goesOn) return;
        resolve();
      } catch (error) {
        reject(error);
      }
      stream.off("data", onData);
      stream.pause();
    };
    stream.on("end", resolve);
    stream.on("error", reject);
    stream.on("close", () => reject(new Error("the connection was closed")));
    stream.on("data", onData);
  });
}

let closedPort: MessagePort | undefined;

/**
 * Frees a piece that has been copied. Left to the collector, the pieces of a long body are 20 MiB and more; what is sent to a
 * closed port is freed at once. Pieces that share their memory with others, or cannot be sent, are left to it.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < 4096 || byteLength !== buffer.byteLength) return;
  if (!closedPort) {
    closedPort = new MessageChannel().port1;
    closedPort.close();
  }
  try {
    closedPort.postMessage(null, [buffer as ArrayBuffer]);
  } catch {
    // For the collector, then.
  }
}
