/** The picture or line in the middle: one of the two at a time, with its layers and statistics. */
import { LazyPart } from "../base/lazy-part.js";
import type { DisplayedView } from "../model/advice.js";
import { type Layer, planLayers } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { LayerNumbers } from "../panels/panel.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { ImagePainter } from "./image-painter.js";
import { type PlaneCallbacks, PlaneView } from "./plane-view.js";
import { placement } from "./projections.js";
import { Ranges } from "./ranges.js";
import type { ViewInputs } from "./viewer-model.js";

export type PlaneKind = "image" | "line";

export class MainPlane {
  readonly ranges = new Ranges();
  layers: readonly Layer[] = [];
  /** Undefined if nothing is shown. */
  view: PlaneView | undefined;
  kind: PlaneKind | undefined;
  readonly #linePainter = new LazyPart(async () => (await import("./line-painter.js")).LinePainter);

  constructor(private readonly callbacks: PlaneCallbacks & Pick<ViewInputs, "format">) {}

  /** Statistics of each layer. */
  get numbers(): LayerNumbers[] {
    return this.layers.map((layer) => this.ranges.numbers(layer));
  }

  /** Loads the painter of a kind of plane; undefined if it has been loaded. */
  load(kind: PlaneKind): Promise<unknown> | undefined {
    return kind === "image" || this.#linePainter.value ? undefined : this.#linePainter.load();
  }

  /**
   * Shows a plane of a kind that has been loaded.
   * @param next layers that will be shown soon
   * @param isPassing whether another slice follows soon
   * @returns its view, and whether it reads other elements than the previous plane
   */
  show(
    kind: PlaneKind,
    dataset: Dataset,
    state: ViewState,
    next: readonly Layer[],
    isPassing: boolean,
  ): { view: PlaneView; isOther: boolean } {
    const before = this.layers;
    const layers = planLayers(dataset, state);
    this.layers = layers;
    // The values beside a line show that its range changes.
    const isPerSlice = state.isRangePerSlice || kind === "line";
    this.ranges.begin(layers, { isPerSlice, isCommon: state.isRangeCommon });
    if (!this.view || this.kind !== kind) {
      this.view?.dispose();
      this.view = this.#make(kind);
      this.kind = kind;
    }
    this.view.show({ dataset, state, layers, next, isPassing, ...placement(dataset, state) });
    return { view: this.view, isOther: !isSameReading(before, layers) };
  }

  /** Reads a slice behind the shown one. */
  prepare(dataset: Dataset, state: ViewState): void {
    this.view?.prepare(planLayers(dataset, state));
  }

  #make(kind: PlaneKind): PlaneView {
    return new PlaneView(this.ranges, this.callbacks, (frame, redraw, budget) =>
      kind === "image"
        ? new ImagePainter(frame, redraw, budget, this.ranges)
        : new this.#linePainter.value!(frame, redraw, this.ranges, () => this.callbacks.format()),
    );
  }

  end(): void {
    this.view?.dispose();
    this.view = undefined;
    this.kind = undefined;
    this.layers = [];
  }

  /** Whether only the middle is shown because no part has been chosen. */
  isMiddle(dataset: Dataset, { axes, camera, window }: ViewState): boolean {
    const seen = this.view?.seen;
    if (!seen || camera || axes.some((axis) => window[axis])) return false;
    const columns = datasetShape(dataset)[axes.at(-1)!]!;
    const part = (seen.right - seen.left) / columns;
    // The cameras of lines are aligned to whole pixels, which may cut off a little.
    if (axes.length === 1) return part < 0.9;
    return part < 1 && seen.bottom - seen.top < datasetShape(dataset)[axes[0]!]!;
  }

  /** Describes the reads for the current view. */
  displayedView(dataset: Dataset, state: ViewState): DisplayedView | undefined {
    const [viewpoint, seen] = [this.view?.viewpoint, this.view?.seen];
    if (!seen || !viewpoint || dataset.embedding) return undefined;
    const { size, ratio } = viewpoint;
    const pixels = { width: size.width * ratio, height: size.height * ratio };
    return { dataset, state, seen, level: this.view!.level, pixels };
  }
}

/** Whether two lists of layers read the same elements. */
function isSameReading(a: readonly Layer[], b: readonly Layer[]): boolean {
  const key = (layers: readonly Layer[]) =>
    layers
      .map(({ axes, index }) => [axes, index.map((at, axis) => (axes.includes(axis) ? "" : at))].join(";"))
      .join("|");
  return key(a) === key(b) && a[0]?.dataset === b[0]?.dataset;
}
