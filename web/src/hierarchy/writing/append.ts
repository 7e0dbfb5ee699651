/** Making an array longer, with values for what is new. */
import { invalidArgument, shown } from "../../base/errors.js";
import { countOf } from "../../base/strides.js";
import { isConverted } from "../../dtypes/elements.js";
import { ArrayReader } from "../../region/fetch/reader.js";
import { slice } from "../../region/selection/selection.js";
import { inTurn } from "../../store/turns.js";
import { requireWritable, supportsConditions } from "../../store/write.js";
import { ZarrArray } from "../array.js";
import type { WriteRegionOptions } from "../set.js";
import { checkValues, setIn, writingOptions } from "./set.js";
import { type AxesOf, changeShape, endOf } from "./shape.js";

export async function append(
  array: ZarrArray,
  values: unknown,
  axis: number,
  options: WriteRegionOptions,
): Promise<void> {
  if (!(array instanceof ZarrArray))
    throw invalidArgument("append needs an array that was opened or created");
  const rank = array.shape.length;
  if (!Number.isSafeInteger(axis) || axis < -rank || axis >= rank)
    throw invalidArgument(
      `the axis must be an integer from ${-rank} to ${rank - 1}, not ${shown(axis)}: append(array, values, axis, options)`,
    );
  requireWritable(array.store);
  const writing = writingOptions(options);
  const along = axis < 0 ? axis + rank : axis;
  // Not the turn of the node's document, which the shape's change takes.
  await inTurn(array.store, `${array.path} append`, writing.signal, async () => {
    let [from, to] = [0, 0];
    let reader = array.reader;
    await changeShape(array, writing, async (now, axesOf) => {
      const count = lengthOf(array, values, now, along);
      from = now[along]!;
      to = from + count;
      const longer = withLength(now, along, to);
      checkValues(array, withLength(now, along, count), values);
      reader = await readerBeyond(array, longer, along, axesOf);
      return longer;
    });
    const selection = array.shape.map((_, i) => (i === along ? slice(from, to) : null));
    await setIn(array, reader, selection, values, writing);
  });
}

const withLength = (shape: readonly number[], along: number, length: number): number[] =>
  shape.map((other, axis) => (axis === along ? length : other));

/**
 * What writes into an array that other programs may make longer still while it is written: its last chunks along the axis
 * then hold elements of theirs. Where the store can tell, no chunk counts as covered that goes on beyond the end.
 */
async function readerBeyond(
  { store, path, spec, limits }: ZarrArray,
  shape: readonly number[],
  along: number,
  axesOf: AxesOf,
): Promise<ArrayReader> {
  const axes = await axesOf(shape);
  const isShared = supportsConditions(store);
  const lengths = isShared ? withLength(shape, along, endOf(axes[along]!, shape[along]!)) : shape;
  return new ArrayReader(store, path, { ...spec, shape: lengths, axes: await axesOf(lengths) }, limits);
}

/** How many hyperplanes the values are. @throws InvalidArgument for values that are no whole number of them. */
function lengthOf({ dtype }: ZarrArray, values: unknown, shape: readonly number[], along: number): number {
  const others = shape.filter((_, i) => i !== along);
  const region = values as { data?: unknown; shape?: unknown } | null;
  if (!ArrayBuffer.isView(values) && Array.isArray(region?.shape)) {
    const given = region.shape as readonly number[];
    const fits =
      given.length === shape.length && given.every((length, i) => i === along || length === shape[i]);
    if (fits) return given[along]!;
    throw invalidArgument(
      `values of the shape [${given}] cannot be appended to [${shape}] along axis ${along}`,
    );
  }
  const list = values as { length?: number; byteLength?: number };
  const isList = Array.isArray(values) || ArrayBuffer.isView(values);
  const elements =
    isConverted(dtype) || !ArrayBuffer.isView(values) ? list?.length : list.byteLength! / dtype.itemBytes;
  const count = (elements ?? Number.NaN) / countOf(others);
  if (isList && Number.isSafeInteger(count)) return count;
  if (!isList)
    throw invalidArgument(
      `append takes a typed array or a list of elements, or a region with its shape, not ${shown(values)}`,
    );
  const each = `${countOf(others)} elements${others.length > 1 ? ` (${others.join(" × ")})` : ""}`;
  throw invalidArgument(
    `append along axis ${along} takes a multiple of ${each}, or a region with its shape, not ${elements} elements`,
  );
}
