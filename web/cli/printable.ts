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
