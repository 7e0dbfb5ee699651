/** Overlay of a picture: coastlines, meridians and parallels, the scale bar. */
import { h, setHidden } from "../base/dom.js";
import { type GeoPosition, greatCircleLength } from "../base/great-circle.js";
import { LazyPart } from "../base/lazy-part.js";
import type { DrawnLines, MapLines as Lines } from "../draw/map-lines.js";
import { type GeoPlane, projectedConverter } from "../model/projection.js";
import { planScaleBar, scaleBar } from "../panels/scale-bar.js";
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
  /** The lines over a plane in degrees; undefined if its axes are not known. */
  readonly #map = new Latest<Lines | undefined>();
  /** The plane of projected data, in the coordinates of the view. */
  readonly #plane = new Latest<GeoPlane>();
  readonly #asked = new WeakSet<object>();

  constructor(
    private readonly frame: Frame,
    private readonly redraw: () => void,
  ) {
    this.#bar.append(this.#text, this.#line);
    frame.overlay.append(this.#lines);
  }

  paint(shown: PlaneContent, view: Viewpoint): void {
    this.#paintBar(shown, view);
    this.#paintLines(shown, view);
  }

  #paintBar({ dataset, state, projection }: PlaneContent, view: Viewpoint): void {
    const { camera, size, shift = 0 } = view;
    const room = Math.min(size.width * widest, 180);
    const geo = projection?.geo;
    const perPixel = geo && kilometresPerPixel(geo, camera.row, camera.column + shift, camera.scale);
    const bar = geo
      ? perPixel && scaleBar(perPixel, "km", room)
      : planScaleBar(dataset, state.axes, camera.scale, camera.row, room);
    setHidden(this.#bar, !bar);
    if (!bar) return;
    this.#line.style.width = `${bar.width}px`;
    if (this.#text.textContent === bar.text) return;
    this.#text.textContent = bar.text;
    // On the ruler it hides no data; without rulers there is no other place than the picture.
    const { across, overlay } = this.frame;
    (across.clientHeight > 0 ? across : overlay).append(this.#bar);
  }

  #paintLines(shown: PlaneContent, view: Viewpoint): void {
    const { isGraticuleOn, areCoastsOn, axes } = shown.state;
    const isOn = isGraticuleOn || areCoastsOn;
    const geo = isOn ? this.#geoOf(shown) : undefined;
    const roles = axes.map((axis) => shown.dataset.axes[axis]!.role);
    const isMap = geo !== undefined || (roles.includes("latitude") && roles.includes("longitude"));
    setHidden(this.#lines, !isMap || !isOn);
    if (this.#lines.hidden) return;
    const coasts = areCoastsOn ? this.#need(coastlines) : undefined;
    const lines = { isGraticuleOn, coasts };
    const isDrawn = geo
      ? this.#drawProjected(shown, geo, view, lines)
      : this.#drawInDegrees(shown, view, lines);
    if (isDrawn) this.#nameLines(lines);
  }

  /** Positions of a plane that is not in degrees; undefined for others, and until they are known. */
  #geoOf({ projection, dataset, state }: PlaneContent): GeoPlane | undefined {
    if (projection?.geo) return projection.geo;
    const { axes, places } = state;
    const converter = places === "auto" ? projectedConverter(dataset, axes) : undefined;
    if (!converter) return undefined;
    const { value } = converter;
    if (!value) {
      // Once: a system that is not known stays unknown.
      if (!this.#asked.has(converter)) converter.load().then(this.redraw, () => {});
      this.#asked.add(converter);
      return undefined;
    }
    const code = this.#need(projectedLines);
    const shown = axes.map((axis) => dataset.axes[axis]!);
    return code && this.#plane.of(dataset, axes, () => code.convertedPlane(shown, value));
  }

  #drawProjected(shown: PlaneContent, geo: GeoPlane, view: Viewpoint, lines: DrawnLines): boolean {
    const code = this.#need(projectedLines);
    if (!code) return false;
    const { rows, columns } = worldExtent(shown);
    const { shift = 0, camera } = view;
    const look = {
      ...view,
      camera: { ...camera, column: camera.column + shift },
      period: shown.projection?.isPeriodic ? columns : undefined,
    };
    const extent = { top: 0, left: shift, bottom: rows, right: shift + columns };
    code.drawProjected(this.#lines.getContext("2d")!, geo, look, extent, lines);
    return true;
  }

  #drawInDegrees({ dataset, state: { axes } }: PlaneContent, view: Viewpoint, lines: DrawnLines): boolean {
    const MapLines = this.#need(mapLines);
    const map = MapLines && this.#map.of(dataset, axes, () => MapLines.of(dataset, axes));
    const shape = datasetShape(dataset);
    const extent = { top: 0, left: 0, bottom: shape[axes[0]!]!, right: shape[axes[1]!]! };
    map?.draw(this.#lines.getContext("2d")!, view, extent, lines);
    return map !== undefined;
  }

  /** For outside observers. */
  #nameLines({ isGraticuleOn, coasts }: DrawnLines): void {
    const names = [isGraticuleOn && "graticule", coasts && "coasts"].filter(Boolean);
    this.#lines.dataset["lines"] = names.join();
  }

  /** A loaded part; until then, and after a failure, the picture is drawn without it. */
  #need<T>(part: LazyPart<T>): T | undefined {
    if (!part.value) part.load().then(this.redraw, () => {});
    return part.value;
  }
}

/** Along the row in the middle of the view; undefined outside the map. */
function kilometresPerPixel(geo: GeoPlane, row: number, column: number, scale: number): number | undefined {
  const [from, to] = [-1, 1].map((pixels) => geo.positionAt(row, column + pixels / scale));
  if (!from || !to) return undefined;
  const [a, b] = [from, to].map(([longitude, latitude]) => ({ longitude, latitude })) as [
    GeoPosition,
    GeoPosition,
  ];
  return greatCircleLength(a, b) / 2;
}

/** The value made last, for a dataset and its shown axes. */
class Latest<T> {
  #made: { readonly dataset: object; readonly key: string; readonly value: T } | undefined;

  of(dataset: object, axes: readonly number[], make: () => T): T {
    const key = axes.join();
    if (this.#made?.dataset !== dataset || this.#made.key !== key)
      this.#made = { dataset, key, value: make() };
    return this.#made.value;
  }
}
