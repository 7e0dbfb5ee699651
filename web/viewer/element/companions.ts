/** What belongs together with a picture, and can wait for it: other variables and images, labels over it. */
import { messageOf } from "../base/format.js";
import { shownLabels } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import type { Dataset, Labels } from "../source/dataset.js";
import type { Opened } from "../source/open.js";

type OpenedDataset = Extract<Opened, { kind: "dataset" }>;

export interface CompanionsCallbacks {
  /** What is shown; undefined where nothing is. */
  settings(): ViewState | undefined;
  onGo(path: string, variable?: string): void;
  /** A list of what can be shown instead. */
  onCollection(panel: HTMLElement): void;
  /** There are labels. */
  onLabels(): void;
  /** Labels that are to be shown have been opened. */
  onNews(): void;
  /** Labels cannot be shown. */
  onFailure(sentence: string): void;
}

export class Companions {
  #opened: OpenedDataset | undefined;
  #signal = AbortSignal.abort();
  #isFound = false;
  #labels: readonly Labels[] = [];

  constructor(private readonly callbacks: CompanionsCallbacks) {}

  /** Of an image, once they have been found. */
  get labels(): readonly Labels[] {
    return this.#labels;
  }

  /** @param opened a picture; undefined where there is none. @param signal ends with it */
  begin(opened: OpenedDataset | undefined, signal: AbortSignal): void {
    this.#opened = opened;
    this.#signal = signal;
    this.#isFound = false;
    this.#labels = [];
  }

  /** Looks for them, once: the picture is there. */
  find(): void {
    const opened = this.#opened;
    if (!opened || this.#isFound) return;
    this.#isFound = true;
    void this.#findCollection(opened);
    void this.#findLabels(opened.dataset);
  }

  async #findCollection({ path, collection }: OpenedDataset): Promise<void> {
    const signal = this.#signal;
    const found = await collection(signal).catch(() => undefined); // nothing that the picture needs
    if (!found) return;
    const { collectionPanel } = await import("../panels/collection.js");
    const panel = collectionPanel(found, path, (...way) => this.callbacks.onGo(...way));
    if (panel && !signal.aborted) this.callbacks.onCollection(panel);
  }

  async #findLabels(dataset: Dataset): Promise<void> {
    const signal = this.#signal;
    const labels = (await dataset.labels?.find().catch(() => [])) ?? [];
    if (labels.length === 0 || signal.aborted) return;
    this.#labels = labels;
    this.callbacks.onLabels();
    await this.openLabels();
  }

  /** Opens the labels that are to be shown. */
  async openLabels(): Promise<void> {
    const [opened, settings, signal] = [this.#opened, this.callbacks.settings(), this.#signal];
    const labels = opened && settings && shownLabels(opened.dataset, settings);
    if (!labels) return;
    try {
      if (!labels.dataset) await labels.open();
      if (!signal.aborted) this.callbacks.onNews();
    } catch (error) {
      if (signal.aborted) return;
      const message = messageOf(error);
      this.callbacks.onFailure(`The labels ${labels.name} cannot be shown: ${message}.`);
    }
  }
}
