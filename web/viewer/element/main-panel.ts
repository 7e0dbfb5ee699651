/** The main panel: heading, progress, the picture or its replacement, legend, value under the pointer. */

import { effect, signal } from "@preact/signals-core";
import type { Progress } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatByteCount, formatShape, formatType } from "../base/format.js";
import { LazyPart } from "../base/lazy-part.js";
import { longName, maxText, shortened } from "../base/text.js";
import { text } from "../language/text.js";
import { unitText } from "../panels/coordinates.js";
import { type Explanation, errorPanel } from "../panels/messages.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { LegendContent } from "./legends.js";

/** Maximum length of a displayed title. */
const maxTitle = 200;

export class MainPanel {
  readonly #title = h("h2", { class: "zw-title" });
  readonly #subtitle = h("p", { class: "zw-subtitle", dir: "auto" });
  readonly #place = h("p", { class: "zw-place", dir: "auto", hidden: true });
  readonly #status = h("p", { class: "zw-status", dir: "auto", role: "status" });
  readonly #progress = h("progress", { class: "zw-progress", max: 1, "aria-label": text.main.chunks });
  readonly #view = h("div", { class: "zw-view" });
  /** Timer that reports if no more data arrive. */
  #waiting: ReturnType<typeof setTimeout> | undefined;
  /** The title, after the path to the node. */
  readonly path = h("div", { class: "zw-line" }, this.#title);
  /** Container for the buttons above the picture. */
  readonly tools = h("div", { class: "zw-tools", role: "group", "aria-label": text.main.controls });
  /** Container for the variable and the view, before the buttons. */
  readonly modes = h("div", { class: "zw-modes" });
  /** Container for the profile. */
  readonly beside = h("div", { class: "zw-beside", hidden: true });
  readonly #legendPlace = h("div", { class: "zw-legend-place" });
  readonly #legend = new LazyPart(async () => {
    const { Legend, showLegend } = await import("./legends.js");
    const legend = new Legend();
    this.#legendPlace.append(legend.element);
    return (drawn: LegendContent | undefined) => showLegend(legend, drawn);
  });
  /** What the legend explains; undefined hides it. */
  readonly legend = signal<LegendContent | undefined>(undefined);
  /** Container for the value under the pointer. */
  readonly readout = h("output", { class: "zw-readout", dir: "ltr", hidden: true });
  readonly element = h(
    "section",
    { class: "zw-stage", role: "group", "aria-label": text.main.title },
    h(
      "header",
      { class: "zw-head" },
      this.path,
      this.modes,
      this.tools,
      h("div", { class: "zw-line" }, this.#subtitle, this.#place),
      this.#status,
    ),
    this.#progress,
    this.#view,
    h("div", { class: "zw-foot" }, this.#legendPlace, this.readout),
    h("div", { class: "zw-beside-place" }, this.beside),
  );

  constructor() {
    effect(() => {
      const [drawn, show] = [this.legend.value, this.#legend.value];
      if (show) show(drawn);
      else if (drawn && (drawn.layers.length > 0 || drawn.dataset.embedding)) this.#legend.want();
    });
  }

  setHeading(title: string, dataset: Dataset | undefined): void {
    this.#title.textContent = shortened(title, maxTitle);
    this.#title.title = longName(title) ?? "";
    this.#subtitle.textContent = dataset ? subtitleText(dataset) : "";
    this.showPlace("");
  }

  /** Shows the position of the slice in the dataset: "time 2020-01-21". */
  showPlace(text: string): void {
    this.#place.hidden = text === "";
    const shown = shortened(text, maxText);
    if (this.#place.textContent !== shown) this.#place.textContent = shown;
  }

  setBusy(status: string, progress?: Progress): void {
    // Many frames repeat the same status while no data arrive.
    if (this.#status.textContent.startsWith(status) && this.#progress.value === progress?.chunks) return;
    this.element.setAttribute("aria-busy", "true");
    this.#progress.classList.add("zw-active");
    // Without a value the bar is indeterminate.
    if (!progress) this.#progress.removeAttribute("value");
    else {
      this.#progress.max = progress.totalChunks;
      this.#progress.value = progress.chunks;
      const { chunks, totalChunks, bytes } = progress;
      this.#progress.title = text.main.progress(chunks, totalChunks, formatByteCount(bytes));
    }
    this.#say(status);
    const still = text.main.waiting(status);
    this.#waiting = setTimeout(() => this.#say(still), 10_000);
  }

  setIdle(text: string): void {
    this.element.setAttribute("aria-busy", "false");
    this.#progress.classList.remove("zw-active");
    this.#say(text);
  }

  /** Marks the picture as incomplete while labels and layers are loading. */
  setPending(isPending: boolean): void {
    this.#view.setAttribute("aria-busy", String(isPending));
  }

  #say(text: string): void {
    clearTimeout(this.#waiting);
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  /** Shows an error instead of the picture. */
  showError(explanation: Explanation, retry: () => void): void {
    this.show(errorPanel(explanation, retry));
  }

  showText(text: string): void {
    this.show(h("p", { class: "zw-empty" }, text));
  }

  /** Shows an element in the main area; a picture comes with legend and values. */
  show(element: HTMLElement | undefined, isPicture = false): void {
    if (element?.parentElement !== this.#view) this.#view.replaceChildren(...(element ? [element] : []));
    if (!isPicture) this.legend.value = undefined;
    this.readout.hidden = !isPicture;
  }
}

/** The meaning of the values, then their number. */
function subtitleText(dataset: Dataset): string {
  const { label, unit, dtype, embedding } = dataset;
  if (embedding) return text.main.points(embedding.observations.rows);
  const meaning = [
    label && shortened(label, maxTitle),
    unit === undefined ? undefined : unitText(unit),
  ].filter((text) => text !== undefined);
  return [meaning.join(", "), formatShape(datasetShape(dataset)), formatType(dtype)]
    .filter((text) => text !== "")
    .join(" · ");
}
