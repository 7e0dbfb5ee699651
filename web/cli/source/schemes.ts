/** Suggests the supported form of URLs that cannot be opened. */
import { bucketAddress, closestTo } from "#internal";

/** Returns `; use https://…` for a URL of another scheme, a misspelt scheme or a missing one; otherwise "". */
export function schemeHint(source: string): string {
  const [, name = "", host = "", path = ""] = /^([a-z][a-z0-9+.-]*):\/*([^/]*)(.*)$/is.exec(source) ?? [];
  const scheme = name.toLowerCase();
  if (scheme === "file") return "";
  if (scheme !== "" && source.startsWith("/", name.length + 1)) {
    if (host !== "" && /^(s3[an]?|gc?s)$/.test(scheme)) return `; use ${bucketAddress(scheme, host)}${path}`;
    if (host !== "" && /^(az|abfss?|adl)$/.test(scheme))
      return `; use https://ACCOUNT.blob.core.windows.net/${host.replace(/@.*/, "")}${path}`;
    const meant = closestTo(scheme, ["https", "http"]);
    return meant === undefined || host === ""
      ? "; use an http or https URL, or a path"
      : `; did you mean ${meant}://${host}${path}?`;
  }
  return /^www\.[^/]+\.[a-z]{2,}(\/|$)/i.test(source) ||
    /^[a-z0-9.-]+\.(org|com|net|edu|gov|io)\//i.test(source)
    ? `; did you mean https://${source}?`
    : "";
}
