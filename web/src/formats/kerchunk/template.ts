/**
 * Templates in references: `{{ name }}`, and integer arithmetic such as `{{ (i + 1) * 1000 }}`.
 * The format is based on Jinja; other features (functions, filters, formatting) are Unsupported, by name.
 */
import { limitExceeded, unsupported } from "../../util/errors.js";
import { shown } from "../parquet/fields.js";

/** Values of names in templates. */
export interface TemplateValues {
  get(name: string): string | number | undefined;
}

/** Maximum length of a result: far longer than any URL or key. */
const maxLength = 2 ** 16;
/** Maximum length of a template, and of an expression. */
const [maxTemplateLength, maxExpressionLength] = [2 ** 20, 2 ** 12];
/** Maximum length of an integer. */
const maxNumberLength = 17;

/** Cost of evaluating a character of an expression, in characters copied. */
const expressionCost = 8;

/** A parsed template: literal parts alternate with expressions. */
export class Template {
  readonly #expressions: { readonly before: string; readonly expression: Expression }[] = [];
  readonly #rest: string;
  /** Cost of rendering, in characters. */
  readonly cost: number;

  /** @throws LimitExceeded for a template that takes long to parse. */
  constructor(readonly text: string) {
    if (text.length > maxTemplateLength)
      throw limitExceeded(`the template "${shown(text)}" has more than ${maxTemplateLength} characters`);
    let at = 0;
    for (let start = text.indexOf("{{"); start >= 0; start = text.indexOf("{{", at)) {
      const end = text.indexOf("}}", start + 2);
      if (end < 0) break;
      const expression = new Expression(text.slice(start + 2, end));
      this.#expressions.push({ before: text.slice(at, start), expression });
      at = end + 2;
    }
    this.#rest = text.slice(at);
    this.cost = this.#expressions.reduce(
      (cost, { expression }) => cost + expressionCost * expression.text.length,
      text.length,
    );
  }

  /**
   * Returns an upper bound on the length of the result.
   * @param lengthOf length of the longest value of a name; 0 for an unknown name.
   */
  longest(lengthOf: (name: string) => number): number {
    let sum = this.text.length;
    // Everything but a name is arithmetic.
    for (const { expression } of this.#expressions)
      sum += lengthOf(expression.text.replace(/[\s()]/g, "")) || maxNumberLength;
    return sum;
  }

  /**
   * Replaces every `{{ … }}`.
   * @throws Unsupported ("reference-template") for unknown names and for anything but arithmetic on numbers;
   *   LimitExceeded for a result that is longer than any URL.
   */
  render(values: TemplateValues): string {
    let rendered = "";
    for (const { before, expression } of this.#expressions) {
      rendered += before + String(expression.value(values));
      if (rendered.length > maxLength) {
        throw limitExceeded(`templates make more than ${maxLength} characters of "${shown(this.text)}"`);
      }
    }
    return rendered + this.#rest;
  }
}

/** Renders a string with {@link Template.render}. */
export function render(text: string, values: TemplateValues): string {
  return text.includes("{{") ? new Template(text).render(values) : text;
}

/** Maximum nesting of parentheses and signs. */
const maxDepth = 32;

class Expression {
  #tokens: string[] | undefined;
  #at = 0;
  #depth = 0;
  #values: TemplateValues = new Map();

  constructor(readonly text: string) {}

  value(values: TemplateValues): string | number {
    if (this.text.length > maxExpressionLength) throw this.#refusal();
    this.#tokens ??= (this.text.match(/\s+|\d+|[A-Za-z_]\w*|\/\/|[-+*%()]|./gs) ?? []).filter(
      (token) => token.trim() !== "",
    );
    this.#at = 0;
    this.#depth = 0;
    this.#values = values;
    const value = this.#sum();
    if (this.#at < this.#tokens.length) throw this.#refusal();
    return value;
  }

  #sum(): string | number {
    let value = this.#product();
    for (let sign = this.#next("+", "-"); sign; sign = this.#next("+", "-")) {
      const [left, right] = [this.#number(value), this.#number(this.#product())];
      value = this.#number(sign === "+" ? left + right : left - right);
    }
    return value;
  }

  #product(): string | number {
    let value = this.#term();
    for (let sign = this.#next("*", "//", "%"); sign; sign = this.#next("*", "//", "%")) {
      const [left, right] = [this.#number(value), this.#number(this.#term())];
      // Rounds down, as Python does.
      const quotient = Math.floor(left / right);
      value = this.#number(sign === "*" ? left * right : sign === "//" ? quotient : left - quotient * right);
    }
    return value;
  }

  #term(): string | number {
    if (++this.#depth > maxDepth) throw this.#refusal();
    const token = this.#tokens![this.#at++] ?? "";
    let value: string | number;
    if (token === "-") value = -this.#number(this.#term());
    else if (token === "(") {
      value = this.#sum();
      if (!this.#next(")")) throw this.#refusal();
    } else if (/^\d/.test(token)) value = this.#number(Number(token));
    else value = this.#named(token);
    this.#depth--;
    return value;
  }

  #named(name: string): string | number {
    const value = this.#values.get(name);
    // A nested template would be a function.
    if (value === undefined || (typeof value === "string" && value.includes("{{"))) throw this.#refusal();
    return value;
  }

  #next(...wanted: string[]): string | undefined {
    const token = this.#tokens![this.#at];
    if (token === undefined || !wanted.includes(token)) return undefined;
    this.#at++;
    return token;
  }

  #number(value: string | number): number {
    if (typeof value === "number" && Number.isSafeInteger(value)) return value;
    throw this.#refusal();
  }

  #refusal(): Error {
    return unsupported(
      `the template {{${shown(this.text)}}} is not supported: only names and arithmetic on whole numbers are`,
      { code: "reference-template" },
    );
  }
}
