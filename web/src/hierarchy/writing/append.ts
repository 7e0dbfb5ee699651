/** Making an array longer, with values for what is new. */
import { invalidArgument, notFound, shown } from "../../base/errors.js";
import type { JsonNumber } from "../../base/json.js";
import { countOf } from "../../base/strides.js";
import { isConverted } from "../../dtypes/elements.js";
import { slice } from "../../region/selection/selection.js";
import { inTurn } from "../../store/turns.js";
import { requireWritable } from "../../store/write.js";
import { ZarrArray } from "../array.js";
import type { WriteRegionOptions } from "../set.js";
import { readDocument } from "./place.js";
import { checkValues, set, writingOptions } from "./set.js";
import { mainKeys, resize } from "./update.js";

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
    throw invalidArgument(`there is no axis ${shown(axis)} in an array of ${rank} dimensions`);
  requireWritable(array.store);
  writingOptions(options);
  const along = axis < 0 ? axis + rank : axis;
  // Not the turn of the node's document, which resize takes.
  await inTurn(array.store, `${array.path} append`, async () => {
    const shape = await currentShape(array, options.signal);
    const count = lengthOf(array, values, shape, along);
    const from = shape[along]!;
    const longer = shape.map((length, i) => (i === along ? length + count : length));
    checkValues(
      array,
      shape.map((length, i) => (i === along ? count : length)),
      values,
    );
    if (longer.join() !== array.shape.join()) await resize(array, longer, { signal: options.signal });
    const selection = longer.map((_, i) => (i === along ? slice(from, from + count) : null));
    await set(array, selection, values, options);
  });
}

/** The shape that the array has now: another handle, or another program, may have changed it. */
async function currentShape(
  { store, path, zarrFormat, limits }: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const read = await readDocument(store, path, mainKeys[zarrFormat], signal, limits);
  const shape = read?.object["shape"];
  if (!Array.isArray(shape)) throw notFound(`there is no array at "/${path}" any more`);
  return shape.map((length) => (length as JsonNumber).value);
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
  throw invalidArgument(
    `append takes elements for whole hyperplanes of [${others}], or a region with its shape`,
  );
}
