/** Container for the planes and profiles beside the picture. Their code is loaded on first use. */
import { h } from "../base/dom.js";
import type { Beside, BesideCallbacks, Main } from "./beside.js";
import type { PlaneView } from "./plane-view.js";
import type { Cell } from "./reading.js";

export class BesidePlace {
  readonly element = h("div", { class: "zw-beside", hidden: true });
  #beside: Beside | undefined;
  #loading: Promise<void> | undefined;
  #main: Main | undefined;
  #cell: Cell | undefined;
  #plane: PlaneView | undefined;

  constructor(private readonly callbacks: BesideCallbacks) {}

  /** Follows the picture; clears the container if there is none. */
  show(main: Main | undefined): void {
    this.#main = main;
    if (this.#beside) this.#beside.show(main);
    else if (main && (main.state.profile !== null || main.state.depth !== null)) this.#load();
  }

  #load(): void {
    this.#loading ??= import("./beside.js").then(
      ({ Beside }) => {
        this.#beside = new Beside(this.element, this.callbacks);
        this.#beside.point(this.#cell);
        this.#beside.show(this.#main);
        // Does not need a new frame of the picture.
        if (this.#plane) this.#beside.follow(this.#plane);
      },
      () => {
        this.#loading = undefined; // the next change tries again
      },
    );
  }

  /** Follows the pointer; undefined if it has left. */
  point(cell: Cell | undefined): void {
    this.#cell = cell;
    this.#beside?.point(cell);
  }

  /** Called after a frame of the picture. */
  follow(plane: PlaneView): void {
    this.#plane = plane;
    this.#beside?.follow(plane);
  }

  /** Whether a click chooses the position of the planes. */
  get isPicking(): boolean {
    return this.#beside?.isPicking ?? false;
  }

  dispose(): void {
    this.#main = undefined;
    this.#cell = undefined;
    this.#plane = undefined;
    this.#beside?.dispose();
  }
}
