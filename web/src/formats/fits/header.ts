/** The headers of FITS files: cards of 80 characters. Spec: FITS standard 4.0, section 4, https://fits.gsfc.nasa.gov */

import { jsonObject } from "../../metadata/print.js";
import { limitExceeded } from "../../util/errors.js";
import { type Json, JsonNumber, type JsonObject } from "../../util/json.js";
import { badFile } from "../file/cursor.js";
import { floatJson } from "../file/documents.js";
import type { FileContext } from "../file/model.js";
import type { Turns } from "../file/turns.js";

/** Unit of headers and data. */
export const blockBytes = 2880;
const cardBytes = 80;
/** Maximum size of a header. */
const maxHeader = 2 ** 24;

/** Keywords of the layout of an image, and of the table of a compressed one. */
const layout =
  /^(?:SIMPLE|XTENSION|BITPIX|NAXIS\d*|EXTEND|PCOUNT|GCOUNT|BZERO|BSCALE|BLANK|CHECKSUM|DATASUM)$/;
const tiling =
  /^(?:Z(?:IMAGE|CMPTYPE|BITPIX|NAXIS\d*|TILE\d+|NAME\d+|VAL\d+|QUANTIZ|DITHER0|MASKCMP|BLANK|SCALE|ZERO|SIMPLE|TENSION|EXTEND|BLOCKED|PCOUNT|GCOUNT|HECKSUM|DATASUM)|TFIELDS|THEAP|T(?:TYPE|FORM|UNIT|NULL|SCAL|ZERO|DISP|DIM)\d+)$/;

export class Header {
  /** Values by keyword; the first one counts. */
  readonly values = new Map<string, Json>();
  /** Cards without values, such as COMMENT and HISTORY, by keyword. */
  readonly #texts = new Map<string, string[]>();

  /** @param end position after the header. */
  constructor(
    cards: readonly string[],
    readonly start: number,
    readonly end: number,
  ) {
    let long: string | undefined;
    for (const card of cards) {
      const keyword = card.slice(0, 8).trimEnd();
      const isValue = card.startsWith("= ", 8);
      if (keyword === "CONTINUE" && long !== undefined) this.#continue(long, card.slice(10));
      else if (keyword === "HIERARCH" && card.includes("=")) this.#set(...hierarchical(card));
      else if (isValue && keyword !== "COMMENT" && keyword !== "HISTORY") {
        long = keyword;
        this.#set(keyword, parseValue(card.slice(10)));
      } else if (keyword !== "" && keyword !== "END") this.#addText(keyword, card.slice(8).trimEnd());
    }
  }

  /** Returns an integer. @throws InvalidMetadata ("bad-file") for other values. */
  integer(keyword: string, fallback?: number): number {
    const value = this.values.get(keyword);
    if (value === undefined && fallback !== undefined) return fallback;
    if (value instanceof JsonNumber && value.isInteger && Number.isSafeInteger(value.value))
      return value.value;
    throw badFile(`${keyword} of the header at ${this.start} is not an integer`);
  }

  /** Returns a number; the fallback for other values. */
  number(keyword: string, fallback: number): number {
    const value = this.values.get(keyword);
    return value instanceof JsonNumber ? value.value : fallback;
  }

  /** Whether the extension is a table that holds a compressed image. */
  get isTiled(): boolean {
    return this.values.get("XTENSION") === "BINTABLE" && this.values.get("ZIMAGE") === true;
  }

  /** EXTNAME; undefined for the name that compression gives to an image without one. */
  get name(): string | undefined {
    const name = this.values.get("EXTNAME");
    const isOwn = typeof name === "string" && name !== "" && !(this.isTiled && name === "COMPRESSED_IMAGE");
    return isOwn ? name : undefined;
  }

  /** Returns all cards except those that only describe the layout; of compressed images those of the image. */
  attributes(): JsonObject {
    const { isTiled, name: own } = this;
    const isLayout = (name: string) =>
      layout.test(name) || (isTiled && (tiling.test(name) || (name === "EXTNAME" && own === undefined)));
    const texts = [...this.#texts].map(([name, lines]) => [name, lines.join("\n")] as const);
    return jsonObject([...[...this.values].filter(([name]) => !isLayout(name)), ...texts]);
  }

  #set(keyword: string, value: Json | undefined): void {
    if (value !== undefined && !this.values.has(keyword)) this.values.set(keyword, value);
  }

  #addText(keyword: string, text: string): void {
    const lines = this.#texts.get(keyword);
    if (lines) lines.push(text);
    else this.#texts.set(keyword, [text]);
  }

  /** Appends the text of a CONTINUE card to a string that ends with "&". */
  #continue(keyword: string, field: string): void {
    const before = this.values.get(keyword);
    const value = parseValue(field);
    if (typeof before === "string" && before.endsWith("&") && typeof value === "string")
      this.values.set(keyword, before.slice(0, -1) + value);
  }
}

/** Returns keyword and value of a card of the HIERARCH convention. */
function hierarchical(card: string): [string, Json | undefined] {
  const at = card.indexOf("=");
  return [card.slice(9, at).trim(), parseValue(card.slice(at + 1))];
}

/** Parses the value of a card: a string in quotes, T or F, a number or a pair; undefined if there is none. */
function parseValue(field: string): Json | undefined {
  const [, quoted] = /^\s*'((?:[^']|'')*)'/.exec(field) ?? [];
  if (quoted !== undefined) return quoted.replaceAll("''", "'").trimEnd();
  const text = field.replace(/\/.*$/, "").trim();
  if (text === "T" || text === "F") return text === "T";
  const [, real, imaginary] = /^\(\s*([^,\s]+)\s*,\s*([^)\s]+)\s*\)$/.exec(text) ?? [];
  if (real !== undefined) return [numberOf(real) ?? real, numberOf(imaginary!) ?? imaginary!];
  return text === "" ? undefined : (numberOf(text) ?? text);
}

/** Parses a number; exponents may have a D. */
function numberOf(text: string): JsonNumber | undefined {
  if (/^[+-]?\d{1,40}$/.test(text)) return new JsonNumber(String(BigInt(text.replace(/^\+/, ""))));
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[ED][+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text.replace(/d/i, "e"));
  return Number.isFinite(value) ? floatJson(value) : undefined;
}

/** Reads a header. @throws InvalidMetadata ("bad-file"), LimitExceeded. */
export async function readHeader(
  { name, blocks }: FileContext,
  start: number,
  turns: Turns,
  signal: AbortSignal | undefined,
): Promise<Header> {
  const cards: string[] = [];
  for (let at = start; ; at += blockBytes) {
    if (at - start >= maxHeader)
      throw limitExceeded(`the header at ${start} of ${name} exceeds ${maxHeader} bytes`);
    await turns.next();
    const block = await blocks.read(at, blockBytes, signal);
    for (let i = 0; i < blockBytes; i += cardBytes) {
      const card = String.fromCharCode(...block.subarray(i, i + cardBytes));
      if (/^END {5}/.test(card)) return new Header(cards, start, at + blockBytes);
      cards.push(card);
    }
  }
}
