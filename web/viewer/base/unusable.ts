/** Messages about requested values that do not exist. */
import { text } from "../language/text.js";
import { shortName } from "./text.js";

/** Maximum number of names in a message. */
const maxNames = 20;

/** The names that exist, or a sentence if there are none. */
export function listOf(names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const listed = names.slice(0, maxNames).map(shortName).join(", ");
  return names.length > maxNames ? text.unusable.others(listed, names.length - maxNames) : listed;
}

/** Returns the message about a value that has no effect, with the accepted ones. */
export const unusable = (name: string, value: string, expected: string): string =>
  text.unusable.value(`${name}="${shortName(value)}"`, expected);
