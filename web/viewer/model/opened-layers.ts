/** The contents of layers that have been opened over a picture, by `placeKey` of their states. */
import { keptFor } from "../base/memo.js";
import type { Dataset } from "../source/dataset.js";
import type { TableLink } from "../source/feature-table.js";
import type { Features } from "../source/features.js";
import type { LayerState } from "./added-layers.js";
import type { Layer } from "./layer.js";
import type { ViewState } from "./state.js";

export type OpenedLayer =
  | {
      readonly kind: "image";
      readonly dataset: Dataset;
      plan(layer: LayerState, state: ViewState, name: string): Layer[];
    }
  | { readonly kind: "features"; readonly features: Features; readonly link?: TableLink | undefined };

export const openedLayers = keptFor((_dataset: Dataset) => new Map<string, OpenedLayer>());
