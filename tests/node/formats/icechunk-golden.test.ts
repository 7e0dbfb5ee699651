// Repositories that Icechunk's own implementation wrote (tests/golden/icechunk.jsonl), read whole from memory.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { get, getBytes, isZarrError, type OpenOptions, open } from "zarr-wasm";
import { sha256 } from "../support/support.js";

type Files = Record<string, string>;

interface Golden {
  name: string;
  repo: Files;
  source: Files;
  arrays: { path: string; args?: string[]; sha256?: string; must?: string }[];
}

const text = readFileSync(new URL("../../golden/icechunk.jsonl", import.meta.url), "utf8");
const repositories = text
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Golden);

const storeOf = (files: Files): Map<string, Uint8Array> =>
  new Map(Object.entries(files).map(([key, value]) => [key, new Uint8Array(Buffer.from(value, "base64"))]));

/** The options that the arguments of a command line stand for; `{dir}/source/` is the store of files. */
function optionsOf(args: string[], source: Files): OpenOptions {
  const options: Record<string, unknown> = {};
  const virtual: Record<string, Map<string, Uint8Array>> = {};
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = [args[i]!.slice(2), args[i + 1]!];
    if (name !== "virtual") options[name] = value;
    else {
      const [prefix, base] = value.split("=") as [string, string];
      const folder = base.replace("{dir}/source", "");
      const below = Object.entries(source).filter(([key]) => key.startsWith(folder));
      virtual[prefix] = storeOf(
        Object.fromEntries(below.map(([key, file]) => [key.slice(folder.length - 1), file])),
      );
    }
  }
  return { ...options, virtual };
}

describe.each(repositories.map((golden) => [golden.name, golden] as const))("%s", (_name, golden) => {
  const repo = storeOf(golden.repo);
  const cases = golden.arrays.map(
    ({ args = [], ...rest }) => [rest.path, args.join(" "), { args, ...rest }] as const,
  );
  it.each(cases)("/%s %s", async (path, _args, { args, must, ...wanted }) => {
    const opened = open(repo, { path, ...optionsOf(args, golden.source) });
    const read = opened.then(async (node) => {
      if (node.kind !== "array") throw new Error(`${path} is a group`);
      return node.dtype.isVariable ? get(node) : (await getBytes(node)).bytes;
    });
    const result = await read.catch((error: unknown) => error);
    if (must === "error") expect(isZarrError(result)).toBe(true);
    else if (result instanceof Uint8Array) expect(sha256(result)).toBe(wanted.sha256);
    else if (isZarrError(result)) throw result;
  });
});
