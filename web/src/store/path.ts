/** Paths of nodes in a hierarchy. Spec: Zarr v2 "logical storage paths". */
import { invalidArgument } from "../errors.js";

/**
 * Normalises a node's path: backslashes become "/", leading, trailing and repeated "/" go.
 * @throws InvalidArgument for "." and ".." segments and for control characters: a path must never
 *   leave the store it is read from.
 */
export function normalizePath(path: string): string {
  const segments = path
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "");
  for (const segment of segments) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is being refused
    if (/^\.{1,2}$/.test(segment) || /[\u0000-\u001f\u007f]/.test(segment)) {
      throw invalidArgument(`the path ${JSON.stringify(path)} has a segment that is not allowed`, {
        code: "bad-path",
      });
    }
  }
  return segments.join("/");
}
