/** Operands of expressions: arrays, parts of arrays and regions in memory, read box by box as decoded numbers. */

import { isReal } from "../../conventions/xarray/cf.js";
import { type Coordinate, dimensionsOf } from "../../conventions/xarray/xarray.js";
import { type ElementData, isTypedArray } from "../../dtypes/elements.js";
import type { ValueRule } from "../../engine/box-reduction.js";
import { type Region, ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import type { AxisSelection, Selection } from "../../plan/selection.js";
import { isRecord, ownProperty } from "../../util/arguments.js";
import { invalidArgument, unsupported } from "../../util/errors.js";
import { type Box, countOf } from "../../util/shapes.js";
import type { WorkerPool } from "../../workers/pool.js";
import { Labels, selectionOf } from "../labelled.js";
import { type DecodeOption, selectedAxes, valueRule } from "../source.js";
import { gather } from "../tables.js";
import type { Kind } from "./kinds.js";

type Names = readonly (string | null)[] | undefined;

/** A part of an array as an operand. */
export interface ArrayOperand {
  readonly array: ZarrArray;
  /** As for `get`. Default: the whole array. */
  readonly selection?: Selection | undefined;
  /** Names of all dimensions of the array. Default: its own. */
  readonly dimensionNames?: Names;
}

/** Elements in C order, with the names of their dimensions. */
export type NamedRegion = Region & { readonly dimensionNames?: Names };

/** An array, a part of one, a result of `get` or `reduce`, or a number. */
export type Operand = ZarrArray | ArrayOperand | NamedRegion | number | bigint;

export interface OperandOptions {
  /** Decodes by attributes of CF, as `decodeCF` does with `times: "counts"`. False: numbers as stored. */
  readonly decode?: DecodeOption | undefined;
  /** Workers that decode the chunks of operands. Default: the calling thread. */
  readonly pool?: WorkerPool | undefined;
}

/** Elements as stored, and how the core decodes them. */
export interface Stored extends Partial<Pick<ValueRule, "decode" | "missing">> {
  readonly kind: Kind;
  /** Whether integers are booleans, as xarray stores them. */
  readonly isBool?: boolean;
}

/** An operand with dimensions; those that its selection drops are left out. */
export interface Source {
  readonly shape: readonly number[];
  readonly names: Names;
  readonly stored: Stored;
  /** Shape of its chunks, if it is stored. */
  readonly chunks?: readonly number[];
  readonly labels?: Labels;
  /** Opens the coordinates along dimensions that are selected whole. */
  coordinates?(): Promise<readonly Coordinate[]>;
  /** Returns the elements of a box in C order. */
  read(box: Box, signal: AbortSignal | undefined): ElementData | Promise<ElementData>;
}

/**
 * @param others labels of other operands.
 * @throws InvalidArgument, InvalidSelection; Unsupported for types that are not real numbers; InvalidMetadata.
 */
export function sourceOf(
  name: string,
  operand: unknown,
  options: OperandOptions,
  others: readonly Labels[],
): Source {
  if (operand instanceof ZarrArray) return arraySource(name, { array: operand }, options, others);
  if (isRecord(operand) && operand["array"] instanceof ZarrArray)
    return arraySource(name, operand as unknown as ArrayOperand, options, others);
  const { data, shape, dimensionNames: names, dtype } = (operand ?? {}) as Partial<NamedRegion>;
  if (!isTypedArray(data) || !Array.isArray(shape) || countOf(shape) !== data.length)
    throw invalidArgument(`operand "${name}" must be an array, { array, selection }, a region or a number`);
  const kind =
    dtype?.core === "bool" ? "bool" : data.constructor.name.replace(/Clamped|Array|Big/g, "").toLowerCase();
  return {
    shape,
    names,
    stored: { kind: supported(kind) },
    read: (box) => widened(gather({ data, shape }, spansOf(box))),
  };
}

function arraySource(
  name: string,
  operand: ArrayOperand,
  { decode, pool }: OperandOptions,
  others: readonly Labels[],
): Source {
  const { array, selection, dimensionNames } = operand;
  const { dtype } = array;
  if (dtype.core !== "bool" && !isReal(array))
    throw unsupported(`operand "${name}" has data type ${dtype}; expressions take real numbers`, {
      code: "unsupported-dtype",
    });
  const rule = valueRule(array, decode, undefined);
  const isBool =
    decode !== false && rule.number === "int8" && ownProperty(array.attributes, "dtype") === "bool";
  const names = dimensionNames ?? dimensionsOf(array) ?? array.dimensionNames;
  const axes = selectedAxes(array, selection);
  const kept = axes.flatMap((axis, i) => (axis.dropped ? [] : [i]));
  if (names && names.length !== axes.length)
    throw invalidArgument(`operand "${name}" has ${axes.length} dimensions, but ${names.length} names`);
  const chunkOf = (i: number) => Math.ceil(array.chunkShape[i]! / ("step" in axes[i]! ? axes[i].step : 1));
  const labels = new Labels(array, undefined, others);
  const isWhole = (i: number) => {
    const { count, ...axis } = axes[i]!;
    return "step" in axis && axis.step === 1 && count === array.shape[i] && names?.[i] === labels.names[i];
  };
  const whole = new Map(kept.filter(isWhole).map((i) => [labels.names[i]!, array.shape[i]!]));
  return {
    shape: kept.map((i) => axes[i]!.count),
    names: names && kept.map((i) => names[i]!),
    stored: { ...rule, kind: supported(rule.number), isBool },
    chunks: kept.map(chunkOf),
    labels,
    async coordinates() {
      const all = await labels.coordinates();
      return all.filter((one) => one.dimensions.every((name, i) => whole.get(name) === one.array.shape[i]));
    },
    async read({ from, to }, signal) {
      const part = axes.map((axis, i) => {
        const own = kept.indexOf(i);
        return selectionOf(own < 0 ? axis : partOf(axis, from[own]!, to[own]!));
      });
      return widened((await get(array, part, { signal, pool })).data);
    },
  };
}

/** Smaller floats are computed as float32. */
const supported = (kind: string) => kind.replace(/b?float16/, "float32") as Kind;
const widened = (data: ElementData) =>
  data.constructor.name === "Float16Array" ? Float32Array.from(data as Float32Array) : data;

function partOf(axis: AxisSelection, from: number, to: number): AxisSelection {
  if ("indices" in axis) return { ...axis, indices: axis.indices.slice(from, to), count: to - from };
  return { ...axis, start: axis.start + from * axis.step, count: to - from };
}

/** Returns the indices of a box along each axis. */
export const spansOf = ({ from, to }: Box): { start: number; count: number }[] =>
  from.map((start, axis) => ({ start, count: to[axis]! - start }));
