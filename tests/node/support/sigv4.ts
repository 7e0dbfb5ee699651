/**
 * AWS signatures, version 4, checked as by an S3 server: in the header Authorization, and in presigned URLs.
 * From the specification ("Authenticating Requests"), with node:crypto alone.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { S3Request } from "./s3-server.js";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

const algorithm = "AWS4-HMAC-SHA256";
/** Seconds that clocks may differ. */
const skew = 900;

/** The error in a request's signature; undefined for a valid one. */
export function wrongIn(request: S3Request, credentials: Credentials, now = Date.now()): string | undefined {
  const { headers, query } = request;
  if (headers.authorization !== undefined) {
    const parts = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization,
    );
    if (!parts) return "malformed Authorization";
    const [, scope, names, signature] = parts;
    const date = String(headers["x-amz-date"]);
    if (!(Math.abs(secondsBetween(date, now)) <= skew)) return "RequestTimeTooSkewed";
    return check(request, credentials, { scope: scope!, names: names!, signature: signature!, date });
  }
  if (query.get("X-Amz-Algorithm") !== algorithm) return "not signed";
  const date = query.get("X-Amz-Date") ?? "";
  const age = secondsBetween(date, now);
  if (!(age >= -skew && age <= Number(query.get("X-Amz-Expires")))) return "expired";
  const of = (name: string) => query.get(`X-Amz-${name}`) ?? "";
  return check(request, credentials, {
    scope: of("Credential"),
    names: of("SignedHeaders"),
    signature: of("Signature"),
    date,
  });
}

interface Signature {
  scope: string;
  names: string;
  signature: string;
  date: string;
}

function check(
  request: S3Request,
  { accessKeyId, secretAccessKey, region }: Credentials,
  { scope, names, signature, date }: Signature,
): string | undefined {
  const day = date.slice(0, 8);
  const wanted = [day, region, "s3", "aws4_request"];
  if (scope !== [accessKeyId, ...wanted].join("/")) return "another scope";
  const signed = names.split(";");
  if (!signed.includes("host")) return "host is not signed";
  const ownHeaders = Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"));
  const unsigned = ownHeaders.find((name) => !signed.includes(name));
  if (unsigned) return `${unsigned} is not signed`;
  const isPresigned = request.headers.authorization === undefined;
  const payload = isPresigned ? "UNSIGNED-PAYLOAD" : String(request.headers["x-amz-content-sha256"]);
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(request.body)) return "XAmzContentSHA256Mismatch";
  const canonical = [
    request.method,
    ...canonicalTarget(request.target),
    ...signed.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? "")
          .trim()
          .replace(/ +/g, " ")}`,
    ),
    "",
    names,
    payload,
  ].join("\n");
  const text = [algorithm, date, wanted.join("/"), sha256(canonical)].join("\n");
  const key = wanted.reduce<Uint8Array>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  const right = Buffer.from(hmac(key, text));
  return timingSafeEqual(right, Buffer.from(signature, "hex")) ? undefined : "SignatureDoesNotMatch";
}

/** Path and query, encoded by the rules of RFC 3986 alone. */
function canonicalTarget(target: string): [string, string] {
  const [path = "", query = ""] = target.split("?");
  const parameters = query
    .split("&")
    .filter((part) => part !== "" && !part.startsWith("X-Amz-Signature="))
    .map((part) => {
      const [name = "", value = ""] = part.split("=");
      return `${strictly(decode(name))}=${strictly(decode(value))}`;
    });
  return [
    path
      .split("/")
      .map((part) => strictly(decodeURIComponent(part)))
      .join("/"),
    parameters.sort().join("&"),
  ];
}

const decode = (text: string) => decodeURIComponent(text.replaceAll("+", "%20"));
const strictly = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const hmac = (key: Uint8Array, text: string) => createHmac("sha256", key).update(text).digest();

/** Parses a date in the form of signatures: 20130524T000000Z. */
function secondsBetween(date: string, now: number): number {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  return (now - Date.parse(iso)) / 1000;
}
