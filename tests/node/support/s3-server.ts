/**
 * An object store with S3 semantics in memory: GET with ranges, HEAD, PUT, DELETE, ETags, conditions,
 * ListObjectsV2, on path-style URLs, `/bucket/key`. Tests configure its faults.
 */
import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface StoredObject {
  bytes: Uint8Array;
  etag: string;
}

/**
 * Instead of the right answer: a status (with S3's error code and headers), or a broken connection; before the object
 * is written or "after" it. "twice": the request is carried out twice, and the second answer is sent, like clients and
 * proxies do that repeat requests on broken connections (RFC 9110, section 9.2.2).
 */
export type Fault =
  | { status: number; code?: string; headers?: Record<string, string>; after?: boolean }
  | { break: true; after?: boolean }
  | { twice: true; after?: undefined };

export interface S3Request {
  method: string;
  /** The key, without a leading "/"; "" for the bucket. */
  key: string;
  headers: http.IncomingHttpHeaders;
  query: URLSearchParams;
  body: Uint8Array;
  /** Path and query as they were sent. */
  target: string;
}

export class S3Server {
  readonly objects = new Map<string, StoredObject>();
  readonly log: string[] = [];
  /** Statuses of writes whose conditions did not hold. */
  readonly refusals: number[] = [];
  /** Maximum number of keys per page of a listing. */
  pageLength = 1000;
  /** Called for each request before it is served. */
  fault: ((request: S3Request, count: number) => Fault | undefined | Promise<Fault | undefined>) | undefined;
  /** Responds 403 to requests for which it returns false. */
  allows: ((request: S3Request) => boolean) | undefined;
  /** Whether conditions are checked. */
  conditional = true;
  /** ETags are sent as weak ones, which If-Match never matches if "strict" (RFC 9110, section 13.1.1). */
  weakEtags: "strict" | "lenient" | undefined;
  #count = 0;
  readonly #server = http.createServer((request, response) => {
    this.#serve(request, response).catch((error) => response.destroy(error));
  });

  constructor(readonly bucket = "bucket") {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** URL of the bucket. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${this.bucket}`;
  }

  put(key: string, bytes: Uint8Array): void {
    this.objects.set(key, { bytes, etag: `"${createHash("md5").update(bytes).digest("hex")}"` });
  }

  async #serve(message: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of message) pieces.push(piece);
    const url = new URL(message.url!, "http://x");
    const key = decodeURIComponent(url.pathname.slice(this.bucket.length + 2));
    const method = message.method!;
    const body = new Uint8Array(Buffer.concat(pieces));
    const request = {
      method,
      key,
      headers: message.headers,
      query: url.searchParams,
      body,
      target: message.url!,
    };
    this.log.push(`${method} ${key}`);
    const fault = await this.fault?.(request, ++this.#count);
    if (fault?.after || (fault && "twice" in fault)) this.apply(request);
    if (fault && "break" in fault) return void message.socket.destroy();
    if (fault && "status" in fault) return refuse(response, fault.status, fault.code, fault.headers);
    if (this.allows && !this.allows(request)) return refuse(response, 403, "AccessDenied");
    if (method === "GET" && url.searchParams.get("list-type") === "2") return this.#list(request, response);
    if (method === "PUT" || method === "DELETE") {
      const { status, code, etag } = this.apply(request);
      if (status >= 400) this.refusals.push(status);
      return status >= 400
        ? refuse(response, status, code)
        : void response.writeHead(status, etag ? { etag } : {}).end();
    }
    this.#read(request, response);
  }

  /** Carries out a PUT or DELETE request. */
  apply({ method, key, headers, body }: S3Request): { status: number; code?: string; etag?: string } {
    const now = this.objects.get(key);
    const match = headers["if-match"];
    if (method === "DELETE") {
      if (this.conditional && match !== undefined && now && now.etag !== match)
        return { status: 412, code: "PreconditionFailed" };
      this.objects.delete(key);
      return { status: 204 };
    }
    if (this.conditional && headers["if-none-match"] === "*" && now)
      return { status: 412, code: "PreconditionFailed" };
    if (this.conditional && match !== undefined) {
      if (!now) return { status: 404, code: "NoSuchKey" };
      if (now.etag !== match || this.weakEtags === "strict")
        return { status: 412, code: "PreconditionFailed" };
    }
    this.put(key, body);
    return { status: 200, etag: this.objects.get(key)!.etag };
  }

  #read({ method, key, headers }: S3Request, response: http.ServerResponse): void {
    const object = this.objects.get(key);
    if (!object) {
      refuse(response, 404, "NoSuchKey");
      return;
    }
    const { bytes } = object;
    const etag = this.weakEtags ? `W/${object.etag}` : object.etag;
    const range = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "");
    const size = bytes.byteLength;
    if (!range) {
      response.writeHead(200, { etag, "content-length": size }).end(method === "HEAD" ? undefined : bytes);
      return;
    }
    const start = range[1] === "" ? Math.max(0, size - Number(range[2])) : Number(range[1]);
    const end = range[1] === "" || range[2] === "" ? size : Math.min(size, Number(range[2]) + 1);
    if (start >= size) {
      refuse(response, 416, "InvalidRange", { "content-range": `bytes */${size}` });
      return;
    }
    const headersOut = {
      etag,
      "content-range": `bytes ${start}-${end - 1}/${size}`,
      "content-length": end - start,
    };
    response.writeHead(206, headersOut).end(bytes.subarray(start, end));
  }

  #list({ query }: S3Request, response: http.ServerResponse): void {
    const prefix = query.get("prefix") ?? "";
    const delimiter = query.get("delimiter") ?? "";
    const after = query.get("continuation-token") ?? "";
    const isEncoded = query.get("encoding-type") === "url";
    const write = (text: string) =>
      isEncoded ? encodeURIComponent(text).replaceAll("%20", "+").replaceAll("%2F", "/") : escapeXml(text);
    const found = new Map<string, boolean>();
    for (const key of [...this.objects.keys()].sort()) {
      if (!key.startsWith(prefix)) continue;
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      found.set(end < 0 ? key : key.slice(0, end + 1), end >= 0);
    }
    const rest = [...found].filter(([name]) => name > after);
    const page = rest.slice(0, this.pageLength);
    const isTruncated = rest.length > page.length;
    const entries = page.map(([name, isPrefix]) =>
      isPrefix
        ? `<CommonPrefixes><Prefix>${write(name)}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${write(name)}</Key><Size>1</Size></Contents>`,
    );
    const token = isTruncated
      ? `<NextContinuationToken>${escapeXml(page.at(-1)![0])}</NextContinuationToken>`
      : "";
    const encoding = isEncoded ? "<EncodingType>url</EncodingType>" : "";
    response
      .writeHead(200, { "content-type": "application/xml" })
      .end(
        `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${this.bucket}</Name><Prefix>${write(prefix)}</Prefix>${encoding}<IsTruncated>${isTruncated}</IsTruncated>${token}${entries.join("")}</ListBucketResult>`,
      );
  }
}

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function refuse(
  response: http.ServerResponse,
  status: number,
  code = "InternalError",
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/xml", ...headers })
    .end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
}
