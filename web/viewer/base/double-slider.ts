/** A track with two handles, the ends of a range, which pointers and keys move. */
import { h } from "./dom.js";

interface Scale {
  shareOf(value: number): number;
  valueOf(share: number): number;
}

export interface DoubleRange {
  readonly ends: readonly [low: number, high: number];
  /** Values at the edges of the track; unchanged while an end is dragged. */
  readonly domain: readonly [from: number, to: number];
  /** Distance that an arrow key moves an end; with a scale, the least distance, beside a hundredth of the track. */
  readonly step: number;
  /** Places of values on the track, from 0 to 1. Default: linear. */
  readonly scale?: Scale | undefined;
  readonly names: readonly [low: string, high: string];
  /** Returns the text that screen readers speak. Default: the number. */
  readonly format?: (value: number) => string;
}

const scaleOf = ({ domain: [from, to], scale }: DoubleRange): Scale =>
  scale ?? {
    shareOf: (value) => (value - from) / (to - from || 1),
    valueOf: (share) => from + share * (to - from),
  };

const clamped = (share: number) => Math.min(Math.max(share, 0), 1);

/** Steps of the keys of sliders. */
export const sliderSteps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

export class DoubleSlider {
  readonly #handles = [0, 1].map((end) =>
    h("div", {
      class: "zw-double-handle",
      role: "slider",
      tabindex: 0,
      onkeydown: (event: KeyboardEvent) => this.#key(event, end as 0 | 1),
    }),
  );
  readonly element: HTMLElement;
  #range: DoubleRange | undefined;
  #dragged: { readonly end: 0 | 1; readonly from: number; hasMoved?: boolean } | undefined;

  /**
   * @param onMove receives a value within the domain, which may be beyond the other end
   * @param content drawn below the handles
   */
  constructor(
    private readonly onMove: (end: 0 | 1, value: number) => void,
    ...content: readonly Node[]
  ) {
    this.element = h(
      "div",
      {
        class: "zw-double",
        dir: "ltr",
        onpointerdown: (event: PointerEvent) => this.#press(event),
        onpointermove: (event: PointerEvent) => this.#drag(event),
        onlostpointercapture: () => {
          this.#dragged = undefined;
        },
      },
      ...content,
      ...this.#handles,
    );
  }

  get isDragged(): boolean {
    return this.#dragged !== undefined;
  }

  show(range: DoubleRange): void {
    this.#range = range;
    const { domain, ends, names, format = String } = range;
    const [from, to] = domain;
    for (const [i, handle] of this.#handles.entries()) {
      const value = ends[i]!;
      handle.style.left = `${(clamped(scaleOf(range).shareOf(value)) * 100).toFixed(2)}%`;
      const attributes = {
        "aria-label": names[i]!,
        "aria-valuemin": from,
        "aria-valuemax": to,
        "aria-valuenow": value,
        "aria-valuetext": format(value),
      };
      for (const [name, text] of Object.entries(attributes)) handle.setAttribute(name, String(text));
    }
  }

  /** A press and a drag move the nearest end. */
  #press(event: PointerEvent): void {
    if (event.button !== 0 || !this.#range) return;
    event.preventDefault();
    const [low, high] = this.#range.ends.map(scaleOf(this.#range).shareOf) as [number, number];
    const pressed = this.#shareAt(event);
    const isNearLow = Math.abs(pressed - low) <= Math.abs(pressed - high);
    // If both ends are equal, the pointer is on the side to which the end can move.
    const end = low === high ? (pressed < low ? 0 : 1) : isNearLow ? 0 : 1;
    this.#dragged = { end, from: event.clientX };
    this.#handles[end]!.focus();
    this.element.setPointerCapture(event.pointerId);
  }

  #drag(event: PointerEvent): void {
    const dragged = this.#dragged;
    if (!dragged) return;
    dragged.hasMoved ||= Math.abs(event.clientX - dragged.from) > 2;
    if (dragged.hasMoved) this.onMove(dragged.end, scaleOf(this.#range!).valueOf(this.#shareAt(event)));
  }

  #shareAt({ clientX }: PointerEvent): number {
    const { left, width } = this.element.getBoundingClientRect();
    return clamped((clientX - left) / (width || 1));
  }

  #moved({ ends, step, scale }: DoubleRange, end: 0 | 1, count: number): number {
    const value = ends[end];
    const moved = scale ? scale.valueOf(scale.shareOf(value) + count / 100) : value;
    return Math.abs(moved - value) < step ? value + (scale ? Math.sign(count) : count) * step : moved;
  }

  #key(event: KeyboardEvent, end: 0 | 1): void {
    if (!this.#range) return;
    const [from, to] = this.#range.domain;
    const count = sliderSteps[event.key];
    const wanted =
      event.key === "Home" ? from : event.key === "End" ? to : count && this.#moved(this.#range, end, count);
    if (wanted === undefined) return;
    event.preventDefault();
    const value = Math.min(Math.max(wanted, from), to);
    const [low, high] = this.#range.ends;
    // The key may be pressed again before the range is shown.
    if (end === 0 ? value <= high : value >= low)
      this.#range = { ...this.#range, ends: end === 0 ? [value, high] : [low, value] };
    this.onMove(end, value);
  }
}
