/** Checks that a source has a node before `view` serves it, so that a mistyped one is an error of the command. */
import { readdir, stat } from "node:fs/promises";
import { isZarrError, open } from "zarr-wasm";
import { isArchiveName } from "#internal";
import { type Values, versionOptions } from "../options/options.js";
import { hintForPath } from "../source/hints.js";
import { filePath, isMarked, isPipeline } from "../source/places.js";
import { locate, withSource } from "../source/source.js";
import { errorMessage, note } from "../text/output.js";

/** Time limit of the check in milliseconds: the page may reach servers that this process does not. */
const patience = 10_000;

/**
 * Opens the node, and warns if it cannot be read, since the page shows why.
 * @throws NotFound if there is no node, and none below it that the page could list.
 */
export async function checkNode(source: string, values: Values): Promise<void> {
  const signal = AbortSignal.timeout(patience);
  try {
    await withSource(source, values, undefined, (place, options) =>
      open(place, { ...options, onWarning: () => {}, signal }),
    );
  } catch (error) {
    if (!isZarrError(error) && error !== signal.reason) throw error;
    if (isZarrError(error, "NotFound") && !(await isListed(source, values))) throw error;
    note(`warning: ${errorMessage(error)}`);
  }
}

/** Whether the page could list nodes below a source that is not a node. */
async function isListed(source: string, values: Values): Promise<boolean> {
  const isVersion = isMarked(source) || versionOptions.some((name) => values[name] !== undefined);
  if (values.path !== undefined || isVersion || (await isPipeline(source))) return false;
  if (/^https?:\/\//i.test(source)) return answers(new URL(source));
  const name = filePath(source);
  if ((await stat(name)).isFile()) return (await hintForPath(await locate(source), {})) !== "";
  const entries = await readdir(name, { withFileTypes: true });
  return entries.some((entry) => !entry.isFile() || isArchiveName(entry.name));
}

/** Whether a server has something at a URL. Buckets answer in XML for each missing object, but may be listed. */
async function answers(url: URL): Promise<boolean> {
  if (!isArchiveName(url.pathname) && !url.pathname.endsWith("/")) url.pathname += "/";
  try {
    const { status, headers, body } = await fetch(url, { signal: AbortSignal.timeout(patience) });
    await body?.cancel();
    return ![404, 410].includes(status) || /\bxml\b/.test(headers.get("content-type") ?? "");
  } catch {
    return true; // the page may reach it
  }
}
