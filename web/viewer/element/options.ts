/** Options and events of a viewer. */
import type { Scalar, Slice } from "zarr-wasm";
import type { ViewState, WantedState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import type { SourceTarget } from "../source/opened.js";

/** The viewer's activity, also exposed as `data-state` of the root element. */
export type ViewerState = "empty" | "opening" | "reading" | "ready" | "error";

/** The source to view. */
export interface ViewerTarget extends SourceTarget {
  /** The initial state; invalid settings are replaced by valid ones. */
  readonly settings?: WantedState | undefined;
}

/** The viewer's current view. */
export interface ViewerView {
  readonly target: ViewerTarget;
  readonly dataset: Dataset;
  /** The array of the finest level. */
  readonly array: Dataset["array"];
  readonly settings: ViewState;
}

/** Extent of the user interface around the picture. */
export type ControlsMode = "full" | "minimal" | "none";

/** The element under the pointer. */
export interface PointerReport {
  /** Index in elements of level 0, along every axis. */
  readonly index: readonly number[];
  /** Names of the dimensions; undefined for those without a name. */
  readonly dimensions: readonly (string | undefined)[];
  /** Coordinates along every axis, in its unit; undefined for axes without coordinates. */
  readonly coordinates: readonly (number | string | Date | undefined)[];
  /** The stored elements, one per visible layer; undefined if unreadable. */
  readonly values: readonly (Scalar | undefined)[];
  /** The elements as decoded by scale, offset and units of time; null for missing values. */
  readonly decoded: readonly (Scalar | Date | null | undefined)[];
  /** The readout as the viewer displays it. */
  readonly text: string;
  /** "pick": the element has been chosen, and is followed through the slices. */
  readonly by: "pointer" | "keyboard" | "pick";
}

/** Elements that have changed: an index or a slice of level 0 for each dimension, null for all; others may be omitted. */
export type RefreshSelection = readonly (number | Slice | null)[];

/** A place in the window, in CSS pixels. */
export interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

/** Progress of the current view. */
export interface ProgressReport {
  readonly chunks: number;
  readonly totalChunks: number;
  /** Bytes of decoded data in view. */
  readonly bytes: number;
}

/** Callbacks and appearance of a viewer. */
export interface ViewerOptions {
  /**
   * Called when a source has been opened ("open") and when the state has changed; `control` then names the
   * control.
   */
  readonly onChange?: ((view: ViewerView, control: string) => void) | undefined;
  /**
   * Called when the place shown differs from the requested one: "go" after the user navigated to another
   * node, "read" if the address was interpreted (as a bucket's, say), "open" for content other than pictures:
   * a tree, a plate; "plate" after the wells of a plate have changed, of which the last argument is the state.
   */
  readonly onPlace?:
    | ((
        target: ViewerTarget,
        cause: "go" | "read" | "open" | "plate",
        wells?: Pick<ViewerView, "dataset" | "settings">,
      ) => void)
    | undefined;
  /** Called with undefined when the pointer leaves. */
  readonly onPointer?: ((pointed: PointerReport | undefined) => void) | undefined;
  /** Called when the activity has changed. */
  readonly onState?: ((state: ViewerState) => void) | undefined;
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined;
  /** Called when opening or reading fails; once per damaged chunk. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly controls?: ControlsMode | undefined;
  /** Wheel and one finger scroll the page; the picture is moved with Ctrl or two fingers. Default: false. */
  readonly cooperative?: boolean | undefined;
  /** Name of a link: viewers with the same name show the same part of their arrays. */
  readonly link?: string | undefined;
  /** Address of a viewer page, for links to copy. Default: no links. */
  readonly page?: string | undefined;
}
