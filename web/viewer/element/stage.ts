/** The stage: heading, progress, the picture or what stands in for it, legend, value under the pointer. */
import type { Progress } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatByteCount, formatShape, formatType } from "../base/format.js";
import { longName, maxText, shortened } from "../base/text.js";
import { unitText } from "../panels/coordinates.js";
import { type Explanation, errorPanel } from "../panels/messages.js";
import { Readout } from "../panels/readout.js";
import { type Dataset, shapeOf } from "../source/dataset.js";
import { LegendPlace } from "./legend-place.js";

/** What the viewer is doing: also the root element's `data-state`. */
export type ViewerState = "empty" | "opening" | "reading" | "ready" | "error";

/** Characters of a title that are displayed. */
const maxTitle = 200;

export class Stage {
  readonly #title = h("h2", { class: "zw-title" });
  readonly #subtitle = h("p", { class: "zw-subtitle" });
  readonly #place = h("p", { class: "zw-place", hidden: true });
  readonly #status = h("p", { class: "zw-status", role: "status" });
  readonly #progress = h("progress", { class: "zw-progress", max: 1, "aria-label": "Chunks read" });
  readonly #view = h("div", { class: "zw-view" });
  /** Says that nothing more has come. */
  #waiting: ReturnType<typeof setTimeout> | undefined;
  /** Of what is shown beside the picture. */
  readonly beside = h("div", { class: "zw-beside-place" });
  readonly legend = new LegendPlace();
  readonly readout = new Readout();
  readonly element = h(
    "section",
    { class: "zw-card zw-stage", role: "group", "aria-label": "Slice" },
    h("header", { class: "zw-head" }, h("div", {}, this.#title, this.#subtitle, this.#place), this.#status),
    this.#progress,
    this.#view,
    this.legend.element,
    this.beside,
    this.readout.element,
  );

  setHeading(title: string, dataset: Dataset | undefined): void {
    this.#title.textContent = shortened(title, maxTitle);
    this.#title.title = longName(title) ?? "";
    this.#subtitle.textContent = dataset ? subtitleOf(dataset) : "";
    this.showPlace("");
  }

  /** Where in the dataset the slice lies: "time 2020-01-21". */
  showPlace(text: string): void {
    this.#place.hidden = text === "";
    const shown = shortened(text, maxText);
    if (this.#place.textContent !== shown) this.#place.textContent = shown;
  }

  setBusy(text: string, progress?: Progress): void {
    this.element.setAttribute("aria-busy", "true");
    this.#progress.classList.add("zw-active");
    // Many frames say the same while nothing comes.
    const isSaid = this.#status.textContent.startsWith(text) && this.#progress.value === progress?.chunks;
    // Without a value the bar shows only that something is going on.
    if (!progress) this.#progress.removeAttribute("value");
    else {
      this.#progress.max = progress.totalChunks;
      this.#progress.value = progress.chunks;
      this.#progress.title = `${progress.chunks} of ${progress.totalChunks} chunks, ${formatByteCount(progress.bytes)}`;
    }
    if (isSaid) return;
    this.#say(text);
    const still = `${text} Still waiting after 10 s: the source is slow, or does not answer.`;
    this.#waiting = setTimeout(() => this.#say(still), 10_000);
  }

  setIdle(text: string): void {
    this.element.setAttribute("aria-busy", "false");
    this.#progress.classList.remove("zw-active");
    this.#say(text);
  }

  #say(text: string): void {
    clearTimeout(this.#waiting);
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  /** Shows an error in the picture's place. */
  showError(explanation: Explanation, retry: () => void): void {
    this.show(errorPanel(explanation, retry));
  }

  showText(text: string): void {
    this.show(h("p", { class: "zw-empty" }, text));
  }

  /** Shows an element in the picture's place; a picture comes with legend and values. */
  show(element: HTMLElement | undefined, isPicture = false): void {
    if (element?.parentElement !== this.#view) this.#view.replaceChildren(...(element ? [element] : []));
    if (!isPicture) this.legend.hide();
    this.readout.element.hidden = !isPicture;
  }
}

/** What the values are, then how many. */
function subtitleOf(dataset: Dataset): string {
  const { label, unit, dtype } = dataset;
  const meaning = [
    label && shortened(label, maxTitle),
    unit === undefined ? undefined : unitText(unit),
  ].filter((text) => text !== undefined);
  return [meaning.join(", "), formatShape(shapeOf(dataset)), formatType(dtype)]
    .filter((text) => text !== "")
    .join(" · ");
}
