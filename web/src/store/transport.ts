/** The interface between stores over HTTP and the functions that send requests. */
import type { IdleTimeout } from "../util/async.js";

/** An HTTP response. */
export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  /** Whether the server is of another origin, so that CORS may hide headers. */
  readonly isCors: boolean;
  readonly headers: { get(name: string): string | null };
  /**
   * Passes the pieces of the body to `take` until that returns false. To be called once. Pieces may be overwritten
   * after `take` returns.
   * @throws what `take` throws. Any other error means that the connection failed.
   */
  read(take: (piece: Uint8Array) => boolean): Promise<void>;
  /** Discards the rest of the body. */
  discard(): void;
}

export interface TransportRequest {
  /** PUT and DELETE are sent by `fetch` only. */
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly headers: Headers;
  readonly body?: NonNullable<RequestInit["body"]>; // types of Node alone have no BodyInit
  /** Its signal ends the request and the reading of its response. */
  readonly watch: IdleTimeout;
}

/** Sends a request and follows redirects: see http/redirects.ts. Rejects if there is no response. */
export type Transport = (url: URL, request: TransportRequest) => Promise<HttpResponse>;

/** HTTP statuses worth retrying. */
export const transientStatus: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
