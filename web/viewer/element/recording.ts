/** Records the slices along an axis as a video. */
import { Film, recorderType } from "../base/film.js";
import type { VideoOptions } from "../model/figure.js";
import { FigureCopy, type FigureViewer } from "./figure.js";

/**
 * Records all slices along an axis, each for the same time, in the colours on the screen.
 * @throws Error if the browser cannot record the format; the signal's reason
 */
export async function recordVideo(live: FigureViewer, options: VideoOptions): Promise<Blob> {
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
