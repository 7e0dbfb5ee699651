/** Numbers as the language of the page writes them. */

/** The language of the page, with its region. English has one form, whose signs programs write. */
export let locale = "en";

/** Decimal point, separator of thousands, separator of numbers in a list. */
let signs = [".", ",", ", "];

/** Groups digits; undefined for English, because the first use of `Intl` takes a browser 20 ms. */
let counts: Intl.NumberFormat | undefined;

/** @param tag a language whose texts are at hand. @throws RangeError if it is malformed */
export function setLocale(tag: string): void {
  counts = new Intl.NumberFormat(tag, { numberingSystem: "latn" });
  locale = tag;
  const [thousands, , point] = counts.format(1234567.5).match(/\D/g)!;
  signs = [point!, thousands!, point === "," ? "; " : ", "];
}

/** 1234 → "1,234". */
export const formatCount = (count: number): string =>
  counts ? counts.format(count) : String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** Translates the signs of a number: "−12,345.5" → "−12.345,5". Minus and infinity are the same everywhere. */
export const localNumber = (number: string | number): string =>
  String(number).replace(/[.,]/g, (sign) => signs[sign === "." ? 0 : 1]!);

/** Joins formatted numbers; decimal commas need another separator. */
export const joinNumbers = (numbers: readonly string[]): string => numbers.join(signs[2]);
