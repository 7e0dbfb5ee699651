/** The transport by Node's HTTP client. The web streams of `fetch` cost as much time as decoding a chunk. */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable, Transform } from "node:stream";
import { nodeModule } from "../../util/platform.js";
import type { Transport } from "../transport.js";
import { codingError, contentCodings, type HopResponse, redirectable, type SendHop } from "./response.js";

/** Maximum length of a discarded body that is read to its end, so that the connection can be used again. */
const shortBody = 2 ** 16;
/** Time limit for that, in milliseconds. */
const shortTime = 2000;

/** Idle connections are closed after 4 s, before servers close them. */
const keeping = { keepAlive: true, timeout: 4000 };

interface Client {
  /** `node:http` or `node:https`. Its `request` may be replaced by mocks at any time. */
  readonly module: { request(options: RequestOptions): ClientRequest };
  readonly agent: Agent;
}

type Clients = Readonly<Record<string, Client>>;
type Decoders = Readonly<Record<string, () => Transform>>;

/** Returns the transport. Idle connections are reused and do not keep the process alive. */
export async function nodeTransport(): Promise<Transport> {
  const [http, https, zlib] = await Promise.all([
    nodeModule<typeof import("node:http")>("node:http"),
    nodeModule<typeof import("node:https")>("node:https"),
    nodeModule<typeof import("node:zlib")>("node:zlib"),
  ]);
  const clients: Clients = {
    "http:": { module: http, agent: new http.Agent(keeping) },
    "https:": { module: https, agent: new https.Agent(keeping) },
  };
  const decoders = makeDecoders(zlib);
  const sendHop: SendHop = async (url, { method, headers, watch: { signal } }) => {
    const client = clients[url.protocol];
    if (!client) throw new Error(`${url.protocol} URLs are not read over HTTP`);
    if (url.username || url.password) throw new Error("the URL includes credentials: give them as a header");
    const message = await send(client, url, { method, headers: requestHeaders(headers) }, signal);
    return new NodeResponse(url, message, decoders, signal);
  };
  return redirectable(sendHop);
}

/** Returns the decoders of content codings. Each buffers about 16 KiB of output, whatever the compression ratio. */
function makeDecoders(zlib: typeof import("node:zlib")): Decoders {
  type Zstd = { createZstdDecompress?: (options: object) => Transform };
  const { createZstdDecompress } = zlib as Zstd;
  return {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    // The window that RFC 9659 allows. Larger ones may need 128 MiB and more.
    ...(createZstdDecompress && { zstd: () => createZstdDecompress({ params: { [zstdWindowLogMax]: 23 } }) }),
  };
}

/** ZSTD_d_windowLogMax. Spec: zstd.h, ZSTD_dParameter. */
const zstdWindowLogMax = 100;

/** The headers that `fetch` would send. */
function requestHeaders(own: Headers): Record<string, string> {
  return {
    accept: "*/*",
    "user-agent": "node",
    // A range of a compressed body is useless.
    "accept-encoding": own.has("range") ? "identity" : "gzip, deflate, br",
    ...Object.fromEntries(own),
  };
}

/** Sends one request and returns the response without its body. */
function send(client: Client, url: URL, options: RequestOptions, signal: AbortSignal) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    signal.throwIfAborted();
    let isAnswered = false;
    const { hostname, port, protocol, pathname, search } = url;
    const request = client.module.request({
      ...options,
      protocol,
      hostname: hostname.replace(/^\[(.*)\]$/, "$1"), // an IPv6 address
      port,
      path: pathname + search,
      agent: client.agent,
    });
    // A request that has been destroyed already emits no error.
    const abort = () => {
      request.destroy(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    request.on("response", (message) => {
      isAnswered = true;
      signal.removeEventListener("abort", abort);
      message.on("error", () => {}); // reported to the reader, if any
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
    request.on("close", () => {
      if (!isAnswered) fail(closedError(" without a response"));
    });
    request.end();
  });
}

/** Discards a response. Keeps the connection if the rest of the body is short. */
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

class NodeResponse implements HopResponse {
  readonly isCors = false;
  redirected = false;
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
      // A body without a connection is a mock, which may send it again.
      const isReceived = (this.message.socket?.bytesRead ?? 0) > 0;
      await drain(stream, take, isReceived ? free : undefined);
    } finally {
      this.signal.removeEventListener("abort", abort);
      // Ends an unfinished download.
      if (!stream.readableEnded) this.message.destroy();
    }
  }

  discard(): void {
    if (!this.#isRead) drop(this.message);
  }

  /** Returns the body without its content codings. */
  async #decoded(): Promise<Readable> {
    const codings = contentCodings(this.headers);
    if (codings.length === 0) return this.message;
    const makers = codings.map((coding) => {
      const make = this.decoders[coding];
      if (!make)
        throw codingError(
          "the server",
          `compressed by "${coding}", which this version of Node cannot decode`,
        );
      return make;
    });
    const { pipeline } = await nodeModule<typeof import("node:stream")>("node:stream");
    const stages = makers.reverse().map((make) => make());
    return pipeline([this.message, ...stages], () => {}) as Transform;
  }
}

/** Called only if the error is thrown: capturing a stack trace is slow compared with a small request. */
const closedError = (how = "") => new Error(`the connection was closed${how}`);

/** Reads a stream by events, which need no promise for each piece. */
function drain(
  stream: Readable,
  take: (piece: Uint8Array) => boolean,
  release: ((piece: Uint8Array) => void) | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed) throw stream.errored ?? closedError();
    const onData = (piece: Uint8Array) => {
      try {
        const goesOn = take(piece);
        release?.(piece);
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
    stream.on("close", () => {
      if (!stream.readableEnded) reject(closedError());
    });
    stream.on("data", onData);
  });
}

let closedPort: MessagePort | undefined;

/**
 * Frees the memory of a piece that has been copied, by transferring it to a closed port. Left to the garbage collector,
 * the pieces of a long body take 20 MiB and more. Ignores pieces that share their memory, and does nothing where the
 * global object is a simulated browser's that has no MessageChannel (Jest with jsdom).
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < 4096 || byteLength !== buffer.byteLength || typeof MessageChannel === "undefined") return;
  if (!closedPort) {
    closedPort = new MessageChannel().port1;
    closedPort.close();
  }
  try {
    closedPort.postMessage(null, [buffer as ArrayBuffer]);
  } catch {
    // Left to the garbage collector.
  }
}
