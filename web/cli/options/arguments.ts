/** Parses the command line according to the lists of commands and options. */
import { parseArgs } from "node:util";
import { closestTo } from "#internal";
import { didYouMean, errorMessage } from "../text/output.js";

import { type Command, commandOptions, commands } from "./commands.js";
import { findCommand } from "./help.js";
import { everywhere, type Option, type OptionName, options, UsageError, type Values } from "./options.js";

interface ParsedArguments {
  readonly values: Values;
  /** The command, if given, and its operands. */
  readonly positionals: readonly string[];
}

/** @throws UsageError for unknown options, options without a value, and flags with one. */
export function readArguments(args: readonly string[]): ParsedArguments {
  const joined = joinNegativeValues(args);
  checkNames(joined);
  try {
    const { values, positionals } = parseArgs({ args: joined, allowPositionals: true, options: parsed });
    return { values: values as Values, positionals };
  } catch (error) {
    // Node's message, such as: Option '--path <value>' argument missing
    throw new UsageError(errorMessage(error).replace(/^Option/, "option"));
  }
}

/** @throws UsageError for an unknown command, a wrong number of operands, and options of other commands. */
export function checkCommand(name: string, operands: readonly string[], values: Values): void {
  const command = findCommand(name);
  const own = commandOptions(command).map(([option]) => option);
  const foreign = (Object.keys(values) as OptionName[]).find((option) => !own.includes(option));
  if (foreign !== undefined)
    throw new UsageError(`${name} has no option --${foreign}${hintForForeign(foreign, name, command)}`, name);
  const required = command.operands.filter((operand) => !operand.startsWith("["));
  if (operands.length < required.length)
    throw new UsageError(
      `${required.slice(operands.length).join(" and ")} missing; usage: ${usageLine(name, command)}`,
      name,
    );
  const isList = command.operands.some((operand) => operand.endsWith("…"));
  if (operands.length > command.operands.length && !isList)
    throw new UsageError(
      `unexpected argument "${operands[command.operands.length]}"; usage: ${usageLine(name, command)}`,
      name,
    );
  for (const [i, operand] of required.entries())
    if (operands[i]!.trim() === "") throw new UsageError(`${operand} is empty`, name);
  for (const option of ["out", "temp", "bucket"] as const)
    if (values[option]?.trim() === "") throw new UsageError(`--${option} is empty`, name);
}

/** Suggests what to use instead of an option that a command does not have. */
function hintForForeign(option: OptionName, name: string, command: Command): string {
  if (option === "out" && command.operands.includes("DEST"))
    return `; DEST is an operand: ${usageLine(name, command)}`;
  const meant = closestTo(
    option,
    commandOptions(command).map(([own]) => own),
  );
  return didYouMean(meant === undefined ? undefined : `--${meant}`, "");
}

const usageLine = (name: string, { operands, options: own }: Command): string =>
  `zarr-wasm ${[name, ...operands].join(" ")}${own.length > 0 ? " [options]" : ""}`;

/** The options for Node's parser. */
const parsed = Object.fromEntries(
  Object.entries(options).map(([name, { type, short, multiple }]: [string, Option]) => [
    name,
    { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) },
  ]),
);

/** @throws UsageError for an unknown option, with a suggestion. */
function checkNames(args: string[]): void {
  const { tokens, positionals } = parseArgs({ args, options: parsed, strict: false, tokens: true });
  const known = Object.hasOwn(commands, positionals[0] ?? "") ? commands[positionals[0]!] : undefined;
  const names = known
    ? [...commandOptions(known).map(([name]) => name), ...everywhere]
    : (Object.keys(options) as OptionName[]);
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name)) continue;
    const meant = closestTo(token.name, names);
    const hint = didYouMean(meant === undefined ? undefined : `--${meant}`, "");
    throw new UsageError(`unknown option ${token.rawName}${hint}`, known && positionals[0]);
  }
}

/** Joins `--select -1,0` and `--fill -1`, whose values look like options. */
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
