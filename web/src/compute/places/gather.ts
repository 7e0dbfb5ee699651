/** Reads some cells of an array at all positions of its other axes. Each chunk is read once. */

import type { Elements } from "../../dtypes/elements.js";
import type { Region, ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import type { AxisGrid } from "../../metadata/grid.js";
import { combinations, projectRange } from "../../plan/projections.js";
import { type AxisSelection, type DimensionSelection, slice } from "../../plan/selection.js";
import { limitExceeded } from "../../util/errors.js";
import { countOf, indices, stridesOf } from "../../util/shapes.js";
import { inLanes, lanesFor } from "../../walk/boxes.js";
import type { RunOptions } from "../run.js";

/** Size up to which neighbouring chunks are read with one call, and memory of all calls in flight. */
const readBytes = 2 ** 22;
const memory = 2 ** 27;
const defaultConcurrency = 16;

/** Elements along an axis that are read together, with the positions of the first and the others in the result. */
interface Piece {
  readonly entry: DimensionSelection;
  readonly positions: readonly number[];
}

/** Cells in one chunk. */
interface CellGroup {
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Numbers of the cells in the result. */
  readonly numbers: number[];
}

/**
 * Returns the elements as stored: axes of the array in their order, with the cells in place of the first of
 * their axes.
 * @param axes of the cells, ascending.
 * @param cells indices along these axes.
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
  const { reader, dtype } = array;
  const itemBytes = dtype.itemBytes || 8;
  const others = selections.flatMap((_, axis) => (axes.includes(axis) ? [] : [axis]));
  const first = others.filter((axis) => axis < axes[0]!).length;
  const counts = others.map((axis) => selections[axis]!.count);
  const shape = [...counts.slice(0, first), cells.length, ...counts.slice(first)];
  const size = countOf(shape) * itemBytes;
  if (!(size <= array.limits.resultBytes))
    throw limitExceeded(`the series have ${size} bytes, more than the limit of ${array.limits.resultBytes}`);
  const groups = groupCells(
    axes.map((axis) => reader.axes[axis]!),
    cells,
  );
  const widest = Math.max(...groups.map(({ from, to }) => countOf(to.map((end, i) => end - from[i]!))));
  const pieces = piecesOf(
    others.map((axis) => [selections[axis]!, reader.axes[axis]!] as const),
    widest * itemBytes,
  );
  const strides = stridesOf(shape);
  const otherStrides = strides.toSpliced(first, 1);
  let out: Elements | undefined;
  let items = 1;
  const total = countOf(pieces.map((list) => list.length)) * groups.length;
  const largest =
    widest *
    itemBytes *
    countOf(pieces.map((list) => Math.max(0, ...list.map((piece) => piece.positions.length))));
  const lanes = Math.min(lanesFor(largest, memory), total);
  const progress = { bytes: 0, totalBytes: size, received: 0 };
  const { signal, pool, concurrency = defaultConcurrency } = options;

  await inLanes(tasks(), lanes, read, signal);
  out ??= (
    await get<Elements>(
      array as never,
      array.shape.map(() => slice(0)),
      { signal },
    )
  ).data;
  return { data: out, shape, stride: strides, dtype };

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
    items = region.data.length / countOf(region.shape); // two numbers of a complex one
    out ??= makeLike(region.data, countOf(shape) * items);
    const fromStrides = others.map((axis) => region.stride[axis]!);
    const offsets = group.numbers.map((number) =>
      axes.reduce((sum, axis, i) => sum + (cells[number]![i]! - group.from[i]!) * region.stride[axis]!, 0),
    );
    const [target, source] = [out as unknown[], region.data as ArrayLike<unknown>];
    for (const at of indices(list.map((piece) => piece.positions.length))) {
      let [from, to] = [0, 0];
      for (const [i, index] of at.entries()) {
        from += index * fromStrides[i]!;
        to += list[i]!.positions[index]! * otherStrides[i]!;
      }
      for (const [i, number] of group.numbers.entries())
        for (let item = 0; item < items; item++)
          target[(to + number * strides[first]!) * items + item] =
            source[(from + offsets[i]!) * items + item];
    }
    progress.bytes += countOf(list.map((piece) => piece.positions.length)) * group.numbers.length * itemBytes;
    options.onProgress?.({ ...progress });
  }
}

function makeLike(data: Elements, length: number): Elements {
  if (Array.isArray(data)) return new Array<unknown>(length).fill(null);
  return new (data.constructor as new (length: number) => Elements)(length);
}

/** Groups cells by chunk. */
function groupCells(grids: readonly AxisGrid[], cells: readonly (readonly number[])[]): CellGroup[] {
  const groups = new Map<string, { from: number[]; to: number[]; numbers: number[] }>();
  for (const [number, cell] of cells.entries()) {
    const key = cell.map((index, i) => grids[i]!.find(index)).join();
    const group = groups.get(key);
    if (!group) groups.set(key, { from: [...cell], to: cell.map((index) => index + 1), numbers: [number] });
    else {
      group.numbers.push(number);
      for (const [i, index] of cell.entries()) {
        group.from[i] = Math.min(group.from[i]!, index);
        group.to[i] = Math.max(group.to[i]!, index + 1);
      }
    }
  }
  return [...groups.values()];
}

/** Divides selections at the ends of chunks; neighbouring chunks along the inner axes are read together. */
function piecesOf(axes: readonly (readonly [AxisSelection, AxisGrid])[], elementBytes: number): Piece[][] {
  const lists: Piece[][] = [];
  let bytes = elementBytes;
  for (let i = axes.length - 1; i >= 0; i--) {
    const [selection, grid] = axes[i]!;
    const list =
      "indices" in selection ? listPieces(selection.indices, grid) : rangePieces(selection, grid, bytes);
    lists.unshift(list);
    bytes *= Math.max(1, ...list.map(({ positions }) => positions.length));
  }
  return lists;
}

function rangePieces(
  range: Exclude<AxisSelection, { indices: unknown }>,
  grid: AxisGrid,
  bytes: number,
): Piece[] {
  const pieces: Piece[] = [];
  let [from, count] = [0, 0];
  const end = () => {
    if (count === 0) return;
    const start = range.start + from * range.step;
    const entry = slice(start, start + (count - 1) * range.step + 1, range.step);
    pieces.push({ entry, positions: Array.from({ length: count }, (_, i) => from + i) });
    [from, count] = [from + count, 0];
  };
  for (const projection of projectRange(range, grid)) {
    if ((count + projection.count) * bytes > readBytes) end();
    count += projection.count;
  }
  end();
  return pieces;
}

function listPieces(list: readonly number[], grid: AxisGrid): Piece[] {
  const chunks = new Map<number, number[]>();
  for (const [position, index] of list.entries()) {
    const chunk = grid.find(index);
    chunks.set(chunk, [...(chunks.get(chunk) ?? []), position]);
  }
  return Array.from(chunks.values(), (positions) => ({ entry: positions.map((at) => list[at]!), positions }));
}
