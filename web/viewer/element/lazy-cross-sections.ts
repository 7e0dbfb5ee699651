/** Container for the profile, and loader of the other panes: their code is loaded on first use. */
import { h } from "../base/dom.js";
import type { Cell } from "./cell-reading.js";
import type { CrossSections, CrossSectionsCallbacks, PictureState } from "./cross-sections.js";

export class LazyCrossSections {
  readonly element = h("div", { class: "zw-beside", hidden: true });
  #crossSections: CrossSections | undefined;
  #loading: Promise<void> | undefined;
  #main: PictureState | undefined;
  #cell: Cell | undefined;

  constructor(private readonly callbacks: CrossSectionsCallbacks) {}

  /** Follows the picture; clears the container if there is none. */
  show(main: PictureState | undefined): void {
    this.#main = main;
    if (this.#crossSections) this.#crossSections.show(main);
    else if (main && (main.state.profile !== null || main.state.planes.length > 1)) this.#load();
  }

  #load(): void {
    this.#loading ??= import("./cross-sections.js").then(
      ({ CrossSections }) => {
        this.#crossSections = new CrossSections(this.element, this.callbacks);
        this.#crossSections.point(this.#cell);
        this.#crossSections.show(this.#main);
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
  follow(): void {
    this.#crossSections?.follow();
  }

  /** Whether a click chooses the position of the planes. */
  get isPicking(): boolean {
    return this.#crossSections?.isPicking ?? false;
  }

  dispose(): void {
    this.#main = undefined;
    this.#cell = undefined;
    this.#crossSections?.dispose();
  }
}
