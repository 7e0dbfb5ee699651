/** Options that the commands share. */
import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import {
  type OpenedNode,
  type OpenOptions,
  open,
  ReferenceStore,
  type Store,
  WritableHttpStore,
  ZipStore,
} from "zarr-wasm";
import { note } from "./summary.js";

/** Wrong use of the command line: exit status 2. */
export class UsageError extends Error {}

/** What the options of all commands are given; each command knows those that are its own. */
export interface Values {
  readonly path?: string | undefined;
  readonly json?: boolean | undefined;
  readonly select?: string | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly chunks?: string | undefined;
  readonly shards?: string | undefined;
  readonly codecs?: string | undefined;
  readonly fill?: string | undefined;
  readonly overwrite?: boolean | undefined;
  readonly resume?: boolean | undefined;
  readonly verify?: boolean | undefined;
  readonly clean?: boolean | undefined;
  readonly part?: string | undefined;
  readonly "metadata-only"?: boolean | undefined;
  readonly memory?: string | undefined;
  readonly temp?: string | undefined;
  readonly threads?: string | undefined;
  readonly bucket?: string | undefined;
  readonly wait?: string | undefined;
  readonly "v1-order"?: string | undefined;
  readonly levels?: string | undefined;
  readonly level?: string | undefined;
  readonly method?: string | undefined;
  readonly factor?: string | undefined;
  readonly axes?: string | undefined;
  readonly units?: string | undefined;
  readonly scale?: string | undefined;
  readonly name?: string | undefined;
  readonly port?: string | undefined;
  readonly open?: boolean | undefined;
}

/**
 * Opens the node that the arguments name; warnings go to stderr.
 * @param bucket URL of the S3-compatible bucket that a URL is in, which can then be listed.
 */
export async function openSource(
  source: string,
  values: Values,
  options: OpenOptions = {},
  bucket?: string,
): Promise<OpenedNode> {
  return open(bucket === undefined ? await locate(source) : inBucket(source, bucket), {
    ...openOptions(values),
    ...options,
  });
}

/** How sources are opened. @throws UsageError. */
export function openOptions(values: Values): OpenOptions {
  const order = values["v1-order"] ?? "spec";
  if (order !== "spec" && order !== "writer") throw new UsageError('--v1-order must be "spec" or "writer"');
  return {
    path: values.path,
    v1Order: order,
    onWarning: ({ message }) => note(`warning: ${message}`),
  };
}

/** A URL as it is; anything else is a folder, a zip archive, or a document of references. */
export async function locate(source: string): Promise<URL | Store> {
  if (/^https?:\/\//i.test(source)) {
    const url = parseUrl(source);
    return isReferenceName(url.pathname) ? ReferenceStore.open(url) : url;
  }
  const found = await stat(source).catch(() => undefined);
  if (!found) throw new Error(`${source}: no such folder or file`);
  const url = pathToFileURL(source);
  if (found.isDirectory()) return url;
  if (found.isFile()) return isReferenceName(source) ? ReferenceStore.open(url) : new ZipStore(url);
  throw new Error(`${source}: neither a folder nor a zip archive nor a document of references`);
}

function inBucket(source: string, bucket: string): Store {
  if (!/^https?:\/\//i.test(source)) throw new UsageError("--bucket is for http and https sources");
  return new WritableHttpStore(parseUrl(source), { bucket: parseUrl(bucket) });
}

/** Documents of references, as kerchunk writes them. */
const isReferenceName = (name: string): boolean => /\.json$/i.test(name);

function parseUrl(source: string): URL {
  try {
    return new URL(source);
  } catch {
    throw new UsageError(`"${source}" is not a URL`);
  }
}
