/** Parses JSON documents that consist of one long list, such as GeoJSON, without blocking the page. */
import { inSlices, type Steps } from "#internal";
import { sliceTime } from "../base/slices.js";

/** Characters that are parsed at once. */
const batchSize = 2 ** 16;

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [open, close] = [
  [0x5b, 0x7b],
  [0x5d, 0x7d],
] as const;

/**
 * Parses a text. The items of its list, which is the whole text or a member of it, are parsed in batches.
 * @param name of the member
 * @throws SyntaxError
 */
export const parseLongJson = (text: string, name: string, signal?: AbortSignal): Promise<unknown> =>
  inSlices(parseSteps(text, name), signal, sliceTime);

function* parseSteps(text: string, name: string): Steps<unknown> {
  const start = text.length > batchSize ? listStart(text, name) : -1;
  if (start < 0) return JSON.parse(text);
  const items: unknown[] = [];
  let [from, depth] = [start + 1, 0];
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at);
    else if (isOneOf(open, code)) depth++;
    else if (isOneOf(close, code) && --depth < 0) {
      if (code !== close[0]) break;
      add(items, text.slice(from, at));
      const rest = JSON.parse(`${text.slice(0, start)}[]${text.slice(at + 1)}`) as Record<string, unknown>;
      return Array.isArray(rest) ? items : { ...rest, [name]: items };
    } else if (code === comma && depth === 0 && at - from > batchSize) {
      add(items, text.slice(from, at));
      from = at;
      yield;
    }
  }
  return JSON.parse(text); // reports what is wrong with the list
}

/** Adds the items of a batch, which starts with the comma before them unless it is the first. */
function add(items: unknown[], batch: string): void {
  const isFirst = items.length === 0;
  const parsed = JSON.parse(isFirst ? `[${batch}]` : `[0${batch}]`) as unknown[];
  for (let i = isFirst ? 0 : 1; i < parsed.length; i++) items.push(parsed[i]);
}

/** Index of the bracket that opens the list; −1 if there is none. */
function listStart(text: string, name: string): number {
  const member = new RegExp(`"${name}"\\s*:\\s*\\[`, "y");
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      member.lastIndex = at;
      if (depth === 1 && member.test(text)) return member.lastIndex - 1;
      at = stringEnd(text, at);
    } else if (isOneOf(open, code)) {
      if (depth === 0 && code === open[0]) return at;
      depth++;
    } else if (isOneOf(close, code)) depth--;
  }
  return -1;
}

const isOneOf = (codes: readonly [number, number], code: number): boolean =>
  code === codes[0] || code === codes[1];

/** Index of the quote that ends a string. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === backslash) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
