/** State shared by the parts of a viewer: the target, its dataset and settings, and the viewer's activity. */
import { h } from "../base/dom.js";
import { Observable } from "../base/observable.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import type { ViewerState } from "./main-panel.js";
import type { ViewerOptions, ViewerTarget, ViewerView } from "./options.js";

export class ViewerModel {
  /** Root element of the viewer; its `data-state` is the activity. */
  readonly root = h("div", { class: "zw-viewer", "data-state": "empty" });
  readonly settings = new Observable<ViewState | undefined>(undefined);
  options: ViewerOptions = {};
  /** The last requested target, with its address as parsed. */
  target: ViewerTarget | undefined;
  dataset: Dataset | undefined;

  get activity(): ViewerState {
    return this.root.dataset["state"] as ViewerState;
  }
  set activity(state: ViewerState) {
    this.root.dataset["state"] = state;
  }

  /** Undefined before a dataset has been opened. */
  get view(): ViewerView | undefined {
    const [target, dataset, settings] = [this.target, this.dataset, this.settings.value];
    return target && dataset && settings && { target, dataset, array: dataset.array, settings };
  }
}
