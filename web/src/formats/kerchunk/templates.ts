/**
 * Templates in references: `{{ name }}`, and integer arithmetic such as `{{ (i + 1) * 1000 }}`. The format is based on
 * Jinja; other features (functions, filters, formatting) are Unsupported, by name.
 *
 * Rules in "gen" generate one reference for each combination of dimensions. A rule of a few bytes may generate any number
 * of them, so their number and the cost of their templates are limited before they are made. Opening a document makes the
 * keys only; references are made when they are read.
 * Spec: https://fsspec.github.io/kerchunk/spec.html, "gen".
 */

import { limitExceeded, unsupported } from "../../util/errors.js";
import type { Steps } from "../../util/slices.js";
import { bad, plain, readEntries, requireObject, requireText, shorten } from "../parquet/fields.js";

/** Values of names in templates. */
export interface TemplateValues {
  get(name: string): string | number | undefined;
}

/** Maximum length of a result: far longer than any URL or key. */
const maxRendered = 2 ** 16;
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
      throw limitExceeded(`the template "${shorten(text)}" has more than ${maxTemplateLength} characters`);
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
  maxLength(lengthOf: (name: string) => number): number {
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
      if (rendered.length > maxRendered) {
        throw limitExceeded(
          `templates expand "${shorten(this.text)}" to more than ${maxRendered} characters`,
        );
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
      `the template {{${shorten(this.text)}}} is not supported: only names and integer arithmetic are`,
      { code: "reference-template" },
    );
  }
}

type Value = string | number;

/** A dimension: a list of values, or a range. */
interface Values {
  readonly length: number;
  at(index: number): Value;
  /** Characters of the longest value. */
  readonly maxLength: number;
}

interface Dimension extends Values {
  /** Number of consecutive references with the same value. */
  readonly stride: number;
}

/** Limits the total cost of the rules of a document. */
export class GenerationBudget {
  /** Remaining number of references, duplicate keys included. */
  #references: number;
  /** Remaining number of characters that templates read and write. */
  #characters = 2 ** 27;

  constructor(private readonly maxReferences: number) {
    this.#references = maxReferences;
  }

  /** @throws LimitExceeded. */
  spend(references: number, characters: number): void {
    this.#references -= references;
    this.#characters -= characters;
    // Negated so that NaN, from infinite numbers, exceeds the limit.
    if (!(this.#references >= 0))
      throw limitExceeded(`gen yields more references than the limit of ${this.maxReferences}`);
    if (!(this.#characters >= 0)) throw limitExceeded("gen takes too long: its templates are too complex");
  }
}

/** Cost of a reference, in characters, not counting its key. */
const referenceCost = 64;
/** Maximum number of dimensions of a rule. */
const maxDimensions = 64;
/** Values of a dimension checked per step. */
const stepValues = 2 ** 12;

/** A valid rule. */
export class Rule {
  readonly #key: Template;
  readonly #url: Template;
  /** Offset and length. */
  readonly #part: readonly unknown[];
  readonly #dimensions: ReadonlyMap<string, Dimension>;
  readonly #templates: TemplateValues;
  /** Number of references. */
  readonly count: number;

  /** Use {@link ruleSteps}. @throws InvalidMetadata ("bad-reference"); LimitExceeded; errors of templates. */
  constructor(
    fields: Readonly<Record<string, unknown>>,
    dimensions: readonly (readonly [name: string, values: Values])[],
    templates: TemplateValues,
    budget: GenerationBudget,
  ) {
    this.#templates = templates;
    this.#key = new Template(requireText(fields["key"], "gen.key"));
    this.#url = new Template(requireText(fields["url"], "gen.url"));
    const [offset, length] = [fields["offset"], fields["length"]];
    if ((offset === undefined) !== (length === undefined)) throw bad("gen has an offset without a length");
    this.#part =
      offset === undefined
        ? []
        : [offset, length].map((n) => (typeof n === "string" ? new Template(n) : plain(n)));
    let count = 1;
    const strided = new Map<string, Dimension>();
    // The last dimension varies fastest.
    for (const [name, values] of [...dimensions].reverse()) {
      strided.set(name, { ...values, stride: count });
      // Avoids NaN from 0 × Infinity.
      count = count === 0 || values.length === 0 ? 0 : count * values.length;
    }
    this.#dimensions = strided;
    this.count = count;
    const longest = this.#key.maxLength(
      (name) => strided.get(name)?.maxLength ?? textLength(templates.get(name)),
    );
    budget.spend(count, count * (referenceCost + this.#key.cost + longest));
    // An invalid rule fails in its first reference.
    if (count > 0) this.reference(0);
  }

  /** Keys of all references, in order. @throws errors of templates. */
  *keys(): Generator<string> {
    for (let index = 0; index < this.count; index++) yield this.#key.render(this.#values(index));
  }

  /** Returns a reference in the form of a document. */
  reference(index: number): unknown[] {
    const values = this.#values(index);
    return [this.#url.render(values), ...this.#part.map((count) => renderCount(count, values))];
  }

  /** Values of the dimensions and templates. */
  #values(index: number): TemplateValues {
    return {
      get: (name) => {
        const dimension = this.#dimensions.get(name);
        if (!dimension) return this.#templates.get(name);
        return dimension.at(Math.floor(index / dimension.stride) % dimension.length);
      },
    };
  }
}

/** A reference of a rule, made when it is read. */
export class Generated {
  constructor(
    private readonly rule: Rule,
    private readonly index: number,
  ) {}

  get reference(): unknown[] {
    return this.rule.reference(this.index);
  }
}

/**
 * Reads a rule.
 * @throws InvalidMetadata ("bad-reference"); LimitExceeded for a rule beyond the budget; errors of templates.
 */
export function* ruleSteps(rule: unknown, templates: TemplateValues, budget: GenerationBudget): Steps<Rule> {
  const fields = requireObject(rule, "gen");
  const entries = readEntries(fields, "dimensions");
  if (entries.length > maxDimensions)
    throw limitExceeded(`gen has ${entries.length} dimensions, more than the limit of ${maxDimensions}`);
  const dimensions: [string, Values][] = [];
  for (const [name, json] of entries)
    dimensions.push([name, Array.isArray(json) ? yield* listSteps(json) : parseRange(json)]);
  yield;
  return new Rule(fields, dimensions, templates, budget);
}

/** Returns an integer, or renders the template of one. */
function renderCount(value: unknown, values: TemplateValues): number {
  if (!(value instanceof Template)) return value as number; // checked when it is read
  const text = value.render(values).trim();
  if (!/^\d+$/.test(text)) throw bad(`"${shorten(text)}" is not a number of bytes`);
  return Number(text);
}

function* listSteps(list: readonly unknown[]): Steps<Values> {
  let longest = 0;
  for (const [i, json] of list.entries()) {
    const value = plain(json);
    if (typeof value !== "string" && !Number.isSafeInteger(value))
      throw bad("a dimension of gen has values that are neither strings nor integers");
    longest = Math.max(longest, textLength(value as Value));
    if (i % stepValues === 0) yield;
  }
  return { length: list.length, at: (index) => plain(list[index]) as Value, maxLength: longest };
}

/** A range from `start` to `stop`, exclusive. */
function parseRange(dimension: unknown): Values {
  const { start = 0, stop, step = 1 } = requireObject(dimension, "a dimension of gen");
  const [first, end, by] = [start, stop, step].map((json) => {
    const value = plain(json);
    if (Number.isSafeInteger(value)) return value as number;
    throw bad("a dimension of gen has a start, stop or step that is not an integer");
  }) as [number, number, number];
  if (by === 0) throw bad("a dimension of gen has step 0");
  const length = Math.max(0, Math.ceil((end - first) / by));
  return {
    length,
    at: (index) => first + index * by,
    maxLength: Math.max(textLength(first), textLength(end)),
  };
}

const textLength = (value: Value | undefined): number => String(value ?? "").length;
