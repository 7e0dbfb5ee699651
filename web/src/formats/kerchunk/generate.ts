/**
 * References that a rule of "gen" stands for, one for each combination of its dimensions. A rule of a few bytes may
 * stand for any number of them: they are counted, with what it takes to fill in their templates, before there are any;
 * and only their keys are made when a document is opened, the rest when a reference is read.
 * Spec: https://fsspec.github.io/kerchunk/spec.html, "gen".
 */
import { limitExceeded } from "../../util/errors.js";
import type { Steps } from "../../util/slices.js";
import { bad, entriesOf, objectOf, plain, shown, textOf } from "../parquet/fields.js";
import { Template, type TemplateValues } from "./template.js";

type Value = string | number;

/** A list of values, or the numbers of a range. */
interface Values {
  readonly length: number;
  at(index: number): Value;
  /** Characters of the longest value. */
  readonly longest: number;
}

interface Dimension extends Values {
  /** References for which it has the same value before the next one comes. */
  readonly stride: number;
}

/** What the rules of a document may cost together. */
export class GenerationBudget {
  /** References that may still be generated, whether they have keys of their own or not. */
  #references: number;
  /** Characters of templates that may still be read and written. */
  #characters = 2 ** 27;

  constructor(private readonly most: number) {
    this.#references = most;
  }

  /** @throws LimitExceeded. */
  spend(references: number, characters: number): void {
    this.#references -= references;
    this.#characters -= characters;
    // Written so that NaN, of infinite numbers, is too much.
    if (!(this.#references >= 0))
      throw limitExceeded(`gen stands for more references than the limit of ${this.most}`);
    if (!(this.#characters >= 0)) throw limitExceeded("gen takes too long: its templates are too much work");
  }
}

/** What a reference costs, in characters, besides those of its key. */
const referenceCost = 64;
/** Most dimensions of a rule. */
const maxDimensions = 64;
/** Values of a dimension that are checked in one step. */
const stepValues = 2 ** 12;

/** A rule, checked. */
export class Rule {
  readonly #key: Template;
  readonly #url: Template;
  /** Offset and length. */
  readonly #part: readonly unknown[];
  readonly #dimensions: ReadonlyMap<string, Dimension>;
  readonly #templates: TemplateValues;
  /** How many references it stands for. */
  readonly count: number;

  /** Use {@link ruleSteps}. @throws InvalidMetadata ("bad-reference"); LimitExceeded; what templates throw. */
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
    // The last dimension changes first.
    for (const [name, values] of [...dimensions].reverse()) {
      strided.set(name, { ...values, stride: count });
      // Nothing times infinitely many is nothing.
      count = count === 0 || values.length === 0 ? 0 : count * values.length;
    }
    this.#dimensions = strided;
    this.count = count;
    const longest = this.#key.longest((name) => strided.get(name)?.longest ?? lengthOf(templates.get(name)));
    budget.spend(count, count * (referenceCost + this.#key.cost + longest));
    // What is wrong with a rule shows in its first reference.
    if (count > 0) this.reference(0);
  }

  /** The keys of all references, in order. @throws what templates throw. */
  *keys(): Generator<string> {
    for (let index = 0; index < this.count; index++) yield this.#key.render(this.#values(index));
  }

  /** One of the references, as a document would have it. */
  reference(index: number): unknown[] {
    const values = this.#values(index);
    return [this.#url.render(values), ...this.#part.map((count) => countOf(count, values))];
  }

  /** The values of the dimensions, and the templates. */
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

/** One of the references that a rule stands for, made when it is read. */
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
 * @throws InvalidMetadata ("bad-reference"); LimitExceeded where it goes beyond the budget; what templates throw.
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

/** A whole number, or a template of one. */
function countOf(value: unknown, values: TemplateValues): number {
  if (!(value instanceof Template)) return value as number; // checked where it is read
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

/** A range from `start` to before `stop`. */
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
