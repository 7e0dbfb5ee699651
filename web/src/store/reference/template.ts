/**
 * Templates in references: `{{ name }}`, and whole-number arithmetic as in `{{ (i + 1) * 1000 }}`.
 * The format borrows Jinja; what goes beyond this (functions, filters, formatting) is refused by name.
 */
import { unsupported } from "../../base/errors.js";

/** Values that templates may name. */
export type TemplateValues = ReadonlyMap<string, string | number>;

/**
 * Replaces every `{{ … }}` in a text.
 * @throws Unsupported ("reference-template") for what is neither a known name nor arithmetic on numbers.
 */
export function render(text: string, values: TemplateValues): string {
  if (!text.includes("{{")) return text;
  return text.replace(/\{\{(.*?)\}\}/gs, (_, expression: string) =>
    String(new Expression(expression, values).value()),
  );
}

/** Deepest nesting of parentheses and signs. */
const maxDepth = 32;

class Expression {
  readonly #tokens: string[];
  #at = 0;
  #depth = 0;

  constructor(
    private readonly text: string,
    private readonly values: TemplateValues,
  ) {
    const tokens = text.match(/\s+|\d+|[A-Za-z_]\w*|\/\/|[-+*%()]|./gs) ?? [];
    this.#tokens = tokens.filter((token) => token.trim() !== "");
  }

  value(): string | number {
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
      // Rounded down, as in Python.
      const quotient = Math.floor(left / right);
      value = this.#number(sign === "*" ? left * right : sign === "//" ? quotient : left - quotient * right);
    }
    return value;
  }

  #term(): string | number {
    if (++this.#depth > maxDepth) throw this.#refusal();
    const token = this.#tokens[this.#at++] ?? "";
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
    const value = this.values.get(name);
    // A template that holds a template is a function.
    if (value === undefined || (typeof value === "string" && value.includes("{{"))) throw this.#refusal();
    return value;
  }

  #next(...wanted: string[]): string | undefined {
    const token = this.#tokens[this.#at];
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
      `the template {{${this.text}}} is not supported: only names and arithmetic on whole numbers are`,
      { code: "reference-template" },
    );
  }
}
