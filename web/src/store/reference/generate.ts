/**
 * References that a rule of "gen" stands for, one for each combination of its dimensions. A rule of a few bytes may
 * stand for any number of them: they are counted, with what it takes to fill in their templates, before there are any;
 * and only their keys are made when a document is opened, the rest when a reference is read.
 * Spec: https://fsspec.github.io/kerchunk/spec.html, "gen".
 */
import { limitExceeded } from "../../base/errors.js";
import { bad, entriesOf, objectOf, shown, textOf } from "./fields.js";
import { Template, type TemplateValues } from "./template.js";

type Value = string | number;

/** A list of values, or the numbers of a range. */
interface Values {
  readonly length: number;
  at(index: number): Value;
}

interface Dimension extends Values {
  /** References for which it has the same value before the next one comes. */
  readonly stride: number;
}

/** What the rules of a document may cost together. */
export class GenerationBudget {
  /** References that may still be generated: whether they have keys of their own or not. */
  #references: number;
  /** Characters of templates that may still be read and written. */
  #characters = 2 ** 27;
  /** Keys that have been made. */
  made = 0;

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

/** A rule, checked. */
export class Rule {
  readonly #key: Template;
  readonly #url: Template;
  /** Offset and length. */
  readonly #part: readonly unknown[];
  readonly #dimensions = new Map<string, Dimension>();
  readonly #templates: TemplateValues;
  /** How many references it stands for. */
  readonly count: number;

  /** @throws InvalidMetadata ("bad-reference"). */
  constructor(rule: unknown, templates: TemplateValues) {
    const fields = objectOf(rule, "gen");
    this.#templates = templates;
    this.#key = new Template(textOf(fields["key"], "gen.key"));
    this.#url = new Template(textOf(fields["url"], "gen.url"));
    const [offset, length] = [fields["offset"], fields["length"]];
    if ((offset === undefined) !== (length === undefined)) throw bad("gen has an offset without a length");
    this.#part =
      offset === undefined ? [] : [offset, length].map((n) => (typeof n === "string" ? new Template(n) : n));
    let count = 1;
    // The last dimension changes first.
    for (const [name, dimension] of entriesOf(fields, "dimensions").reverse()) {
      const values = valuesOf(dimension);
      this.#dimensions.set(name, { ...values, stride: count });
      // Nothing times infinitely many is nothing.
      count = count === 0 || values.length === 0 ? 0 : count * values.length;
    }
    this.count = count;
  }

  /**
   * The keys of all references, in order.
   * @throws LimitExceeded; what templates throw.
   */
  *keys(budget: GenerationBudget): Generator<string> {
    budget.spend(this.count, this.count * (referenceCost + this.#key.cost));
    // What is wrong with a rule shows in its first reference.
    if (this.count > 0) this.reference(0);
    for (let index = 0; index < this.count; index++) {
      const key = this.#key.render(this.#values(index));
      budget.spend(0, key.length);
      budget.made++;
      yield key;
    }
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

/** A whole number, or a template of one. */
function countOf(value: unknown, values: TemplateValues): number {
  if (!(value instanceof Template)) return value as number; // checked where it is read
  const text = value.render(values).trim();
  if (!/^\d+$/.test(text)) throw bad(`"${shown(text)}" is no number of bytes`);
  return Number(text);
}

/** A list of values, or a range from `start` to before `stop`. */
function valuesOf(dimension: unknown): Values {
  if (Array.isArray(dimension)) {
    if (dimension.every((value) => typeof value === "string" || Number.isSafeInteger(value)))
      return { length: dimension.length, at: (index) => dimension[index] };
    throw bad("a dimension of gen has values that are neither texts nor whole numbers");
  }
  const { start = 0, stop, step = 1 } = objectOf(dimension, "a dimension of gen");
  const [first, end, by] = [start, stop, step].map((value) => {
    if (Number.isSafeInteger(value)) return value as number;
    throw bad("a dimension of gen has a start, stop or step that is not a whole number");
  }) as [number, number, number];
  if (by === 0) throw bad("a dimension of gen has the step 0");
  const length = Math.max(0, Math.ceil((end - first) / by));
  return { length, at: (index) => first + index * by };
}
