/**
 * References of "gen" rules, one for each combination of dimensions. A rule of a few bytes may generate any number of
 * them, so their number and the cost of their templates are limited before they are made. Opening a document makes the
 * keys only; references are made when they are read.
 * Spec: https://fsspec.github.io/kerchunk/spec.html, "gen".
 */
import { limitExceeded } from "../../util/errors.js";
import type { Steps } from "../../util/slices.js";
import { bad, entriesOf, objectOf, plain, shown, textOf } from "../parquet/fields.js";
import { Template, type TemplateValues } from "./template.js";

type Value = string | number;

/** A dimension: a list of values, or a range. */
interface Values {
  readonly length: number;
  at(index: number): Value;
  /** Characters of the longest value. */
  readonly longest: number;
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

  constructor(private readonly most: number) {
    this.#references = most;
  }

  /** @throws LimitExceeded. */
  spend(references: number, characters: number): void {
    this.#references -= references;
    this.#characters -= characters;
    // Negated so that NaN, from infinite numbers, exceeds the limit.
    if (!(this.#references >= 0))
      throw limitExceeded(`gen stands for more references than the limit of ${this.most}`);
    if (!(this.#characters >= 0)) throw limitExceeded("gen takes too long: its templates are too much work");
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
    this.#key = new Template(textOf(fields["key"], "gen.key"));
    this.#url = new Template(textOf(fields["url"], "gen.url"));
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
    const longest = this.#key.longest((name) => strided.get(name)?.longest ?? lengthOf(templates.get(name)));
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
    return [this.#url.render(values), ...this.#part.map((count) => countOf(count, values))];
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
  const fields = objectOf(rule, "gen");
  const entries = entriesOf(fields, "dimensions");
  if (entries.length > maxDimensions)
    throw limitExceeded(`gen has ${entries.length} dimensions, more than the limit of ${maxDimensions}`);
  const dimensions: [string, Values][] = [];
  for (const [name, json] of entries)
    dimensions.push([name, Array.isArray(json) ? yield* listSteps(json) : rangeOf(json)]);
  yield;
  return new Rule(fields, dimensions, templates, budget);
}

/** Returns an integer, or renders the template of one. */
function countOf(value: unknown, values: TemplateValues): number {
  if (!(value instanceof Template)) return value as number; // checked when it is read
  const text = value.render(values).trim();
  if (!/^\d+$/.test(text)) throw bad(`"${shown(text)}" is no number of bytes`);
  return Number(text);
}

function* listSteps(list: readonly unknown[]): Steps<Values> {
  let longest = 0;
  for (const [i, json] of list.entries()) {
    const value = plain(json);
    if (typeof value !== "string" && !Number.isSafeInteger(value))
      throw bad("a dimension of gen has values that are neither texts nor whole numbers");
    longest = Math.max(longest, lengthOf(value as Value));
    if (i % stepValues === 0) yield;
  }
  return { length: list.length, at: (index) => plain(list[index]) as Value, longest };
}

/** A range from `start` to `stop`, exclusive. */
function rangeOf(dimension: unknown): Values {
  const { start = 0, stop, step = 1 } = objectOf(dimension, "a dimension of gen");
  const [first, end, by] = [start, stop, step].map((json) => {
    const value = plain(json);
    if (Number.isSafeInteger(value)) return value as number;
    throw bad("a dimension of gen has a start, stop or step that is not a whole number");
  }) as [number, number, number];
  if (by === 0) throw bad("a dimension of gen has the step 0");
  const length = Math.max(0, Math.ceil((end - first) / by));
  return { length, at: (index) => first + index * by, longest: Math.max(lengthOf(first), lengthOf(end)) };
}

const lengthOf = (value: Value | undefined): number => String(value ?? "").length;
