/** Overlay of a picture: coastlines, meridians and parallels, the scale bar. */
import { h, setHidden } from "../base/dom.js";
import type { MapLines as Lines } from "../draw/map-lines.js";
import { planScaleBar } from "../panels/scale-bar.js";
import { datasetShape } from "../source/dataset.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Frame } from "./frame.js";
import type { PlaneContent } from "./plane-geometry.js";

/**
 * The class that draws maps, and the coastlines, once they have been loaded; shared by all pictures of a
 * page.
 */
let MapLines: typeof Lines | undefined;
let coasts: readonly Float32Array[] | undefined;
let loading: Promise<unknown> | undefined;
let loadingCoasts: Promise<unknown> | undefined;

/** On failure the picture has no lines; the next picture tries again. */
function loadLines(then: () => void): void {
  loading ??= import("../draw/map-lines.js").then(
    (module) => {
      MapLines = module.MapLines;
    },
    () => {
      loading = undefined;
    },
  );
  void loading.then(then);
}

function loadCoasts(then: () => void): void {
  loadingCoasts ??= import("../base/coastlines.js").then(
    (module) => {
      coasts = module.coastlines();
    },
    () => {
      loadingCoasts = undefined;
    },
  );
  void loadingCoasts.then(then);
}

/** Maximum share of the picture's width for a scale bar. */
const widest = 0.28;

export class Overlay {
  readonly #lines = h("canvas", { class: "zw-map-lines", hidden: true });
  readonly #bar = h("div", { class: "zw-scale-bar", hidden: true });
  readonly #text = h("span");
  readonly #line = h("i");
  #map: { readonly key: string; readonly lines: Lines | undefined } | undefined;
  #isAsked = false;
  #isCoastAsked = false;

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
    if (!this.#isAsked) loadLines(this.redraw);
    if (areCoastsOn && !coasts && !this.#isCoastAsked) loadCoasts(this.redraw);
    this.#isAsked = true;
    this.#isCoastAsked ||= areCoastsOn;
    const map = this.#mapOf(dataset, axes);
    if (!map) return;
    const shape = datasetShape(dataset);
    const extent = { top: 0, left: 0, bottom: shape[axes[0]!]!, right: shape[axes[1]!]! };
    const drawn = { isGraticuleOn, coasts: areCoastsOn ? coasts : undefined };
    map.draw(this.#lines.getContext("2d")!, view, extent, drawn);
    this.#lines.dataset["lines"] = [isGraticuleOn && "graticule", drawn.coasts && "coasts"]
      .filter(Boolean)
      .join();
  }

  #mapOf(dataset: PlaneContent["dataset"], axes: readonly number[]): Lines | undefined {
    if (!MapLines) return undefined;
    const key = axes.join();
    if (this.#map?.key !== key || this.#dataset !== dataset) {
      this.#dataset = dataset;
      this.#map = { key, lines: MapLines.of(dataset, axes) };
    }
    return this.#map?.lines;
  }

  #dataset: PlaneContent["dataset"] | undefined;
}
