/** The viewer as a component, exported by the package as `zarr-wasm-viewer`. */

import type {
  RefreshSelection,
  ScreenPoint,
  ViewerOptions,
  ViewerState,
  ViewerTarget,
  ViewerView,
} from "./element/options.js";
import { Viewer } from "./element/viewer.js";
import { chooseLanguage } from "./language/text.js";
import type { PictureOptions } from "./model/figure.js";
import type { WantedState } from "./model/state.js";

export type { ColormapName } from "./base/colormaps.js";
export type {
  ControlsMode,
  PointerReport,
  ProgressReport,
  RefreshSelection,
  ScreenPoint,
  ViewerOptions,
  ViewerState,
  ViewerTarget,
  ViewerView as View,
} from "./element/options.js";
export type { LayerState } from "./model/added-layers.js";
export type { Camera } from "./model/camera.js";
export type { OpacityCurve } from "./model/channels.js";
export type { PictureOptions } from "./model/figure.js";
export type { LabelsState, OverlayState } from "./model/overlay-state.js";
export type { Interpolation, PlaneState } from "./model/plane-state.js";
export type { ChannelState, Interval, ValueRange, ViewState, WantedState } from "./model/state.js";
export type { TableState, ToolState } from "./model/table-state.js";
export type { Outside, ValueState } from "./model/value-state.js";
export type { Orbit, VolumeClip, VolumeCut, VolumeState } from "./model/volume.js";
export type { Dataset } from "./source/dataset.js";
export type { ComplexPart } from "./source/leaf.js";
export { configurePool } from "./tiles/pool-options.js";

export interface MountOptions extends Partial<ViewerTarget>, ViewerOptions {}

/** A viewer on a page. */
export interface MountedViewer {
  /** The current view; undefined before a source has been opened. */
  readonly view: ViewerView | undefined;
  readonly state: ViewerState;
  /** The last requested target, with its address as parsed. */
  readonly target: ViewerTarget | undefined;
  /** Shows another target. Does not reload an open one. Errors are shown, not thrown. */
  show(target: ViewerTarget): Promise<void>;
  /** Changes a part of the state, as the user could. */
  change(wanted: WantedState): void;
  /** Opens the source again and reloads the view. */
  reload(): Promise<void>;
  /** Reads elements again that a program has changed. Default: everything. */
  refresh(selection?: RefreshSelection): Promise<void>;
  /** The place of an element in the window; fractions are positions between centres. Undefined without a plane. */
  elementToScreen(index: readonly number[]): ScreenPoint | undefined;
  /** The inverse of `elementToScreen`; undefined outside the array. */
  screenToElement(x: number, y: number): readonly number[] | undefined;
  /** Replaces all options. */
  setOptions(options: ViewerOptions): void;
  /** The view with title, rulers and legend, by default as PNG as on the screen; undefined if there is no picture. */
  picture(options?: PictureOptions): Promise<Blob | undefined>;
  /** Address of the view on the page of the option `page`. */
  readonly link: string | undefined;
  /** Aborts all reading and empties the element. */
  destroy(): void;
}

/**
 * Loads the language of all viewers of the page. Call it before the first `mountViewer`: later calls have no effect.
 * Languages that are unknown or cannot be loaded are replaced by English.
 * @param language "de", "es-MX" and so on. Default: the language of the document
 */
export async function loadLanguage(language: string = document.documentElement.lang): Promise<void> {
  await chooseLanguage([language]);
}

/** Turns an element into a viewer. Its style sheet is `style.css`. */
export function mountViewer(element: HTMLElement, options: MountOptions = {}): MountedViewer {
  const viewer = new Viewer(element, options);
  if (options.source !== undefined) void viewer.show({ ...options, source: options.source });
  return viewer;
}
