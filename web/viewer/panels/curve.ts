/** Edits an opacity curve: its points are dragged, or moved by the arrow keys. */
import { button, h, icon } from "../base/dom.js";
import { localNumber } from "../language/locale.js";
import { text } from "../language/text.js";
import { maxCurvePoints, type OpacityCurve, opacityAt } from "../model/channels.js";
import type { ViewState } from "../model/state.js";

type Point = OpacityCurve[number];

/** Points of the default curve, which is a parabola. */
const usual: OpacityCurve = [0, 0.25, 0.5, 0.75, 1].map((share) => [share, share * share]);
/** Minimum distance between two points, and the length of a key press. */
const [gap, keyStep] = [0.005, 0.02];

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

const keys: Readonly<Record<string, Point>> = {
  ArrowLeft: [-keyStep, 0],
  ArrowRight: [keyStep, 0],
  ArrowUp: [0, keyStep],
  ArrowDown: [0, -keyStep],
};

export class CurveEditor {
  readonly #drawing = icon("");
  readonly #points = h("div");
  readonly #area: HTMLElement;
  readonly #reset: HTMLButtonElement;
  readonly element: HTMLElement;
  #curve: OpacityCurve | undefined;

  /**
   * @param name " of channel 1", or ""
   * @param onCurve undefined for the default curve
   */
  constructor(
    private readonly name: string,
    private readonly onCurve: (curve: OpacityCurve | undefined) => void,
  ) {
    this.#drawing.setAttribute("preserveAspectRatio", "none");
    const title = text.curve.help;
    const ondblclick = (event: MouseEvent) => this.#toggle(event);
    this.#area = h("div", { class: "zw-curve", dir: "ltr", title, ondblclick });
    this.#area.append(this.#drawing, this.#points);
    const label = { "aria-label": text.curve.defaultOf(name) };
    this.#reset = button(text.curve.default, () => onCurve(undefined), label);
    const head = h("div", { class: "zw-index-head" }, h("span", {}, text.curve.title), this.#reset);
    const group = { class: "zw-field", role: "group", "aria-label": text.curve.titleOf(name) };
    this.element = h("div", group, head, this.#area);
  }

  show(curve: OpacityCurve | undefined): void {
    this.#curve = curve;
    this.#reset.hidden = curve === undefined;
    const line = Array.from({ length: 65 }, (_, i) => i / 64).concat(curve?.map(([share]) => share) ?? []);
    const places = line
      .sort((a, b) => a - b)
      .map((share) => `${(16 * share).toFixed(2)} ${(16 * (1 - opacityAt(curve, share))).toFixed(2)}`);
    this.#drawing.querySelector("path")!.setAttribute("d", `M${places.join("L")}`);
    const points = this.#shown;
    while (this.#points.childElementCount > points.length) this.#points.lastChild!.remove();
    while (this.#points.childElementCount < points.length)
      this.#points.append(this.#handle(this.#points.childElementCount));
    for (const [i, [share, opacity]] of points.entries()) {
      const handle = this.#points.children[i] as HTMLElement;
      handle.style.left = `${100 * share}%`;
      handle.style.top = `${100 * (1 - opacity)}%`;
      const place = [Math.round(100 * share), localNumber(Number(opacity.toFixed(3)))] as const;
      handle.setAttribute("aria-label", text.curve.point(i + 1, this.name, ...place));
    }
  }

  get #shown(): OpacityCurve {
    return this.#curve ?? usual;
  }

  #handle(i: number): HTMLElement {
    const onpointerdown = (event: PointerEvent) => handle.setPointerCapture(event.pointerId);
    const onpointermove = (event: PointerEvent) => {
      if (handle.hasPointerCapture(event.pointerId)) this.#move(i, this.#placeOf(event));
    };
    const onkeydown = (event: KeyboardEvent) => {
      const [point, way] = [this.#shown[i]!, keys[event.key]];
      if (way) this.#move(i, [point[0] + way[0], point[1] + way[1]]);
      else if (event.key === "Delete" || event.key === "Backspace") this.#remove(i);
      else return;
      event.preventDefault();
    };
    const handle = h("button", { type: "button", onpointerdown, onpointermove, onkeydown });
    return handle;
  }

  #placeOf({ clientX, clientY }: MouseEvent): Point {
    const { left, top, width, height } = this.#area.getBoundingClientRect();
    return [clamp((clientX - left) / width, 0, 1), clamp(1 - (clientY - top) / height, 0, 1)];
  }

  /** Points keep their order. */
  #move(i: number, [share, opacity]: Point): void {
    const points = this.#shown;
    const least = i === 0 ? 0 : points[i - 1]![0] + gap;
    const most = i === points.length - 1 ? 1 : points[i + 1]![0] - gap;
    const moved: Point = [clamp(share, least, Math.max(least, most)), clamp(opacity, 0, 1)];
    this.onCurve(points.map((point, at) => (at === i ? moved : point)));
  }

  #remove(i: number): void {
    if (this.#shown.length > 2) this.onCurve(this.#shown.filter((_, at) => at !== i));
  }

  #toggle(event: MouseEvent): void {
    const i = [...this.#points.children].indexOf(event.target as Element);
    const points = this.#shown;
    const place = this.#placeOf(event);
    if (i >= 0) this.#remove(i);
    else if (points.length < maxCurvePoints && points.every(([share]) => Math.abs(share - place[0]) > gap))
      this.onCurve([...points, place].sort((a, b) => a[0] - b[0]));
  }
}

/** Whether a state has opacities. */
export const hasOpacities = ({ view, mode, slices }: Pick<ViewState, "view" | "mode" | "slices">): boolean =>
  view === "volume" && (mode === "composite" || (mode !== "surface" && slices.length > 0));
