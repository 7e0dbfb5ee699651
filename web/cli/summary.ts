/** What a command says at its end. */
import { colorsFor } from "./colors.js";
import { printable, printableJson } from "./printable.js";

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
