/** Resolves an array and a selection for reductions: its kind of numbers, missing values and the axes to read. */

import { type CFOptions, isReal, type PackedNumbers, packedNumbers } from "../conventions/xarray/cf.js";
import type { DType } from "../dtypes/dtype.js";
import { type ElementData, isConverted, toElements } from "../dtypes/elements.js";
import type { NumberName, ValueRule } from "../engine/box-reduction.js";
import { ZarrArray } from "../hierarchy/array.js";
import { type AxisRange, type AxisSelection, resolveSelection, type Selection } from "../plan/selection.js";
import { isRecord } from "../util/arguments.js";
import { describeValue, invalidArgument, invalidSelection, unsupported } from "../util/errors.js";
import { countOf } from "../util/shapes.js";

/** How `reduce` and its like decode elements: options of `decodeCF`, or false to take numbers as stored. */
export type DecodeOption = Pick<CFOptions, "fillValueIsMissing"> | false;

/** @throws InvalidArgument for anything but an array. */
export function checkArray(array: unknown, what: string): asserts array is ZarrArray {
  if (!(array instanceof ZarrArray))
    throw invalidArgument(`${what} expects an array returned by open() or create()`);
}

/** @throws InvalidSelection. */
export const selectedAxes = ({ spec }: ZarrArray, selection: Selection | undefined): AxisSelection[] =>
  resolveSelection(selection, spec.shape, spec.dimensionNames, true);

/** A box of elements, and how they become values. */
export interface Elements {
  readonly array: ZarrArray;
  readonly selections: readonly AxisRange[];
  readonly count: number;
  readonly values: ValueRule;
}

/** @throws InvalidSelection for lists of indices; Unsupported for times; the errors of {@link valueRule}. */
export function elementsOf(
  array: ZarrArray,
  selection: Selection | undefined,
  decode: DecodeOption | undefined,
): Elements {
  const values = valueRule(array, decode, true);
  if (/^(datetime|timedelta)64$/.test(array.dtype.core))
    throw unsupported(`elements of data type ${array.dtype} are not numbers`, { code: "unsupported-dtype" });
  const selections = selectedAxes(array, selection).map((axis, i) => {
    if ("indices" in axis)
      throw invalidSelection(`dimension ${i}: expected an index, a slice or null, got a list of indices`);
    return axis;
  });
  return { array, selections, count: countOf(selections.map(({ count }) => count)), values };
}

/**
 * Returns how elements become values.
 * @param skipMissing whether missing values are left out; otherwise, results with missing values are NaN.
 * @throws Unsupported for types that are not real numbers, Booleans or times; InvalidMetadata for invalid attributes.
 */
export function valueRule(
  array: ZarrArray,
  decode: DecodeOption | undefined,
  skipMissing: boolean | undefined,
): ValueRule {
  if (decode !== undefined && decode !== false && !isRecord(decode))
    throw invalidArgument(`decode must be false or an object of options, got ${describeValue(decode)}`);
  if (skipMissing !== undefined && typeof skipMissing !== "boolean")
    throw invalidArgument(`skipMissing must be true or false, got ${describeValue(skipMissing)}`);
  const { dtype } = array;
  const skipsNaN = skipMissing ?? true;
  const number = numberName(dtype);
  if (number === undefined)
    throw unsupported(`elements of data type ${dtype} are not numbers that can be reduced`, {
      code: "unsupported-dtype",
    });
  if (/^(datetime|timedelta)64$/.test(dtype.core)) return { number, missing: [notATime], skipsNaN: true };
  if (decode === false || !isReal(array)) return { number, missing: [], skipsNaN };
  const { data, packing } = packed(array, decode ?? {});
  const stored = signedName(number, data);
  if (!packing) return { number: stored, missing: [], skipsNaN };
  const { scale, offset, missing, isFloat32 } = packing;
  if (missing.length > maxMissing)
    throw unsupported(`${missing.length} missing values are more than the limit of ${maxMissing}`);
  const changes =
    scale !== 1 || offset !== 0 || !stored.includes("float") || isFloat32 === (stored === "float64");
  return { number: stored, decode: changes ? { scale, offset, isFloat32 } : undefined, missing, skipsNaN };
}

/** Of the core. */
const maxMissing = 64;
const notATime = -(2n ** 63n);

function packed(array: ZarrArray, options: CFOptions): PackedNumbers {
  return packedNumbers(array, toElements(array.dtype, new Uint8Array(0)), { ...options, times: "counts" });
}

/** Returns the number in the core; undefined for types that are not numbers of whole bytes. */
function numberName(dtype: DType): NumberName | undefined {
  const { core } = dtype;
  if (core === "datetime64" || core === "timedelta64") return "int64";
  if (core === "float16" || core === "bfloat16") return core;
  if (core === "variable" || isConverted(dtype)) return undefined;
  return /^(bool|u?int(8|16|32|64)|float(32|64))$/.test(core) ? (core as NumberName) : undefined;
}

/** Returns the name of integers with the sign of `_Unsigned`. */
function signedName(number: NumberName, data: ElementData): NumberName {
  if (!/^u?int/.test(number)) return number;
  const bare = number.replace("u", "");
  return (/Uint/.test(data.constructor.name) ? `u${bare}` : bare) as NumberName;
}
