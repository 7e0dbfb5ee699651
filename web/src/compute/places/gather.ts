/** Reads some cells of an array at all positions of its other axes. Each chunk is read once. */

import type { Elements } from "../../dtypes/elements.js";
import type { Region, ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import type { AxisGrid } from "../../metadata/grid.js";
import { combinations } from "../../plan/projections.js";
import { type AxisSelection, type DimensionSelection, slice } from "../../plan/selection.js";
import { limitExceeded } from "../../util/errors.js";
import { countOf, indices, stridesOf } from "../../util/shapes.js";
import { inLanes, lanesFor } from "../../walk/boxes.js";
import { indexAt as indexOf } from "../axes.js";
import type { RunOptions } from "../run.js";

/** Size up to which neighbouring chunks are read with one call, and memory of all calls in flight. */
const readBytes = 2 ** 22;
const memory = 2 ** 27;
const defaultConcurrency = 16;

/** Elements along an axis that are read together, and their positions in the result. */
interface Piece {
  readonly entry: DimensionSelection;
  readonly positions: readonly number[];
}

/** Cells in one chunk: their numbers in the result, and the box around them. */
interface CellGroup {
  readonly numbers: number[];
  readonly from: number[];
  readonly to: number[];
}

/**
 * Returns the elements as stored: axes of the array in their order, with the cells in place of the first of
 * their axes.
 * @param cells indices along `axes`.
 * @param selections of all axes; those of the cells are ignored.
 * @throws LimitExceeded before anything is read; the errors of `get`.
 */
export async function gatherCells(
  array: ZarrArray,
  axes: readonly number[],
  cells: readonly (readonly number[])[],
  selections: readonly AxisSelection[],
  options: RunOptions,
): Promise<Region<Elements>> {
  const { dtype, limits, reader } = array;
  const itemBytes = dtype.itemBytes || 8;
  const first = Math.min(...axes);
  const others = [...selections.keys()].filter((axis) => !axes.includes(axis));
  const shape = others.map((axis) => selections[axis]!.count).toSpliced(first, 0, cells.length);
  const size = countOf(shape) * itemBytes;
  if (!(size <= limits.resultBytes))
    throw limitExceeded(`the series have ${size} bytes, more than the limit of ${limits.resultBytes}`);
  const groups = groupCells(
    axes.map((axis) => reader.axes[axis]!),
    cells,
  );
  let largest =
    itemBytes * Math.max(...groups.map(({ from, to }) => countOf(to.map((end, i) => end - from[i]!))));
  const pieces: Piece[][] = [];
  for (const axis of others.toReversed()) {
    const own = piecesOf(selections[axis]!, reader.axes[axis]!, largest);
    pieces.unshift(own);
    largest *= Math.max(1, ...own.map(({ positions }) => positions.length));
  }
  const stride = stridesOf(shape);
  const lanes = Math.min(
    lanesFor(largest, memory),
    countOf(pieces.map((list) => list.length)) * groups.length,
  );
  const progress = { bytes: 0, totalBytes: size, received: 0 };
  const { signal, pool, concurrency = defaultConcurrency } = options;
  let out: Elements | undefined;
  await inLanes(tasks(), lanes, read, signal);
  const none = () =>
    get<Elements>(
      array as never,
      array.shape.map(() => slice(0)),
      { signal },
    );
  return { data: out ?? (await none()).data, shape, stride, dtype };

  function* tasks() {
    for (const list of combinations(pieces)) for (const group of groups) yield { list, group };
  }

  async function read({ list, group }: { list: readonly Piece[]; group: CellGroup }): Promise<void> {
    const entries: DimensionSelection[] = [];
    for (const [i, axis] of others.entries()) entries[axis] = list[i]!.entry;
    for (const [i, axis] of axes.entries()) entries[axis] = slice(group.from[i]!, group.to[i]!);
    let received = 0;
    const region = await get<Elements>(array as never, entries, {
      signal,
      pool,
      concurrency: Math.max(1, Math.ceil(concurrency / lanes)),
      onProgress: ({ bytes }) => {
        progress.received += bytes - received;
        received = bytes;
      },
    });
    const items = region.data.length / countOf(region.shape); // two numbers of a complex one
    out ??= makeLike(region.data, countOf(shape) * items);
    const [target, source] = [out as unknown[], region.data as ArrayLike<unknown>];
    const offsets = group.numbers.map((number) =>
      axes.reduce((sum, axis, i) => sum + (cells[number]![i]! - group.from[i]!) * region.stride[axis]!, 0),
    );
    const counts = list.map(({ positions }) => positions.length);
    for (const at of indices(counts)) {
      let [from, to] = [0, 0];
      for (const [i, index] of at.entries()) {
        from += index * region.stride[others[i]!]!;
        to += list[i]!.positions[index]! * stride[i < first ? i : i + 1]!;
      }
      for (const [i, number] of group.numbers.entries())
        for (let item = 0; item < items; item++)
          target[(to + number * stride[first]!) * items + item] = source[(from + offsets[i]!) * items + item];
    }
    progress.bytes += countOf(counts) * group.numbers.length * itemBytes;
    options.onProgress?.({ ...progress });
  }
}

function makeLike(data: Elements, length: number): Elements {
  if (Array.isArray(data)) return new Array<unknown>(length).fill(null);
  return new (data.constructor as new (length: number) => Elements)(length);
}

/** Groups cells by chunk. */
function groupCells(grids: readonly AxisGrid[], cells: readonly (readonly number[])[]): CellGroup[] {
  const groups = new Map<string, CellGroup>();
  for (const [number, cell] of cells.entries()) {
    const key = cell.map((index, i) => grids[i]!.find(index)).join();
    const { from, numbers, to } = groups.get(key) ?? { from: [...cell], numbers: [], to: [] };
    groups.set(key, { from, numbers, to });
    numbers.push(number);
    for (const [i, index] of cell.entries()) {
      from[i] = Math.min(from[i]!, index);
      to[i] = Math.max(to[i] ?? 0, index + 1);
    }
  }
  return [...groups.values()];
}

/** Divides the elements of a selection by chunk; neighbouring chunks are read together. */
function piecesOf(selection: AxisSelection, grid: AxisGrid, elementBytes: number): Piece[] {
  const indexAt = (position: number) => indexOf(selection, position);
  const chunks = new Map<number, number[]>();
  for (let position = 0; position < selection.count; position++) {
    const chunk = grid.find(indexAt(position));
    const own = chunks.get(chunk);
    if (own) own.push(position);
    else chunks.set(chunk, [position]);
  }
  const lists: number[][] = [];
  for (const positions of chunks.values()) {
    const before = lists.at(-1);
    if (before && (before.length + positions.length) * elementBytes <= readBytes)
      for (const position of positions) before.push(position);
    else lists.push(positions);
  }
  return lists.map((positions) => {
    if ("indices" in selection) return { entry: positions.map(indexAt), positions };
    return {
      entry: slice(indexAt(positions[0]!), indexAt(positions.at(-1)!) + 1, selection.step),
      positions,
    };
  });
}
