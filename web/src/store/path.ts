/** Paths of nodes in a hierarchy. Spec: Zarr v2 "logical storage paths". */

import { describeValue, invalidArgument } from "../util/errors.js";

/** Matches paths in normal form. Only for up to `maxUsual` characters: longer ones could exhaust its stack. */
const usual =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: paths must not contain them
  /^(?!\.{1,2}(?:\/|$))[^\\/\u0000-\u001f\u007f]+(?:\/(?!\.{1,2}(?:\/|$))[^\\/\u0000-\u001f\u007f]+)*$/;
const maxUsual = 1024;

/**
 * Normalises a node's path: backslashes become "/", leading, trailing and repeated "/" are removed.
 * @throws InvalidArgument for "." and ".." segments and for control characters: a path must never
 *   leave the store it is read from.
 */
export function normalizePath(path: string): string {
  if (typeof path !== "string")
    throw invalidArgument(`a path must be a string, not ${describeValue(path)}`, { code: "bad-path" });
  if (path.length <= maxUsual && usual.test(path)) return path;
  const segments = path
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "");
  for (const segment of segments) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are rejected
    if (/^\.{1,2}$/.test(segment) || /[\u0000-\u001f\u007f]/.test(segment)) {
      throw invalidArgument(`the path ${JSON.stringify(path)} has a segment that is not allowed`, {
        code: "bad-path",
      });
    }
  }
  return segments.join("/");
}

/** Joins paths of nodes; "" is the root. */
export const joinPath = (...paths: readonly string[]): string =>
  paths.filter((path) => path !== "").join("/");

/** Whether a name is one segment that normalizing does not change. */
export function isSegment(name: string): boolean {
  try {
    return name !== "" && !name.includes("/") && normalizePath(name) === name;
  } catch {
    return false;
  }
}

/**
 * Percent-encodes each segment of a key, so that none can name another host, a query or a folder above.
 * @throws InvalidArgument for "." and ".." segments and for text that is not well-formed Unicode.
 */
export function encodeKey(key: string): string {
  return key
    .split("/")
    .map((segment) => {
      if (segment === "." || segment === "..") throw badKey(key);
      try {
        return encodeURIComponent(segment);
      } catch {
        throw badKey(key);
      }
    })
    .join("/");
}

function badKey(key: string): Error {
  return invalidArgument(`the key ${JSON.stringify(key)} has a segment that is not allowed`, {
    code: "bad-path",
  });
}

/** The folder directly below `folder` in which a key lies; undefined where it lies elsewhere or is an object there. */
export function childName(key: string, folder: string): string | undefined {
  const start = key.startsWith("/") ? 1 : 0;
  const prefix = folder === "" ? "" : `${folder}/`;
  if (!key.startsWith(prefix, start)) return undefined;
  const from = start + prefix.length;
  const slash = key.indexOf("/", from);
  return slash > from ? key.slice(from, slash) : undefined;
}

/** Returns the names of the folders directly below a folder in which keys lie, sorted. */
export function childNames(keys: Iterable<string>, folder: string): string[] {
  const names = new Set<string>();
  for (const key of keys) {
    const name = childName(key, folder);
    if (name !== undefined) names.add(name);
  }
  return [...names].sort();
}

/** Whether a folder has a name for references in Parquet files. */
export const isParquetFolder = (path: string): boolean => /\.parq(?:uet)?\/?$/i.test(path);

/** Whether a path names such a folder, or the document in it. */
export const namesParquetFolder = (path: string): boolean =>
  isParquetFolder(path) || /(?:^|\/)\.zmetadata$/.test(path);

/** Whether a path names a file of another format rather than a folder of Zarr data. */
export const isFileName = (path: string): boolean =>
  /\.(?:nc[34]?|netcdf|cdf|he?5|h5ad|hdf[45]?|mat|tiff?|tf[28]|btf|svs|gri?b2?|fi?ts?|nii(?:\.gz)?|json|parq(?:uet)?)\/?$/i.test(
    path,
  );
