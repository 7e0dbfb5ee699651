/** Shared interfaces of the parts of the control panel. */
import type { Rectangle } from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import type { SliceKind } from "../model/plan.js";
import type { ViewState } from "../model/state.js";
import type { Findings } from "../numbers/findings.js";

/** Statistics of a layer. */
export interface LayerNumbers {
  readonly layer: Layer;
  /** The range in use. */
  readonly limits: readonly [low: number, high: number];
  /** False before values have been read, and if none is finite. */
  readonly isRangeKnown: boolean;
  readonly findings: Findings;
  /** Whether chunks of the slice are not stored. */
  readonly hasMissing: boolean;
  /** Whether every value of the slice has been seen. */
  readonly isAllSeen: boolean;
}

/** State that the controls show in addition to the settings. */
export interface ControlState {
  readonly kind: SliceKind;
  /** The visible part of the shown axes; undefined before the first frame. */
  readonly seen: Rectangle | undefined;
  /** Statistics of pictures and lines, by layer. */
  readonly numbers: readonly LayerNumbers[];
  /** Axis along which slices are played. */
  readonly playing: number | undefined;
}

/** A part of the panel that follows the settings. */
export interface Control {
  readonly element: HTMLElement;
  sync(settings: ViewState, state: ControlState): void;
}

export type Change = (make: (now: ViewState) => Partial<ViewState>, control: string) => void;

export interface ControlCallbacks {
  /** Changes settings; `control` names the control, so that a drag counts as one change. */
  onChange(change: Partial<ViewState>, control: string): void;
  /** Plays the slices along an axis; undefined stops. */
  onPlay(axis: number | undefined): void;
  onV1Order(order: "spec" | "writer"): void;
}
