/** Converts addresses of cloud objects, as used by programs, to URLs for browsers. */
import type { NoAddress, Rewritten, Rule } from "./address-rules.js";

export const cloudRules: readonly Rule[] = [chained, s3, s3Compatible, google, azure, huggingFace, github];

/** Percent-encodes characters that are invalid in a URL's path; keeps existing encodings. */
export const encodedPath = (path: string): string =>
  path
    .split("/")
    .map((part) => part.replace(/%(?![0-9a-f]{2})|[^\w.~!$&'()*+,;=:@%-]/giu, (c) => encodeURIComponent(c)))
    .join("/");

/** fsspec's chains: `simplecache::s3://…`, `zip://inner::https://….zip`. */
function chained(text: string): Rewritten | undefined {
  const [, cache] = /^(simplecache|filecache|blockcache|cached)::/i.exec(text) ?? [];
  if (cache !== undefined) return { text: text.slice(cache.length + 2), why: "the cache is the browser’s" };
  const [, inner, archive] = /^zip:\/\/(.*?)::(.+)$/is.exec(text) ?? [];
  if (archive === undefined) return undefined;
  return { text: archive, path: inner!, isArchive: true, why: "archives are read in place" };
}

/** Splits off the parameters after a question mark, with which users of fsspec and GDAL write options. */
function split(text: string, scheme: RegExp): { place: string; options: URLSearchParams } | undefined {
  const rest = scheme.test(text) ? text.replace(scheme, "") : undefined;
  if (rest === undefined) return undefined;
  const [, place = "", query = ""] = /^([^?#]*)\??([^#]*)/s.exec(rest) ?? [];
  return { place, options: new URLSearchParams(query) };
}

const addressOption = (options: URLSearchParams, ...names: string[]): string | undefined =>
  names.map((name) => options.get(name)).find((value) => value !== null && value !== "") ?? undefined;

/**
 * Objects in a bucket: `s3://bucket/key`, with `?region=` or `?endpoint_url=` for other places than Amazon's
 * default.
 */
function s3(text: string): Rewritten | NoAddress | undefined {
  const found = split(text, /^s3[an]?:\/\//i);
  if (!found) return undefined;
  const [, bucket = "", key = ""] = /^([^/]*)\/?(.*)$/s.exec(found.place) ?? [];
  if (bucket === "") return { refused: "This address names no bucket: s3://bucket/key." };
  const endpoint = addressOption(found.options, "endpoint_url", "endpoint");
  if (endpoint !== undefined) {
    const base = /^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
    return {
      text: `${base.replace(/\/+$/, "")}/${bucket}/${encodedPath(key)}`,
      why: "the bucket is at its endpoint",
    };
  }
  const region = addressOption(found.options, "region", "region_name");
  if (region !== undefined && !/^[a-z0-9-]+$/i.test(region))
    return { refused: `"${region}" is not a region.` };
  const host = region === undefined ? "s3.amazonaws.com" : `s3.${region}.amazonaws.com`;
  // Names with dots do not match the certificate, and names with capitals are not valid hosts.
  const base = /^[a-z0-9-]{3,63}$/.test(bucket) ? `https://${bucket}.${host}` : `https://${host}/${bucket}`;
  return {
    text: `${base}/${encodedPath(key)}`,
    why: "public S3 buckets are read over HTTPS",
  };
}

/** neuroglancer's `s3+https://host/bucket/key`, also for gs. */
function s3Compatible(text: string): Rewritten | undefined {
  const [, scheme, rest] = /^(?:s3|gs)\+(https?):\/\/(.+)$/is.exec(text) ?? [];
  return rest === undefined
    ? undefined
    : { text: `${scheme}://${rest}`, why: "the bucket is at its endpoint" };
}

function google(text: string): Rewritten | undefined {
  const [, place] = /^gc?s:\/\/([^?#]+)/is.exec(text) ?? [];
  if (place === undefined) return undefined;
  const why = "public Google Cloud buckets are read over HTTPS";
  return { text: `https://storage.googleapis.com/${encodedPath(place)}`, why };
}

/** `abfs://container@account.dfs.core.windows.net/key`, `az://container/key?account_name=…`. */
function azure(text: string): Rewritten | NoAddress | undefined {
  const found = split(text, /^(az|adl|abfss?|wasbs?):\/\//i);
  if (!found) return undefined;
  const why = "public Azure containers are read over HTTPS";
  const [, container, account, key = ""] = /^([^@/]+)@([^./]+)[^/]*\/?(.*)$/s.exec(found.place) ?? [];
  if (account !== undefined)
    return { text: `https://${account}.blob.core.windows.net/${container}/${encodedPath(key)}`, why };
  const named = addressOption(found.options, "account_name", "account");
  if (named === undefined)
    return {
      refused:
        "The address does not say whose container this is: enter https://ACCOUNT.blob.core.windows.net/CONTAINER/….",
    };
  if (!/^[a-z0-9-]+$/i.test(named)) return { refused: `"${named}" is not an account’s name.` };
  return { text: `https://${named}.blob.core.windows.net/${encodedPath(found.place)}`, why };
}

/** `hf://datasets/owner/name@revision/path`, the syntax of huggingface_hub. */
function huggingFace(text: string): Rewritten | undefined {
  const [, kind = "", repository, revision = "main", path] =
    /^hf:\/\/(datasets\/|spaces\/)?([^/@]+\/[^/@]+)(?:@([^/]+))?\/(.+)$/is.exec(text) ?? [];
  if (path === undefined) return undefined;
  const address = `https://huggingface.co/${kind}${repository}/resolve/${revision}/${encodedPath(path)}`;
  return { text: address, why: "files in Hugging Face repositories are read by URL" };
}

/** fsspec's `github://owner:repository@revision/path`. */
function github(text: string): Rewritten | undefined {
  const [, owner, name, revision = "HEAD", path] =
    /^github:\/\/([^:/@]+):([^/@]+?)(?:@([^/]+))?\/(.+)$/is.exec(text) ?? [];
  if (path === undefined) return undefined;
  const address = `https://raw.githubusercontent.com/${owner}/${name}/${revision}/${encodedPath(path)}`;
  return { text: address, why: "files in GitHub repositories are read by URL" };
}
