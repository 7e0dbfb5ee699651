#!/usr/bin/env node
/** The command line. */
import { createRequire } from "node:module";
import { inspect, parseArgs } from "node:util";
import { isZarrError } from "zarr-wasm";
import { helpFor } from "./help.js";
import { messageOf, printable } from "./printable.js";
import { UsageError, type Values } from "./usage.js";

type Option = keyof Values;

interface Command {
  /** What it is given, in order. */
  readonly operands: readonly string[];
  readonly options: readonly Option[];
  /** Runs it. @returns the exit status. */
  run(operands: readonly string[], values: Values): Promise<number>;
}

const success = () => 0;

/** Each loads what it needs. */
const commands: Readonly<Record<string, Command>> = {
  info: {
    operands: ["SOURCE"],
    options: ["path", "json", "bucket", "v1-order"],
    run: async ([source], values) => (await import("./info.js")).runInfo(source!, values).then(success),
  },
  read: {
    operands: ["SOURCE"],
    options: ["path", "select", "format", "out", "v1-order"],
    run: async ([source], values) => (await import("./read.js")).runRead(source!, values).then(success),
  },
  copy: {
    operands: ["SOURCE", "DEST"],
    options: [
      ...(["path", "select", "format", "chunks", "shards", "codecs", "fill", "overwrite", "resume"] as const),
      ...([
        "part",
        "metadata-only",
        "verify",
        "memory",
        "temp",
        "threads",
        "bucket",
        "wait",
        "v1-order",
        "json",
      ] as const),
    ],
    run: async ([source, dest], values) =>
      (await import("./copy/command.js")).runCopy(source!, dest!, values),
  },
  pyramid: {
    operands: ["SOURCE", "DEST"],
    options: [
      ...(["path", "levels", "method", "factor", "axes", "units", "scale", "name", "v1-order"] as const),
      ...(["format", "chunks", "shards", "codecs", "overwrite", "resume"] as const),
      ...(["metadata-only", "level", "part", "threads", "bucket", "json"] as const),
    ],
    run: async ([source, dest], values) =>
      (await import("./pyramid/command.js")).runPyramid(source!, dest!, values),
  },
  view: {
    operands: ["SOURCE"],
    options: ["path", "port", "open", "v1-order"],
    run: async ([source], values) => (await import("./view.js")).runView(source!, values).then(success),
  },
  verify: {
    operands: ["SOURCE"],
    options: ["path", "part", "clean", "json", "bucket", "v1-order"],
    run: async ([source], values) => (await import("./verify/command.js")).runVerify(source!, values),
  },
};

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

const options = {
  ...{ path: text, json: flag, select: text, format: text, out: text, "v1-order": text },
  ...{
    chunks: text,
    shards: text,
    codecs: text,
    fill: text,
    overwrite: flag,
    resume: flag,
    verify: flag,
    clean: flag,
  },
  ...{ part: text, "metadata-only": flag, memory: text, temp: text, threads: text, bucket: text, wait: text },
  ...{
    levels: text,
    level: text,
    method: text,
    factor: text,
    axes: text,
    units: text,
    scale: text,
    name: text,
  },
  ...{ port: text, open: flag },
  help: { type: "boolean", short: "h" },
  version: flag,
} as const;

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  if (values.version) {
    process.stdout.write(`${createRequire(import.meta.url)("zarr-wasm/package.json").version}\n`);
    return 0;
  }
  if (values.help || positionals.length === 0) {
    process.stdout.write(helpFor(positionals[0]));
    return values.help ? 0 : 2;
  }
  const [name, ...operands] = positionals as [string, ...string[]];
  if (!Object.hasOwn(commands, name)) throw new UsageError(`unknown command "${name}"`);
  const command = commands[name]!;
  if (operands.length !== command.operands.length)
    throw new UsageError(`${name} needs exactly ${operandsText(command)}`);
  const foreign = (Object.keys(values) as Option[]).find((option) => !command.options.includes(option));
  if (foreign !== undefined) throw new UsageError(`${name} has no option --${foreign}`);
  return command.run(operands, values);
}

const operandsText = ({ operands }: Command): string =>
  operands.length === 1 ? `one ${operands[0]}` : `${operands.slice(0, -1).join(", ")} and ${operands.at(-1)}`;

function readArguments(args: string[]) {
  try {
    return parseArgs({ args: joinNegativeValues(args), allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** `--select -1,0` and `--fill -1` are options and their values, although those start like options. */
function joinNegativeValues(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1);
    const isValue = /^-(\d|Infinity)/.test(arg) && (before === "--select" || before === "--fill");
    if (isValue) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

/** What went wrong, in one line. */
function report(error: unknown): void {
  const message = messageOf(error);
  process.stderr.write(`zarr-wasm: ${printable(message.replace(/\s*\n\s*/g, " "))}\n`);
  if (error instanceof UsageError) process.stderr.write(`Try "zarr-wasm --help".\n`);
}

/** Where it went wrong, line by line. */
function showStack(error: unknown): void {
  for (const line of inspect(error).split("\n")) process.stderr.write(`${printable(line)}\n`);
}

// A reader that goes away early (head, say) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    report(error);
    if (!(error instanceof UsageError) && !isZarrError(error) && process.env["DEBUG"]) showStack(error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);
