/** The extents of values in a brick and in its cells: rays skip cells that cannot change the result. */
import type { Numbers } from "../base/plane.js";
import { eachIndex, map3, partOrigin, partShape, partsPerBrick, side, type Voxels } from "./bricks.js";

/** Voxels of a cell along each axis, as a power of two, and cells of a brick along each axis. */
const cellBits = 3;
export const cellSide = 2 ** cellBits;
export const cellsPerSide = side / cellSide;
const cellCount = cellsPerSide ** 3;

/** Minimum of cells whose values are all NaN; the maximum is less. */
const none = 3e38;

const isInside = (at: number): boolean => at >= 0 && at < side;

export class Extents {
  /** Minimum and maximum, with the border. NaN does not count. */
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  hasGaps = false;
  /** Minimum and maximum of each cell and of the voxels around it; x varies fastest. */
  readonly cells = new Float32Array(2 * cellCount);
  #first: number | undefined;
  #isUniform = true;
  /** Minimum and maximum of the cells along a row, and beyond both of its ends. */
  readonly #row = new Float32Array(2 * (cellsPerSide + 2));

  constructor() {
    clear(this.cells);
  }

  /** The value of all voxels and of the border, which is ignored beside NaN; undefined if they differ. */
  get uniform(): number | undefined {
    const value = this.#first ?? Number.NaN;
    const isEven = Number.isNaN(value) || (this.min === this.max && !this.hasGaps);
    return this.#isUniform && isEven ? value : undefined;
  }

  /**
   * The value of all voxels of a part and of its border; undefined if they differ. NaN, which does not count, if
   * there are no others.
   */
  partValue(part: number): number | undefined {
    const { cells } = this;
    let value: number | undefined;
    for (const i of partCells[part]!) {
      const [min, max] = [cells[2 * i]!, cells[2 * i + 1]!];
      if (min > max) continue;
      value ??= min;
      if (min !== value || max !== value) return undefined;
    }
    return value ?? Number.NaN;
  }

  /** Adds a part of the stored brick. @returns whether the extent of a cell has changed */
  add(part: Voxels): boolean {
    const { into, size, offset, strides } = part;
    // The rows of equal voxels are all alike.
    const step = strides.every((stride) => stride === 0) ? cellSide : 1;
    const after = (at: number, end: number) => (at < end - 1 ? Math.min(at + step, end - 1) : end);
    let isChanged = false;
    for (let k = 0; k < size[2]; k = after(k, size[2]))
      for (let j = 0; j < size[1]; j = after(j, size[1])) {
        const [y, z] = [into[1] + j - 1, into[2] + k - 1];
        this.#measure(part, offset + k * strides[2] + j * strides[1], isInside(y) && isInside(z));
        if (this.#addRow(y, z)) isChanged = true;
      }
    return isChanged;
  }

  /** Voxels at the edge of a cell also belong to its neighbour, because samples there are interpolated. */
  #measure({ into, size, values, strides }: Voxels, from: number, isInner: boolean): void {
    const row = this.#row;
    clear(row);
    const first = into[0] - 1;
    if (isEqual(values, from, strides[0], size[0])) {
      this.#includeEqual(values[from]!, first, first + size[0] - 1, isInner);
      return;
    }
    for (let i = 0, at = from; i < size[0]; i++, at += strides[0]) {
      const [x, value] = [first + i, values[at]!];
      if (Number.isNaN(value)) this.hasGaps = true;
      if (this.#isUniform && isInner && isInside(x)) {
        this.#first ??= value;
        if (!Object.is(value, this.#first)) this.#isUniform = false;
      }
      const cell = 2 * ((x + cellSide) >> cellBits);
      include(row, cell, value);
      const place = x & (cellSide - 1);
      if (place === 0) include(row, cell - 2, value);
      else if (place === cellSide - 1 && cell + 2 < row.length) include(row, cell + 2, value);
    }
  }

  /** Includes a value of all voxels of a row. */
  #includeEqual(value: number, first: number, last: number, isInner: boolean): void {
    if (isInner && last >= 0 && first < side) {
      this.#first ??= value;
      if (!Object.is(value, this.#first)) this.#isUniform = false;
    }
    const end = Math.min((last + 1 + cellSide) >> cellBits, cellsPerSide + 1);
    for (let cell = (first - 1 + cellSide) >> cellBits; cell <= end; cell++)
      include(this.#row, 2 * cell, value);
  }

  #addRow(y: number, z: number): boolean {
    const { cells } = this;
    const row = this.#row;
    for (let i = 0; i < row.length; i += 2) {
      this.min = Math.min(this.min, row[i]!);
      this.max = Math.max(this.max, row[i + 1]!);
    }
    let isChanged = false;
    for (let cz = cellOf(z - 1); cz <= cellOf(z + 1); cz++)
      for (let cy = cellOf(y - 1); cy <= cellOf(y + 1); cy++)
        for (let cx = 0; cx < cellsPerSide; cx++) {
          const [to, from] = [2 * ((cz * cellsPerSide + cy) * cellsPerSide + cx), 2 * cx + 2];
          if (row[from]! < cells[to]!) {
            cells[to] = row[from]!;
            isChanged = true;
          }
          if (row[from + 1]! > cells[to + 1]!) {
            cells[to + 1] = row[from + 1]!;
            isChanged = true;
          }
        }
    return isChanged;
  }
}

/** The cells of each part of a brick. */
const partCells = Array.from({ length: partsPerBrick }, (_, part) => {
  const cells: number[] = [];
  const first = map3((i) => partOrigin(part)[i]! / cellSide);
  const to = map3((i) => first[i]! + partShape[i]! / cellSide);
  eachIndex({ from: first, to }, ([x, y, z]) => cells.push((z * cellsPerSide + y) * cellsPerSide + x));
  return cells;
});

/** Whether numbers, none of them NaN, are equal. */
function isEqual(values: Numbers, from: number, stride: number, count: number): boolean {
  const value = values[from]!;
  for (let i = 0, at = from; i < count; i++, at += stride) if (values[at] !== value) return false;
  return count > 0;
}

const cellOf = (at: number): number => Math.min(Math.max(at, 0), side - 1) >> cellBits;

function clear(extents: Float32Array): void {
  for (let i = 0; i < extents.length; i += 2) {
    extents[i] = none;
    extents[i + 1] = -none;
  }
}

function include(extents: Float32Array, at: number, value: number): void {
  if (value < extents[at]!) extents[at] = value;
  if (value > extents[at + 1]!) extents[at + 1] = value;
}

/** Numbers of cells around a cell in every direction that are examined, and the shift that each adds to the former. */
const reaches = [
  [1, 1],
  [2, 1],
  [4, 2],
  [7, 3],
] as const;

const buffer = () => new Float32Array(cellCount);
/** Minima, negated maxima, and space for the values of a pass. */
const [leasts, mosts, spare] = [buffer(), buffer(), buffer()];

/**
 * Writes a texel for each cell: minimum, maximum, and the number of cells around it in every direction whose extents
 * lie within its own. A ray that may skip the cell may skip all of them.
 */
export function cellTexels({ cells }: Extents, texels: Float32Array): void {
  for (let i = 0; i < cellCount; i++) {
    leasts[i] = texels[4 * i] = cells[2 * i]!;
    texels[4 * i + 1] = cells[2 * i + 1]!;
    mosts[i] = -cells[2 * i + 1]!;
    texels[4 * i + 2] = texels[4 * i + 3] = 0;
  }
  let former = 0;
  for (const [reach, shift] of reaches) {
    spread(leasts, shift);
    spread(mosts, shift);
    let isAny = false;
    for (let i = 0; i < cellCount; i++) {
      if (texels[4 * i + 2] !== former || leasts[i]! < cells[2 * i]! || -mosts[i]! > cells[2 * i + 1]!)
        continue;
      texels[4 * i + 2] = reach;
      isAny = true;
    }
    if (!isAny) return;
    former = reach;
  }
}

/** Replaces each value by the least of it and those at a distance along every axis. */
function spread(values: Float32Array, shift: number): void {
  for (let stride = 1; stride < cellCount; stride *= cellsPerSide) {
    spare.set(values);
    const step = shift * stride;
    const row = stride * cellsPerSide;
    for (let first = 0; first < cellCount; first += row) {
      const end = first + row;
      for (let i = first + step; i < end; i++)
        if (spare[i - step]! < values[i]!) values[i] = spare[i - step]!;
      for (let i = first; i < end - step; i++)
        if (spare[i + step]! < values[i]!) values[i] = spare[i + step]!;
    }
  }
}
