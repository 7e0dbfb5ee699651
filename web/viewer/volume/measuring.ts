/** Measures the distance between two voxels of a volume, which are clicked one after the other. */
import { MeasureLabel } from "../base/measure-label.js";
import type { Vec3 } from "./bricks.js";
import { projector, type VolumeViewpoint } from "./camera.js";

export class Measuring {
  readonly #label: MeasureLabel;
  /** In voxels of level 0. */
  #ends: readonly Vec3[] = [];
  #isOpen = false;

  constructor(onClear: () => void) {
    this.#label = new MeasureLabel(onClear);
  }

  get element(): HTMLElement {
    return this.#label.element;
  }

  /** The measured points: none, the first, or both. */
  get ends(): readonly Vec3[] {
    return this.#ends;
  }

  /** Takes the first or the second point. */
  add(point: Vec3): void {
    this.#ends = this.#isOpen ? [this.#ends[0]!, point] : [point];
    this.#isOpen = !this.#isOpen;
  }

  /** Until the second point is chosen, the line ends at the pointer. */
  follow(point: Vec3 | undefined): void {
    if (this.#isOpen) this.#ends = [this.#ends[0]!, ...(point ? [point] : [])];
  }

  /** @returns whether anything was measured */
  clear(): boolean {
    const wasShown = this.#ends.length > 0;
    this.#ends = [];
    this.#isOpen = false;
    return wasShown;
  }

  /** Another tool is chosen: a finished measurement stays. */
  leave(): void {
    if (this.#isOpen) this.clear();
  }

  paint(view: VolumeViewpoint, ratio: number, distance: (from: Vec3, to: Vec3) => string): void {
    const [from, to] = this.#ends;
    this.#label.say(from && to && distance(from, to));
    if (!to) return;
    const { x, y, depth } = projector(view)(to);
    if (depth <= 0) return;
    const { width, height } = view;
    this.#label.place({ width: width / ratio, height: height / ratio }, { x: x / ratio, y: y / ratio });
  }
}
