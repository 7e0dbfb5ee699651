/** Navigation through slices: playing, stepping by keys, and predicting the next slices. */
import { type Layer, planLayers, playableAxes } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import type { ViewerModel } from "./viewer-model.js";

/** Number of slices read ahead during playback. */
const slicesAhead = 3;
/** Two changes within this time, in milliseconds, are a drag. */
const dragTime = 500;
/** Maximum wait for a slice in milliseconds. The next one is shown then, since the slice may be damaged. */
const maxWait = 4000;
/** Interval between two checks whether a slice has been read, in milliseconds. */
const checkInterval = 15;

export class Slices {
  /** The user's last step: the next slice in its direction is read ahead. */
  #way: { readonly axis: number; readonly step: number } | undefined;
  /** The slider that is being dragged, and the slice shown last. */
  #slider: { readonly axis: number; readonly at: number; readonly time: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time at which playback showed its last slice. */
  #steppedAt = 0;

  constructor(private readonly model: ViewerModel) {}

  /** Plays the slices along an axis; undefined stops. */
  play(axis: number | undefined): void {
    this.stop();
    this.#way = axis === undefined ? undefined : { axis, step: 1 };
    if (axis === undefined) return;
    this.model.playing.value = axis;
    this.#steppedAt = performance.now();
    this.#wait(0);
  }

  /** Axes that can be played, each with a digit as its key. */
  get axes(): readonly number[] {
    const { dataset, settings } = this.model.view!;
    return playableAxes(dataset, settings);
  }

  /** Starts or stops playing along the axis of the step keys. */
  toggle(): void {
    this.play(this.model.playing.peek() === undefined ? this.#wayAxis() : undefined);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.model.playing.value = undefined;
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#playNext(), milliseconds);
  }

  /** Shows the next slice of the playback, no earlier than the shown one has been read. */
  #playNext(): void {
    const [axis, now] = [this.model.playing.peek(), performance.now()];
    if (axis === undefined) return;
    const rate = this.model.settings.peek()?.frameRate ?? 1;
    const early = this.#steppedAt + 1000 / rate - now;
    const isLate = now - this.#steppedAt >= maxWait;
    if (early > 1 || (this.model.activity.peek() !== "ready" && !isLate)) {
      this.#wait(Math.max(early, checkInterval));
      return;
    }
    this.#steppedAt = now;
    this.#step(axis, 1, "play");
    this.#wait(checkInterval);
  }

  /** Stops if the axis can no longer be played. */
  follow(dataset: Dataset, settings: ViewState): void {
    const playing = this.model.playing.peek();
    if (playing !== undefined && !playableAxes(dataset, settings).includes(playing)) this.stop();
  }

  /**
   * Called when the user has moved a slider. After a jump, no direction can be predicted, nor if slices are
   * skipped because reading is slower than the slider.
   */
  slide(axis: number, at: number, isBehind: boolean): void {
    const [before, time] = [this.#slider, performance.now()];
    const isDrag = !isBehind && before?.axis === axis && time - before.time < dragTime;
    if (!isDrag) this.#way = undefined;
    else if (at !== before.at) this.#way = { axis, step: at - before.at };
    this.#slider = { axis, at, time };
  }

  /** Moves by one slice along one of the axes that can be played, by default the one of the last step. */
  step(direction: 1 | -1, order?: number): void {
    const axis = order === undefined ? this.#wayAxis() : this.axes[order];
    if (axis !== undefined) this.#step(axis, direction, "step");
  }

  /** Layers that will be shown soon, to be read ahead. */
  next(dataset: Dataset, settings: ViewState): Layer[] {
    const way = this.#way;
    if (!way || !playableAxes(dataset, settings).includes(way.axis)) return [];
    const { length } = dataset.axes[way.axis]!;
    const count = Math.min(this.model.playing.peek() === undefined ? 1 : slicesAhead, length - 1);
    return Array.from({ length: count }, (_, i) => {
      const at = (((settings.index[way.axis]! + way.step * (i + 1)) % length) + length) % length;
      const index = settings.index.map((old, axis) => (axis === way.axis ? at : old));
      return planLayers(dataset, { ...settings, index });
    }).flat();
  }

  /** Wraps around after the last slice. */
  #step(axis: number, direction: 1 | -1, cause: "play" | "step"): void {
    const { dataset, settings } = this.model.view!;
    const { length } = dataset.axes[axis]!;
    this.#way = { axis, step: direction };
    const index = settings.index.map((old, i) => (i === axis ? (old + direction + length) % length : old));
    this.model.actions.change({ index }, cause);
  }

  /** The axis of the step keys: the last one used, or else time, or else the first. */
  #wayAxis(): number | undefined {
    const { dataset } = this.model.view!;
    const { axes } = this;
    const isTimed = (axis: number) =>
      dataset.axes[axis]!.role === "time" || dataset.axes[axis]!.type === "time";
    return axes.find((axis) => axis === this.#way?.axis) ?? axes.find(isTimed) ?? axes[0];
  }
}
