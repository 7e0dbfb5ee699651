/** The cost of reading the view: estimated from its chunks, and measured on demand. */

import { type Selection, slice } from "zarr-wasm";
import { button, h } from "../base/dom.js";
import { errorMessage, formatByteCount, formatCount, formatDuration } from "../base/format.js";
import { localNumber } from "../language/locale.js";
import { text } from "../language/text.js";
import { adviceFor, type DisplayedView } from "../model/advice.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { storedArray, storedParts } from "../source/folds.js";
import type { Measured } from "../source/measure.js";
import type { Control, Panel, PanelContext, PanelView } from "./panel.js";

export const readingPanel: Panel = {
  name: "reading",
  tab: "share",
  isFolded: true,
  title: () => text.cost.title,
  build: ({ v1Order }) => [new ReadingCost(v1Order)],
};

class ReadingCost implements Control {
  readonly #facts = h("dl");
  readonly #sentence = h("p", { class: "zw-advice" });
  readonly #result = h("p", { class: "zw-advice", role: "status" });
  readonly #button = button(text.cost.measure, () => void this.#measure());
  readonly element = h("div", { class: "zw-facts" }, this.#facts, this.#sentence, this.#button, this.#result);
  #displayed: DisplayedView | undefined;
  #shown = "";

  constructor(private readonly v1Order: PanelContext["v1Order"]) {}

  sync(_state: ViewState, { displayed }: PanelView): void {
    this.#displayed = displayed;
    const advice = displayed && adviceFor(displayed);
    this.element.hidden = !advice;
    if (!advice) return;
    const { chunks, chunkBytes, shownBytes, sentence } = advice;
    const share = (100 * shownBytes) / chunkBytes;
    const rows = [
      [text.cost.inView, formatByteCount(shownBytes)],
      [text.cost.decoded, text.cost.inChunks(formatByteCount(chunkBytes), formatCount(chunks), chunks)],
      [text.cost.visible, `${localNumber(share < 1 ? share.toPrecision(1) : Math.round(share))} %`],
    ] as const;
    const key = [...rows.flat(), sentence].join("\n");
    if (key === this.#shown) return;
    this.#shown = key;
    this.#facts.replaceChildren(
      ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    );
    this.#sentence.textContent = sentence;
    this.#result.textContent = "";
  }

  async #measure(): Promise<void> {
    this.#button.disabled = true;
    this.#result.textContent = text.cost.measuring;
    try {
      const { measure } = await import("../source/measure.js");
      const { dataset, level } = this.#displayed!;
      const array = dataset.levels[level]!.array ?? dataset.array;
      const { v1Order } = this;
      this.#result.textContent = measuredText(
        await measure(storedArray(array), middleSelection(array, this.#displayed!), { v1Order }),
      );
    } catch (error) {
      this.#result.textContent = text.cost.failed(errorMessage(error));
    } finally {
      this.#button.disabled = false;
    }
  }
}

function measuredText({ requests, bytes, decodedBytes, time, decodeTime }: Measured): string {
  const ratio =
    bytes > 0 && decodedBytes > 0 ? `, ${localNumber((decodedBytes / bytes).toFixed(1))} : 1` : "";
  return text.cost.measured({
    requests,
    bytes: formatByteCount(bytes),
    decoded: `${formatByteCount(decodedBytes)}${ratio}`,
    time: formatDuration(time),
    decodeTime: formatDuration(decodeTime),
    isStoreSlow: time > 2 * decodeTime,
  });
}

/** A few chunks of the current level, in the middle of the view. */
function middleSelection(
  array: Dataset["array"],
  { dataset, state: { axes, index }, seen, level }: DisplayedView,
): Selection {
  const { shape, chunkShape } = array;
  const { factor, origin } = dataset.levels[level]!;
  const parts = shape.map((length, axis) => {
    const own = (at: number) => Math.floor((at - origin[axis]!) / factor[axis]!);
    const within = (at: number) => Math.min(Math.max(own(at), 0), length - 1);
    const position = axes.indexOf(axis);
    if (position < 0) return within(index[axis]! + 0.5);
    const isAcross = position === axes.length - 1;
    const [from, to] = isAcross ? [seen.left, seen.right] : [seen.top, seen.bottom];
    // At most two chunks along each axis.
    const half = Math.min((to - from) / 2, chunkShape[axis]! * factor[axis]!);
    const middle = (from + to) / 2;
    const first = within(middle - half);
    return slice(first, Math.max(first + 1, Math.min(length, own(middle + half))));
  });
  return storedParts<(typeof parts)[number]>(array, parts, slice);
}
