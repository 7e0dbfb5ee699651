/** Views beside the picture: the other panes of its grid, and the profile through the element under the pointer. */

import { h } from "../base/dom.js";
import { text } from "../language/text.js";
import type { Camera } from "../model/camera.js";
import { findChannelAxis } from "../model/channels.js";
import { isComposite } from "../model/layers.js";
import { axisName } from "../panels/rulers.js";
import { datasetShape } from "../source/dataset.js";
import { adoptStyles } from "./panel-styles.js";
import { Panes } from "./panes.js";
import { type Cell, cellIndex } from "./plane-geometry.js";
import { type PictureState, type SideInputs, SidePlane } from "./side-plane.js";

/** Time that the pointer must rest before values are read for it, in milliseconds. */
const rest = 60;

export class CrossSections {
  readonly #panes: Panes;
  #profile: Profile | undefined;
  #main: PictureState | undefined;
  #cell: Cell | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly element: HTMLElement,
    private readonly inputs: SideInputs,
  ) {
    adoptStyles(element);
    this.#panes = new Panes(inputs);
  }

  /** Follows the picture; clears the views if there is none. */
  show(main: PictureState | undefined): void {
    if (this.#main?.dataset !== main?.dataset) this.#cell = undefined;
    this.#main = main;
    this.#panes.show(main);
    this.#showProfile();
    this.element.hidden = !this.#profile;
  }

  /** Follows the pointer; undefined if it has left. */
  point(cell: Cell | undefined): void {
    if (!cell) return;
    this.#cell = cell;
    if (!this.#profile || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#showProfile();
    }, rest);
  }

  /** Called after a frame of the picture. */
  follow(): void {
    this.#panes.follow();
  }

  /** Whether a click chooses the position of the planes. */
  get isPicking(): boolean {
    return this.#panes.isOn;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#main = undefined;
    this.#panes.dispose();
    this.#profile?.dispose();
    this.#profile = undefined;
    this.element.hidden = true;
  }

  #showProfile(): void {
    const main = this.#main;
    const axis = main?.state.profile ?? null;
    if (!main || axis === null || datasetShape(main.dataset)[axis] === undefined) {
      this.#profile?.dispose();
      this.#profile = undefined;
      return;
    }
    if (!this.#profile) {
      this.#profile = new Profile(this.inputs);
      this.element.append(this.#profile.element);
    }
    const { index } = main.state;
    this.#profile.show(main, axis, this.#cell ? cellIndex(main.state, this.#cell) : index);
  }
}

/** The values along an axis through an element. */
class Profile {
  readonly #title = h("h3", { class: "zw-side-title" });
  readonly #side: SidePlane;
  readonly element: HTMLElement;
  #camera: Camera | null = null;
  #key = "";

  constructor(inputs: SideInputs) {
    this.#side = new SidePlane("line", inputs, {
      onCamera: (camera) => this.#look(camera),
      onWindow: () => this.#look(null),
      onReset: () => this.#look(null),
      onFrame: () => {},
    });
    this.element = h("section", { class: "zw-beside-line" }, this.#title, this.#side.plane.element);
  }

  show(main: PictureState, axis: number, index: readonly number[]): void {
    const { dataset, state } = main;
    const key = `${axis} ${dataset.array.path}`;
    if (key !== this.#key) this.#camera = null;
    this.#key = key;
    const channelAxis = isComposite(dataset, state) ? findChannelAxis(dataset) : undefined;
    const at = index.map((value, i) => (i === axis || i === channelAxis ? ":" : value)).join(", ");
    const title = text.panes.along(axisName(dataset.axes, axis), at);
    if (this.#title.textContent !== title) this.#title.textContent = title;
    this.#side.show(main, { axes: [axis], index, camera: this.#camera });
  }

  #look(camera: Camera | null): void {
    this.#camera = camera;
    this.#side.look(camera);
  }

  dispose(): void {
    this.#side.dispose();
    this.element.remove();
  }
}
