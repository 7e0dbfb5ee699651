/** State shared by the parts of a viewer, as signals, and the actions that change it. */
import { effect, signal, untracked } from "@preact/signals-core";
import { h } from "../base/dom.js";
import type { Command } from "../input/gestures.js";
import { locale } from "../language/locale.js";
import type { Camera } from "../model/camera.js";
import type { GlobeCentre } from "../model/projection.js";
import type { RegionState } from "../model/regions.js";
import type { ViewState } from "../model/state.js";
import type { Orbit, VolumeClip, VolumeCut } from "../model/volume.js";
import { valueFormat } from "../panels/coordinates.js";
import type { FailedOperation } from "../panels/error-advice.js";
import type { Note } from "../panels/messages.js";
import type { PanelContext } from "../panels/panel.js";
import type { Collection } from "../source/collection.js";
import type { Dataset, Labels } from "../source/dataset.js";
import type { ViewerOptions, ViewerState, ViewerTarget, ViewerView } from "./options.js";

/** Actions of the user, whichever control, key or gesture they come from. */
export interface ViewerActions extends Omit<PanelContext, "dataset" | "path" | "v1Order" | "derived"> {
  /** Moves to another slice, along one of the axes that can be played. */
  step(direction: 1 | -1, order?: number): void;
  /** Starts or stops playing. */
  togglePlay(): void;
  zoom(direction: "in" | "out" | "reset"): void;
  /** Shows the whole slice, whatever it costs to read. */
  showAll(): void;
  command(command: Command): void;
  /** Tries again after an error. */
  retry(operation: FailedOperation): void;
}

export class ViewerModel {
  /** Root element of the viewer. */
  readonly root = h("div", { class: "zw-viewer", lang: locale, "data-state": "empty" });
  options: ViewerOptions = {};
  /** The last requested target, with its address as parsed. */
  target: ViewerTarget | undefined;
  dataset: Dataset | undefined;
  /** Set by the viewer. */
  actions!: ViewerActions;
  readonly activity = signal<ViewerState>("empty");
  readonly settings = signal<ViewState | undefined>(undefined);
  /** Origin of the last change of the settings: a control, "open", "address", "link". */
  cause = "";
  /** A new object for every view, and every frame that panels describe. */
  readonly shown = signal<object>({});
  /** Whether the picture moves. What describes it is updated when it rests, to keep frames short. */
  readonly isMoving = signal(false);
  /** Axis along which slices are played. */
  readonly playing = signal<number | undefined>(undefined);
  /** Labels found for the image. */
  readonly labels = signal<readonly Labels[]>([]);
  /** Nodes or variables related to the array. */
  readonly collection = signal<Collection | undefined>(undefined);

  /** Progress of a computation whose results so far are shown. */
  readonly computing = signal<string | undefined>(undefined);
  /** Note on the read of the column that gives colours. */
  readonly columnNote = signal<Note | undefined>(undefined);
  /** Notes on added layers. */
  readonly layerNotes = signal<readonly Note[]>([]);

  constructor() {
    effect(() => {
      const state = this.activity.value;
      this.root.dataset["state"] = state;
      untracked(() => this.options.onState?.(state));
    });
  }

  /** The current view; undefined before a dataset has been opened. */
  get view(): ViewerView | undefined {
    const [target, dataset, settings] = [this.target, this.dataset, this.settings.peek()];
    return target && dataset && settings && { target, dataset, array: dataset.array, settings };
  }

  /** The gestures of planes and volumes, as actions. */
  readonly inputs = {
    onStep: (direction: 1 | -1, axis?: number) => this.actions.step(direction, axis),
    onPlay: () => this.actions.togglePlay(),
    onCommand: (command: Command) => this.actions.command(command),
    onReset: () => this.actions.showAll(),
    onCamera: (camera: Camera, cause: string) => this.actions.change({ camera }, cause),
    onTurn: (centre: GlobeCentre) => this.actions.change(centre, "pan"),
    onOrbit: (orbit: Orbit | null, cause: string) => this.actions.change({ orbit }, cause),
    onClip: (clip: VolumeClip | null) => this.actions.change({ clip }, "clip"),
    onCut: (cut: VolumeCut | null) => this.actions.change({ cut }, "cut"),
    onRegion: (region: RegionState) =>
      this.actions.change(({ regions }) => ({ regions: [...regions, region] }), "regions"),
    /** Chooses the shown element. */
    onPick: (index: readonly number[]) => this.actions.change({ index }, "pick"),
    /** Returns the formatter of values beside a line. */
    format: () => valueFormat(this.dataset!, this.settings.peek()!),
  };
}

export type ViewInputs = ViewerModel["inputs"];
