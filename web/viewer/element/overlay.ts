/** Overlay of a picture: coastlines, meridians and parallels, the scale bar. */
import { h, setHidden } from "../base/dom.js";
import { LazyPart } from "../base/lazy-part.js";
import type { MapLines as Lines } from "../draw/map-lines.js";
import { planScaleBar } from "../panels/scale-bar.js";
import { datasetShape } from "../source/dataset.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Frame } from "./frame.js";
import type { PlaneContent } from "./plane-geometry.js";

/** The class that draws maps, and the coastlines; shared by all pictures of a page. */
const mapLines = new LazyPart(async () => (await import("../draw/map-lines.js")).MapLines);
const coastlines = new LazyPart(async () => (await import("../base/coastlines.js")).coastlines());

/** Maximum share of the picture's width for a scale bar. */
const widest = 0.28;

export class Overlay {
  readonly #lines = h("canvas", { class: "zw-map-lines", hidden: true });
  readonly #bar = h("div", { class: "zw-scale-bar", hidden: true });
  readonly #text = h("span");
  readonly #line = h("i");
  #map: { readonly key: string; readonly lines: Lines | undefined } | undefined;
  #dataset: PlaneContent["dataset"] | undefined;

  constructor(
    frame: Frame,
    private readonly redraw: () => void,
  ) {
    this.#bar.append(this.#text, this.#line);
    frame.overlay.append(this.#lines, this.#bar);
  }

  paint(shown: PlaneContent, view: Viewpoint): void {
    this.#paintBar(shown, view);
    this.#paintLines(shown, view);
  }

  #paintBar({ dataset, state }: PlaneContent, { camera, size }: Viewpoint): void {
    const bar = planScaleBar(
      dataset,
      state.axes,
      camera.scale,
      camera.row,
      Math.min(size.width * widest, 180),
    );
    setHidden(this.#bar, !bar);
    if (!bar) return;
    this.#line.style.width = `${bar.width}px`;
    if (this.#text.textContent !== bar.text) this.#text.textContent = bar.text;
  }

  #paintLines({ dataset, state }: PlaneContent, view: Viewpoint): void {
    const { isGraticuleOn, areCoastsOn, axes } = state;
    const roles = axes.map((axis) => dataset.axes[axis]!.role);
    const isMap = roles.includes("latitude") && roles.includes("longitude");
    setHidden(this.#lines, !isMap || !(isGraticuleOn || areCoastsOn));
    if (this.#lines.hidden) return;
    const coasts = areCoastsOn ? this.#need(coastlines) : undefined;
    const map = this.#mapOf(dataset, axes);
    if (!map) return;
    const shape = datasetShape(dataset);
    const extent = { top: 0, left: 0, bottom: shape[axes[0]!]!, right: shape[axes[1]!]! };
    map.draw(this.#lines.getContext("2d")!, view, extent, { isGraticuleOn, coasts });
    this.#lines.dataset["lines"] = [isGraticuleOn && "graticule", coasts && "coasts"].filter(Boolean).join();
  }

  /** A loaded part; until then, and after a failure, the picture is drawn without it. */
  #need<T>(part: LazyPart<T>): T | undefined {
    if (!part.value) part.load().then(this.redraw, () => {});
    return part.value;
  }

  #mapOf(dataset: PlaneContent["dataset"], axes: readonly number[]): Lines | undefined {
    const MapLines = this.#need(mapLines);
    if (!MapLines) return undefined;
    const key = axes.join();
    if (this.#map?.key !== key || this.#dataset !== dataset) {
      this.#dataset = dataset;
      this.#map = { key, lines: MapLines.of(dataset, axes) };
    }
    return this.#map?.lines;
  }
}
