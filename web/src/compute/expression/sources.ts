/** Operands of expressions: arrays, selections of arrays and regions in memory, read box by box as decoded numbers. */

import { type CFOptions, decodeCF } from "../../conventions/xarray/cf.js";
import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";
import { type Region, ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { resolveSelection, type Selection, slice } from "../../plan/selection.js";
import { isRecord } from "../../util/arguments.js";
import { describeValue, invalidArgument, unsupported } from "../../util/errors.js";
import { type Box, countOf, stridesOf } from "../../util/shapes.js";
import { moveItems } from "../../util/strided-copy.js";
import { boxLengths } from "../../walk/boxes.js";
import type { WorkerPool } from "../../workers/pool.js";
import { type Kind, kinds } from "./kinds.js";

export type DimensionNames = readonly (string | null)[];

/** An array as an operand. */
export interface ArrayOperand {
  readonly array: ZarrArray;
  /** As for `get`. Default: the whole array. */
  readonly selection?: Selection | undefined;
  /** Names of all dimensions of the array. Default: its own. */
  readonly dimensionNames?: DimensionNames | undefined;
}

/** Elements with the names of their dimensions. */
export type NamedRegion = Region & { readonly dimensionNames?: DimensionNames | undefined };

/** An array, a part of one, a result of `get` or `reduce`, or a number. */
export type Operand = ZarrArray | ArrayOperand | NamedRegion | number | bigint;

export interface ReadOptions {
  /** How operands are decoded; false: not at all. Default: as `decodeCF` does, with times as counts. */
  readonly decode?: CFOptions | false | undefined;
  /** Workers that decode chunks of operands. */
  readonly pool?: WorkerPool | undefined;
}

/** An operand without its dropped dimensions. */
export interface Source {
  readonly shape: readonly number[];
  readonly names: DimensionNames | undefined;
  readonly kind: Kind;
  /** Shape of its chunks, if it is stored. */
  readonly chunks?: readonly number[] | undefined;
  /** Returns the elements of a box in C order. */
  read(box: Box, signal: AbortSignal | undefined): ElementData | Promise<ElementData>;
}

/** @throws InvalidArgument, InvalidSelection; Unsupported for types that are not real numbers; errors of decodeCF. */
export function sourceOf(name: string, operand: Exclude<Operand, number | bigint>, options: ReadOptions): Source {
  if (operand instanceof ZarrArray) return arraySource(name, { array: operand }, options);
  if (!isRecord(operand))
    throw invalidArgument(`operand "${name}" must be an array, a region or a number, got ${describeValue(operand)}`);
  if ("array" in operand && operand.array instanceof ZarrArray)
    return arraySource(name, operand as unknown as ArrayOperand, options);
  const region = operand as unknown as NamedRegion;
  if (ArrayBuffer.isView(region.data) && Array.isArray(region.shape)) return regionSource(name, region);
  throw invalidArgument(`operand "${name}" must be an array, { array, selection }, a region or a number`);
}

function arraySource(name: string, { array, selection, dimensionNames }: ArrayOperand, options: ReadOptions): Source {
  const allNames = dimensionNames ?? array.dimensionNames;
  if (allNames && allNames.length !== array.shape.length)
    throw invalidArgument(`operand "${name}" has ${array.shape.length} dimensions, but ${allNames.length} dimensionNames`);
  const axes = resolveSelection(selection, array.shape, allNames, true);
  const kept = axes.flatMap((axis, i) => (axis.dropped ? [] : [i]));
  const decode = (region: Region) =>
    options.decode === false ? region : decodeCF(array, region, { times: "counts", ...options.decode });
  const read = async ({ from, to }: Box, signal: AbortSignal | undefined) => {
    const part = axes.map((axis, i) => {
      if ("indices" in axis) return axis.indices.slice(from[kept.indexOf(i)]!, to[kept.indexOf(i)]!);
      if (axis.dropped) return axis.start;
      const [first, end] = [from[kept.indexOf(i)]!, to[kept.indexOf(i)]!];
      return slice(axis.start + first * axis.step, axis.start + (end - 1) * axis.step + 1, axis.step);
    });
    const region = await get(array, part, { signal, pool: options.pool });
    return widened(decode(region).data as ElementData);
  };
  return {
    shape: kept.map((i) => axes[i]!.count),
    names: allNames && kept.map((i) => allNames[i]!),
    kind: kindOf(name, array.dtype, decode),
    chunks: kept.map((i) => {
      const axis = axes[i]!;
      return Math.max(1, Math.ceil(array.chunkShape[i]! / ("step" in axis ? axis.step : 1)));
    }),
    read,
  };
}

function regionSource(name: string, { data, shape, stride, dimensionNames, dtype }: NamedRegion): Source {
  const elements = data as ElementData;
  if (elements.length !== countOf(shape))
    throw invalidArgument(`operand "${name}" has ${elements.length} elements, but its shape is [${shape.join(", ")}]`);
  const kind = kindOf(name, dtype, (region) => region);
  const read = (box: Box) => {
    const lengths = boxLengths(box);
    const width = elements.BYTES_PER_ELEMENT;
    const bytes = new Uint8Array(countOf(lengths) * width);
    const to = stridesOf(lengths, width);
    moveItems(new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength), bytes, {
      from: box.from.reduce((sum, at, axis) => sum + at * stride[axis]! * width, 0),
      to: 0,
      itemBytes: width,
      axes: lengths.map((count, axis) => ({ count, from: stride[axis]! * width, to: to[axis]! })),
    });
    return widened(new (elements.constructor as Uint8ArrayConstructor)(bytes.buffer));
  };
  return { shape, names: dimensionNames, kind, read };
}

/** Returns the type of the elements that an operand has after decoding. */
function kindOf(name: string, dtype: DType, decode: (region: Region) => { readonly data: unknown; readonly kind?: string }): Kind {
  const isNumber = /^(?:bool|u?int\d+|b?float\d.*|datetime64)$/.test(dtype.core);
  if (isNumber) {
    const array = emptyArrays[dtype.core] ?? Float32Array;
    const decoded = decode({ data: new array(0), shape: [0], stride: [1], dtype });
    if (dtype.core === "bool" || decoded.kind === "booleans") return "bool";
    const own = (decoded.data as ElementData).constructor.name.replace(/Array|Big/g, "").toLowerCase();
    const kind = own === "float16" ? "float32" : (own as Kind);
    if (kinds.includes(kind) && (dtype.core !== "datetime64" || decoded.kind === "milliseconds")) return kind;
  }
  const advice = dtype.core === "datetime64" ? '; pass decode: { times: "milliseconds" }' : "";
  throw unsupported(`operand "${name}" has data type ${dtype}; expressions take real numbers${advice}`, {
    code: "unsupported-dtype",
  });
}

/** Typed arrays by core type; float32 represents smaller floats. */
const emptyArrays: Readonly<Record<string, new (length: number) => ElementData>> = {
  ...{ bool: Uint8Array, int2: Int8Array, int4: Int8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array },
  ...{ int64: BigInt64Array, uint2: Uint8Array, uint4: Uint8Array, uint8: Uint8Array, uint16: Uint16Array },
  ...{ uint32: Uint32Array, uint64: BigUint64Array, float64: Float64Array, datetime64: BigInt64Array },
};

/** Returns float16 as float32, and other elements as they are. */
const widened = (data: ElementData): ElementData =>
  data.constructor.name === "Float16Array" ? Float32Array.from(data as Float32Array) : data;
