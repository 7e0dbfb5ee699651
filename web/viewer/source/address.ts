/**
 * Parses pasted addresses: links to documents of a node, buckets, files in repositories, and links of other
 * viewers become the address of the data, with a sentence that explains the change.
 *
 * Pure: no requests are sent. Each rule rewrites the text once, and the result goes through the rules again.
 */
import { type NoAddress, type Rewritten, type Rule, rewritingRules } from "./address-rules.js";

/** An address that can be opened. */
export interface Address {
  /** An http or https URL, one relative to the page's, or a URL pipeline without the path of the node. */
  readonly source: string;
  /** Path of the node below the source. */
  readonly path?: string | undefined;
  /** True for a zip archive whose address does not end in .zip or .ozx. */
  readonly isArchive?: boolean | undefined;
  /** A sentence that explains how the text was interpreted; undefined if it was used unchanged. */
  readonly note?: string | undefined;
}

/** Maximum number of rewritings: a link within a link within a link is as deep as real ones go. */
const maxSteps = 8;

const rules: readonly Rule[] = [unquoted, call, ...rewritingRules, localPath, withoutScheme, document];

/** Parses pasted or typed text. */
export function readAddress(pasted: string): Address | NoAddress {
  let text = pasted.trim();
  if (text === "") return { refused: "Enter the address of a Zarr array or group." };
  if (text.length > 1_000_000) return { refused: "This is too long for an address." };
  let path = "";
  let isArchive = false;
  let adapters = "";
  const reasons: string[] = [];
  for (let step = 0; step < maxSteps; step++) {
    const next = firstMatch(text);
    if (!next) return finished(text, path, { isArchive, adapters }, reasons);
    if ("refused" in next) return next;
    text = next.text.trim();
    path = joined(next.path ?? "", path);
    isArchive ||= next.isArchive === true;
    adapters = (next.adapters ?? "") + adapters;
    if (next.why !== undefined) reasons.push(next.why);
  }
  return { refused: "This address leads in circles." };
}

function firstMatch(text: string): ReturnType<Rule> {
  for (const rule of rules) {
    const found = rule(text);
    if (found && ("refused" in found || found.text.trim() !== text)) return found;
  }
  return undefined;
}

function finished(
  text: string,
  path: string,
  { isArchive, adapters }: { readonly isArchive: boolean; readonly adapters: string },
  reasons: readonly string[],
): Address | NoAddress {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "http" && scheme !== "https")
    return { refused: `Pages cannot read from ${scheme}: addresses. Enter one that begins with https://.` };
  if (scheme !== undefined && !URL.canParse(text)) return { refused: "This is not a valid address." };
  if (scheme !== undefined && new URL(text).username !== "")
    return { refused: "Pages may not read from addresses with a name and a password in them." };
  // The address of an archive or a repository ends there, whatever its folders are called.
  const isWhole = isArchive || adapters !== "";
  const split = isWhole ? { source: text.replace(/#.*$/s, "") + adapters, path: "" } : splitPath(text);
  const below = joined(split.path, path);
  return {
    source: split.source,
    ...(below === "" ? {} : { path: below }),
    ...(isArchive && !/\.(zip|ozx)$/i.test(addressPath(split.source)) ? { isArchive } : {}),
    ...(reasons.length > 0 ? { note: sentence(reasons, split.source) } : {}),
  };
}

function sentence(reasons: readonly string[], source: string): string {
  const text = reasons.join(", and ");
  // Names of documents and schemes keep their case.
  const isWord = /^[a-z]+\s/.test(text);
  return `${isWord ? text[0]!.toUpperCase() + text.slice(1) : text}: opened as ${source.length > 200 ? `${source.slice(0, 199)}…` : source}.`;
}

const joined = (above: string, below: string): string =>
  [above, below]
    .map((path) => path.replace(/^\/+|\/+$/g, ""))
    .filter((path) => path !== "")
    .join("/");

const addressPath = (address: string): string => address.replace(/[?#].*$/s, "");

/**
 * Splits an address into the store and the path in it: a store ends with the first folder named *.zarr or
 * archive named *.zip or *.ozx. The objects are the same either way, but this allows navigation to parent
 * groups, and reading archives.
 */
function splitPath(address: string): { source: string; path: string } {
  const [, place = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(address) ?? [];
  const query = rest.replace(/#.*$/s, "");
  const whole = { source: place.replace(/(?<=[^/:])\/+$/, "") + query, path: "" };
  const [, root, below] =
    /^((?:[a-z]+:\/\/[^/]+)?\/?(?:.*?\/)??[^/]*\.(?:zarr|zip|ozx))\/+(.*?)\/*$/is.exec(place) ?? [];
  if (root === undefined || below === undefined || below === "") return whole;
  try {
    return { source: root + query, path: decodeURIComponent(below) };
  } catch {
    return whole; // a path that cannot be decoded stays part of the URL
  }
}

/** A line of code that opens it: `xr.open_zarr("s3://…", …)`. */
function call(text: string): Rewritten | undefined {
  const [, , address] =
    /^(?:[\w.]+\s*=\s*)?[a-z_][\w.]*\(\s*(["'])([a-z][a-z0-9+.-]*:\/\/[^"']+)\1\s*[,)]/i.exec(text) ?? [];
  return address === undefined ? undefined : { text: address, why: "the address is that in the program" };
}

/** Removes quotes and angle brackets pasted along. */
function unquoted(text: string): Rewritten | undefined {
  const inner = /^(?:"([^"]*)"|'([^']*)'|`([^`]*)`|<([^<>]*)>)$/s
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
  return inner === undefined ? undefined : { text: inner };
}

/** Root folders of local files; other paths may be on the page's own server. */
const localFolder = /^\/(home|Users|mnt|media|Volumes|tmp|var|opt|srv|root|scratch|gpfs|nfs)\//;

function localPath(text: string): NoAddress | undefined {
  const isLocal = /^(file:|~|[a-z]:[\\/]|\\\\)/i.test(text) || localFolder.test(text);
  if (!isLocal) return undefined;
  const place = /^[\w./~:\\-]+$/.test(text) ? text : `'${text}'`;
  return {
    refused: `Pages cannot read the files of this machine by their path. Run "npx zarr-wasm view ${place.replace(/^file:\/\//i, "")}", or drop the folder here.`,
  };
}

/** `example.org/data.zarr`: the first part must be a host, since a folder would not have such a name. */
function withoutScheme(text: string): Rewritten | undefined {
  const host = /^((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost|(?:\d{1,3}\.){3}\d{1,3}(?=:))(:\d+)?\/./i.exec(text);
  if (!host || /\.(zarr|zip|ozx|json)$/i.test(host[1]!)) return undefined;
  // Hosts without a name have no certificate.
  const isHere = /^(localhost|[\d.]+)$/i.test(host[1]!);
  return { text: `${isHere ? "http" : "https"}://${text}`, why: "the scheme was missing" };
}

const documents = /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata|meta|attrs)$/;

/** A document of a node: the node is its folder. */
function document(text: string): Rewritten | undefined {
  const [, place = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(text) ?? [];
  const name = documents.exec(place)?.[1];
  if (name === undefined) return undefined;
  return {
    text: place.slice(0, -name.length - 1) + rest,
    why: `${name} describes the node in whose folder it is`,
  };
}
