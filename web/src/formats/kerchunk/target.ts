/** From what references name to what can be fetched. */
import { unsupported } from "../../util/errors.js";
import { shown } from "../parquet/fields.js";

/**
 * The URL of a target.
 * @param base URL of the document, which relative targets are resolved against.
 * @throws Unsupported ("reference-target") for a scheme that cannot be read, for a relative target without
 *   a base, and for a local file named by a document that is not one.
 */
export function targetUrl(target: string, base: URL | undefined): URL {
  const url = parse(target, base);
  if (!url) {
    const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(target);
    const why =
      isRelative && !base ? "it is relative, and there is no base to resolve it against" : "it is not a URL";
    throw refused(target, why);
  }
  if (url.protocol === "file:" && base?.protocol !== "file:") {
    throw refused(target, "a document that is not a local file itself must not name local files");
  }
  if (!["http:", "https:", "file:"].includes(url.protocol)) {
    throw refused(target, `there is no way to read ${url.protocol} URLs; \`resolve\` can name one`);
  }
  return url;
}

/** Public endpoints of buckets. One with a dot in its name does not fit a certificate as a host's name. */
export function bucketUrl(target: string): URL | undefined {
  const match = /^(s3a?|gs|gcs):\/\/([^/?#]+)\/(.*)$/is.exec(target);
  if (!match) return undefined;
  const [, scheme = "", bucket = "", key = ""] = match;
  const path = segments(key);
  const root = encodeURIComponent(bucket);
  if (/^g/i.test(scheme)) return new URL(`https://storage.googleapis.com/${root}/${path}`);
  if (bucket.includes(".") || root !== bucket) return new URL(`https://s3.amazonaws.com/${root}/${path}`);
  return new URL(`https://${bucket}.s3.amazonaws.com/${path}`);
}

/** A path with a drive of Windows. */
function drivePath(target: string): URL | undefined {
  return /^[a-z]:[\\/]/i.test(target)
    ? new URL(`file:///${target.slice(0, 2)}${segments(target.slice(2).replaceAll("\\", "/"))}`)
    : undefined;
}

/** Undefined for what is none. */
function parse(target: string, base: URL | undefined): URL | undefined {
  // Beside a local document stand paths of files, in which "#" and "%" mean nothing.
  const isPath = base?.protocol === "file:" && !/^[a-z][a-z0-9+.-]*:/i.test(target);
  try {
    return bucketUrl(target) ?? drivePath(target) ?? new URL(isPath ? segments(target) : target, base);
  } catch {
    return undefined; // no URL at all, a bucket whose name cannot be one of a host, lone surrogates
  }
}

function segments(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function refused(target: string, why: string): Error {
  return unsupported(`the target ${JSON.stringify(shown(target))} cannot be read: ${why}`, {
    code: "reference-target",
  });
}
