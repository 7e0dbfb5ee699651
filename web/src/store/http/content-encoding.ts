/**
 * Content codings: how bodies are compressed on the way. Few are known and few may follow one another: each is a
 * decoder with memory of its own, and what it makes of a few bytes may be very long. Spec: RFC 9110, section 8.4.
 */
import { networkError, type ZarrError } from "../../util/errors.js";

const compressing: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br", "zstd"]);
/** What says nothing of the body; "aws-chunked" is left behind by uploads to S3. */
const plain: ReadonlySet<string> = new Set(["", "identity", "aws-chunked"]);
const maxCodings = 2;

type Headers = { get(name: string): string | null };

/** The codings of a body, in the order in which they were applied, as far as one can see: CORS may hide them. */
export function codingsOf(headers: Headers): string[] {
  const text = headers.get("content-encoding");
  if (text === null) return [];
  const names = text.toLowerCase().split(",");
  return names.map((name) => name.trim()).filter((name) => !plain.has(name));
}

/** @throws Network ("content-coding") for a body that is compressed in an unknown way, or again and again. */
export function checkCodings(headers: Headers, name: string): void {
  const codings = codingsOf(headers);
  const unknown = codings.find((coding) => !compressing.has(coding));
  if (unknown !== undefined) throw codingError(name, `compressed by "${unknown.slice(0, 40)}"`);
  if (codings.length > maxCodings) throw codingError(name, `compressed ${codings.length} times`);
}

/** The error of a body that is compressed in a way that is not supported. */
export function codingError(name: string, what: string): ZarrError {
  return networkError(`${name} answered with a body that is ${what}`, { code: "content-coding" });
}
