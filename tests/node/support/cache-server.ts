/** A server with validators and lifetimes that answers conditional requests, for the tests of persistent caches. */
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Stored {
  body: Uint8Array;
  etag?: string | undefined;
  lastModified?: string | undefined;
}

export interface Asked {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  status: number;
  /** Bytes of the response's body. */
  sent: number;
}

export class CacheServer {
  readonly objects = new Map<string, Stored>();
  readonly asked: Asked[] = [];
  /** Headers of every response with an object, or of missing ones. */
  headers: (path: string) => Record<string, string> = () => ({});
  /** Answers in another way; true if it has. */
  intercept: (request: http.IncomingMessage, response: http.ServerResponse) => boolean = () => false;
  #server = this.#make();
  #port = 0;

  #make(): http.Server {
    return http.createServer((request, response) => {
      const asked: Asked = { path: request.url!, headers: request.headers, status: 0, sent: 0 };
      this.asked.push(asked);
      if (!this.intercept(request, response)) this.answer(request, response, asked);
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Stops; `start` uses the same port again. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#server = this.#make();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  set(path: string, body: Uint8Array, etag: string | undefined = `"${this.objects.size}"`): void {
    this.objects.set(path, { body, etag });
  }

  /** The requests since the last call as text: "/a 200", "/a bytes=0-1 206". */
  log(): string[] {
    return this.asked.splice(0).map(({ path, headers, status }) => {
      const { range } = headers;
      return [path, range, status].filter((text) => text !== undefined).join(" ");
    });
  }

  /** Bytes of all bodies since the log was read. */
  get sent(): number {
    return this.asked.reduce((sum, { sent }) => sum + sent, 0);
  }

  /** Answers a request. @param asked its place in the log. Default: the last one for this URL. */
  answer(
    { url, headers }: http.IncomingMessage,
    response: http.ServerResponse,
    asked = this.asked.findLast(({ path }) => path === url),
  ): void {
    const path = url!.split("?")[0]!;
    const own = this.headers(path);
    const end = (status: number, more: Record<string, string>, body: Uint8Array = new Uint8Array(0)) => {
      if (asked) Object.assign(asked, { status, sent: body.byteLength });
      response.writeHead(status, { ...more, ...own }).end(body);
    };
    const object = this.objects.get(path);
    if (!object) return void end(404, {});
    const { body, etag, lastModified } = object;
    const validators = { ...(etag && { etag }), ...(lastModified && { "last-modified": lastModified }) };
    const since = headers["if-modified-since"];
    const isSame =
      (etag !== undefined && headers["if-none-match"] === etag) ||
      (headers["if-none-match"] === undefined &&
        since !== undefined &&
        lastModified !== undefined &&
        Date.parse(lastModified) <= Date.parse(since));
    if (isSame) return void end(304, validators);
    const range = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "");
    if (!range) return void end(200, { ...validators, "content-length": String(body.byteLength) }, body);
    const size = body.byteLength;
    const start = range[1] === "" ? Math.max(0, size - Number(range[2])) : Number(range[1]);
    const stop = range[1] === "" ? size : Math.min(size, Number(range[2] || size - 1) + 1);
    const part = body.subarray(start, stop);
    const about = {
      "content-range": `bytes ${start}-${stop - 1}/${size}`,
      "content-length": String(part.byteLength),
    };
    end(206, { ...validators, ...about }, part);
  }
}
