/** Interfaces through which stores send requests and call file systems; pauses between attempts. */
import { type IdleTimeout, untilAborted } from "../util/async.js";

/** An HTTP response. */
export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  /** Whether the server is of another origin, so that CORS may hide headers. */
  readonly isCors: boolean;
  /** Whether it came through a redirect. */
  readonly redirected?: boolean;
  readonly headers: { get(name: string): string | null };
  /** Whether the buffers of pieces have no other users. Default: they may be overwritten after `take` returns. */
  readonly isOwned?: boolean;
  /**
   * Passes the pieces of the body to `take` until that returns false. To be called once.
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
  /** Bypasses the browser's own cache. */
  readonly cache?: "no-cache";
  /** Its signal ends the request and the reading of its response. */
  readonly watch: IdleTimeout;
}

/** Sends a request and follows redirects: see http/response.ts. Rejects if there is no response. */
export type Transport = (url: URL, request: TransportRequest) => Promise<HttpResponse>;

/** HTTP statuses worth retrying. */
export const transientStatus: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Waits for a time. @throws the signal's reason as soon as it is aborted. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await untilAborted(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Facts about a file. Not Node's type: programs for pages compile without its types. */
export interface FileInfo {
  readonly ino: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** The methods of an open file that reading calls. */
export interface FileHandle {
  stat(): Promise<FileInfo>;
  read(
    bytes: Uint8Array,
    at: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** Options of writes and deletions within this library. */
export interface CommitOptions {
  /**
   * Called right before a file is replaced, before and after a file is set aside to be removed, and before each attempt of
   * a request. An error prevents the change.
   */
  beforeCommit?: (() => Promise<void>) | undefined;
}

/** URL or path of a file. Node converts every URL to a path, which takes as long as short calls. */
export type FileName = URL | string;

/** The calls for one file. Not Node's type: programs for pages compile without its types. */
export interface FileCalls {
  link(from: URL, to: URL): Promise<void>;
  lstat(file: FileName): Promise<{ isDirectory(): boolean }>;
  mkdir(folder: URL, options?: { readonly recursive: boolean }): Promise<unknown>;
  open(file: FileName, flags: number | "wx"): Promise<FileToWrite>;
  rename(from: FileName, to: FileName): Promise<void>;
  rm(file: FileName, options: { readonly force: boolean }): Promise<void>;
  stat(file: FileName): Promise<FileInfo>;
  unlink(file: FileName): Promise<void>;
  utimes(file: URL, accessed: number, modified: number): Promise<void>;
}

export interface FileToWrite extends FileHandle {
  write(bytes: Uint8Array, at: number, length: number): Promise<{ readonly bytesWritten: number }>;
  sync(): Promise<void>;
}
