/** Extracts the data's address from links of other viewers and of this one. */
import type { NoAddress, Rewritten, Rule } from "./address-rules.js";

export const viewerRules: readonly Rule[] = [neuroglancer, viewerLink, piped, kvStore];

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
function decodedName(name: string): string {
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
