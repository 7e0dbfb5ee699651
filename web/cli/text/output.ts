/** Makes strings from a store safe to print on a terminal. */
import { context } from "./context.js";

/**
 * Characters that are escaped in all output: controls (C0, DEL, C1), marks that change the direction of writing, line
 * separators, and halves of surrogate pairs. Terminals interpret them as commands, or reorder the characters around
 * them.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters to replace
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\u{d800}-\u{dfff}]/gu;
/** The same without characters that JSON.stringify escapes or puts between values. */
const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g;

const escapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escaped = (c: string) => escapes[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Returns the message of an error, or any other thrown value as text. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Escapes characters for one line of a terminal as JSON does, for instance as `\u001b`. */
export const printable = (text: string): string => text.replace(unsafe, escaped);

/** JSON.stringify with all unsafe characters escaped. */
export function printableJson(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
  indent?: number,
): string | undefined {
  return JSON.stringify(value, replacer, indent)?.replace(unsafeInJson, escaped);
}

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], cyan: [36, 39] } as const;

export type Colors = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/**
 * Whether to color output to a stream: terminals, unless NO_COLOR is non-empty (https://no-color.org) or TERM is
 * "dumb"; anything if FORCE_COLOR is set, except to 0 or false, which mean no. FORCE_COLOR overrides NO_COLOR, as in
 * Node.
 */
function hasColors(stream: "stdout" | "stderr"): boolean {
  const { env, [stream]: output } = context();
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return !/^(0|false)$/.test(forced);
  return Boolean(output.isTTY) && !none && terminal !== "dumb";
}

/**
 * Functions that color text for a stream, or return it unchanged. Apply `printable` to strings from stores first: it
 * would also escape the colors.
 */
export function colorsFor(stream: "stdout" | "stderr"): Colors {
  const paints = Object.entries(codes).map(([name, [on, off]]) => [
    name,
    (text: string) => (text !== "" && hasColors(stream) ? `\x1b[${on}m${text}\x1b[${off}m` : text),
  ]);
  return Object.fromEntries(paints) as Colors;
}

/** Facts of a summary by name. */
export type Facts = { readonly [name: string]: unknown };

/** A count for JSON: a string of digits if a number cannot hold it exactly. */
export const exactNumber = (count: bigint | number): number | string =>
  count <= Number.MAX_SAFE_INTEGER ? Number(count) : String(count);

/** A count that was summed in doubles, as far as these are exact. */
export const countText = (count: number): number | string =>
  Number.isSafeInteger(count) ? count : `more than ${Number.MAX_SAFE_INTEGER}`;

/** Returns a count with its noun, in the plural unless it is one. */
export const counted = (count: number | bigint, noun: string): string =>
  `${count} ${noun}${Number(count) === 1 ? "" : "s"}`;

/** Prints facts as JSON for `--json`, otherwise as lines for people. */
export function printSummary(asJson: boolean | undefined, facts: Facts, lines: readonly string[]): void {
  const text = asJson ? printableJson(facts, undefined, 2)! : lines.map(printable).join("\n");
  context().stdout.write(`${text}\n`);
}

/** Prints a remark on stderr. */
export function note(text: string): void {
  context().stderr.write(`${colorsFor("stderr").yellow("zarr-wasm:")} ${printable(text)}\n`);
}

/** Returns `; did you mean "info"?`, or "" without a suggestion. */
export const didYouMean = (meant: string | undefined, quote = '"'): string =>
  meant === undefined ? "" : `; did you mean ${quote}${meant}${quote}?`;
