/** Lazy part: GRIB 2 files. Fields are chunks of variables, in groups of variables with the same coordinates. */

import { toJson } from "../../metadata/print.js";
import type { JsonObject } from "../../util/json.js";
import { groupOf } from "../file/group.js";
import type { FileContext, FileFormat, FileGroup, FileNode } from "../file/model.js";
import { indexedEntries } from "./index-file.js";
import { MessageReader } from "./messages.js";
import { type Coordinate, type Entry, type Variable, variablesOf } from "./variables.js";

export const format: FileFormat = {
  async open(context, signal): Promise<FileGroup> {
    const reader = new MessageReader(context);
    const variables = variablesOf(context, await readEntries(context, reader, signal));
    if (variables.length === 0) throw reader.noMessages();
    const root = new Dataset();
    if (variables.every((variable) => root.accepts(variable))) return root.group();
    const groups = new Map([...datasetsOf(variables)].map(([name, dataset]) => [name, dataset.group()]));
    return groupOf(attributes(), groups);
  },
};

async function readEntries(
  context: FileContext,
  reader: MessageReader,
  signal: AbortSignal | undefined,
): Promise<Entry[]> {
  const indexed = await indexedEntries(context, reader, signal);
  if (indexed) return indexed;
  const fields = await reader.scan(signal);
  return fields.map(({ product, grid, packing, parts }) => ({ product, grid, packing, locate: () => parts }));
}

const attributes = () => toJson({ Conventions: "CF-1.7", GRIB_edition: 2 }, "attributes") as JsonObject;

/** Variables with the same coordinates. */
class Dataset {
  readonly #variables = new Map<string, Variable>();
  readonly #coordinates = new Map<string, Coordinate>();

  /** Adds a variable. @returns false if its name is taken, or if a coordinate of its name differs. */
  accepts(variable: Variable): boolean {
    const own = variable.coordinates();
    const { name } = variable;
    const differs = [...own].some(([key, { text }]) => (this.#coordinates.get(key)?.text ?? text) !== text);
    if (differs || this.#variables.has(name) || this.#coordinates.has(name) || own.has(name)) return false;
    this.#variables.set(variable.name, variable);
    for (const [key, coordinate] of own) this.#coordinates.set(key, coordinate);
    return true;
  }

  get first(): Variable {
    return [...this.#variables.values()][0]!;
  }

  group(): FileGroup {
    const arrays = [...this.#coordinates].flatMap(([name, { array }]) =>
      array ? [[name, array()] as const] : [],
    );
    return groupOf(attributes(), new Map<string, FileNode>([...this.#variables, ...arrays]));
  }
}

/** Divides variables by type of level, type of step and of data, then by coordinates. */
function datasetsOf(variables: readonly Variable[]): Map<string, Dataset> {
  const found = new Map<string, Dataset>();
  const counts = new Map<string, number>();
  for (const variable of variables) {
    const { typeOfLevel, stepType, dataType, derived } = variable.product;
    const texts = [...variable.coordinates()].map(([name, { text }]) => [name, text]);
    const key = JSON.stringify([typeOfLevel, stepType, dataType, derived, texts]);
    const own = `${key} ${variable.name}`;
    const count = (counts.get(own) ?? 0) + 1;
    counts.set(own, count);
    const dataset = found.get(`${key} ${count}`) ?? new Dataset();
    found.set(`${key} ${count}`, dataset);
    dataset.accepts(variable);
  }
  return withNames([...found.values()]);
}

/** Names datasets by their type of level, and by the properties in which those of one type differ. */
function withNames(datasets: readonly Dataset[]): Map<string, Dataset> {
  const byLevel = new Map<string, Dataset[]>();
  for (const dataset of datasets) {
    const { typeOfLevel } = dataset.first.product;
    byLevel.set(typeOfLevel, [...(byLevel.get(typeOfLevel) ?? []), dataset]);
  }
  const named = new Map<string, Dataset>();
  const counts = new Map<string, number>();
  for (const [typeOfLevel, own] of byLevel) {
    const columns = own.map(({ first }) => first.properties);
    const differ = columns[0]!.map((_, i) => new Set(columns.map((column) => column[i])).size > 1);
    for (const [i, dataset] of own.entries()) {
      const parts = columns[i]!.filter((text, column) => differ[column] && text !== "");
      const name = [typeOfLevel, ...parts].join("_").replace(/[^\w.-]+/g, "-");
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      named.set(count === 1 ? name : `${name}_${count}`, dataset);
    }
  }
  return named;
}
