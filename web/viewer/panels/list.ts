/** The panels beside the picture, in the order in which they are shown. */

import { axesPanel } from "./axes.js";
import { channelsPanel } from "./channels.js";
import { collectionPanel } from "./collection.js";
import { computePanel } from "./compute.js";
import { extrasPanel } from "./extras.js";
import { factsPanel } from "./facts.js";
import { labelsPanel } from "./labels.js";
import { layersPanel } from "./layers.js";
import { memoryPanel } from "./memory.js";
import type { Panel } from "./panel.js";
import { readingPanel } from "./reading.js";
import { regionsPanel } from "./regions.js";
import { rowsPanel } from "./rows.js";
import { sharePanel } from "./share.js";
import { slicePanel } from "./slice.js";
import { valuesPanel } from "./values.js";

export const panels: readonly Panel[] = [
  slicePanel,
  channelsPanel,
  valuesPanel,
  collectionPanel,
  axesPanel,
  extrasPanel,
  labelsPanel,
  rowsPanel,
  layersPanel,
  regionsPanel,
  computePanel,
  sharePanel,
  readingPanel,
  factsPanel,
  memoryPanel,
];
