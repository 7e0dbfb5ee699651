/** Runs a command and reports its error. */
import { createRequire } from "node:module";
import { inspect } from "node:util";
import { isZarrError } from "zarr-wasm";
import { checkCommand, readArguments } from "./options/arguments.js";
import { helpText } from "./options/help.js";
import { UsageError, type Values } from "./options/options.js";
import { type Context, context, withContext } from "./text/context.js";
import { colorsFor, errorMessage, printable } from "./text/output.js";

async function runCommand({ args, stdout }: Context): Promise<number> {
  const { values, positionals } = readArguments(args);
  if (values.version) {
    const { version } = createRequire(import.meta.url)("zarr-wasm/package.json") as { version: string };
    stdout.write(`${values.json ? JSON.stringify({ version }) : version}\n`);
    return 0;
  }
  if (values.help || positionals.length === 0) {
    stdout.write(helpText(positionals[0]));
    return values.help ? 0 : 2;
  }
  const [name, ...operands] = positionals as [string, ...string[]];
  checkCommand(name, operands, values);
  const status = await runners[name]!(operands, values);
  return typeof status === "number" ? status : 0;
}

/** Runs a command with its operands. Returns the exit status, or anything else for success. */
type Run = (operands: readonly string[], values: Values) => Promise<unknown>;

/** The commands of options/commands.ts; each module is loaded when its command runs. */
const runners: Readonly<Record<string, Run>> = {
  info: async ([source], values) => (await import("./commands/info.js")).runInfo(source!, values),
  read: async ([source], values) => (await import("./commands/read.js")).runRead(source!, values),
  stats: async ([source], values) => (await import("./commands/stats/command.js")).runStats(source!, values),
  copy: async ([source, dest], values) =>
    (await import("./commands/copy.js")).runCopy(source!, dest!, values),
  pyramid: async ([source, dest], values) =>
    (await import("./commands/pyramid/command.js")).runPyramid(source!, dest!, values),
  verify: async ([source], values) => (await import("./commands/verify.js")).runVerify(source!, values),
  references: async (operands, values) =>
    (await import("./commands/references.js")).runReferences(operands, values),
  bench: async ([source], values) => (await import("./commands/bench/command.js")).runBench(source!, values),
  view: async ([source], values) => (await import("./commands/view.js")).runView(source!, values),
  completion: async ([shell]) => (await import("./commands/completion.js")).runCompletion(shell!),
  help: async ([name]) => void context().stdout.write(helpText(name)),
};

/** Prints an error in one line, and the help to consult after incorrect usage. */
export function report(error: unknown): void {
  const message = errorMessage(error);
  const { args, stderr } = context();
  stderr.write(`${colorsFor("stderr").red("zarr-wasm:")} ${printable(message.replace(/\s*\n\s*/g, " "))}\n`);
  if (!(error instanceof UsageError)) return;
  const command = error.command ?? args[0];
  const help =
    command !== undefined && command !== "help" && Object.hasOwn(runners, command)
      ? `${command} --help`
      : "--help";
  stderr.write(`Try "zarr-wasm ${help}".\n`);
}

/** Prints the stack. */
function showStack(error: unknown): void {
  for (const line of inspect(error).split("\n")) context().stderr.write(`${printable(line)}\n`);
}

/**
 * Runs the command line and prints its error. Returns the exit status.
 * @param given replaces the arguments, streams and environment of this process.
 */
export function run(given?: Partial<Context>): Promise<number> {
  return given ? withContext({ ...context(), ...given }, runAndReport) : runAndReport();
}

async function runAndReport(): Promise<number> {
  try {
    return await runCommand(context());
  } catch (error) {
    report(error);
    const isUsage = error instanceof UsageError;
    if (!isUsage && !isZarrError(error) && context().env["DEBUG"]) showStack(error);
    return isUsage ? 2 : 1;
  }
}
