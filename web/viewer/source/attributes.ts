/** Reading attributes, which anybody may have written: own properties of plain objects only. */

export function own(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

export function textAt(value: unknown, name: string): string | undefined {
  const found = own(value, name);
  return typeof found === "string" ? found : undefined;
}

/** The texts of a list; none for what is no list. */
export function textsAt(value: unknown, name: string): string[] {
  const found = own(value, name);
  return Array.isArray(found) ? found.filter((entry) => typeof entry === "string") : [];
}

/** Characters of an attribute in which words are looked for. */
const maxWords = 2 ** 16;

/** The words of an attribute, as CF lists names: `"lat lon"`. */
export function wordsAt(value: unknown, name: string): string[] {
  return (
    textAt(value, name)
      ?.slice(0, maxWords)
      .split(/\s+/)
      .filter((word) => word !== "") ?? []
  );
}

/** The attributes that OME-Zarr speaks of: those under `ome`, where there are any, else all. */
export function omeAttributes(attributes: unknown): unknown {
  return own(attributes, "ome") ?? attributes;
}

/** A path below a group in its plain form; undefined for one that leads nowhere or out of the group. */
export function pathBelow(path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  const isPlain =
    segments.length > 0 && segments.every((segment) => segment !== ".." && !segment.includes("\\"));
  return isPlain ? segments.join("/") : undefined;
}
