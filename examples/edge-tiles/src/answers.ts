/** HTTP responses: caching and CORS headers, ETags, and failures. */
import type { Refusal } from "./failures.js";
import type { Settings } from "./settings.js";

/** The response without client-specific headers, as stored in caches. */
export async function fresh(
  body: Uint8Array<ArrayBuffer> | string,
  type: string,
  cacheControl: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const bytes = typeof body === "string" ? Uint8Array.from(new TextEncoder().encode(body)) : body;
  return new Response(bytes, {
    headers: {
      ...headers,
      "content-type": type,
      "content-length": String(bytes.byteLength),
      "cache-control": cacheControl,
      etag: await etagOf(bytes),
    },
  });
}

/** Hash of the bytes, so that a tile has the same tag in every data centre and after every deployment. */
async function etagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `"${btoa(String.fromCharCode(...digest.subarray(0, 15))).replaceAll("+", "-").replaceAll("/", "_")}"`;
}

export function refused({ status, message, retryAfter }: Refusal): Response {
  // Permanent failures are cached for a minute; failures that a retry may fix are never cached.
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "cache-control": status < 500 ? "public, max-age=60" : "no-store",
  };
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  return new Response(`${JSON.stringify({ status, error: message })}\n`, { status, headers });
}

/** Adapts a response to a request: adds CORS headers, 304 if the client has it, and no body for HEAD. */
export function addressed(answer: Response, request: Request, settings: Settings, source?: string): Response {
  const headers = new Headers(answer.headers);
  allowOrigin(headers, request, settings);
  headers.set("x-content-type-options", "nosniff");
  if (source) headers.set("x-cache", source);
  if (answer.status === 200 && isKnown(request, headers.get("etag"))) {
    void answer.body?.cancel();
    headers.delete("content-length");
    return new Response(null, { status: 304, headers });
  }
  if (request.method === "HEAD") void answer.body?.cancel();
  return new Response(request.method === "HEAD" ? null : answer.body, { status: answer.status, headers });
}

function allowOrigin(headers: Headers, request: Request, { origins }: Settings): void {
  const origin = request.headers.get("origin");
  if (origins === "*") headers.set("access-control-allow-origin", "*");
  else {
    headers.append("vary", "Origin"); // the response depends on the origin
    if (origin && origins.has(origin)) headers.set("access-control-allow-origin", origin);
  }
  headers.set("access-control-expose-headers", "ETag, X-Tile-Shape, X-Tile-Type, X-Cache, Retry-After");
}

/** Whether If-None-Match lists the tag, by weak comparison (RFC 9110, section 13.1.2). */
function isKnown(request: Request, etag: string | null): boolean {
  const listed = request.headers.get("if-none-match");
  if (listed === null || etag === null) return false;
  return listed.split(",").some((one) => ["*", etag, `W/${etag}`].includes(one.trim()));
}

/** Response to a CORS preflight request. */
export function preflight(request: Request, settings: Settings): Response {
  const headers = new Headers({
    "access-control-allow-methods": "GET, HEAD",
    "access-control-allow-headers": "If-None-Match",
    "access-control-max-age": "86400",
  });
  allowOrigin(headers, request, settings);
  return new Response(null, { status: 204, headers });
}
