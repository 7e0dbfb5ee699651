/** Answers of a few words. */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Headers of an answer. */
export type Head = Readonly<Record<string, string | number>>;

/** A request, and the answer that it is to get. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export function sendText({ request, response }: Asked, status: number, head: Head, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { "cache-control": "no-cache", ...head, "content-length": body.byteLength });
  response.end(request.method === "HEAD" ? undefined : body);
}

const plain = { "content-type": "text/plain; charset=utf-8" };

export function notFound(asked: Asked, head: Head): void {
  sendText(asked, 404, { ...head, ...plain }, "not found\n");
}

export function refused(asked: Asked, status: number, head: Head, why: string): void {
  sendText(asked, status, { ...head, ...plain }, `${why}\n`);
}
