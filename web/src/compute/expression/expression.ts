/** Implements `expression` and `anomaly`. */

import { noCell } from "../../engine/box-reduction.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { checkObject, checkOptions, type OptionNames } from "../../util/arguments.js";
import { SingleFlight } from "../../util/async.js";
import { invalidArgument } from "../../util/errors.js";
import { type GroupBy, groupedBy } from "../groups.js";
import { type LabelledRegion, Labels } from "../labelled.js";
import { type Dimension, reduceArray } from "../reduce.js";
import { checkArray, selectedAxes } from "../source.js";
import { gather } from "../tables.js";
import { type Binding, compile } from "./compile.js";
import { broadcast } from "./layout.js";
import { parseExpression } from "./parse.js";
import { type Operand, type OperandOptions, type Source, sourceOf, spansOf } from "./sources.js";
import { openVirtual, type VirtualOptions } from "./virtual-array.js";

export interface ExpressionOptions extends OperandOptions, VirtualOptions {}

export interface AnomalyOptions<N extends string = string> extends ExpressionOptions {
  /** Groups whose means are subtracted, as for `reduce`: "time.month". Default: the mean over `over`. */
  readonly groupBy?: GroupBy<N> | undefined;
  /** Dimensions of the mean, as for `reduce`. Default: the dimension of the groups; without groups, all. */
  readonly over?: Dimension<N> | readonly Dimension<N>[] | undefined;
  /** Aborts reading the coordinates of the groups. Reading the virtual array has its own signal. */
  readonly signal?: AbortSignal | undefined;
}

const options: OptionNames<ExpressionOptions> = {
  attributes: true,
  concurrency: true,
  decode: true,
  pool: true,
};
const anomalyOptions: OptionNames<AnomalyOptions> = {
  ...options,
  groupBy: true,
  over: "dim axis dims",
  signal: true,
};

/** Maximum number of operands with dimensions. */
const maxSources = 64;

export async function makeExpression(
  text: string,
  operands: Readonly<Record<string, Operand>>,
  given: ExpressionOptions,
): Promise<ZarrArray> {
  checkOptions(given, options);
  checkObject(operands, "operands");
  const term = parseExpression(text);
  const sources = new Map<string, Source>();
  const find = (name: string): Binding | undefined => {
    if (!Object.hasOwn(operands, name)) return undefined;
    const operand = operands[name]!;
    if (typeof operand === "bigint") return { constant: operand };
    if (typeof operand === "number") return { constant: weakNumber(operand) };
    const others = [...sources.values()].flatMap(({ labels }) => labels ?? []);
    const source = sources.get(name) ?? sourceOf(name, operand, given, others);
    sources.set(name, source);
    return { input: [...sources.keys()].indexOf(name), stored: source.stored };
  };
  const compiled = compile(text, term, find, Object.keys(operands));
  if (sources.size === 0 || sources.size > maxSources)
    throw invalidArgument(`an expression must name 1 to ${maxSources} arrays, got ${sources.size}`);
  const array = Object.values(operands).find((operand) => operand instanceof ZarrArray);
  return openVirtual(text, compiled, broadcast(sources), given, (array as ZarrArray | undefined)?.limits);
}

/** A number without a fraction adapts to integer types, like an integer of the text. */
const weakNumber = (number: number): number | bigint =>
  Number.isSafeInteger(number) && !Object.is(number, -0) ? BigInt(number) : number;

export async function makeAnomaly(array: ZarrArray, given: AnomalyOptions): Promise<ZarrArray> {
  checkArray(array, "anomaly");
  checkOptions(given, anomalyOptions);
  const labels = new Labels(array, given.signal);
  const names = array.shape.map((_, axis) => labels.names[axis] ?? `axis ${axis}`);
  const mean = await meanSource(array, given, labels, names);
  const sources = new Map(
    Object.entries({ array: { ...sourceOf("array", array, given, [labels]), names }, mean }),
  );
  const find = (name: string): Binding => ({
    input: name === "array" ? 0 : 1,
    stored: sources.get(name)!.stored,
  });
  const compiled = (text: string) => compile(text, parseExpression(text), find, []);
  const text = compiled("array").kind === "float32" ? "float32(array - mean)" : "array - mean";
  const layout = {
    ...broadcast(sources),
    names: labels.names.some((name) => name) ? labels.names : undefined,
  };
  return openVirtual(text, compiled(text), layout, given, array.limits);
}

/** Returns the mean that belongs to each element; means are computed at the first read, for all reads. */
async function meanSource(
  array: ZarrArray,
  { groupBy, over, decode, pool }: AnomalyOptions,
  labels: Labels,
  names: readonly string[],
): Promise<Source> {
  const listed = over === undefined ? undefined : [over].flat().map((name) => labels.axis(name));
  const grouped =
    groupBy === undefined ? undefined : await groupedBy(groupBy, labels, selectedAxes(array, undefined));
  const cells = grouped?.tables[0];
  if (cells?.includes(noCell)) throw invalidArgument("groupBy: every element must belong to a group");
  const isKept = (axis: number) => axis === grouped?.axis || !(listed?.includes(axis) ?? !grouped);
  const kept = [...array.shape.keys()].filter(isKept);
  const flights = new SingleFlight<LabelledRegion>();
  let means: LabelledRegion | undefined;
  const compute = (signal: AbortSignal) =>
    reduceArray(array, { method: "mean", groupBy, over, decode, pool, signal }) as Promise<LabelledRegion>;
  return {
    shape: kept.map((axis) => array.shape[axis]!),
    names: kept.map((axis) => names[axis]!),
    stored: { kind: "float64" },
    async read(box, signal) {
      means ??= await flights.run("", signal, compute);
      const indices = kept.map((axis, i) => {
        const span = spansOf(box)[i]!;
        if (axis !== grouped?.axis) return span;
        return Array.from(cells!.subarray(span.start, span.start + span.count));
      });
      return gather(means, indices);
    },
  };
}
