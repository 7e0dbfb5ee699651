/** The panels beside the picture, in the order in which they are shown. */

import { axesPanel } from "./axes.js";
import { channelSettingsPanel, channelsPanel } from "./channels.js";
import { collectionPanel } from "./collection.js";
import { computePanel } from "./compute.js";
import { mapPanel, profilePanel } from "./extras.js";
import { factsPanel } from "./facts.js";
import { labelsPanel } from "./labels.js";
import { layersPanel } from "./layers.js";
import { memoryPanel } from "./memory.js";
import { modesPanel } from "./modes.js";
import type { Panel } from "./panel.js";
import { readingPanel } from "./reading.js";
import { regionsPanel } from "./regions.js";
import { rowsPanel } from "./rows.js";
import { sharePanel } from "./share.js";
import { slicePanel } from "./slice.js";
import { coloursPanel, valuesPanel } from "./values.js";
import { volumePanel } from "./volume.js";

export const panels: readonly Panel[] = [
  modesPanel,
  slicePanel,
  channelsPanel,
  valuesPanel,
  rowsPanel,
  channelSettingsPanel,
  coloursPanel,
  volumePanel,
  collectionPanel,
  labelsPanel,
  layersPanel,
  axesPanel,
  mapPanel,
  regionsPanel,
  profilePanel,
  computePanel,
  sharePanel,
  readingPanel,
  factsPanel,
  memoryPanel,
];
