/** The element or the point under the pointer: shown, reported to the embedding page, and chosen. */
import type { Scalar } from "zarr-wasm";
import { scalarAt } from "../base/format.js";
import type { LazyPart } from "../base/lazy-part.js";
import { labelTableOf, maxListed } from "../model/label-look.js";
import type { ViewState } from "../model/state.js";
import { decodedAt, type Pointed, Readout } from "../panels/readout.js";
import type { Embedding } from "../source/dataset.js";
import { storedIndex } from "../source/folds.js";
import type { RowId } from "../source/row-id.js";
import type { VolumePoint } from "../volume/reading.js";
import type { CrossSections } from "./cross-sections.js";
import type { MainPlane } from "./main-plane.js";
import type { PointerReport } from "./options.js";
import { type Cell, cellIndex } from "./plane-geometry.js";
import type { SliceGate } from "./slice-gate.js";
import type { ViewerModel } from "./viewer-model.js";

type By = PointerReport["by"];

export class Pointing {
  readonly readout: Readout;
  /** The latest pointing device. */
  #by: By = "pointer";
  /** The last report: the element, and what identifies its values. Undefined after the pointer has left. */
  #reported: { readonly place: string; readonly value: string } | undefined;

  constructor(
    private readonly model: ViewerModel,
    private readonly plane: MainPlane,
    private readonly crossSections: LazyPart<CrossSections>,
    private readonly gate: SliceGate,
    place: HTMLElement,
  ) {
    this.readout = new Readout(place);
  }

  point(cell: Cell | undefined, by: By): void {
    const { dataset, settings } = this.model.view!;
    // While the picture is dragged, the element stays the same.
    if (cell && by === "pointer" && this.model.isMoving.peek()) return;
    const view = this.plane.view!;
    const readings = cell && !this.gate.isWaiting ? view.read(cell) : [];
    const shape = view.describe(cell);
    const pointed = cell && {
      index: cellIndex(settings, cell),
      axes: dataset.axes,
      readings,
      shape: shape?.text,
      plotted: dataset.embedding && plottedPlace(dataset.embedding, settings.axes, shape?.row),
    };
    this.show(pointed, by);
    this.crossSections.value?.point(cell);
  }

  /** Shows an element below the picture, and reports it to the page; undefined if the pointer has left. */
  show(pointed: Pointed | undefined, by: By): void {
    this.#by = by;
    this.readout.show(pointed, by);
    this.#report(pointed);
  }

  /** Reports equal values once, although they are looked up after every read. */
  #report(pointed: Pointed | undefined): void {
    const listener = this.model.options.onPointer;
    if (!listener) return;
    if (!pointed) {
      if (this.#reported === undefined) return;
      this.#reported = undefined;
      listener(undefined);
      return;
    }
    const [isPick, text, values] = [this.#by === "pick", this.readout.text, storedValues(pointed)];
    const place = `${isPick} ${pointed.index}`;
    // The text also changes when coordinates or properties arrive; a picked element is reported for its values.
    const value = isPick && values.length > 0 ? values.map(valueKey).join() : text;
    const before = this.#reported;
    if (before?.place === place && (before.value === value || isUnread(pointed))) return;
    this.#reported = { place, value };
    const { axes, readings } = pointed;
    const index = storedIndex(this.model.view!.dataset, pointed.index);
    listener({
      index,
      dimensions: axes.map(({ name }) => name),
      coordinates: axes.map(({ coordinates }, axis) => {
        const at = coordinates?.at(pointed.index[axis]!);
        return at !== undefined && coordinates!.kind === "milliseconds" ? new Date(at) : at;
      }),
      values,
      decoded: values.map((value, i) => (value === undefined ? value : decodedValue(readings[i]!, value))),
      text,
      by: this.#by,
    });
  }

  /** The value under the pointer may have been read. @param isGone whether no element may be under it any more */
  again(isGone = false): void {
    const cell = this.plane.view?.cell;
    if (this.plane.view && (cell || isGone)) this.point(cell, this.#by);
    else if (isGone) this.show(undefined, this.#by);
  }

  /** @param isPinned whether the cursor stays there */
  pick(cell: Cell, isPinned: boolean): void {
    const { settings } = this.model.view!;
    if (isPinned) this.point(cell, "pick");
    if (this.crossSections.value?.isPicking) this.model.inputs.onPick(cellIndex(settings, cell));
    else if (!isPinned) this.#pickLabel(cell);
  }

  /** Chooses a voxel of a volume and its label; undefined beside the volume: no label. */
  choose(pointed: VolumePoint | undefined): void {
    const { settings } = this.model.view!;
    const picked = pointed ? pickedLabel(settings, pointed.readings) : pickedId(settings, undefined);
    const index = pointed?.index ?? settings.index;
    if (pointed || picked) this.model.actions.change({ index, ...picked }, picked ? "labels-pick" : "pick");
  }

  #pickLabel(cell: Cell): void {
    const { dataset, settings } = this.model.view!;
    const view = this.plane.view!;
    const id = view.observationAt(cell);
    // Beside points and shapes, a label is selected, or else nothing.
    const isFeature = dataset.embedding !== undefined || id !== undefined;
    const label = isFeature ? undefined : pickedLabel(settings, view.read(cell));
    const picked = label ?? pickedId(settings, id);
    if (picked) this.model.actions.change(picked, "labels-pick");
  }
}

/** The shown axes of a scatter plot, with the coordinates of the point under the pointer. */
const plottedPlace = ({ columns }: Embedding, axes: readonly number[], row: number | undefined) =>
  [...axes]
    .sort((a, b) => a - b)
    .map((axis) => ({ axis, value: row === undefined ? undefined : columns[axis]![row]! }));

/**
 * The change of a state after a click: the label under the pointer is selected, or no longer selected; on the
 * background none is. Undefined if there are no labels.
 */
function pickedLabel(
  { labels }: ViewState,
  readings: Pointed["readings"],
): Pick<ViewState, "labels"> | undefined {
  const reading = readings.findLast(
    ({ layer }) => layer.style.kind === "labels" && layer.title === undefined,
  );
  if (!reading) return undefined;
  const { layer, tile, row, column } = reading;
  const label = Number(scalarAt(tile.block.region, tile.offsetOf(row, column)));
  if (label === 0 || !Number.isSafeInteger(label)) return pickedId({ labels }, undefined);
  return pickedId({ labels }, labelTableOf(layer.dataset)?.observations.idOfLabel(label) ?? label);
}

/** The change of a state after a click on a label or a point; undefined beside all of them. */
function pickedId(
  { labels }: Pick<ViewState, "labels">,
  id: RowId | undefined,
): Pick<ViewState, "labels"> | undefined {
  const { selected } = labels;
  if (id === undefined) return selected.length > 0 ? { labels: { ...labels, selected: [] } } : undefined;
  const others = selected.filter((one) => one !== id);
  const next = others.length < selected.length ? others : [...others, id].slice(-maxListed);
  return { labels: { ...labels, selected: next } };
}

/** Whether an element has values that have not been read: of a reported one, they are read again. */
const isUnread = ({ readings, shape, plotted }: Pointed): boolean =>
  readings.length === 0 && shape === undefined && plotted === undefined;

const valueKey = (value: PointerReport["values"][number]): string =>
  typeof value === "object"
    ? JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part))
    : String(value);

function decodedValue(
  { layer: { dataset, isRaw }, tile, row, column }: Pointed["readings"][number],
  stored: Scalar,
): PointerReport["decoded"][number] {
  if (isRaw || !dataset.decode) return stored;
  const { value } = decodedAt(dataset.decode, tile.block.region, tile.offsetOf(row, column));
  if (Number.isNaN(value)) return null;
  return dataset.decodedKind === "milliseconds" ? new Date(Number(value)) : value;
}

/** The stored values; undefined for unreadable ones. */
function storedValues({ readings }: Pointed): PointerReport["values"] {
  return readings.map(({ tile, row, column, gap }) =>
    gap?.kind === "damaged" ? undefined : scalarAt(tile.block.region, tile.offsetOf(row, column)),
  );
}
