/** Reports progress, notes and errors, to the user and to the page; writes the notes below a picture. */
import { computed, effect, signal } from "@preact/signals-core";
import type { ZarrWarning } from "zarr-wasm";
import { formatByteCount, formatCount, formatDuration } from "../base/format.js";
import { text } from "../language/text.js";
import type { ViewState } from "../model/state.js";
import type { ErrorContext, FailedOperation } from "../panels/error-advice.js";
import { chunkSentence, type Explanation, explain, type Note, Notes } from "../panels/messages.js";
import type { Dataset } from "../source/dataset.js";
import type { Gap } from "../tiles/tile.js";
import type { TileStatus } from "../tiles/tile-set.js";
import { wholeCost } from "./home-camera.js";
import type { MainPanel } from "./main-panel.js";
import type { MainPlane } from "./main-plane.js";
import type { ViewerView } from "./options.js";
import { errorContext } from "./target.js";
import type { ViewerModel } from "./viewer-model.js";
import type { VolumeHost } from "./volume-host.js";

export class StatusReporter {
  readonly notes = new Notes();
  /** Notes on how the source was read, and on its metadata. */
  readonly sourceNotes = signal<readonly string[]>([]);
  /** The library's warnings about the source. */
  readonly warnings = signal<readonly ZarrWarning[]>([]);
  /** Messages about requested values that do not exist. */
  readonly #unusable = signal<readonly string[]>([]);
  /** Notes on the picture. */
  readonly #pictureNotes = signal<readonly Note[]>([]);
  /** Status of the last frame. */
  #status: TileStatus | undefined;
  #started = 0;
  /** Errors that have been reported to the page. */
  readonly #reported = new Set<unknown>();

  constructor(
    private readonly model: ViewerModel,
    private readonly mainPanel: MainPanel,
    private readonly plane: MainPlane,
    private readonly volume: VolumeHost,
    /** Called when an error replaces the picture. */
    private readonly onFailure: () => void,
  ) {
    const isComputing = computed(() => model.computing.value !== undefined);
    const cancel = { label: text.compute.cancel, run: () => model.actions.derive(undefined) };
    effect(() => {
      const readInC = () => this.model.actions.reorder("writer");
      this.notes.show([
        ...this.#unusable.value.map((message): Note => ({ text: `${message}.`, isWarning: true })),
        ...sourceNotes(this.sourceNotes.value, this.warnings.value, readInC),
        ...(isComputing.value ? [{ text: text.compute.partial, action: cancel }] : []),
        ...(this.model.columnNote.value ? [this.model.columnNote.value] : []),
        ...this.model.layerNotes.value,
        ...this.#pictureNotes.value,
      ]);
    });
  }

  /** Forgets warnings and errors of the previous source. */
  clear(): void {
    this.warnings.value = [];
    this.#reported.clear();
    this.#unusable.value = [];
    this.model.layerNotes.value = [];
  }

  /** Starts timing a view; its status is unknown, so that it is not reported as complete. */
  begin(): void {
    this.#started = performance.now();
    this.model.activity.value = "reading";
  }

  /** Forgets the status of a picture that is no longer shown. */
  end(): void {
    this.#status = undefined;
    this.#pictureNotes.value = [];
  }

  /** Called for content other than pictures, which is complete when shown. */
  showReady(): void {
    this.mainPanel.setIdle("");
    this.model.activity.value = "ready";
  }

  /** Shows the progress of a frame. @returns whether the picture has just become complete */
  showProgress(status: TileStatus): boolean {
    const wasComplete = this.#status?.isComplete;
    this.#status = status;
    const { chunks, done, bytes, isComplete } = status;
    const { onProgress } = this.model.options;
    const count = countText(chunks);
    const computing = this.model.computing.peek();
    if (!isComplete || computing !== undefined) {
      this.model.activity.value = "reading";
      const progress = { chunks: done, totalChunks: chunks, bytes };
      if (computing !== undefined) this.mainPanel.setBusy(computing);
      else this.mainPanel.setBusy(text.status.reading(count), progress);
      onProgress?.(progress);
      return false;
    }
    const isNew = !wasComplete || this.model.activity.peek() !== "ready";
    if (isNew) {
      const time = formatDuration(performance.now() - this.#started);
      // Lines break between the parts, not before units.
      const parts = [count, formatByteCount(bytes), time].map((part) => part.replaceAll(" ", "\u00a0"));
      // Points have been read on opening.
      this.mainPanel.setIdle(chunks === 0 ? "" : parts.join(", "));
      onProgress?.({ chunks, totalChunks: chunks, bytes });
    }
    return isNew;
  }

  /** Shows the notes on a picture. */
  showNotes({ target, dataset, settings }: ViewerView, status: TileStatus): void {
    const errors = chunkErrors(this.plane.view?.gaps ?? [], status);
    for (const error of errors) this.#report(error);
    const limits = leftOutNotes(status);
    const isMiddle = limits.length === 0 && this.plane.isMiddle(dataset, settings);
    this.#pictureNotes.value = [
      ...damageNotes(errors, errorContext(target, "reading"), () => this.#reread()),
      ...limits,
      ...(isMiddle ? [middleNote(dataset, settings, () => this.model.actions.showAll())] : []),
    ];
  }

  /** Reads failed chunks again. */
  #reread(): void {
    this.plane.view?.retry();
    this.volume.view?.retry();
  }

  addSourceNote(sentence: string): void {
    this.sourceNotes.value = [...new Set([...this.sourceNotes.peek(), sentence])];
  }

  /** Warns the user, the page and the console of requested values that do not exist, once. */
  addUnusable(messages: readonly string[]): void {
    for (const message of messages) {
      if (this.#unusable.peek().includes(message)) continue;
      this.#unusable.value = [...this.#unusable.peek(), message];
      console.warn(`zarr-wasm: ${message}`);
      this.model.options.onError?.(new RangeError(message));
    }
  }

  /** Removes messages about settings that are set again. */
  removeUnusable(isSet: (name: string) => boolean): void {
    const isKept = (message: string) => !isSet(message.slice(0, message.indexOf("=")));
    this.#unusable.value = this.#unusable.peek().filter(isKept);
  }

  /** Reports an error to the page, once. */
  #report(error: unknown): void {
    if (this.#reported.has(error)) return;
    this.#reported.add(error);
    this.model.options.onError?.(error);
  }

  /** Reports an error and shows it instead of the picture. */
  fail(error: unknown, operation: FailedOperation): void {
    this.#report(error);
    this.showFailure(explain(error, errorContext(this.model.target!, operation)), operation);
  }

  /** Shows an explanation instead of the picture. */
  showFailure(explanation: Explanation, operation: FailedOperation): void {
    this.onFailure();
    this.model.activity.value = "error";
    this.mainPanel.setIdle("");
    this.mainPanel.showError(explanation, () => this.model.actions.retry(operation));
  }
}

/** Notes on the source: how its address was read, and the library's warnings. */
export function sourceNotes(
  sentences: readonly string[],
  warnings: readonly ZarrWarning[],
  readInC: () => void,
): Note[] {
  const warned = warnings.map(({ code, message }): Note => {
    if (code === "v1-order")
      return {
        text: text.status.order,
        isWarning: true,
        action: { label: text.status.readInC, run: readInC },
      };
    return { text: `${message[0]!.toUpperCase()}${message.slice(1)}.`, isWarning: true };
  });
  return [...sentences.map((text): Note => ({ text })), ...warned];
}

/** Errors of the chunks in view. */
function chunkErrors(gaps: readonly Gap[], { failures }: TileStatus): unknown[] {
  return [...gaps.filter(({ kind }) => kind === "damaged").map(({ error }) => error), ...failures];
}

/** Notes on unreadable chunks. */
function damageNotes(errors: readonly unknown[], context: ErrorContext, retry: () => void): Note[] {
  const [first] = errors;
  if (first === undefined) return [];
  const others = errors.length > 1 ? ` ${text.status.moreDamaged(errors.length - 1)}` : "";
  const sentence = `${chunkSentence(first)}${others}`;
  const more = explain(first, context).advice?.then((advice) => advice?.hints[0]);
  return [{ text: sentence, more, isWarning: true, action: { label: text.status.retry, run: retry } }];
}

/** Notes on parts that exceed the memory budget. */
function leftOutNotes({ leftOut }: TileStatus): Note[] {
  if (leftOut.tiles === 0) return [];
  return [{ text: text.status.leftOut(formatCount(leftOut.tiles), formatCount(leftOut.of)) }];
}

/** Note on a slice of which only the middle is shown. */
function middleNote(dataset: Dataset, { axes }: ViewState, readAll: () => void): Note {
  const { chunks, bytes } = wholeCost(dataset, axes);
  return {
    text: text.status.middle(countText(chunks), formatByteCount(bytes)),
    action: { label: text.status.readAll, run: readAll },
  };
}

export function countText(chunks: number): string {
  return text.status.chunks(chunks, formatCount(chunks));
}
