/** Parses the text of expressions: the operators of Python, with its precedence, and calls of functions. */

import { didYouMean } from "../../util/arguments.js";
import { invalidArgument, type ZarrError } from "../../util/errors.js";

/** A number (an integer if a bigint), a name, or an operation; the names of unary operators start with "u". */
export type Term =
  | { readonly kind: "number"; readonly value: number | bigint; readonly at: number }
  | { readonly kind: "name"; readonly name: string; readonly at: number }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Term[]; readonly at: number };

const maxLength = 10_000;
const maxTerms = 1000;
const maxDepth = 100;

/** Binary operators by precedence; "not" has level 3, other unary operators have level 9. */
const levels: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  "==": 4,
  "!=": 4,
  "<": 4,
  "<=": 4,
  ">": 4,
  ">=": 4,
  "|": 5,
  "&": 6,
  "+": 7,
  "-": 7,
  "*": 8,
  "/": 8,
  "%": 8,
  "**": 10,
};
const [notLevel, comparison, unary, power] = [3, 4, 9, 10];

const token =
  /\s*(?:(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_.]))|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>\*\*|[<>=!]=|[-+*/%<>&|~(),]))/uy;

interface Token {
  readonly text: string;
  readonly kind: "number" | "name" | "sign" | "end";
  readonly at: number;
}

/** Returns the error for a position of an expression, which the message shows. */
export function badExpression(text: string, at: number, message: string, meant?: string): ZarrError {
  const from = Math.max(0, at - 40);
  const shown = text.slice(from, at + 40).replace(/\p{C}/gu, " ");
  const pointer = `${" ".repeat(2 + at - from)}^`;
  return invalidArgument(
    `${message} at position ${at + 1} of the expression${didYouMean(meant)}\n  ${shown}\n${pointer}`,
    { code: "bad-expression" },
  );
}

/** @throws InvalidArgument ("bad-expression"). */
export function parseExpression(text: unknown): Term {
  if (typeof text !== "string") throw invalidArgument("the expression must be a string");
  if (text.length > maxLength)
    throw invalidArgument(`the expression has ${text.length} characters, more than ${maxLength}`, {
      code: "bad-expression",
    });
  return new Parser(text).parse();
}

class Parser {
  readonly #tokens: Token[] = [];
  #next = 0;
  #terms = 0;
  #depth = 0;

  constructor(private readonly text: string) {
    token.lastIndex = 0;
    const end = text.trimEnd().length;
    for (let at = 0; at < end; at = token.lastIndex) {
      const groups = token.exec(text)?.groups ?? {};
      const kind = (["number", "name", "sign"] as const).find((name) => groups[name] !== undefined);
      if (!kind) {
        const wrong = at + text.slice(at).search(/\S/);
        throw badExpression(text, wrong, `unexpected ${JSON.stringify(text[wrong])}`);
      }
      this.#tokens.push({ text: groups[kind]!, kind, at: token.lastIndex - groups[kind]!.length });
    }
    this.#tokens.push({ text: "the end", kind: "end", at: end });
  }

  parse(): Term {
    const term = this.#parse(0);
    if (this.#peek.kind !== "end") throw this.#unexpected("an operator");
    return term;
  }

  get #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  #unexpected(wanted: string): ZarrError {
    const { text, kind, at } = this.#peek;
    const found = kind === "end" ? text : JSON.stringify(text);
    return badExpression(this.text, at, `expected ${wanted}, found ${found}`);
  }

  #takes(text: string): boolean {
    const isNext = this.#peek.kind !== "end" && this.#peek.text === text;
    if (isNext) this.#next++;
    return isNext;
  }

  #call(name: string, at: number, args: readonly Term[]): Term {
    if (++this.#terms > maxTerms) throw badExpression(this.text, at, `more than ${maxTerms} operations`);
    return { kind: "call", name, args, at };
  }

  /** Parses operators of at least a precedence. */
  #parse(level: number): Term {
    if (++this.#depth > maxDepth)
      throw badExpression(this.text, this.#peek.at, `nested deeper than ${maxDepth} levels`);
    let left = this.#prefix(level);
    for (let before = 0; ; ) {
      const { text, kind, at } = this.#peek;
      const own = kind === "end" || !Object.hasOwn(levels, text) ? 0 : levels[text]!;
      if (own === 0 || own < level) break;
      if (own === comparison && before === comparison)
        throw badExpression(this.text, at, 'comparisons cannot be chained; use parentheses and "and"');
      this.#next++;
      before = own;
      left = this.#call(text, at, [left, this.#parse(own === power ? unary : own + 1)]);
    }
    this.#depth--;
    return left;
  }

  #prefix(level: number): Term {
    const { text, kind, at } = this.#peek;
    if (kind === "number") {
      this.#next++;
      return { kind, value: /^\d+$/.test(text) ? BigInt(text) : Number(text), at };
    }
    if (text === "not" && level <= notLevel) {
      this.#next++;
      return this.#call("not", at, [this.#parse(notLevel)]);
    }
    if (kind === "name" && !["and", "or", "not"].includes(text)) {
      this.#next++;
      return this.#takes("(") ? this.#call(text, at, this.#arguments()) : { kind, name: text, at };
    }
    for (const sign of ["-", "+", "~"])
      if (this.#takes(sign)) return this.#call(`u${sign}`, at, [this.#parse(unary)]);
    if (!this.#takes("(")) throw this.#unexpected('a number, a name or "("');
    const inner = this.#parse(0);
    if (!this.#takes(")")) throw this.#unexpected('")"');
    return inner;
  }

  #arguments(): Term[] {
    const args: Term[] = [];
    if (this.#takes(")")) return args;
    do args.push(this.#parse(0));
    while (this.#takes(","));
    if (!this.#takes(")")) throw this.#unexpected('"," or ")"');
    return args;
  }
}
