/** The text of `--help`, made from the lists of commands and options. */
import { colorsFor } from "../text/output.js";
import { type Command, commands, optionsOf } from "./commands.js";
import { everywhere, type Option, options } from "./options.js";

const width = 96;

const places = `SOURCE is an http or https URL, a folder, a .zip or .ozx archive, or references (kerchunk): a .json, or a
folder of Parquet files. Icechunk repositories are found by themselves, or marked: icechunk+URL.`;
const footer = `${places}
Exit status: 0 for success, 2 for wrong usage, 1 for any other trouble.
`;

const { bold, cyan, dim } = colorsFor(process.stdout);

/** Help of the named command, otherwise of all. */
export function helpFor(name: string | undefined): string {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command === undefined ? overview() : helpOf(name!, command);
}

function overview(): string {
  const entries = Object.entries(commands).map(
    ([name, command]) =>
      `${synopsis(name, command).replace(name, bold(name))}\n${wrapped(command.what, "      ")}\n`,
  );
  const own = everywhere.map((name) => optionLine(name, options[name])).join("\n");
  return `Usage: zarr-wasm COMMAND SOURCE [options]\n\n${entries.join("\n")}\n${own}\n
"zarr-wasm COMMAND --help" says more of one command.
${footer}`;
}

function helpOf(name: string, command: Command): string {
  const { operands, what, details } = command;
  const list = optionsOf(command).map(([option, meaning]) => optionLine(option, meaning));
  const examples = command.examples.map(({ says, line }) => `  ${dim(`# ${says}`)}\n  ${line}`);
  const sections = [
    `Usage: zarr-wasm ${bold(name)} ${operands.join(" ")}${list.length > 0 ? " [options]" : ""}`,
    wrapped(what, "  ") + (details === undefined ? "" : `\n\n${details.replace(/^/gm, "  ")}`),
    ...(list.length > 0 ? [`${bold("Options")}\n${list.join("\n")}`] : []),
    `${bold("Examples")}\n${examples.join("\n\n")}`,
    ...(operands.includes("SOURCE") ? [footer] : [""]),
  ];
  return sections.join("\n\n").replace(/\n+$/, "\n");
}

/** `--path P`; flags have no value. */
const usageOf = (name: string, { value }: Option): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

function optionLine(name: string, option: Option): string {
  const usage = (option.short === undefined ? "" : `-${option.short}, `) + usageOf(name, option);
  const column = 28;
  const text = wrapped(option.what, " ".repeat(column)).trimStart();
  const gap = usage.length + 4 > column ? `\n${" ".repeat(column)}` : " ".repeat(column - usage.length - 2);
  return `  ${cyan(usage)}${gap}${text}`;
}

/** A command with its operands and options, in lines. */
function synopsis(name: string, command: Command): string {
  const parts = optionsOf(command).map(([option, meaning]) => `[${usageOf(option, meaning)}]`);
  const text = [name, ...command.operands].join(" ");
  return wrappedWords([text, ...parts], "  ", " ".repeat(name.length + 3));
}

const wrapped = (text: string, indent: string): string => wrappedWords(text.split(" "), indent, indent);

function wrappedWords(words: readonly string[], first: string, indent: string): string {
  const lines: string[] = [];
  let line = first + words[0];
  for (const word of words.slice(1)) {
    if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].join("\n");
}
