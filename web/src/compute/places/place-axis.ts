/** Finds places among the sorted coordinates of one dimension. */

import {
  type Coordinates,
  firstPosition,
  type Rising,
  risingView,
} from "../../conventions/sel/coordinates.js";
import { onAxis, rangeText } from "../../conventions/sel/find.js";
import { checkInstant, interpretLabel, noSuchLabel, unsorted } from "../../conventions/sel/labels.js";
import { revolution } from "../../conventions/shared/degrees.js";
import type { Found, GridPart } from "./grid-part.js";

/** Coordinates of the cells along one axis of an array, rising or falling. */
export class PlaceAxis implements GridPart {
  readonly names: readonly string[];
  readonly axes: readonly number[];
  readonly longitude: number;
  readonly length: number;
  /** Coordinates in rising order, by position. */
  readonly view: Rising;
  /** Mean distance of neighbours. */
  readonly #spacing: number;

  /** @throws InvalidSelection (no-coordinates) unless the coordinates are sorted numbers or times. */
  constructor(
    readonly coordinates: Coordinates,
    readonly axis: number,
  ) {
    const { name, length, kind, isLongitude } = coordinates;
    const view = kind === "texts" ? undefined : risingView(coordinates);
    if (!view || length === 0) throw unsorted(name, "a place");
    [this.names, this.axes, this.length, this.view] = [[name], [axis], length, view];
    this.longitude = isLongitude ? 0 : -1;
    this.#spacing = (view.at(length - 1) - view.at(0)) / (length - 1);
  }

  valueOf(label: unknown): number {
    const meaning = interpretLabel(this.coordinates, label);
    checkInstant(this.coordinates, label, meaning);
    return meaning.value;
  }

  /** Returns the index of a position in rising order. */
  index(position: number): number {
    return this.view.isReversed ? this.length - 1 - position : position;
  }

  /** Values between the outermost coordinate and the edge of its cell belong to that cell. */
  find([label]: readonly [number], isLinear: boolean): Found {
    const { coordinates, length, view } = this;
    const value = onAxis(coordinates, view, { value: label });
    const position = firstPosition(view, value);
    const [below, above] = [value - this.#at(position - 1), this.#at(position) - value];
    const isBetween = above === 0 || (position > 0 && (position < length || this.#isCyclic));
    const [low, high] = [position - 1, position].map((at) => this.index((at + length) % length)) as [
      number,
      number,
    ];
    const nearest = below < above ? low : high; // of two, the larger, as in pandas
    const distance = Math.min(below, above);
    if (!isBetween && !(distance <= this.#halfCell(nearest)))
      throw noSuchLabel(
        coordinates.name,
        label,
        `${rangeText(coordinates, view)}, and it is farther away than half a cell`,
      );
    const isOne = !isLinear || !isBetween || distance === 0;
    const width = below + above;
    return {
      cells: isOne ? [[nearest]] : [[low], [high]],
      weights: isOne ? [1] : [above / width, below / width],
      nearest: [coordinates.at(nearest)],
    };
  }

  cellsBetween([from]: readonly [number], [to]: readonly [number]): number {
    return this.#spacing > 0 ? Math.abs(to - from) / this.#spacing : 1;
  }

  /** Returns the coordinate at a position from -1 to the length: at the ends, that of the other end if it is a longitude. */
  #at(position: number): number {
    const turns = position < 0 ? -1 : position < this.length ? 0 : 1;
    if (turns === 0) return this.view.at(position);
    if (!this.coordinates.isLongitude) return turns * Number.POSITIVE_INFINITY;
    return this.view.at(turns < 0 ? this.length - 1 : 0) + turns * revolution;
  }

  /** Whether the last cell touches the first one. */
  get #isCyclic(): boolean {
    const seam = this.#at(this.length) - this.view.at(this.length - 1);
    return seam > 0 && seam <= 1.5 * this.#spacing;
  }

  #halfCell(index: number): number {
    if (this.length === 1) return Number.POSITIVE_INFINITY;
    const beside = index > 0 ? index - 1 : index + 1;
    return (Math.abs(this.coordinates.at(index) - this.coordinates.at(beside)) / 2) * (1 + 1e-9);
  }
}
