/** The way through the slices: played or gone by keys, and which slices come next on it. */
import { type Layer, layersOf, playableAxes } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { Player } from "./player.js";

export interface SlicesCallbacks {
  /** What is shown; undefined where nothing is. */
  view(): { readonly dataset: Dataset; readonly settings: ViewState } | undefined;
  /** Whether the slice is there that is to be seen now. */
  isReady(): boolean;
  /** Shows another slice; `cause` is "play" or "step". */
  onIndex(index: readonly number[], cause: string): void;
}

/** Slices that are read ahead while they are played. */
const slicesAhead = 3;

export class Slices {
  readonly #player: Player;
  /** Where the reader went last: the next slice on the way is read ahead. */
  #way: { readonly axis: number; readonly direction: 1 | -1 } | undefined;

  constructor(private readonly callbacks: SlicesCallbacks) {
    this.#player = new Player({
      rate: () => callbacks.view()?.settings.frameRate ?? 1,
      isReady: () => callbacks.isReady(),
      step: (axis) => this.#step(axis, 1, "play"),
    });
  }

  /** The axis that is played along. */
  get playing(): number | undefined {
    return this.#player.axis;
  }

  /** Plays the slices along an axis, or stops. */
  play(axis: number | undefined): void {
    if (axis === undefined) this.stop();
    else this.#player.play(axis);
    this.#way = axis === undefined ? undefined : { axis, direction: 1 };
  }

  /** Plays along the axis that keys go along, or stops. */
  toggle(): void {
    this.play(this.playing === undefined ? this.#wayAxis() : undefined);
  }

  stop(): void {
    this.#player.stop();
  }

  /** Stops where slices cannot be played along the axis any more. */
  follow(dataset: Dataset, settings: ViewState): void {
    const { playing } = this;
    if (playing !== undefined && !playableAxes(dataset, settings).includes(playing)) this.stop();
  }

  /** The reader went to a slice that is on no way. */
  leaveWay(): void {
    this.#way = undefined;
  }

  /** One slice on along the axis that keys go along. */
  step(direction: 1 | -1): void {
    const axis = this.#wayAxis();
    if (axis !== undefined) this.#step(axis, direction, "step");
  }

  /** Layers that will be shown soon: what is played, or gone through, is read ahead. */
  next(dataset: Dataset, settings: ViewState): Layer[] {
    const way = this.#way;
    if (!way || !playableAxes(dataset, settings).includes(way.axis)) return [];
    const { length } = dataset.axes[way.axis]!;
    const count = Math.min(this.playing === undefined ? 1 : slicesAhead, length - 1);
    return Array.from({ length: count }, (_, i) => {
      const at = (settings.index[way.axis]! + way.direction * (i + 1) + length * count) % length;
      const index = settings.index.map((old, axis) => (axis === way.axis ? at : old));
      return layersOf(dataset, { ...settings, index });
    }).flat();
  }

  /** After the last slice comes the first. */
  #step(axis: number, direction: 1 | -1, cause: string): void {
    const { dataset, settings } = this.callbacks.view()!;
    const { length } = dataset.axes[axis]!;
    this.#way = { axis, direction };
    const index = settings.index.map((old, i) => (i === axis ? (old + direction + length) % length : old));
    this.callbacks.onIndex(index, cause);
  }

  /** The axis that keys go along: the last one, else time, else the first. */
  #wayAxis(): number | undefined {
    const { dataset, settings } = this.callbacks.view()!;
    const axes = playableAxes(dataset, settings);
    const isTimed = (axis: number) =>
      dataset.axes[axis]!.role === "time" || dataset.axes[axis]!.type === "time";
    return axes.find((axis) => axis === this.#way?.axis) ?? axes.find(isTimed) ?? axes[0];
  }
}
