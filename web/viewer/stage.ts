/** The stage: heading, progress, the picture or what stands in for it, legend, value under the pointer. */
import type { Progress, ZarrArray } from "zarr-wasm";
import { ordinal } from "./axes.js";
import { h } from "./dom.js";
import {
  formatBriefly,
  formatByteCount,
  formatScalar,
  formatShape,
  formatTime,
  formatType,
  scalarAt,
} from "./format.js";
import { ImageView } from "./image-view.js";
import { isTime } from "./leaf.js";
import { Legend } from "./legend.js";
import { LineView } from "./line-view.js";
import { type Explanation, errorPanel } from "./messages.js";
import { cellOf, indexOf, offsetOf, type Picture, type Slice } from "./picture.js";
import type { Cell, PointerCallbacks } from "./pointer.js";
import { leafOf, type ViewSettings } from "./settings.js";
import { tableView, valueView } from "./table-view.js";

/** What the viewer is doing: also the root element's `data-state`. */
export type ViewerState = "empty" | "opening" | "reading" | "ready" | "error";

/** Everything that a picture on the stage is made from. */
export interface Shown {
  readonly array: ZarrArray;
  readonly settings: ViewSettings;
  readonly slice: Slice;
  /** Undefined where the slice has no numbers to draw. */
  readonly picture: Picture | undefined;
}

const hint = "Point at the picture or use the arrow keys to read values; drag to zoom in.";
const touchHint = "Tap the picture to read values.";

export class Stage {
  readonly #title = h("h2", { class: "zw-title" });
  readonly #subtitle = h("p", { class: "zw-subtitle" });
  readonly #status = h("p", { class: "zw-status", role: "status" });
  readonly #progress = h("progress", { class: "zw-progress", max: 1, "aria-label": "Chunks read" });
  readonly #view = h("div", { class: "zw-view" });
  readonly #legend = new Legend();
  readonly #index = h("span", { class: "zw-readout-index" });
  readonly #value = h("span", { class: "zw-readout-value" });
  readonly #readout = h("output", { class: "zw-readout", hidden: true }, this.#index, this.#value);
  readonly element = h(
    "section",
    { class: "zw-card zw-stage", "aria-label": "Slice" },
    h("header", { class: "zw-head" }, h("div", {}, this.#title, this.#subtitle), this.#status),
    this.#progress,
    this.#view,
    this.#legend.element,
    this.#readout,
  );
  #drawing: ImageView | LineView | undefined;
  #shown: Shown | undefined;
  #pointedBy: "pointer" | "keyboard" = "pointer";

  constructor(private readonly callbacks: PointerCallbacks) {}

  /** Cell that is pointed at, where there is a picture. */
  get cell(): Cell | undefined {
    return this.#drawing?.pointer.cell;
  }

  setHeading(title: string, array: ZarrArray | undefined): void {
    this.#title.textContent = title;
    this.#subtitle.textContent = array ? `${formatShape(array.shape)} · ${formatType(array.dtype)}` : "";
  }

  setBusy(text: string, progress?: Progress): void {
    this.element.setAttribute("aria-busy", "true");
    this.#progress.classList.add("zw-active");
    // Without a value the bar shows only that something is going on.
    if (!progress) this.#progress.removeAttribute("value");
    else {
      this.#progress.max = progress.totalChunks;
      this.#progress.value = progress.chunks;
      this.#progress.title = `${progress.chunks} of ${progress.totalChunks} chunks, ${formatByteCount(progress.bytes)}`;
    }
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  setIdle(text: string): void {
    this.element.setAttribute("aria-busy", "false");
    this.#progress.classList.remove("zw-active");
    this.#status.textContent = text;
  }

  /** Shows an error in the picture's place. */
  showError(explanation: Explanation, retry: () => void): void {
    this.clear();
    this.#view.replaceChildren(errorPanel(explanation, retry));
  }

  showText(text: string): void {
    this.clear();
    this.#view.replaceChildren(h("p", { class: "zw-empty" }, text));
  }

  show(shown: Shown): void {
    const cell = this.#cellIn(shown);
    this.#shown = shown;
    this.#render(shown);
    this.#drawing?.pointer.moveTo(cell);
    if (this.#drawing) this.point(cell, this.#pointedBy);
  }

  /** The cell of the element that is pointed at, in what will be shown next. */
  #cellIn({ slice: { plan } }: Shown): Cell | undefined {
    const [old, cell] = [this.#shown, this.cell];
    if (!old || !cell) return undefined;
    if (JSON.stringify(old.slice.plan.axes) === JSON.stringify(plan.axes)) return cell;
    // A mouse rests on another element when the picture has changed under it.
    if (this.#pointedBy === "pointer") return undefined;
    return cellOf(plan, indexOf(old.slice.plan, old.settings.index, cell));
  }

  #render(shown: Shown): void {
    const { array, slice, settings, picture } = shown;
    if (picture && slice.plan.kind === "image") this.#showImage(shown, picture);
    else if (picture && slice.plan.kind === "line") this.#showLine(shown, picture);
    else {
      const leaf = leafOf(array, settings.field);
      this.clear();
      this.#view.replaceChildren(
        slice.plan.kind === "value" || !leaf ? valueView(slice) : tableView(array, slice, leaf),
      );
    }
  }

  /** Shows index and value of a cell; they are spoken only when the keyboard chose it. */
  point(cell: Cell | undefined, by: "pointer" | "keyboard"): void {
    this.#pointedBy = by;
    this.#readout.setAttribute("aria-live", by === "keyboard" ? "polite" : "off");
    this.#readout.classList.toggle("zw-hint", !cell);
    this.#index.hidden = !cell;
    if (!cell || !this.#shown) {
      this.#index.textContent = "";
      this.#value.textContent = window.matchMedia("(pointer: coarse)").matches ? touchHint : hint;
      return;
    }
    const { slice, settings } = this.#shown;
    const { region, plan } = slice;
    this.#index.textContent = `[${indexOf(plan, settings.index, cell).join(", ")}]`;
    this.#value.textContent = formatScalar(region.dtype, scalarAt(region, offsetOf(slice, cell)));
  }

  /** Takes away what is shown. */
  clear(): void {
    this.#drawing?.dispose();
    this.#drawing = undefined;
    this.#legend.hide();
    this.#readout.hidden = true;
    this.#view.replaceChildren();
  }

  #showImage({ array, settings }: Shown, picture: Picture): void {
    const view =
      this.#drawing instanceof ImageView ? this.#drawing : this.#begin(new ImageView(this.callbacks));
    const limits = picture.limits(settings.range);
    view.show(array, picture, settings.colormap, limits);
    const [low, high] = limits.map(valueFormat(picture));
    this.#legend.show(settings.colormap, low!, high!, noteOf(picture, settings.colormap === "labels"));
    this.#readout.hidden = false;
  }

  #showLine({ array, settings }: Shown, picture: Picture): void {
    const view =
      this.#drawing instanceof LineView ? this.#drawing : this.#begin(new LineView(this.callbacks));
    view.show({ array, picture, limits: picture.limits(settings.range), format: valueFormat(picture) });
    this.#readout.hidden = false;
  }

  #begin<View extends ImageView | LineView>(view: View): View {
    this.clear();
    this.#drawing = view;
    this.#view.replaceChildren(view.element);
    return view;
  }
}

function valueFormat({ leaf: { dtype } }: Picture): (value: number) => string {
  if (dtype.core !== "datetime64" || !isTime(dtype)) return formatBriefly;
  return (value) => (Number.isFinite(value) ? formatTime(dtype, BigInt(Math.round(value))) : "–");
}

/** What the colours do not say. */
function noteOf({ statistics: { missing, infinite } }: Picture, isLabels: boolean): string {
  const count = (n: number, one: string, many: string) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many}`]);
  const notes = [
    ...(isLabels ? ["Every label has its own colour; 0 is the background"] : []),
    ...count(missing, "element is not a number (chequered)", "elements are not numbers (chequered)"),
    ...count(infinite, "element is infinite", "elements are infinite"),
  ];
  return notes.join(" · ");
}

/** "Every 3rd row and column is drawn", or undefined where all are. */
export function stepNote({ plan }: Slice): string | undefined {
  const stepped = plan.axes.filter(({ step }) => step > 1);
  if (stepped.length === 0) return undefined;
  const parts = stepped.map(({ step, axis }) => `every ${ordinal(step)} index of axis ${axis}`);
  return `To keep the picture small, only ${parts.join(" and ")} is drawn. Zoom in to see all of them.`;
}
