/** Opens a variable computed from another one; while it is computed, the picture shows the results so far. */
import { button, h } from "../base/dom.js";
import { text } from "../language/text.js";
import { deriveDataset } from "../source/derived.js";
import type { Opened } from "../source/opened.js";
import { acquire, release } from "../tiles/shared.js";
import type { MainPanel } from "./main-panel.js";
import { drawAgain, refresh } from "./refresh.js";
import type { ViewController } from "./view-controller.js";
import type { ViewerModel } from "./viewer-model.js";

/** Minimum time between two pictures of results, in milliseconds. */
const interval = 500;

interface Parts {
  readonly model: ViewerModel;
  readonly controller: ViewController;
  readonly mainPanel: MainPanel;
  /** Aborted when the source is closed. */
  readonly signal: AbortSignal;
}

export async function openDerived<T extends Extract<Opened, { kind: "dataset" }>>(
  opened: T,
  name: string,
  parts: Parts,
): Promise<T> {
  const { mainPanel, model, signal } = parts;
  const { pool } = acquire();
  const computation = new Computation(name, parts);
  mainPanel.setBusy(text.compute.progress(name, 0));
  const cancel = button(text.compute.cancel, () => model.actions.derive(undefined), { class: "zw-button" });
  mainPanel.show(h("div", { class: "zw-empty" }, cancel));
  try {
    return {
      ...opened,
      dataset: await deriveDataset(opened.dataset, name, { pool, signal, ...computation }),
    };
  } finally {
    release();
  }
}

/** What runs for a derived variable: a reduction of each level. */
class Computation {
  #running = 0;
  #share = 0;
  #isChanged = false;
  #hasFailed = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly name: string,
    private readonly parts: Parts,
  ) {}

  readonly onProgress = (share: number): void => {
    this.#share = share;
  };

  readonly onPartial = (): void => {
    this.#isChanged = true;
  };

  readonly onStart = (end: Promise<unknown>): void => {
    if (this.#running++ === 0) {
      acquire();
      this.#timer = setInterval(() => this.#look(), interval);
      this.#look();
    }
    end.then(
      () => this.#end(undefined),
      (error: unknown) => this.#end(error),
    );
  };

  #look(): void {
    const { controller, mainPanel, model, signal } = this.parts;
    if (signal.aborted) return;
    const progress = text.compute.progress(this.name, this.#share);
    mainPanel.setBusy(progress);
    model.computing.value = progress;
    if (!this.#isChanged || !controller.isRead) return;
    this.#isChanged = false;
    void drawAgain(model, controller);
  }

  #end(error: unknown): void {
    const { controller, model, signal } = this.parts;
    const isLast = --this.#running === 0;
    if (isLast) release();
    if (isLast || error !== undefined) clearInterval(this.#timer);
    if (signal.aborted || this.#hasFailed || (!isLast && error === undefined)) return;
    this.#hasFailed = error !== undefined;
    model.computing.value = undefined;
    // Before the first picture, opening fails.
    if (!model.dataset) return;
    if (error !== undefined) controller.status.fail(error, "opening");
    else void refresh(model, controller, [null]);
  }
}
