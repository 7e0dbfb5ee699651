/** Shortens texts from documents, which can have any length, for display. */

/** Characters of a name that are displayed. */
export const maxName = 80;

/** Characters of a sentence, or of a value, that are displayed. */
export const maxText = 1000;

/** Characters of a tooltip, in which shortened names are given at greater length. */
export const maxTooltip = 2000;

/** A text with its middle replaced by "…" if it has more than `max` characters. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = Math.floor(max / 4);
  // No half of a character of two code units.
  const head = text.slice(0, max - end - 1).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(text.length - end).replace(/^[\udc00-\udfff]/, "");
  return `${head}…${tail}`;
}

/** A name from a document for display. */
export const shortName = (name: string): string => shortened(name, maxName);

/** The tooltip of a name that is displayed in short; undefined for others. */
export const longName = (name: string): string | undefined =>
  name.length > maxName ? shortened(name, maxTooltip) : undefined;
