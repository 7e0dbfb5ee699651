#!/usr/bin/env node
/** The command line. */
import { createRequire } from "node:module";
import { inspect } from "node:util";
import { isZarrError } from "zarr-wasm";
import { exitHooks } from "#internal";
import { commandOf, readArguments } from "./arguments.js";
import { colorsFor } from "./colors.js";
import { helpFor } from "./help.js";
import { messageOf, printable } from "./printable.js";
import { UsageError } from "./usage-error.js";

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  if (values.version) {
    const { version } = createRequire(import.meta.url)("zarr-wasm/package.json") as { version: string };
    process.stdout.write(`${values.json ? JSON.stringify({ version }) : version}\n`);
    return 0;
  }
  if (values.help || positionals.length === 0) {
    process.stdout.write(helpFor(positionals[0]));
    return values.help ? 0 : 2;
  }
  const [name, ...operands] = positionals as [string, ...string[]];
  return commandOf(name, operands, values).run(operands, values);
}

/** What went wrong, in one line. */
function report(error: unknown): void {
  const message = messageOf(error);
  const { red } = colorsFor(process.stderr);
  process.stderr.write(`${red("zarr-wasm:")} ${printable(message.replace(/\s*\n\s*/g, " "))}\n`);
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

exitHooks.handleSignals();
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
