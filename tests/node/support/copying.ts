/** Runs copies like the command line, in this process, and reads the contents of folders. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { runCopy } from "#src/cli/commands/copy.js";
import { runVerify } from "#src/cli/commands/verify.js";
import type { Values } from "#src/cli/options/options.js";
import { context, withContext } from "#src/cli/text/context.js";
import { collector } from "./cli-tool.js";

export interface CopyFacts {
  arrays: number;
  groups: number;
  chunks: { asStored: number; reencoded: number; skipped: number; missing: number };
  bytesRead: number;
  bytesWritten: number;
  verified: boolean;
}

export interface VerifyFacts {
  arrays: number;
  chunks: number;
  missing: number;
  badCount: number;
  unfinished?: { count: number; bytes: number; removed: number };
  bad: { path: string; key: string; chunk?: number[]; tag: string; reason: string }[];
}

/** What work prints on stdout. */
export async function printed(work: () => Promise<unknown>): Promise<string> {
  const stdout = collector();
  await withContext({ ...context(), stdout: stdout.stream }, work);
  return stdout.bytes().toString();
}

export const copy = async (source: string, dest: string, values: Values = {}): Promise<CopyFacts> =>
  JSON.parse(await printed(() => runCopy(source, dest, { ...values, json: true })));

export const verify = async (source: string, values: Values = {}): Promise<VerifyFacts> =>
  JSON.parse(await printed(() => runVerify(source, { ...values, json: true })));

/** Every object below a folder, without temporary files of writes in progress or of killed processes. */
export function filesOf(folder: string): Map<string, Buffer> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.zw-.*\.tmp$/.test(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  return new Map(names.sort().map((name) => [name, readFileSync(path.join(folder, name))]));
}

/** Digests of {@link filesOf}: much faster to compare. */
export const digestsOf = (folder: string): Map<string, string> =>
  new Map(
    [...filesOf(folder)].map(([name, bytes]) => [name, createHash("sha256").update(bytes).digest("hex")]),
  );

export const urlOf = (folder: string): URL => pathToFileURL(folder);
