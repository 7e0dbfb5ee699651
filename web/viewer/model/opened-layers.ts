/** The contents of layers that have been opened over a picture, by `placeKey` of their states. */
import { keptFor } from "../base/memo.js";
import type { Dataset } from "../source/dataset.js";
import type { Features } from "../source/features.js";
import type { PlacedDataset } from "../source/layer-place.js";

type OpenedLayer =
  | ({ readonly kind: "image" } & PlacedDataset)
  | { readonly kind: "features"; readonly features: Features };

export const openedLayers = keptFor((_dataset: Dataset) => new Map<string, OpenedLayer>());
