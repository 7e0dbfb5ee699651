/** Opens sources and navigates between their nodes. */
import type { ZarrWarning } from "zarr-wasm";
import type { WantedState } from "../model/state.js";
import { Crumbs } from "../panels/crumbs.js";
import { openTarget, RefusedAddress, resolveTarget } from "../source/open.js";
import { type Opened, targetName } from "../source/opened.js";
import { acquire, release } from "../tiles/shared.js";
import type { MainPanel } from "./main-panel.js";
import type { ViewerTarget } from "./options.js";
import type { StatusReporter } from "./status-reporter.js";
import { refusal } from "./target.js";
import type { ViewerModel } from "./viewer-model.js";

/** Maximum number of warnings kept per document. */
const maxWarnings = 100;

export class SourceOpener {
  readonly crumbs = new Crumbs((path, as) => this.navigate({ path, as }));
  #opening = new AbortController();
  /** The state requested for the source that was opened last. */
  #wanted: WantedState = {};

  constructor(
    private readonly model: ViewerModel,
    private readonly mainPanel: MainPanel,
    private readonly status: StatusReporter,
    private readonly callbacks: {
      /** Called before a source is opened, to clear the view; `signal` is aborted when the source is closed. */
      onBegin(signal: AbortSignal): void;
      /** Called with the open source and the requested state. */
      onOpened(opened: Opened, wanted: WantedState, signal: AbortSignal): Promise<void>;
    },
  ) {}

  /** Parses the target's address; reports an error and returns undefined if it cannot be opened. */
  resolve(requested: ViewerTarget): ViewerTarget | undefined {
    try {
      const { target, note } = resolveTarget(requested);
      this.status.sourceNotes.value = note === undefined ? [] : [note];
      if (note !== undefined) this.model.options.onPlace?.(target, "read");
      return target;
    } catch (error) {
      this.close();
      this.model.target = requested;
      this.#begin();
      this.mainPanel.setHeading(targetName(requested), undefined);
      if (!(error instanceof RefusedAddress)) this.status.fail(error, "opening");
      else this.status.showFailure(refusal(error), "opening");
      return undefined;
    }
  }

  /** Opens another node of the same source. */
  navigate({ path, as, variable }: Pick<ViewerTarget, "path" | "as" | "variable">): void {
    const { source, name, v1Order } = this.model.target!;
    const target = { source, name, v1Order, path: path || undefined, as, variable };
    this.status.sourceNotes.value = [];
    this.model.options.onPlace?.(target, "go");
    this.model.target = target;
    void this.open();
  }

  /** Opens the source again with another byte order of Zarr v1 chunks. */
  reorder(v1Order: "spec" | "writer"): void {
    this.model.target = { ...this.model.target!, v1Order };
    void this.reopen();
  }

  /** Changes the state that is requested for the source while it is being opened. */
  want(change: WantedState): void {
    this.#wanted = { ...this.#wanted, ...change };
  }

  /** Opens the model's target again, in the current state. */
  async reopen(): Promise<void> {
    await this.open(this.model.settings.peek() ?? this.#wanted);
  }

  /** Opens the model's target. */
  async open(wanted: WantedState = this.model.target!.settings ?? {}): Promise<void> {
    const target = this.model.target!;
    this.close();
    this.#wanted = wanted;
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    this.#begin();
    this.model.activity.value = "opening";
    this.mainPanel.setHeading(targetName(target), undefined);
    this.mainPanel.setBusy("Opening…");
    // Workers start while the metadata are read.
    acquire().pool.start();
    try {
      await this.#read(target, signal);
    } catch (error) {
      if (signal.aborted) return;
      const { path = "" } = target;
      // The groups above it may exist.
      if (path !== "") this.crumbs.show(targetName({ ...target, path: undefined }), path, path, false);
      this.status.fail(error, "opening");
    } finally {
      release(); // the shown content holds its own reference by now
    }
  }

  async #read(target: ViewerTarget, signal: AbortSignal): Promise<void> {
    const warnings: ZarrWarning[] = [];
    const onWarning = (warning: ZarrWarning) => {
      if (warnings.length < maxWarnings) warnings.push(warning);
    };
    const opened = await openTarget(target, { signal, onWarning });
    signal.throwIfAborted();
    this.status.warnings.value = warnings;
    for (const note of opened.notes) this.status.addSourceNote(note);
    const { path = "", as } = target;
    this.crumbs.show(
      targetName({ ...target, path: undefined }),
      path,
      opened.kind === "dataset" ? opened.path : path,
      as === "contents" || opened.kind === "contents",
    );
    this.status.addUnusable(opened.unusable ?? []);
    await this.callbacks.onOpened(opened, this.#wanted, signal);
  }

  #begin(): void {
    this.crumbs.hide();
    this.status.clear();
    this.callbacks.onBegin(this.#opening.signal);
  }

  /** Aborts all reading of metadata. */
  close(): void {
    this.#opening.abort();
  }
}
