/** Shortens strings from documents for display. */

/** Maximum length of a displayed name. */
export const maxName = 80;

/** Maximum length of a displayed sentence or value. */
export const maxText = 1000;

/** Maximum length of a tooltip, which shows more of a shortened name. */
export const maxTooltip = 2000;

/** Replaces the middle of a string of more than `max` characters by "…". */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = Math.floor(max / 4);
  // Never half of a surrogate pair.
  const head = text.slice(0, max - end - 1).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(text.length - end).replace(/^[\udc00-\udfff]/, "");
  return `${head}…${tail}`;
}

/** Shortens a name. */
export const shortName = (name: string): string => shortened(name, maxName);

/** Tooltip of a name that `shortName` shortens; undefined for other names. */
export const longName = (name: string): string | undefined =>
  name.length > maxName ? shortened(name, maxTooltip) : undefined;
