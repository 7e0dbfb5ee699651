/** Text from a store as a terminal may be given it. */

/**
 * What no output has as it is: controls (C0, DEL, C1), marks that change the direction of writing, line separators,
 * and halves of surrogate pairs. A terminal takes them for commands, or shows a text in another order than it has.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is being replaced
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\u{d800}-\u{dfff}]/gu;
/** The same without what JSON.stringify escapes or puts between values. */
const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g;

const escapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escaped = (c: string) => escapes[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** What an error, or anything else that was thrown, says. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Text in one line: what a terminal would not merely show is written as JSON writes it, `\u001b` for one. */
export const printable = (text: string): string => text.replace(unsafe, escaped);

/** A value as JSON.stringify has it, the rest of what a terminal must not be given escaped, too. */
export function printableJson(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
  indent?: number,
): string | undefined {
  return JSON.stringify(value, replacer, indent)?.replace(unsafeInJson, escaped);
}

type Stream = Pick<NodeJS.WriteStream, "isTTY">;

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], cyan: [36, 39] } as const;

export type Colors = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/**
 * Whether a stream is to have colors: terminals, unless NO_COLOR is set to something (https://no-color.org) or TERM is
 * "dumb"; anything where FORCE_COLOR is set, but to 0 or false, which is "no". FORCE_COLOR counts before NO_COLOR, as in Node.
 */
function hasColors({ isTTY }: Stream, env = process.env): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return !/^(0|false)$/.test(forced);
  return Boolean(isTTY) && !none && terminal !== "dumb";
}

/**
 * What colors text that goes to a stream, or leaves it as it is. Text from a store must be printable before: escapes
 * are what `printable` takes away.
 */
export function colorsFor(stream: Stream): Colors {
  const isOn = hasColors(stream);
  const paints = Object.entries(codes).map(([name, [on, off]]) => [
    name,
    (text: string) => (isOn && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text),
  ]);
  return Object.fromEntries(paints) as Colors;
}

/** Numbers and texts by what they say; lists and objects within. */
export type Facts = { readonly [name: string]: unknown };

/** A count for JSON: digits as a text if a number cannot hold it exactly. */
export const exactNumber = (count: bigint | number): number | string =>
  count <= Number.MAX_SAFE_INTEGER ? Number(count) : String(count);

/** A count that was added up in doubles, as far as these are exact. */
export const countText = (count: number): number | string =>
  Number.isSafeInteger(count) ? count : `more than ${Number.MAX_SAFE_INTEGER}`;

/** Prints facts as JSON where `--json` was given, else lines for people. */
export function printSummary(asJson: boolean | undefined, facts: Facts, lines: readonly string[]): void {
  const text = asJson ? printableJson(facts, undefined, 2)! : lines.map(printable).join("\n");
  process.stdout.write(`${text}\n`);
}

/** Prints a remark on stderr. */
export function note(text: string): void {
  process.stderr.write(`${colorsFor(process.stderr).yellow("zarr-wasm:")} ${printable(text)}\n`);
}
