/** What a viewer is told, and what it tells. */
import type { Scalar } from "zarr-wasm";
import type { ViewState, WantedState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import type { Place } from "../source/open.js";

/** What to view. */
export interface ViewerTarget extends Place {
  /** A state to begin with; what does not fit is replaced by what does. */
  readonly settings?: WantedState | undefined;
}

/** What the viewer shows now. */
export interface ViewerView {
  readonly target: ViewerTarget;
  readonly dataset: Dataset;
  /** The array of the finest level. */
  readonly array: Dataset["array"];
  readonly settings: ViewState;
}

/** How much is seen around the picture. */
export type ControlsMode = "full" | "minimal" | "none";

/** What is pointed at. */
export interface PointerReport {
  /** In elements of level 0, along every axis. */
  readonly index: readonly number[];
  /** The elements as they are stored, one for each layer that is shown; undefined for one that could not be read. */
  readonly values: readonly (Scalar | undefined)[];
  /** What the viewer says of them. */
  readonly text: string;
  readonly by: "pointer" | "keyboard";
}

/** Of what is in view. */
export interface ProgressReport {
  readonly chunks: number;
  readonly totalChunks: number;
  /** Decoded bytes of what is there. */
  readonly bytes: number;
}

/** Who is told what, and what a viewer is like from outside. */
export interface ViewerOptions {
  /**
   * Called when something has been opened ("open") and when the state has changed; then `control` names what was used.
   */
  readonly onChange?: ((view: ViewerView, control: string) => void) | undefined;
  /**
   * Called when what is shown has another place than was asked for: "go" after the reader went to another node, "read" where
   * the address was read as that of something else (a bucket's, say), "open" for what is no picture: a tree, a plate.
   */
  readonly onPlace?: ((target: ViewerTarget, cause: "go" | "read" | "open") => void) | undefined;
  /** Called with undefined when nothing is pointed at any more. */
  readonly onPointer?: ((pointed: PointerReport | undefined) => void) | undefined;
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined;
  /** Called when something could not be opened or read: of damaged chunks once for each. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly controls?: ControlsMode | undefined;
  /** Viewers of one name look at the same part of their arrays. */
  readonly link?: string | undefined;
  /** Address of a page of this viewer, for links that can be copied. Without one there are none. */
  readonly page?: string | undefined;
}
