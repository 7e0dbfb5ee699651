/** Shows the dialog for figures of a viewer. Loaded on first use. */

import type { NamedBlob } from "../base/save.js";
import { playableAxes } from "../model/layers.js";
import { showFigureDialog } from "../panels/figure.js";
import { axisName } from "../panels/rulers.js";
import { type FigureViewer, makeFigure } from "./figure.js";
import { fileName, margin } from "./picture.js";

export function showFigure(over: HTMLElement, live: FigureViewer): void {
  const named = async (made: Promise<Blob>, extension: string): Promise<NamedBlob> => ({
    blob: await made,
    name: fileName(live.viewer.view!.dataset.title, extension),
  });
  showFigureDialog(over, {
    make: (options) => named(makeFigure(live, options), options.type ?? "png"),
    record: async (options) => {
      const { recordVideo } = await import("./recording.js");
      return named(recordVideo(live, options), options.format);
    },
    axes: () => {
      const { dataset, settings } = live.viewer.view!;
      return playableAxes(dataset, settings).map((axis) => ({ axis, name: axisName(dataset.axes, axis) }));
    },
    defaults: () => ({
      width: live.mainPanel.getBoundingClientRect().width + 2 * margin,
      rate: live.viewer.view!.settings.frameRate,
    }),
  });
}
