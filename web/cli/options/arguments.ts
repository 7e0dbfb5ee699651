/** Parses the command line by the lists of commands and options. */
import { parseArgs } from "node:util";
import { closestTo, didYouMean } from "../text/closest.js";
import { messageOf } from "../text/output.js";
import { type Command, commands, optionsOf } from "./commands.js";
import { everywhere, type Option, type OptionName, options, UsageError, type Values } from "./options.js";

interface Asked {
  readonly values: Values;
  /** The command, if one is named, and its operands. */
  readonly positionals: readonly string[];
}

/** @throws UsageError for unknown options, for options without their value, and for flags with a value. */
export function readArguments(args: readonly string[]): Asked {
  const joined = joinNegativeValues(args);
  checkNames(joined);
  try {
    const { values, positionals } = parseArgs({ args: joined, allowPositionals: true, options: parsed });
    return { values: values as Values, positionals };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** @throws UsageError for an unknown command, for a wrong number of operands, and for options of other commands. */
export function checkCommand(name: string, operands: readonly string[], values: Values): void {
  if (!Object.hasOwn(commands, name)) {
    throw new UsageError(`unknown command "${name}"${didYouMean(closestTo(name, Object.keys(commands)))}`);
  }
  const command = commands[name]!;
  if (operands.length !== command.operands.length)
    throw new UsageError(`${name} needs exactly ${operandsText(command)}`);
  for (const [i, operand] of command.operands.entries())
    if (operands[i]!.trim() === "") throw new UsageError(`${operand} is empty`);
  for (const option of ["out", "temp", "bucket"] as const)
    if (values[option]?.trim() === "") throw new UsageError(`--${option} is empty`);
  const own = optionsOf(command).map(([option]) => option);
  const foreign = (Object.keys(values) as OptionName[]).find((option) => !own.includes(option));
  if (foreign !== undefined) throw new UsageError(`${name} has no option --${foreign}`);
}

const operandsText = ({ operands }: Command): string =>
  operands.length === 1 ? `one ${operands[0]}` : `${operands.slice(0, -1).join(", ")} and ${operands.at(-1)}`;

/** The options for Node's parser. */
const parsed = Object.fromEntries(
  Object.entries(options).map(([name, { type, short, multiple }]: [string, Option]) => [
    name,
    { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) },
  ]),
);

/** Adds a suggestion to Node's message about an unknown option. */
function checkNames(args: string[]): void {
  const { tokens, positionals } = parseArgs({ args, options: parsed, strict: false, tokens: true });
  const known = Object.hasOwn(commands, positionals[0] ?? "") ? commands[positionals[0]!] : undefined;
  const names = known
    ? [...optionsOf(known).map(([name]) => name), ...everywhere]
    : (Object.keys(options) as OptionName[]);
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name)) continue;
    const meant = closestTo(token.name, names);
    throw new UsageError(
      `unknown option ${token.rawName}${didYouMean(meant === undefined ? undefined : `--${meant}`, "")}`,
    );
  }
}

/** `--select -1,0` and `--fill -1` are options and their values, although the values start like options. */
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
