/** The viewer as a component: what the package exports as `zarr-wasm/viewer`. */

import type { ViewerOptions, ViewerTarget, ViewerView } from "./element/options.js";
import type { ViewerState } from "./element/stage.js";
import { Viewer } from "./element/viewer.js";
import type { WantedState } from "./model/state.js";

export type {
  ControlsMode,
  PointerReport,
  ProgressReport,
  ViewerOptions,
  ViewerTarget,
  ViewerView as View,
} from "./element/options.js";
export type { ViewerState } from "./element/stage.js";
export type { Camera } from "./model/camera.js";
export type { ChannelState, Interval, ValueRange, ViewState, WantedState } from "./model/state.js";
export type { Part } from "./source/leaf.js";

export interface MountOptions extends Partial<ViewerTarget>, ViewerOptions {}

/** A viewer on a page. */
export interface MountedViewer {
  /** What is shown; undefined before something has been opened. */
  readonly view: ViewerView | undefined;
  readonly state: ViewerState;
  /** What was asked for last; its address is that which was read. */
  readonly target: ViewerTarget | undefined;
  /** Shows something else. Does not read again what is open already. Errors are shown, not thrown. */
  show(target: ViewerTarget): Promise<void>;
  /** Changes a part of what is shown, as a reader would. */
  change(wanted: WantedState): void;
  /** Opens and reads again what is shown. */
  reload(): Promise<void>;
  /** Takes the place of the options given before. */
  setOptions(options: ViewerOptions): void;
  /** What is seen as PNG, with title, rulers and legend; undefined where it is no picture. */
  picture(): Promise<Blob | undefined>;
  /** Address of the view on the page that the option `page` names. */
  readonly link: string | undefined;
  /** Aborts what is under way and empties the element. */
  destroy(): void;
}

/** Makes an element a viewer. Its style sheet is `style.css`. */
export function mountViewer(element: HTMLElement, options: MountOptions = {}): MountedViewer {
  const viewer = new Viewer(element, options);
  if (options.source !== undefined) void viewer.show({ ...options, source: options.source });
  return viewer;
}
