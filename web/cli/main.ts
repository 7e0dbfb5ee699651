#!/usr/bin/env node
/** The command line: `zarr-wasm info` and `zarr-wasm read`. */
import { inspect, parseArgs } from "node:util";
import { isZarrError } from "zarr-wasm";
import { runInfo } from "./info.js";
import { printable } from "./printable.js";
import { runRead } from "./read.js";
import { UsageError } from "./usage.js";

const help = `Usage: zarr-wasm COMMAND SOURCE [options]

  info SOURCE [--path P] [--json]
      facts about an array (shape, chunks, data type, codecs, sizes), or the tree below a group

  read SOURCE [--path P] [--select "0:10,5,::2"] [--format raw|jsonl|npy|text]
              [--out FILE] [--v1-order writer]
      elements of an array, in C order
        raw    little-endian element bytes
        jsonl  one JSON value per element and line
        npy    a NumPy file
        text   a table (default); control characters are escaped, as \\u001b
      FILE is replaced once all is written to a temporary file beside it

SOURCE is an http or https URL, a folder, or a .zip archive.
`;

const commands = { info: runInfo, read: runRead };

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  if (values.help || positionals.length === 0) {
    process.stdout.write(help);
    return values.help ? 0 : 2;
  }
  const [command, source, ...rest] = positionals;
  if (!Object.hasOwn(commands, command!)) throw new UsageError(`unknown command "${command}"`);
  if (source === undefined || rest.length > 0) throw new UsageError(`${command} needs exactly one SOURCE`);
  await commands[command as keyof typeof commands](source, values);
  return 0;
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args: joinNegativeValues(args),
      allowPositionals: true,
      options: {
        path: { type: "string" },
        json: { type: "boolean" },
        select: { type: "string" },
        format: { type: "string" },
        out: { type: "string" },
        "v1-order": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** `--select -1,0` is an option and its value, although the value starts like an option. */
function joinNegativeValues(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    if (joined.at(-1) === "--select" && /^-\d/.test(arg)) joined[joined.length - 1] = `--select=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

/** What went wrong, in one line. */
function report(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
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
