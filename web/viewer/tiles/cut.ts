/** Cuts tiles from blocks: the selected plane, as numbers. */
import type { ElementData, Region } from "zarr-wasm";
import type { Numbers, Plane } from "../base/plane.js";
import type { Level } from "../source/dataset.js";
import { type ComplexPart, isComplex, isHalf, isTime, type Leaf, leafNumbers } from "../source/leaf.js";
import type { Block, Tile, TileGap } from "./tile.js";

/** The plane of a level, and the part of its elements. */
export interface Cut {
  readonly level: number;
  readonly place: Pick<Level, "factor" | "origin">;
  /** [down, across], or [across]. */
  readonly axes: readonly number[];
  /** Index along the other axes, in elements of the level's array. */
  readonly index: readonly number[];
  /** Shape of the level's array. */
  readonly shape: readonly number[];
  readonly leaf: Leaf;
  readonly part: ComplexPart;
  readonly decode: ((stored: Region) => Region) | undefined;
}

export function cutTile(key: string, block: Block, cut: Cut): Tile {
  const { axes, place, shape } = cut;
  const { region, start } = block;
  const across = axes.at(-1)!;
  const down = axes.length > 1 ? axes[0] : undefined;
  const length = (axis: number) => Math.min(region.shape[axis]!, shape[axis]! - start[axis]!);
  const rows = down === undefined ? 1 : length(down);
  const columns = length(across);
  const corner = start.reduce(
    (sum, at, axis) => (axes.includes(axis) ? sum : sum + (cut.index[axis]! - at) * region.stride[axis]!),
    0,
  );
  const rowStride = down === undefined ? 0 : region.stride[down]!;
  const columnStride = region.stride[across]!;
  const layout = { offset: corner, rows, columns, rowStride, columnStride };
  const edge = (axis: number, at: number) => place.origin[axis]! + at * place.factor[axis]!;
  const origin = [down === undefined ? 0 : start[down]!, start[across]!] as const;
  return {
    key,
    level: cut.level,
    world: {
      top: down === undefined ? 0 : edge(down, origin[0]),
      bottom: down === undefined ? 1 : edge(down, origin[0] + rows),
      left: edge(across, origin[1]),
      right: edge(across, origin[1] + columns),
    },
    plane: region.data.length === 0 ? emptyPlane(rows, columns) : blockPlane(region, layout, cut),
    block,
    offsetOf: (row, column) => corner + row * rowStride + column * columnStride,
    origin,
    gaps: tileGaps(block, cut, rows, columns, down, across),
  };
}

type Layout = Omit<Plane, "values">;

/** For a block that could not be read at all. */
const emptyPlane = (rows: number, columns: number): Plane => ({
  values: Float32Array.of(Number.NaN),
  offset: 0,
  rows,
  columns,
  rowStride: 0,
  columnStride: 0,
});

/** The plane's numbers: shares the block's if no conversion is needed, otherwise converts only the plane. */
function blockPlane(region: Region, layout: Layout, { leaf, part, decode }: Cut): Plane {
  if (!decode && isPlain(region, leaf)) return { values: region.data as Numbers, ...layout };
  const isFlat = region.stride.every((stride) => stride === 0);
  const [rows, columns] = isFlat ? [1, 1] : [layout.rows, layout.columns];
  const gathered: Region = {
    data: isFlat ? region.data : gather(region, layout),
    shape: [rows, columns],
    stride: [columns, 1],
    dtype: region.dtype,
  };
  const meant = decode ? decode(gathered) : gathered;
  const values = leafNumbers(meant, decode ? { ...leaf, dtype: meant.dtype } : leaf, part);
  const stride = isFlat ? { rowStride: 0, columnStride: 0 } : { rowStride: columns, columnStride: 1 };
  return { values, offset: 0, rows: layout.rows, columns: layout.columns, ...stride };
}

/** Whether a block's elements are JavaScript numbers without conversion. */
function isPlain({ data }: Region, leaf: Leaf): boolean {
  const isWide = data instanceof BigInt64Array || data instanceof BigUint64Array;
  const isOther = isWide || isHalf(data) || isComplex(leaf.dtype) || isTime(leaf.dtype);
  return leaf.path.length === 0 && leaf.items === 1 && !isOther;
}

/** The elements of a plane, packed. */
function gather(
  { data, shape }: Region,
  { offset, rows, columns, rowStride, columnStride }: Layout,
): ElementData {
  const unit = data.length / shape.reduce((a, b) => a * b, 1);
  const out = new (data.constructor as new (length: number) => ElementData)(rows * columns * unit);
  const [from, to] = [data as Uint8Array, out as Uint8Array];
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let source = (offset + row * rowStride) * unit;
    if (columnStride === 1) {
      to.set(from.subarray(source, source + columns * unit), at);
      at += columns * unit;
    } else
      for (let column = 0; column < columns; column++, source += columnStride * unit)
        for (let i = 0; i < unit; i++) to[at++] = from[source + i]!;
  }
  return out;
}

function tileGaps(
  { gaps, start }: Block,
  { axes, index }: Cut,
  rows: number,
  columns: number,
  down: number | undefined,
  across: number,
): TileGap[] {
  return gaps
    .filter((gap) =>
      gap.start.every(
        (at, axis) => axes.includes(axis) || (index[axis]! >= at && index[axis]! < gap.stop[axis]!),
      ),
    )
    .map((gap) => {
      const span = (axis: number | undefined, length: number): [number, number] =>
        axis === undefined
          ? [0, 1]
          : [gap.start[axis]! - start[axis]!, Math.min(gap.stop[axis]! - start[axis]!, length)];
      return { kind: gap.kind, error: gap.error, rows: span(down, rows), columns: span(across, columns) };
    });
}
