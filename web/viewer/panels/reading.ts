/** The cost of reading the view: estimated from its chunks, and measured on demand. */
import { button, h } from "../base/dom.js";
import { errorMessage, formatByteCount, formatCount, formatDuration } from "../base/format.js";
import { adviceFor } from "../model/advice.js";
import type { ViewState } from "../model/state.js";
import type { Measured } from "../source/measure.js";
import type { Control, Panel, PanelContext, PanelView } from "./panel.js";

export const readingPanel: Panel = {
  name: "reading",
  title: "Reading",
  build: ({ measure }) => [new ReadingCost(measure)],
};

class ReadingCost implements Control {
  readonly #facts = h("dl");
  readonly #sentence = h("p", { class: "zw-advice" });
  readonly #result = h("p", { class: "zw-advice", role: "status" });
  readonly #button = button("Measure reading", () => void this.#measure());
  readonly element = h("div", { class: "zw-facts" }, this.#facts, this.#sentence, this.#button, this.#result);
  #shown = "";

  /** @param measureView reads part of the view again */
  constructor(private readonly measureView: PanelContext["measure"]) {}

  sync(_state: ViewState, { displayed }: PanelView): void {
    const advice = displayed && adviceFor(displayed);
    this.element.hidden = !advice;
    if (!advice) return;
    const { chunks, chunkBytes, shownBytes, sentence } = advice;
    const share = (100 * shownBytes) / chunkBytes;
    const rows = [
      ["In view", formatByteCount(shownBytes)],
      [
        "Decoded",
        `${formatByteCount(chunkBytes)} in ${formatCount(chunks)} ${chunks === 1 ? "chunk" : "chunks"}`,
      ],
      ["Visible", `${share < 1 ? share.toPrecision(1) : Math.round(share)} %`],
    ] as const;
    const key = [...rows.flat(), sentence].join("\n");
    if (key === this.#shown) return;
    this.#shown = key;
    this.#facts.replaceChildren(
      ...rows.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text))),
    );
    this.#sentence.textContent = sentence;
    this.#result.textContent = "";
  }

  async #measure(): Promise<void> {
    this.#button.disabled = true;
    this.#result.textContent = "Measuring…";
    try {
      const measured = await this.measureView();
      this.#result.textContent = measured ? measuredText(measured) : "";
    } catch (error) {
      this.#result.textContent = `The measurement failed: ${errorMessage(error)}.`;
    } finally {
      this.#button.disabled = false;
    }
  }
}

function measuredText({ requests, bytes, decodedBytes, time, decodeTime }: Measured): string {
  const asked = `${requests} ${requests === 1 ? "request" : "requests"} returned ${formatByteCount(bytes)}`;
  const ratio = bytes > 0 && decodedBytes > 0 ? `, ${(decodedBytes / bytes).toFixed(1)} : 1` : "";
  const slow =
    time > 2 * decodeTime ? "The store took longer than decoding." : "Decoding took longer than the store.";
  return `The middle of the view: ${asked} for ${formatByteCount(decodedBytes)}${ratio}; ${formatDuration(time)} in total, including ${formatDuration(decodeTime)} for decoding on one thread. ${slow}`;
}
