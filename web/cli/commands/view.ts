/** `zarr-wasm view`: serves the viewer's page on this machine and opens a source in it. */

import { spawn } from "node:child_process";
import { open as openFile, readdir, realpath, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isZarrError, open, ZipStore } from "zarr-wasm";
import { IcechunkStore, ReferenceStore } from "zarr-wasm/formats";
import { isArchiveName, readableFormats } from "#internal";
import { UsageError, type Values, versionOptions } from "../options/options.js";
import { type Mount, type Server, startServer, viewerPolicy } from "../server/server.js";
import { hintForDocument, hintForPath, missingFile, nodeDocument } from "../source/hints.js";
import { filePath, isMarked, isPipeline, shellQuoted, withoutMark } from "../source/places.js";
import { isOtherFile, locate, openOptions, openSource, withSource } from "../source/source.js";
import { context } from "../text/context.js";
import { errorMessage, note, printableJson } from "../text/output.js";

const own = createRequire(import.meta.url);

/** Files of the page: those of the installed viewer, and of this package. @throws if there is no viewer. */
function pageMounts(): Readonly<Record<string, Mount>> {
  const { version } = own("zarr-wasm/package.json") as { version: string };
  const manifest = viewerManifest();
  if (manifest === undefined) {
    const line = `npx zarr-wasm-viewer@${version} ${viewArguments()}`;
    throw new Error(`the viewer is not installed; run it with: ${line}`);
  }
  const { version: found } = own(manifest) as { version: string };
  if (found !== version)
    throw new Error(
      `zarr-wasm-viewer ${found} is installed, but zarr-wasm ${version} needs the same version`,
    );
  return {
    "/viewer/": path.join(path.dirname(manifest), "dist"),
    "/wasm/": fileURLToPath(new URL("../../wasm", import.meta.url)),
  };
}

/** Finds the package from the running script, which may be its own, and from this package. */
function viewerManifest(): string | undefined {
  const running = process.argv[1];
  for (const { resolve } of [...(running ? [createRequire(running)] : []), own]) {
    try {
      return resolve("zarr-wasm-viewer/package.json");
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

/** The arguments of the command, quoted for a shell. */
function viewArguments(): string {
  const { args } = context();
  return args.toSpliced(args.indexOf("view"), 1).map(shellQuoted).join(" ");
}

/** The first four bytes of archives. */
const localHeader = 0x04034b50;
const emptyArchive = 0x06054b50;

/** The source for the page: its URL there, and the mounts to serve for it. */
interface Shown {
  readonly address: string;
  readonly mounts: Readonly<Record<string, Mount>>;
  /** Path of the node. Default: that of --path. */
  readonly path?: string | undefined;
}

/** Serves until the process receives a signal. The first line on stdout is the link. */
export async function runView(source: string, values: Values): Promise<void> {
  const port = readPort(values.port);
  const order = values["v1-order"];
  if (order !== undefined && order !== "spec" && order !== "writer")
    throw new UsageError(`--v1-order must be "spec" or "writer", got "${order}"`);
  const ofPage = pageMounts();
  const isVersion = isMarked(source) || versionOptions.some((name) => values[name] !== undefined);
  const shown = (await isPipeline(withoutMark(source)))
    ? shownPipeline(source, values)
    : isVersion
      ? shownVersion(source, values)
      : shownAs(filePath(source));
  const { address, mounts, path: below = values.path } = await shown;
  await checkNode(source, values);
  const query = Object.entries({ source: address, path: below, order })
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${escapeValue(value!)}`);
  const home = `/viewer/?${query.join("&")}`;
  const server = await serve({ ...ofPage, ...mounts }, home, port);
  const link = `${server.url}${home}`;
  const end = untilSignal();
  context().stdout.write(`${values.json ? printableJson({ link }) : link}\n`);
  const { stderr } = context();
  stderr.write("Press Ctrl-C to stop.\n");
  if (values.open) openInBrowser(link, (why) => stderr.write(`zarr-wasm: ${why}\n`));
  await end;
  await server.close();
}

function readPort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw new UsageError(`--port must be a number from 0 to 65535, got "${text}"`);
  return port;
}

async function serve(mounts: Readonly<Record<string, Mount>>, home: string, port: number): Promise<Server> {
  try {
    return await startServer({ mounts, home, policy: viewerPolicy, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new Error(`port ${port} is in use; omit --port to use a free one`);
    if (code === "EACCES") throw new Error(`port ${port} is not allowed for this user; use one above 1023`);
    throw new Error(`cannot start the server: ${message}`);
  }
}

/** Serves a version of an Icechunk repository. This process reads it, wherever it is, with its own permissions. */
async function shownVersion(source: string, values: Values): Promise<Shown> {
  const { branch, tag, snapshot, asOf, virtual } = openOptions(values);
  const plain = filePath(withoutMark(source));
  const store = await IcechunkStore.open(await locate(plain), { branch, tag, snapshot, asOf, virtual });
  const place = /^https?:/i.test(plain) ? new URL(plain).pathname : path.resolve(plain);
  return mounted(path.basename(place) || "data", "/", { store });
}

/** Serves the store of a URL pipeline, read by this process. */
async function shownPipeline(source: string, values: Values): Promise<Shown> {
  const { store, path: below } = await openSource(source, values);
  return { ...mounted("data", "/", { store }), path: below };
}

async function shownAs(source: string): Promise<Shown> {
  if (/^https?:\/\//i.test(source)) {
    if (!URL.canParse(source)) throw new UsageError(`"${source}" is not a valid URL`);
    return { address: source, mounts: {} };
  }
  const found = await stat(source).catch(() => undefined);
  if (!found) throw await missingFile(source);
  const root = await realpath(source);
  const name = path.basename(path.resolve(source)) || "data";
  if (found.isDirectory()) {
    const references = await referencesIn(root);
    return mounted(name, "/", references ? { store: references } : { root, isData: true });
  }
  if (!found.isFile()) throw new Error(`"${source}" is not a folder or a file`);
  if (await isZip(root)) {
    // Viewers recognise archives by their file extensions.
    return mounted(isArchiveName(name) ? name : `${name}.zip`, "", { root, isData: true });
  }
  if (/\.json$/i.test(name)) {
    return mounted(name, "/", { store: await openReferences(root, source) });
  }
  if (await isOtherFile(root)) return mounted(name, "", { root, isData: true });
  const why = await new ZipStore(pathToFileURL(root)).listChildren("").then(() => "", errorMessage);
  throw new Error(
    `"${source}" is not a folder, a zip archive (.zip, .ozx), a file of references (.json) or a ${readableFormats} file: ${why}`,
  );
}

/** Any JSON object could be references, by its form: those to Zarr name documents of nodes. */
async function openReferences(file: string, source: string): Promise<ReferenceStore> {
  const store = await ReferenceStore.open(pathToFileURL(file));
  for await (const key of store.list("")) if (nodeDocument.test(key)) return store;
  throw new Error(`"${source}" has no references to a Zarr array or group${hintForDocument(source)}`);
}

/** Serves references in Parquet files: this process reads the files that they name, which the page may not reach. */
async function referencesIn(folder: string): Promise<ReferenceStore | undefined> {
  try {
    return await ReferenceStore.open(pathToFileURL(path.join(folder, ".zmetadata")));
  } catch (error) {
    // Shows a store of Zarr v2 without consolidated metadata if that is damaged.
    if (isZarrError(error, "NotFound") || (isZarrError(error) && error.code === "not-json")) return undefined;
    throw error;
  }
}

/** Mounts a source under its file name, so that the page can show the name. */
function mounted(name: string, end: "/" | "", mount: Mount): Shown {
  const address = `/data/${encodeURIComponent(name)}${isArchiveName(name) ? end : ""}`;
  return { address, mounts: { [`/data/${name}${end}`]: mount } };
}

/** Whether data begins like an archive, or like an empty one. */
async function isZip(file: string): Promise<boolean> {
  const handle = await openFile(file);
  try {
    const start = Buffer.alloc(4);
    await handle.read(start, 0, 4, 0);
    return [localHeader, emptyArchive].includes(start.readUInt32LE());
  } finally {
    await handle.close();
  }
}

/** Percent-encodes only the characters that a query cannot hold, so that the link stays readable. */
function escapeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(2F|3A|2C|40)/g, (code) => decodeURIComponent(code));
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

/** The program that opens a URL; `BROWSER` names one, as for other command-line programs. */
function opener(): readonly [program: string, ...args: string[]] {
  const { BROWSER } = process.env;
  if (BROWSER) return [BROWSER];
  if (process.platform === "darwin") return ["open"];
  return process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}

/** Starts the program without waiting for it; no shell parses the URL. */
export function openInBrowser(url: string, onFailure: (why: string) => void): void {
  const [program, ...args] = opener();
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.once("error", ({ message }) =>
    onFailure(`cannot open a browser (${message}); open the link yourself`),
  );
  child.unref();
}

/** Time limit of the check in milliseconds: the page may reach servers that this process does not. */
const patience = 10_000;

/**
 * Opens the node, and warns if it cannot be read, since the page shows why.
 * @throws NotFound if there is no node, and none below it that the page could list.
 */
async function checkNode(source: string, values: Values): Promise<void> {
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
