/** Messages about requested values that do not exist. */
import { shortName } from "./text.js";

/** Maximum number of names in a message. */
const maxNames = 20;

/** The names that exist, or a sentence if there are none. */
export function listOf(names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const others = names.length > maxNames ? ` and ${names.length - maxNames} others` : "";
  return `${names.slice(0, maxNames).map(shortName).join(", ")}${others}`;
}

/** Returns the message about a value that has no effect, with the accepted ones. */
export const unusable = (name: string, value: string, expected: string): string =>
  `${name}="${shortName(value)}" cannot be used; expected ${expected}`;
