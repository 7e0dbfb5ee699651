/** `zarr-wasm info --history`: the branches, tags and versions of an Icechunk repository. */
import { isZarrError } from "zarr-wasm";
import { type IcechunkCommit, type IcechunkRef, IcechunkStore } from "zarr-wasm/formats";
import type { Values } from "../options/options.js";
import { UsageError } from "../options/options.js";
import { isPipeline, withoutMark } from "../source/places.js";
import { locate, openOptions, openSource } from "../source/source.js";
import { printable, printableJson } from "../text/output.js";

/** Lists of refs; null if the store cannot list those of version 1. */
interface History {
  readonly snapshot: string;
  readonly branches: readonly IcechunkRef[] | null;
  readonly tags: readonly IcechunkRef[] | null;
  readonly history: readonly IcechunkCommit[];
}

export async function runHistory(source: string, values: Values): Promise<void> {
  if (values.path !== undefined) throw new UsageError("--history shows the whole repository; omit --path");
  const { branch, tag, snapshot, asOf } = openOptions(values);
  const plain = withoutMark(source);
  const store = (await isPipeline(plain))
    ? await repositoryIn(source, values)
    : await IcechunkStore.open(await locate(plain), { branch, tag, snapshot, asOf });
  const history: IcechunkCommit[] = [];
  for await (const commit of store.history()) history.push(commit);
  const [branches, tags] = await Promise.all([orNull(store.branches()), orNull(store.tags())]);
  const found: History = { snapshot: store.snapshot, branches, tags, history };
  process.stdout.write(values.json ? `${printableJson(found, undefined, 2)}\n` : text(found));
}

/** Opens the repository of a URL pipeline. */
async function repositoryIn(source: string, values: Values): Promise<IcechunkStore> {
  const { store } = await openSource(source, values);
  if (store instanceof IcechunkStore) return store;
  throw new Error(`"${source}" is not an Icechunk repository`);
}

async function orNull(refs: Promise<IcechunkRef[]>): Promise<IcechunkRef[] | null> {
  try {
    return await refs;
  } catch (error) {
    if (isZarrError(error, "Unsupported")) return null;
    throw error;
  }
}

function text({ branches, tags, history }: History): string {
  const lines = [...refLines("branches", branches), ...refLines("tags", tags), "history"];
  for (const { snapshot, time, message } of history)
    lines.push(`  ${snapshot}  ${Number.isNaN(time.getTime()) ? "?" : time.toISOString()}  ${message}`);
  return lines.map((line) => `${printable(line)}\n`).join("");
}

const refLines = (title: string, refs: readonly IcechunkRef[] | null): string[] =>
  refs
    ? [title, ...refs.map(({ name, snapshot }) => `  ${snapshot}  ${name}`)]
    : [`${title}: not available, because this server does not support listing`];
