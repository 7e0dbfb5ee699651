/** How requests get to servers and answers back. */
import type { Watch } from "../util/idle-timeout.js";

/** What is used of an answer. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  /** True where the server belongs to another origin, so that headers may be hidden. */
  readonly isCors: boolean;
  readonly headers: { get(name: string): string | null };
  /**
   * Hands out the body piece by piece, as it comes, until `take` returns false or there is no more; once. A piece may
   * be written to later: whoever wants to keep it copies it.
   * @throws what `take` throws; anything else is a connection that failed.
   */
  read(take: (piece: Uint8Array) => boolean): Promise<void>;
  /** Ends an answer whose body nobody wants, or wants any more. */
  discard(): void;
}

export interface TransportRequest {
  /** PUT and DELETE are only for the transport of `fetch`. */
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly headers: Headers;
  readonly body?: NonNullable<RequestInit["body"]>; // types of Node alone have no BodyInit
  /** Its signal ends the request and the reading of its answer. */
  readonly watch: Watch;
}

/** Sends a request, and follows redirects as redirects.ts says. Rejects if no answer comes. */
export type Transport = (url: URL, request: TransportRequest) => Promise<Answer>;

/** HTTP statuses worth retrying. */
export const transientStatus: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
