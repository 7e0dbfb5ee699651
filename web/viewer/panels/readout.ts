/** The value under the pointer with its index, or the reason why there is none. */

import type { Region } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatScalar, scalarAt } from "../base/format.js";
import { maxText, shortened, shortName } from "../base/text.js";
import { text } from "../language/text.js";
import { channelLabel, findChannelAxis } from "../model/channels.js";
import { labelTableOf } from "../model/label-look.js";
import type { Layer } from "../model/layers.js";
import type { Dataset, DatasetAxis } from "../source/dataset.js";
import { storedIndex } from "../source/folds.js";
import type { Tile, TileGap } from "../tiles/tile.js";
import { coordinateText, dateText, numberText, placeText, positionText, unitText } from "./coordinates.js";
import { chunkSentence } from "./messages.js";

/** The element under the pointer. */
export interface Pointed {
  /** Index in elements of level 0, along every axis. */
  readonly index: readonly number[];
  readonly axes: readonly DatasetAxis[];
  /** Values per layer; empty if they have not been read yet. */
  readonly readings: readonly {
    readonly tile: Tile;
    readonly row: number;
    readonly column: number;
    readonly gap: TileGap | undefined;
    readonly layer: Layer;
  }[];
  /** Description of the point or shape. */
  readonly shape?: string | undefined;
  /** The shown axes of a scatter plot, which has no elements, with the coordinates of the point. */
  readonly plotted?: readonly { readonly axis: number; readonly value: number | undefined }[] | undefined;
}

export class Readout {
  readonly #index = h("span", { class: "zw-readout-index" });
  readonly #value = h("span", { class: "zw-readout-value" });

  constructor(private readonly element: HTMLElement) {
    element.replaceChildren(this.#index, this.#value);
  }

  /** The displayed text. */
  get text(): string {
    return this.#value.textContent ?? "";
  }

  /** Values are announced to screen readers only if the element has been chosen. */
  show(pointed: Pointed | undefined, by: "pointer" | "keyboard" | "pick"): void {
    this.element.setAttribute("aria-live", by === "pointer" ? "off" : "polite");
    this.element.classList.toggle("zw-hint", !pointed);
    this.#index.hidden = !pointed;
    setText(this.#index, pointed ? whereText(pointed) : "");
    if (pointed) setText(this.#value, pointedText(pointed));
    else {
      const isTouch = window.matchMedia("(pointer: coarse)").matches;
      setText(this.#value, isTouch ? text.readout.touchHint : text.readout.hint);
    }
  }
}

function pointedText({ readings, shape, plotted }: Pointed): string {
  if (plotted) return shape || text.readout.noPoint;
  const values = readings.map(valueText).join(" · ") || text.readout.unread;
  return shape ? `${values} · ${shape}` : values;
}

/** Formats an element in full, from the block that holds it. */
function valueText({ tile, row, column, gap, layer }: Pointed["readings"][number]): string {
  if (gap?.kind === "damaged") return chunkSentence(gap.error);
  const { region } = tile.block;
  const at = tile.offsetOf(row, column);
  const stored = formatScalar(region.dtype, scalarAt(region, at));
  const { dataset, isRaw } = layer;
  const value = isRaw || !dataset.decode ? withUnit(layer, stored) : meantText(dataset, region, at, stored);
  const name = layerName(layer);
  const level = tile.level > 0 ? ` (${text.readout.level(tile.level)})` : "";
  const properties = labelText(layer, region, at);
  const note = gap ? ` (${text.readout.fill})` : "";
  return `${name}${value}${properties}${note}${level}`;
}

/** Properties of the label under the pointer: " (class: nucleus)". */
function labelText({ dataset, style }: Layer, { data }: Region, at: number): string {
  if (style.kind !== "labels") return "";
  const label = data[at]!;
  const table = labelTableOf(dataset)?.observations;
  const row = table?.row(Number(label));
  const properties =
    dataset.labelInfo?.properties(label as number) ?? (row === undefined ? "" : table!.text(row));
  return properties === "" ? "" : ` (${properties})`;
}

/** Formats values that need no decoding. */
function withUnit({ dataset: { unit }, isRaw, part }: Layer, value: string): string {
  return unit === undefined || isRaw || part === "phase" ? value : `${value} ${unitText(unit)}`;
}

/** Names the layer, if there are several. */
function layerName({ dataset, style, index, title }: Layer): string {
  const name = title === undefined ? "" : `${shortName(title)}: `;
  const axis = findChannelAxis(dataset);
  const isChannel = style.kind === "tint" || style.kind === "mask";
  if (axis !== undefined && isChannel) return `${name}${channelLabel(dataset, index[axis]!)} `;
  return style.isOverlay ? `${name}${text.readout.label} ` : name;
}

/** Indices, with coordinates if there are any. */
function whereText({ index, axes, readings, plotted }: Pointed): string {
  if (plotted)
    return plotted.map((one) => plottedText(axes[one.axis]!, index[one.axis]!, one.value)).join(" · ");
  const dataset = readings.find(({ layer }) => !layer.style.isOverlay && layer.title === undefined)?.layer
    .dataset;
  const position = dataset ? positionText(dataset, index) : "";
  const place = [placeText(axes, index), position].filter((part) => part !== "").join(" · ");
  const stored = dataset ? storedIndex(dataset, index) : index;
  return `[${stored.join(", ")}]${place === "" ? "" : ` ${place}`}`;
}

/** The coordinate of a point of a scatter plot, or else of the pointer. */
function plottedText(axis: DatasetAxis, index: number, value: number | undefined): string {
  const at =
    value === undefined ? coordinateText(axis, index) : numberText(axis, value, { resolution: axis.scale });
  return `${shortName(axis.name ?? "")} ${at}`;
}

/** Formats the decoded value of a stored element. */
function meantText(
  { decode, decodedKind, unit }: Dataset,
  region: Region,
  at: number,
  stored: string,
): string {
  const { value, dtype } = decodedAt(decode!, region, at);
  if (Number.isNaN(value))
    return stored === "NaN"
      ? text.readout.missing
      : `${text.readout.missing} (${text.readout.stored(stored)})`;
  if (decodedKind === "milliseconds") return dateText(Number(value));
  const decoded = formatScalar(dtype, typeof value === "number" ? rounded(value) : value);
  return `${decoded}${unit === undefined ? "" : ` ${unitText(unit)}`} (${text.readout.stored(stored)})`;
}

/** The decoded value of an element. */
export function decodedAt(decode: NonNullable<Dataset["decode"]>, region: Region, at: number) {
  const data = region.data.slice(at, at + 1) as Region["data"];
  const decoded = decode({ ...region, data, shape: [1], stride: [1] });
  return { value: decoded.data[0]!, dtype: decoded.dtype };
}

/** Rounds off the inaccuracy of scale and offset: 281.34999999999997 is 281.35. */
const rounded = (value: number): number => Number(value.toPrecision(12));

function setText(element: HTMLElement, whole: string): void {
  const shown = shortened(whole, maxText);
  if (element.textContent !== shown) element.textContent = shown;
}
