/** `zarr-wasm references`: writes the locations of the chunks of array files as kerchunk references. */
import { mkdirSync, rmSync } from "node:fs";
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { type FileReferences, makeReferences } from "zarr-wasm/formats";
import { exitHooks, hiddenName } from "#internal";
import { UsageError, type Values } from "../options/options.js";
import { integer } from "../options/values.js";
import { asCommandError, filePath, isUrl, withOptionNames } from "../source/places.js";
import { counted, note, printSummary } from "../text/output.js";
import { writeOutFile } from "./out-file.js";

export async function runReferences(operands: readonly string[], values: Values): Promise<void> {
  const sources = operands.slice(0, -1);
  const dest = filePath(operands.at(-1)!);
  const isFolder = destinationKind(dest) === "folder";
  const recordSize = integer(values["record-size"], "--record-size", 1, 10_000);
  if (values["record-size"] !== undefined && !isFolder)
    throw new UsageError("--record-size requires a folder as DEST, such as refs.parq");
  const old = await stat(dest).catch(() => undefined);
  if (old && !values.overwrite) throw new Error(`"${dest}" already exists; pass --overwrite to replace it`);
  if (old && old.isDirectory() !== isFolder)
    throw new Error(`"${dest}" is ${isFolder ? "not " : ""}a folder, and is not replaced`);
  if (old?.isDirectory() && !(await stat(path.join(dest, ".zmetadata")).catch(() => undefined)))
    throw new Error(`"${dest}" is a folder without references, and is not replaced`);
  const references = await makeReferences(sources.map(filePath), {
    along: values.along,
    inline: integer(values.inline, "--inline", 0, 500),
    target: (location) => targetName(location!, dest, values.relative ?? false, isFolder),
    onWarning: ({ message }) => note(withOptionNames(message)),
  }).catch((error) => {
    throw asCommandError(error);
  });
  if (isFolder) await writeFolder(dest, references.parquet(recordSize));
  else await writeOutFile(dest, references.text());
  const { arrays, chunks } = references;
  printSummary(values.json, { sources, destination: dest, arrays, references: chunks }, [
    `${counted(arrays, "array")}, ${counted(chunks, "reference")} written to ${dest}`,
  ]);
}

/** @throws UsageError for other names. */
function destinationKind(dest: string): "file" | "folder" {
  if (/\.json$/i.test(dest) && !isUrl(dest)) return "file";
  if (/\.(parq|parquet)\/?$/i.test(dest) && !isUrl(dest)) return "folder";
  throw new UsageError(`DEST must be a .json file or a .parq or .parquet folder, got "${dest}"`);
}

/** Returns the name of a file in the references. Relative ones start at the folder that contains them. */
function targetName(location: string, dest: string, isRelative: boolean, isFolder: boolean): string {
  if (!isRelative || isUrl(location)) return location;
  const folder = isFolder ? path.resolve(dest) : path.dirname(path.resolve(dest));
  return path.relative(folder, location).split(path.sep).join("/");
}

/** Writes a folder beside its place, and moves it there when it is complete. */
async function writeFolder(dest: string, files: ReturnType<FileReferences["parquet"]>): Promise<void> {
  const folder = path.resolve(dest);
  const temporary = path.join(path.dirname(folder), hiddenName());
  const old = path.join(path.dirname(folder), hiddenName());
  exitHooks.handleSignals();
  const release = exitHooks.add(() => rmSync(temporary, { recursive: true, force: true }));
  try {
    mkdirSync(temporary);
    for (const [name, bytes] of files) {
      const file = path.join(temporary, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
    const isReplaced = await rename(folder, old).then(
      () => true,
      () => false,
    );
    try {
      await rename(temporary, folder);
    } catch (error) {
      if (isReplaced) await rename(old, folder);
      throw error;
    }
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    release();
  }
}
