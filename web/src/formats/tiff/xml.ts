/** Parses XML of TIFF tags: elements, attributes and text. Namespaces are dropped, DTDs are not read. */

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

/** A tag with its attributes, a comment, a CDATA section, an instruction or a declaration. */
const markup =
  /<(?:!--[\s\S]*?-->|!\[CDATA\[([\s\S]*?)\]\]>|[?!][^>]*>|(\/?)([^\s<>/="']+)((?:[^<>"']|"[^"]*"|'[^']*')*)>)/g;
const attribute = /([^\s=/"'<>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

interface Building {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: Building[];
  text: string;
}

/** Returns the root element. @throws InvalidMetadata ("bad-file") */
export function parseXml(source: string, what: string): XmlElement {
  const root: Building = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [root];
  let end = 0;
  for (const match of source.matchAll(markup)) {
    const parent = open.at(-1)!;
    parent.text += entities(source.slice(end, match.index));
    end = match.index + match[0].length;
    const [, data, slash, qualified, rest = ""] = match;
    if (data !== undefined) parent.text += data;
    if (qualified === undefined) continue;
    const name = localName(qualified);
    if (slash === "/") {
      if (open.length === 1 || parent.name !== name) throw badFile(`${what}: </${qualified}> has no start`);
      open.pop();
      continue;
    }
    const element = { name, attributes: attributesIn(rest), children: [], text: "" };
    parent.children.push(element);
    if (!rest.endsWith("/")) open.push(element);
    if (open.length > maxDepth) throw badFile(`${what}: elements are nested deeper than ${maxDepth}`);
  }
  const [first] = root.children;
  if (!first || open.length > 1) throw badFile(`${what} is not valid XML`);
  return first;
}

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

function attributesIn(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name, double, single] of text.matchAll(attribute))
    found.set(localName(name!), entities(double ?? single!));
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
