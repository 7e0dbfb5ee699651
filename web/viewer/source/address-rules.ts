/**
 * Rules for addresses that are not those of data: links of other viewers and of this one, cloud objects as programs name
 * them, and pages about files.
 */

/** Explains in one or two sentences why an address cannot be opened, and what to do instead. */
export interface NoAddress {
  readonly refused: string;
}

/** One rewriting step: the new text, and the reason. */
export interface Rewritten {
  readonly text: string;
  readonly path?: string | undefined;
  readonly isArchive?: boolean | undefined;
  /** Adapters of a URL pipeline that the library opens, such as `|icechunk://branch.main/`. */
  readonly adapters?: string | undefined;
  /** Without capital and full stop; steps without a reason are not reported. */
  readonly why?: string | undefined;
}

/** A rule returns undefined for text that it does not recognise. */
export type Rule = (text: string) => Rewritten | NoAddress | undefined;

export const rewritingRules: readonly Rule[] = [
  ...[neuroglancer, viewerLink, piped, kvStore],
  ...[chained, s3, s3Compatible, google, azure, huggingFace, github],
  ...[withUrl(repositories), withUrl(zenodo)],
];

/** Percent-encodes characters that are invalid in a URL's path; keeps existing encodings. */
const encodedPath = (path: string): string =>
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

/** A rule for http and https URLs. */
function withUrl(rule: (url: URL, host: string) => ReturnType<Rule>): Rule {
  return (text) => {
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
    const url = new URL(text);
    return rule(url, url.hostname.replace(/^www\./, ""));
  };
}

/**
 * Pages of files and folders in source code repositories; a branch name with a slash cannot be recognised.
 */
function repositories({ pathname, origin }: URL, host: string): Rewritten | NoAddress | undefined {
  const why = "the page shows a file or folder whose content is elsewhere";
  if (host === "github.com") {
    const [, repository, revision, path] =
      /^\/([^/]+\/[^/]+)\/(?:blob|tree|raw|blame)\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (path !== undefined)
      return { text: `https://raw.githubusercontent.com/${repository}/${revision}/${path}`, why };
    const isAsset = /^\/[^/]+\/[^/]+\/releases\/download\//.test(pathname);
    const advice = isAsset
      ? "GitHub does not let other pages read the files of releases. Download it, and drop it here."
      : "This is the page of a repository: enter the address of a Zarr folder in it.";
    return { refused: advice };
  }
  const gitlab = /^(\/.+)\/-\/(?:blob|tree)\/(.+)$/.exec(pathname);
  if (gitlab) return { text: `${origin}${gitlab[1]}/-/raw/${gitlab[2]}`, why };
  const [, repository, revision] =
    (host === "huggingface.co" && /^(\/.+?)\/(?:blob|tree)\/(.+)$/.exec(pathname)) || [];
  return revision === undefined ? undefined : { text: `${origin}${repository}/resolve/${revision}`, why };
}

/** Files of Zenodo, which its pages show. */
function zenodo({ pathname }: URL, host: string): Rewritten | undefined {
  const [, record, file] = /^\/records?\/(\d+)\/(?:files|preview)\/([^/]+)$/.exec(pathname) ?? [];
  if (!/^(sandbox\.)?zenodo\.org$/.test(host) || file === undefined) return undefined;
  const text = `https://${host}/api/records/${record}/files/${encodedPath(file)}/content`;
  return { text, isArchive: true, why: "Zenodo lets pages read files by this address" };
}

/**
 * Parameters in which viewers hold the address: vizarr, the OME-NGFF validator, Avivator, Vol-E,
 * itk-vtk-viewer, this one.
 */
const parameters = ["source", "image_url", "url", "fileToLoad", "image", "zarr", "dataset", "store"];

const looksLikeData = /^(https?|s3|gc?s|az|abfss?|zarr[23]?):\/\//i;

/** A page's address with a parameter that is an address itself. Signed links to data do not have one. */
function viewerLink(text: string): Rewritten | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { pathname, search, hash } = new URL(text);
  if (/\.(zarr|zip|ozx)(\/|$)/i.test(pathname)) return undefined;
  // Some viewers keep their state after the hash.
  const queries = [search, /^#.*?(\?.*)$/.exec(hash)?.[1] ?? "", hash.replace(/^#\/?/, "?")];
  for (const query of queries) {
    const found = new URLSearchParams(query);
    const isOwn = /\/viewer\/(index\.html)?$/.test(pathname) && found.get("source") !== null;
    const value = parameters
      .map((name) => found.get(name))
      .find((entry) => entry !== null && looksLikeData.test(entry));
    if (value !== undefined && value !== null) {
      const path = isOwn ? (found.get("path") ?? undefined) : undefined;
      // Viewers of several sources hold them in a list.
      return {
        text: value.split(",")[0]!,
        path,
        why: "the link is a viewer’s, with the data’s address in it",
      };
    }
  }
  return undefined;
}

/** neuroglancer's state, as JSON after `#!`. */
function neuroglancer(text: string): Rewritten | NoAddress | undefined {
  const [, state] = /^https?:\/\/[^#]*#!(.+)$/is.exec(text) ?? [];
  if (state === undefined) return undefined;
  const stored = { refused: "The link’s state is stored elsewhere: enter the address of one of its layers." };
  if (!/^(\{|%7b)/i.test(state)) return stored;
  const sources = sourcesIn(state);
  if (!sources) return { refused: "The link cannot be understood: enter the address of one of its layers." };
  const source = sources.find((entry) => /^zarr[23]?:\/\/|\|(zarr[23]?|icechunk):/i.test(entry));
  if (source === undefined) return { refused: "None of the layers in this link is Zarr." };
  return { text: source, why: "the link is neuroglancer’s, with the data’s address in it" };
}

/** The addresses of a state's layers; undefined if it is not a state. */
function sourcesIn(state: string): string[] | undefined {
  let document: unknown;
  try {
    document = JSON.parse(decodeURIComponent(state));
  } catch {
    return undefined;
  }
  const layers = (document as { layers?: unknown } | null)?.layers;
  if (!Array.isArray(layers)) return undefined;
  return layers.flatMap((layer: unknown) => {
    const source = (layer as { source?: unknown } | null)?.source;
    const list: unknown[] = Array.isArray(source) ? source : [source];
    return list
      .map((entry) => (typeof entry === "string" ? entry : (entry as { url?: unknown } | null)?.url))
      .filter((entry) => typeof entry === "string");
  });
}

/**
 * URL pipelines, as neuroglancer writes them: `https://…/data.zarr/|zarr3:path`, `….zip|zip:inner|zarr3:`,
 * `…/repo|icechunk://branch.main/|zarr3:path`. The path in the innermost archive or repository becomes the path
 * of the node.
 */
function piped(text: string): Rewritten | NoAddress | undefined {
  const [base = "", ...parts] = text.split("|");
  if (parts.length === 0) return undefined;
  const stores: string[] = [];
  let path: string[] = [];
  let inner = "";
  for (const part of parts) {
    const [, kind = "", authority = "", below = ""] =
      /^\s*([a-z0-9-]*)(?::(?:(\/\/[^/]*)\/?)?(.*))?$/is.exec(part) ?? [];
    const isStore = /^(zip|icechunk)$/i.test(kind);
    if (!isStore && !/^(auto|zarr[23]?)$/i.test(kind))
      return { refused: `"${kind.slice(0, 40)}" is not a format that can be opened here.` };
    const isVersion = authority !== "" && /^icechunk$/i.test(kind);
    if (isStore) {
      if (inner !== "") stores.push(`${inner}${path.join("/")}`);
      inner = `|${kind.toLowerCase()}:${isVersion ? `${authority}/` : ""}`;
      path = [];
    }
    const names = isVersion ? below : `${authority}/${below}`;
    path.push(...names.split("/").filter((name) => name !== ""));
  }
  const isArchive = stores.length === 0 && inner === "|zip:";
  const decoded = path.map(decodedName).join("/");
  const adapters = isArchive ? "" : stores.join("") + inner;
  const why = base + adapters === text ? undefined : "the part after the bar is the format and the path";
  return { text: base, path: decoded, isArchive, adapters, why };
}

/** Decodes a name; names with an invalid percent-encoding stay unchanged. */
export function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** `zarr://https://…` */
function kvStore(text: string): Rewritten | NoAddress | undefined {
  const [, kind = "", rest] =
    /^(zarr[23]?|ome-zarr|n5|precomputed|dvid|boss|nifti):\/\/(.+)$/is.exec(text) ?? [];
  if (rest === undefined) return undefined;
  if (!/zarr/i.test(kind)) return { refused: `"${kind}" is not a format that can be opened here.` };
  return { text: rest, why: `${kind}:// names the format` };
}
