/** Variables whose cells share one dimension, as datasets: HEALPix, unstructured and reduced Gaussian grids. */
import { isZarrError, type ZarrGroup } from "zarr-wasm";
import { type CellGrid, cellsOf } from "zarr-wasm/conventions";
import { text } from "../language/text.js";
import type { Dataset, DatasetAxis } from "./dataset.js";
import { foldAlong, foldedArray } from "./fold.js";

/** Returns the dataset with two axes in place of the cells' dimension; unchanged if there is none. */
export async function cellDataset(
  plain: Dataset,
  group: ZarrGroup,
  signal: AbortSignal | undefined,
): Promise<Dataset> {
  const { array } = plain;
  let cells: Awaited<ReturnType<typeof cellsOf>>;
  try {
    cells = await cellsOf(group, array, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (!isZarrError(error)) throw error;
    const problem = text.maps.unreadPlaces(error.message);
    return { ...plain, problems: [...(plain.problems ?? []), problem] };
  }
  return cells ? foldedDataset(plain, cells) : plain;
}

/** The dataset with two axes in place of the dimension of cells. */
export function foldedDataset(
  plain: Dataset,
  { axis, grid }: { readonly axis: number; readonly grid: CellGrid },
): Dataset {
  const { array } = plain;
  const [length, chunk] = [array.shape[axis]!, Math.min(array.chunkShape[axis]!, array.shape[axis]!)];
  const fold = foldAlong(axis, length, chunk, array.dtype.itemBytes);
  const own = foldedArray(array, fold);
  const name = plain.axes[axis]!.name;
  const part = (of: string, at: number): DatasetAxis => ({
    name: `${name ?? "cell"} ${of}`,
    length: own.shape[at]!,
    type: "space",
  });
  const axes = [...plain.axes];
  axes.splice(axis, 1, part("block", axis), part("in block", axis + 1));
  return {
    ...plain,
    axes,
    array: own,
    levels: [{ factor: axes.map(() => 1), origin: axes.map(() => 0), array: own, open: async () => own }],
    hints: { ...plain.hints, axes: [axis, axis + 1] },
    cells: { grid, axis, columns: fold.columns, rowsPerChunk: Math.max(1, Math.ceil(chunk / fold.columns)) },
  };
}
