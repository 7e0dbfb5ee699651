/** `zarr-wasm completion`: generates shell scripts from the lists of commands and options. */

import { commandOptions, commands, shells } from "../options/commands.js";
import { everywhere, type Option, options, UsageError } from "../options/options.js";
import { context } from "../text/context.js";

type Shell = (typeof shells)[number];

export async function runCompletion(shell: string): Promise<number> {
  if (!Object.hasOwn(scripts, shell)) {
    throw new UsageError(
      `SHELL must be ${shells.slice(0, -1).join(", ")} or ${shells.at(-1)}, got "${shell}"`,
    );
  }
  context().stdout.write(scripts[shell as Shell]());
  return 0;
}

const scripts: Readonly<Record<Shell, () => string>> = { bash, zsh, fish };

interface Completed {
  readonly name: string;
  readonly summary: string;
  /** Words that operands are completed with; undefined for files. */
  readonly words: readonly string[] | undefined;
  readonly options: readonly (readonly [name: string, option: Option])[];
}

const general = everywhere.map((name) => [name, options[name]] as const);

/** Returns the words that operands are completed with; undefined for files. */
function operandWords(operands: (typeof commands)[string]["operands"]): readonly string[] | undefined {
  if (operands.includes("SHELL")) return shells;
  return operands.includes("[COMMAND]") ? Object.keys(commands) : undefined;
}

const completed: readonly Completed[] = Object.entries(commands).map(([name, command]) => ({
  name,
  summary: command.summary,
  words: operandWords(command.operands),
  options: [...commandOptions(command), ...general],
}));

const hasValue = ([, { type }]: readonly [string, Option]) => type === "string";

/** Quotes text for POSIX shells and zsh. */
const shQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const optionNames = (list: Completed["options"]) => list.map(([name]) => `--${name}`);

function bash(): string {
  const values = [
    ...new Set(completed.flatMap((one) => one.options.filter(hasValue).map(([name]) => `--${name}`))),
  ];
  const cases = completed.flatMap(({ name, options: list }) =>
    list.filter(hasValue).map(([option, meaning]) => `    ${name}:--${option}) ${bashValue(meaning)} ;;`),
  );
  const commandCases = completed.map(({ name, words, options: list }) =>
    [
      `    ${name})`,
      `      if [[ $cur == -* ]]; then _zarr_wasm_words ${shQuoted(optionNames(list).join(" "))}`,
      `      else ${words ? `_zarr_wasm_words ${shQuoted(words.join(" "))}` : "_zarr_wasm_files -f"}; fi ;;`,
    ].join("\n"),
  );
  const start = [...completed.map(({ name }) => name), ...optionNames(general)].join(" ");
  return `# bash completion of zarr-wasm: source <(zarr-wasm completion bash)

_zarr_wasm_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_zarr_wasm_files() {
  local IFS=$'\\n'
  compopt -o filenames 2> /dev/null
  COMPREPLY=($(compgen "$1" -- "$cur"))
}

_zarr_wasm() {
  local cur=\${COMP_WORDS[COMP_CWORD]} option= command= i word
  COMPREPLY=()
  # readline splits "--format=npy" into three words, and "--format=" into two.
  if [[ $cur == "=" ]]; then option=\${COMP_WORDS[COMP_CWORD - 1]} cur=
  elif [[ COMP_CWORD -gt 1 && \${COMP_WORDS[COMP_CWORD - 1]} == "=" ]]; then option=\${COMP_WORDS[COMP_CWORD - 2]}
  else option=\${COMP_WORDS[COMP_CWORD - 1]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${values.join("|")})
        if [[ \${COMP_WORDS[i + 1]} == "=" ]]; then ((i++)); fi
        ((i++)) ;;
      -*) ;;
      *) command=$word; break ;;
    esac
  done
  case $command:$option in
${cases.join("\n")}
  esac
  case $command in
    "") _zarr_wasm_words ${shQuoted(start)} ;;
${commandCases.join("\n")}
  esac
}

complete -F _zarr_wasm zarr-wasm
`;
}

/** Returns the case that completes the value of an option. */
function bashValue({ completes }: Option): string {
  if (completes === "file") return "_zarr_wasm_files -f; return";
  if (completes === "folder") return "_zarr_wasm_files -d; return";
  return completes ? `_zarr_wasm_words ${shQuoted(completes.join(" "))}; return` : "return";
}

function zsh(): string {
  const described = ({ name, summary }: Completed) =>
    shQuoted(`${name}:${summary.replaceAll("\\", "\\\\").replaceAll(":", "\\:")}`);
  const cases = completed.map(({ name, words, options: list }) => {
    const specs = list.map(zshSpec);
    const operands = words ? `'*:name:(${words.join(" ")})'` : "'*:file:_files'";
    return `    ${name})\n      _arguments ${[...specs, operands].join(" \\\n        ")} ;;`;
  });
  return `#compdef zarr-wasm
# zsh completion of zarr-wasm: source <(zarr-wasm completion zsh), after compinit

_zarr-wasm() {
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
    ${completed.map(described).join("\n    ")}
  )
  _arguments -C ${general.map(zshSpec).join(" ")} '1:command:->command' '*::argument:->argument'
  if [[ $state == command ]]; then
    _describe -t commands command commands
    return
  fi
  case $line[1] in
${cases.join("\n")}
  esac
}

if [[ $funcstack[1] == _zarr-wasm ]]; then _zarr-wasm "$@"; else compdef _zarr-wasm zarr-wasm; fi
`;
}

/** Returns a specification for _arguments, such as `--out=[a file]:FILE:_files`. */
function zshSpec([name, option]: readonly [string, Option]): string {
  const summary = `[${option.summary.replace(/[\\[\]]/g, "\\$&")}]`;
  if (!hasValue([name, option])) return shQuoted(`--${name}${summary}`);
  return shQuoted(`--${name}=${summary}:value:${zshValue(option)}`);
}

function zshValue({ completes }: Option): string {
  if (completes === "file") return "_files";
  if (completes === "folder") return "_files -/";
  return completes ? `(${completes.map((word) => word.replaceAll(":", "\\:")).join(" ")})` : " ";
}

function fish(): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const line = (...parts: readonly string[]) => ["complete -c zarr-wasm", ...parts].join(" ");
  const optionLines = (when: string, list: Completed["options"]) =>
    list.map(([name, option]) =>
      line(`-n ${quoted(when)}`, `-l ${name}`, ...fishValue(option, quoted), `-d ${quoted(option.summary)}`),
    );
  const start = "__fish_use_subcommand";
  const seen = (name: string) => `__fish_seen_subcommand_from ${name}`;
  const withFiles = completed.filter(({ words }) => !words).map(({ name }) => name);
  return `${[
    "# fish completion of zarr-wasm: zarr-wasm completion fish > ~/.config/fish/completions/zarr-wasm.fish",
    line("-f"),
    ...completed.map(({ name, summary }) => line(`-n ${start}`, `-a ${name}`, `-d ${quoted(summary)}`)),
    ...optionLines(start, general),
    line(`-n ${quoted(seen(withFiles.join(" ")))}`, "-F"),
    ...completed.flatMap(({ name, words, options: list }) => [
      ...(words ? [line(`-n ${quoted(seen(name))}`, `-a ${quoted(words.join(" "))}`)] : []),
      ...optionLines(seen(name), list),
    ]),
  ].join("\n")}\n`;
}

function fishValue({ type, completes }: Option, quoted: (text: string) => string): string[] {
  if (type === "boolean") return [];
  if (completes === "file") return ["-r", "-F"];
  if (completes === "folder") return ["-x", `-a ${quoted("(__fish_complete_directories)")}`];
  return completes ? ["-x", `-a ${quoted(completes.join(" "))}`] : ["-x"];
}
