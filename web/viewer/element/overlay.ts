/** Overlay of a picture: coastlines, meridians and parallels, the scale bar. */
import { h, setHidden } from "../base/dom.js";
import { LazyPart } from "../base/lazy-part.js";
import type { MapLines as Lines } from "../draw/map-lines.js";
import { type GeoPlane, projectedConverter } from "../model/projection.js";
import { planScaleBar } from "../panels/scale-bar.js";
import { datasetShape } from "../source/dataset.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Frame } from "./frame.js";
import { type PlaneContent, worldExtent } from "./plane-geometry.js";

/** The class that draws maps, and the coastlines; shared by all pictures of a page. */
const mapLines = new LazyPart(async () => (await import("../draw/map-lines.js")).MapLines);
const projectedLines = new LazyPart(() => import("../draw/projected-lines.js"));
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
  /** The plane of projected data, in the coordinates of the view. */
  #plane: { readonly dataset: PlaneContent["dataset"]; readonly plane: GeoPlane } | undefined;
  readonly #asked = new WeakSet<object>();

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

  #paintLines(shown: PlaneContent, view: Viewpoint): void {
    const { dataset, state } = shown;
    const { isGraticuleOn, areCoastsOn, axes } = state;
    const geo = this.#geoOf(shown);
    if (geo) {
      this.#paintProjected(shown, geo, view);
      return;
    }
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
    this.#nameLines(isGraticuleOn, coasts !== undefined);
  }

  /** Positions of a plane that is not in degrees; undefined for others, and until they are known. */
  #geoOf({ projection, dataset, state }: PlaneContent): GeoPlane | undefined {
    if (projection?.geo) return projection.geo;
    const { isGraticuleOn, areCoastsOn, axes, places } = state;
    const converter = places === "auto" ? projectedConverter(dataset, axes) : undefined;
    if (!converter || !(isGraticuleOn || areCoastsOn)) return undefined;
    if (!converter.value) {
      // Once: a system that is not known stays unknown.
      if (!this.#asked.has(converter)) converter.load().then(this.redraw, () => {});
      this.#asked.add(converter);
      return undefined;
    }
    const lines = this.#need(projectedLines);
    if (!lines) return undefined;
    if (this.#plane?.dataset !== dataset) {
      const plane = lines.convertedPlane(
        axes.map((axis) => dataset.axes[axis]!),
        converter.value,
      );
      this.#plane = { dataset, plane };
    }
    return this.#plane.plane;
  }

  #paintProjected(shown: PlaneContent, geo: GeoPlane, view: Viewpoint): void {
    const { isGraticuleOn, areCoastsOn } = shown.state;
    setHidden(this.#lines, !isGraticuleOn && !areCoastsOn);
    if (this.#lines.hidden) return;
    const [code, coasts] = [this.#need(projectedLines), areCoastsOn ? this.#need(coastlines) : undefined];
    if (!code) return;
    const { rows, columns } = worldExtent(shown);
    const period = shown.projection?.isPeriodic ? columns : undefined;
    const { shift = 0 } = view;
    const extent = { top: 0, left: shift, bottom: rows, right: shift + columns };
    const look = { ...view, shift, period };
    const areLabelsOn = true;
    code.drawProjected(this.#lines.getContext("2d")!, geo, look, extent, {
      isGraticuleOn,
      coasts,
      areLabelsOn,
    });
    this.#nameLines(isGraticuleOn, coasts !== undefined);
  }

  /** For outside observers. */
  #nameLines(isGraticuleOn: boolean, areCoastsOn: boolean): void {
    const names = [isGraticuleOn && "graticule", areCoastsOn && "coasts"].filter(Boolean);
    this.#lines.dataset["lines"] = names.join();
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
