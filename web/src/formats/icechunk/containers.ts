/** Virtual chunk containers: what the names in `vcc://NAME/…` stand for, by the repository's own configuration. */
import { utf8 } from "./flatbuffer.js";
import { type FlexValue, readFlexBuffer } from "./flexbuffer.js";

/** Prefixes of URLs, by the names of containers. */
export type Containers = ReadonlyMap<string, string>;

const member = (value: FlexValue | undefined, key: string): FlexValue | undefined =>
  value instanceof Map ? value.get(key) : undefined;

/** Of version 2: from the repo file. */
export function containersOfRepo(config: Uint8Array | undefined, name: string): Containers {
  const found = new Map<string, string>();
  if (!config) return found;
  const list = member(readFlexBuffer(config, name), "virtual_chunk_containers");
  for (const container of list instanceof Map ? list.values() : []) {
    const [own, prefix] = [member(container, "name"), member(container, "url_prefix")];
    if (typeof own === "string" && typeof prefix === "string") found.set(own, prefix);
  }
  return found;
}

/**
 * Of version 1: from config.yaml, as Icechunk writes it, by lines. What is written in another way is not found, and
 * can be named by the caller (`virtual: { "vcc://NAME/": … }`).
 */
export function containersOfYaml(config: Uint8Array | undefined): Containers {
  const found = new Map<string, string>();
  let own: string | undefined;
  for (const line of (config && utf8(config))?.split("\n") ?? []) {
    const [, key, rest] = /^\s+(name|url_prefix):(.*)$/.exec(line) ?? [];
    const value = rest?.trim() || undefined;
    if (key === "name") own = value && scalar(value);
    if (key !== "url_prefix" || value === undefined || own === undefined) continue;
    found.set(own, scalar(value) ?? "");
    own = undefined;
  }
  return found;
}

/** A plain or quoted text of YAML; undefined for null. */
function scalar(text: string): string | undefined {
  if (text === "null" || text === "~") return undefined;
  const quoted = /^(["'])(.*)\1$/.exec(text);
  return quoted ? quoted[2] : text;
}
