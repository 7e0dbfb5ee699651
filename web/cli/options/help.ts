/** Formats the text of `--help` from the lists of commands and options. */
import { closestTo, readableFormats } from "#internal";
import { colorsFor, didYouMean } from "../text/output.js";
import { type Command, commandOptions, commands, otherCommands } from "./commands.js";
import { everywhere, type Option, options, UsageError } from "./options.js";

/** Maximum line length of option summaries. */
const maxWidth = 100;

const sources = `SOURCE is a folder, an archive (.zip, .ozx), an http(s) URL, a URL pipeline (a.zip|zip:path|zarr3:), an
Icechunk repository, kerchunk references, or a file: ${readableFormats}.`;
const exitStatus = "Exit status: 0 for success, 2 for incorrect usage, 1 for any other error.";

const { bold, cyan, dim } = colorsFor("stdout");

/** Returns the help of a command, or the overview. @throws UsageError for an unknown command. */
export function helpText(name: string | undefined): string {
  return name === undefined ? overview() : commandHelp(name, findCommand(name));
}

/** @throws UsageError for an unknown command, with a suggestion. */
export function findCommand(name: string): Command {
  if (Object.hasOwn(commands, name)) return commands[name]!;
  const hint = Object.hasOwn(otherCommands, name)
    ? `; use: zarr-wasm ${otherCommands[name]}`
    : didYouMean(closestTo(name, Object.keys(commands)));
  throw new UsageError(`unknown command "${name}"${hint}`);
}

function overview(): string {
  const entries = Object.entries(commands).map(
    ([name, command]) => [[name, ...command.operands].join(" "), name, command.summary] as const,
  );
  const column = Math.max(...entries.map(([synopsis]) => synopsis.length)) + 2;
  const lines = entries.map(
    ([synopsis, name, summary]) => `  ${synopsis.padEnd(column).replace(name, cyan(name))}${summary}`,
  );
  return `${bold("Usage:")} zarr-wasm COMMAND [options]

${bold("Commands")}
${lines.join("\n")}

${bold("Options")}
${everywhere.map((name) => optionLine(name, options[name], column)).join("\n")}

${sources}
Run "zarr-wasm COMMAND --help" for the options and examples of a command.
`;
}

function commandHelp(name: string, command: Command): string {
  const { operands, summary, details } = command;
  const list = commandOptions(command).map(([option, properties]) => optionLine(option, properties, 26));
  const examples = command.examples.map(([caption, line]) => `  ${dim(`# ${caption}`)}\n  ${line}`);
  const sections = [
    `${bold("Usage:")} zarr-wasm ${[name, ...operands].join(" ")}${list.length > 0 ? " [options]" : ""}`,
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.${details === undefined ? "" : `\n\n${details}`}`,
    ...(list.length > 0 ? [`${bold("Options")}\n${list.join("\n")}`] : []),
    `${bold("Examples")}\n${examples.join("\n\n")}`,
    ...(operands.includes("SOURCE") ? [`${sources}\n${exitStatus}`] : []),
    ...(operands.includes("SOURCE…") ? [exitStatus] : []),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Returns `--path PATH`; flags have no value. */
const optionUsage = (name: string, { value }: Option): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

function optionLine(name: string, option: Option, column: number): string {
  const usage = (option.short === undefined ? "" : `-${option.short}, `) + optionUsage(name, option);
  const indent = " ".repeat(column + 2);
  const text = wrapped(option.summary, indent);
  const gap = usage.length + 2 > column ? `\n${indent}` : " ".repeat(column - usage.length);
  return `  ${cyan(usage)}${gap}${text}`;
}

/** Breaks text into lines; all but the first are indented. */
function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line === "") line = word;
    else if (indent.length + line.length + 1 + word.length <= maxWidth) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}
