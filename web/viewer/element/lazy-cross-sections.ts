/** Container for the planes and profiles beside the picture. Their code is loaded on first use. */
import { h } from "../base/dom.js";
import type { Cell } from "./cell-reading.js";
import type { CrossSections, CrossSectionsCallbacks, PictureState } from "./cross-sections.js";
import type { PlaneView } from "./plane-view.js";

export class LazyCrossSections {
  readonly element = h("div", { class: "zw-beside", hidden: true });
  #crossSections: CrossSections | undefined;
  #loading: Promise<void> | undefined;
  #main: PictureState | undefined;
  #cell: Cell | undefined;
  #plane: PlaneView | undefined;

  constructor(private readonly callbacks: CrossSectionsCallbacks) {}

  /** Follows the picture; clears the container if there is none. */
  show(main: PictureState | undefined): void {
    this.#main = main;
    if (this.#crossSections) this.#crossSections.show(main);
    else if (main && (main.state.profile !== null || main.state.depth !== null)) this.#load();
  }

  #load(): void {
    this.#loading ??= import("./cross-sections.js").then(
      ({ CrossSections }) => {
        this.#crossSections = new CrossSections(this.element, this.callbacks);
        this.#crossSections.point(this.#cell);
        this.#crossSections.show(this.#main);
        // Does not need a new frame of the picture.
        if (this.#plane) this.#crossSections.follow(this.#plane);
      },
      () => {
        this.#loading = undefined; // the next change tries again
      },
    );
  }

  /** Follows the pointer; undefined if it has left. */
  point(cell: Cell | undefined): void {
    this.#cell = cell;
    this.#crossSections?.point(cell);
  }

  /** Called after a frame of the picture. */
  follow(plane: PlaneView): void {
    this.#plane = plane;
    this.#crossSections?.follow(plane);
  }

  /** Whether a click chooses the position of the planes. */
  get isPicking(): boolean {
    return this.#crossSections?.isPicking ?? false;
  }

  dispose(): void {
    this.#main = undefined;
    this.#cell = undefined;
    this.#plane = undefined;
    this.#crossSections?.dispose();
  }
}
