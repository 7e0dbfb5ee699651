/**
 * The memory limit of data that have been read, and whether they are kept for later visits. Shared by all viewers of a
 * page.
 */
import { h, labelled, select } from "../base/dom.js";
import { formatByteCount } from "../base/format.js";
import { keepData, keptData, workOffline } from "../source/kept-data.js";

export interface Memory {
  /** Limit and usage in bytes. */
  readonly budget: number;
  readonly used: number;
}

const choices = [64, 128, 256, 512, 1024, 2048].map((mebibytes) => mebibytes * 2 ** 20);

export class MemoryPanel {
  readonly #choice: HTMLSelectElement;
  readonly #used = h("span", { class: "zw-unit" });
  readonly element: HTMLElement;
  #budget = 0;

  /** `choose` is called with the selected number of bytes. */
  constructor(choose: (bytes: number) => void) {
    this.#choice = select(
      choices.map((bytes) => [String(bytes), formatByteCount(bytes)] as const),
      (bytes) => choose(Number(bytes)),
    );
    const row = labelled("Memory for cached data", this.#choice);
    row.append(this.#used);
    const attributes = { class: "zw-card zw-memory", "aria-label": "Memory", hidden: true };
    this.element = h("section", attributes, row, ...keptDataChoices());
  }

  /** Hidden for content that is not cached: tables and single values. */
  sync(memory: Memory | undefined): void {
    this.element.hidden = memory === undefined;
    if (!memory) return;
    if (memory.budget !== this.#budget) this.#show(memory.budget);
    const text = `${formatByteCount(memory.used)} in use`;
    if (this.#used.textContent !== text) this.#used.textContent = text;
  }

  #show(budget: number): void {
    this.#budget = budget;
    const value = String(budget);
    // The default for this machine need not be one of the choices.
    if (![...this.#choice.options].some((option) => option.value === value)) {
      const next = [...this.#choice.options].find((option) => Number(option.value) > budget);
      this.#choice.insertBefore(h("option", { value }, formatByteCount(budget)), next ?? null);
    }
    this.#choice.value = value;
  }
}

/** Returns the switches of kept data. Without kept data, there is nothing to show offline. */
function keptDataChoices(): HTMLElement[] {
  const offline = h("input", { type: "checkbox", onchange: () => workOffline(offline.checked) });
  const sync = () => {
    keep.checked = keptData.enabled;
    offline.checked = keptData.offline;
    offline.disabled = !keptData.enabled;
  };
  const change = () => {
    keepData(keep.checked);
    sync();
  };
  const keep = h("input", { type: "checkbox", onchange: change });
  sync();
  return [
    h("label", { class: "zw-check" }, keep, "Keep data for later visits"),
    h("label", { class: "zw-check" }, offline, "Work offline, with kept data only"),
  ];
}
