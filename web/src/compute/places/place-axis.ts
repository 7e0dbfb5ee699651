/** Finds places among the sorted coordinates of one dimension. */

import {
  type Coordinates,
  firstPosition,
  type Rising,
  risingView,
} from "../../conventions/sel/coordinates.js";
import { rangeText } from "../../conventions/sel/find.js";
import { checkInstant, interpretLabel, noSuchLabel, unsorted } from "../../conventions/sel/labels.js";
import type { Found, GridPart, Matching } from "./grid-part.js";

const revolution = 360;

/** Coordinates of the cells along one axis of an array, rising or falling. */
export class PlaceAxis implements GridPart {
  readonly names: readonly string[];
  readonly axes: readonly number[];
  readonly length: number;
  readonly #view: Rising;
  /** Degrees from the last coordinate eastwards to the first one, if these are longitudes. */
  readonly #seam: number;
  /** Whether the last cell touches the first one. */
  readonly isCyclic: boolean;

  /** @throws InvalidSelection (no-coordinates) unless the coordinates are sorted numbers or times. */
  constructor(
    readonly coordinates: Coordinates,
    readonly axis: number,
  ) {
    const { name, length, kind, isLongitude } = coordinates;
    const view = kind === "texts" ? undefined : risingView(coordinates);
    if (!view || length === 0) throw unsorted(name, "a place");
    [this.names, this.axes, this.length, this.#view] = [[name], [axis], length, view];
    const [first, last] = [view.at(0), view.at(length - 1)];
    this.#seam = isLongitude ? first + revolution - last : Number.POSITIVE_INFINITY;
    this.isCyclic = length > 1 && this.#seam > 0 && this.#seam <= (1.5 * (last - first)) / (length - 1);
  }

  at(index: number): readonly [number] {
    return [this.coordinates.at(index)];
  }

  valueOf(label: unknown): number {
    const meaning = interpretLabel(this.coordinates, label);
    checkInstant(this.coordinates, label, meaning);
    return meaning.value;
  }

  /** Values between the outermost coordinate and the edge of its cell belong to that cell. */
  find([value]: readonly [number], { isLinear, tolerance }: Matching): Found | undefined {
    const { low, high, below, above, isBetween } = this.#around(value);
    const index = below < above ? low : high; // of two, the larger, as in pandas
    const distance = Math.min(below, above);
    const limit = tolerance ?? (isBetween ? Number.POSITIVE_INFINITY : this.#halfCell(index));
    if (!(distance <= limit)) return undefined;
    const width = below + above;
    if (!isLinear || !isBetween || !Number.isFinite(width) || distance === 0)
      return { cells: [index], weights: [1] };
    return { cells: [low, high], weights: [above / width, below / width] };
  }

  outside([value]: readonly [number], tolerance: number | undefined): Error {
    const limit = tolerance === undefined ? "half a cell" : `the tolerance of ${tolerance}`;
    const why = `${rangeText(this.coordinates, this.#view)}, and it is farther away than ${limit}`;
    return noSuchLabel(this.coordinates.name, value, why);
  }

  cellsBetween([from]: readonly [number], [to]: readonly [number]): number {
    const last = this.length - 1;
    const width = Math.abs(this.coordinates.at(last) - this.coordinates.at(0)) / last;
    return width > 0 ? Math.abs(to - from) / width : 1;
  }

  /** Returns the neighbours of a value, and its distances from them; infinite if there is none. */
  #around(label: number): { low: number; high: number; below: number; above: number; isBetween: boolean } {
    const view = this.#view;
    const last = this.length - 1;
    const value = this.#onAxis(label);
    const position = firstPosition(view, value);
    const index = (at: number) => (view.isReversed ? last - at : at);
    const wraps = Number.isFinite(this.#seam) && Number.isFinite(value);
    const isInside = position > 0 && position <= last;
    const below = position > 0 ? value - view.at(position - 1) : Number.POSITIVE_INFINITY;
    const above =
      position <= last
        ? view.at(position) - value
        : wraps
          ? view.at(0) + revolution - value
          : Number.POSITIVE_INFINITY;
    const isBetween = isInside || above === 0 || (this.isCyclic && position > last);
    return {
      low: index(Math.max(position - 1, 0)),
      high: index(position <= last ? position : wraps ? 0 : last),
      below,
      above,
      isBetween,
    };
  }

  /** Shifts longitudes by revolutions to the range from the first coordinate eastwards. */
  #onAxis(value: number): number {
    const first = this.#view.at(0);
    const isOn = value >= first && value <= this.#view.at(this.length - 1);
    if (isOn || !this.coordinates.isLongitude || !Number.isFinite(value)) return value;
    const east = (value - first) % revolution;
    return first + (east < 0 ? east + revolution : east);
  }

  #halfCell(index: number): number {
    if (this.length === 1) return Number.POSITIVE_INFINITY;
    const beside = index > 0 ? index - 1 : index + 1;
    return (Math.abs(this.coordinates.at(index) - this.coordinates.at(beside)) / 2) * (1 + 1e-9);
  }
}
