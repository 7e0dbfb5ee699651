/** Suggests the supported form of URLs that cannot be opened. */
import { closestTo } from "#internal";

/** The https form of object storage URLs by scheme, from the bucket and the key with its leading slash. */
const objectStores: Readonly<Record<string, (bucket: string, key: string) => string>> = {
  s3: (bucket, key) =>
    bucket.includes(".")
      ? `https://s3.amazonaws.com/${bucket}${key}` // certificates do not cover buckets with dots
      : `https://${bucket}.s3.amazonaws.com${key}`,
  gs: (bucket, key) => `https://storage.googleapis.com/${bucket}${key}`,
  az: (container, key) => `https://ACCOUNT.blob.core.windows.net/${container}${key}`,
};

const aliases: Readonly<Record<string, string>> = {
  ...{ s3a: "s3", s3n: "s3", gcs: "gs", abfs: "az", abfss: "az", adl: "az" },
};

/** Returns `; use https://…` for a URL of another scheme, a misspelt scheme or a missing one; otherwise "". */
export function schemeHint(source: string): string {
  const [, name = "", host = "", path = ""] = /^([a-z][a-z0-9+.-]*):\/*([^/]*)(.*)$/is.exec(source) ?? [];
  const scheme = name.toLowerCase();
  if (scheme === "file") return "";
  if (scheme !== "" && source.startsWith("/", name.length + 1)) {
    const store = Object.hasOwn(aliases, scheme) ? aliases[scheme]! : scheme;
    if (Object.hasOwn(objectStores, store) && host !== "")
      return `; use ${objectStores[store]!(store === "az" ? host.replace(/@.*/, "") : host, path)}`;
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
