/** Parses XML of TIFF tags: elements, attributes and text. Namespaces are dropped, DTDs are not read. */

import { inSlices, type Steps } from "../../util/slices.js";
import { badFile } from "../file/cursor.js";

export interface XmlElement {
  /** Name without a prefix. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Text directly in the element. */
  readonly text: string;
}

const maxDepth = 64;
/** Elements between two points where the work may pause. */
const pause = 2 ** 10;

interface Building {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: Building[];
  text: string;
}

/**
 * Returns the root element. Every character is visited once, also in damaged documents.
 * @param left names of elements to omit with their content.
 * @throws InvalidMetadata ("bad-file")
 */
export const parseXml = (source: string, what: string, left: readonly string[] = []): Promise<XmlElement> =>
  inSlices(xmlSteps(source, what, left));

function* xmlSteps(source: string, what: string, left: readonly string[]): Steps<XmlElement> {
  const root: Building = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [root];
  let count = 0;
  for (let at = source.indexOf("<"), text = 0; at >= 0; at = source.indexOf("<", text)) {
    if (count++ % pause === pause - 1) yield;
    const parent = open.at(-1)!;
    parent.text += entities(source.slice(text, at));
    const special = specials.find(([start]) => source.startsWith(start, at));
    const end = special ? source.indexOf(special[1], at + special[0].length) : tagEnd(source, at);
    if (end < 0) throw badFile(`${what} is not valid XML`);
    text = end + (special?.[1].length ?? 1);
    if (special?.[2]) parent.text += source.slice(at + special[0].length, end);
    if (special) continue;
    const isEnd = source[at + 1] === "/";
    const isEmpty = source[end - 1] === "/";
    const tag = source.slice(at + (isEnd ? 2 : 1), end - (isEmpty ? 1 : 0));
    const name = localName(/^[^\s]*/.exec(tag)![0]);
    if (isEnd) {
      if (open.length === 1 || parent.name !== name) throw badFile(`${what}: </${name}> has no start`);
      open.pop();
      continue;
    }
    const element = { name, attributes: attributesIn(tag), children: [], text: "" };
    if (!left.includes(name)) parent.children.push(element);
    if (!isEmpty) open.push(element);
    if (open.length > maxDepth) throw badFile(`${what}: elements are nested deeper than ${maxDepth}`);
  }
  const [first] = root.children;
  if (!first || open.length > 1) throw badFile(`${what} is not valid XML`);
  return first;
}

/** Starts and ends of markup that is not an element, and whether its content is text. */
const specials: readonly (readonly [start: string, end: string, isText: boolean])[] = [
  ["<!--", "-->", false],
  ["<![CDATA[", "]]>", true],
  ["<?", "?>", false],
  ["<!", ">", false],
];

/** Returns the position of the ">" outside quotes that ends a tag; -1 if there is none. */
function tagEnd(source: string, start: number): number {
  const mark = /[>"']/g;
  for (mark.lastIndex = start; ; ) {
    const found = mark.exec(source);
    if (!found || found[0] === ">") return found?.index ?? -1;
    const close = source.indexOf(found[0], mark.lastIndex);
    if (close < 0) return -1;
    mark.lastIndex = close + 1;
  }
}

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/** Parses the attributes of a tag up to the first invalid one. */
function attributesIn(tag: string): Map<string, string> {
  const found = new Map<string, string>();
  const start = /^[^\s]*/.exec(tag)![0].length;
  const attribute = /\s+([^\s="']+)\s*=\s*(["'])/y;
  attribute.lastIndex = start;
  for (let match = attribute.exec(tag); match; match = attribute.exec(tag)) {
    const from = attribute.lastIndex;
    const end = tag.indexOf(match[2]!, from);
    if (end < 0) break;
    found.set(localName(match[1]!), entities(tag.slice(from, end)));
    attribute.lastIndex = end + 1;
  }
  return found;
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function entities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}

/** Returns the children of a name. */
export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];
