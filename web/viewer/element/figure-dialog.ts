/** Shows the dialog for figures of a viewer, and records videos. Loaded on first use. */
import { Film, recorderType } from "../base/film.js";
import type { NamedBlob } from "../base/save.js";
import type { VideoOptions } from "../model/figure.js";
import { playableAxes } from "../model/layers.js";
import { showFigureDialog } from "../panels/figure.js";
import { axisName } from "../panels/rulers.js";
import { FigureCopy, type FigureViewer, makeFigure } from "./figure.js";
import { fileName, margin } from "./picture.js";

export function showFigure(over: HTMLElement, live: FigureViewer): void {
  const named = async (made: Promise<Blob>, extension: string): Promise<NamedBlob> => ({
    blob: await made,
    name: fileName(live.viewer.view!.dataset.title, extension),
  });
  showFigureDialog(over, {
    make: (options) => named(makeFigure(live, options), options.type ?? "png"),
    record: (options) => named(recordVideo(live, options), options.format),
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

/**
 * Records all slices along an axis, each for the same time, in the colours on the screen.
 * @throws Error if the browser cannot record the format; the signal's reason
 */
async function recordVideo(live: FigureViewer, options: VideoOptions): Promise<Blob> {
  const { format, axis, rate, signal, onProgress } = options;
  const type = recorderType(format);
  if (type === undefined) throw new Error(`this browser cannot record ${format} videos`);
  const { dataset, settings } = live.viewer.view!;
  const { length } = dataset.axes[axis]!;
  const figure = await FigureCopy.open(live, options);
  let film: Film | undefined;
  try {
    for (let at = 0; at < length; at++) {
      await figure.show(settings.index.map((old, i) => (i === axis ? at : old)));
      signal.throwIfAborted();
      const frame = figure.canvas();
      film ??= new Film(frame, type, rate);
      await film.add(frame);
      onProgress(at + 1, length);
    }
  } catch (error) {
    await film?.finish();
    throw error;
  } finally {
    figure.close();
  }
  return film!.finish();
}
