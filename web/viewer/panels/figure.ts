/** Dialog that makes figures of a view: PNG and SVG at a chosen size, and videos of an axis. */
import { button, h, labelled, select } from "../base/dom.js";
import { canRecord } from "../base/film.js";
import { errorMessage } from "../base/format.js";
import { type NamedBlob, saveBlob } from "../base/save.js";
import { text } from "../language/text.js";
import {
  cssResolution,
  dpiLimits,
  figureLimits,
  type LengthUnit,
  lengthUnits,
  type PictureOptions,
  type VideoFormat,
  type VideoOptions,
  videoSize,
} from "../model/figure.js";
import { makeDialog } from "./help.js";

export interface FigureCallbacks {
  make(options: PictureOptions): Promise<NamedBlob>;
  record(options: VideoOptions): Promise<NamedBlob>;
  /** Axes that can be played. */
  axes(): readonly { readonly axis: number; readonly name: string }[];
  /** Width of the picture on the screen, in CSS pixels, and slices per second. */
  defaults(): { readonly width: number; readonly rate: number };
}

const formats = [
  ["png", "PNG"],
  ["svg", "SVG"],
  ["webm", "WebM"],
  ["mp4", "MP4"],
] as const;

class FigureDialog {
  readonly #callbacks: FigureCallbacks;
  readonly #format = select(
    formats.map(([value, name]) => [value, isVideo(value) ? text.figure.video(name) : name] as const),
    () => this.#setSize(),
  );
  readonly #unit = select(
    (["mm", "in", "px"] as const).map((unit) => [unit, text.figure.units[unit]] as const),
    () => this.#convert(),
  );
  readonly #width = h("input", { type: "number", min: 1, step: "any" });
  readonly #height = h("input", {
    type: "number",
    min: 1,
    step: "any",
    placeholder: text.figure.ownHeight,
  });
  readonly #dpi = h("input", {
    type: "number",
    min: dpiLimits.least,
    max: dpiLimits.most,
    value: 300,
  });
  readonly #title = h("input", { type: "checkbox", checked: true });
  readonly #axis: HTMLSelectElement;
  readonly #rate = h("input", { type: "number", min: 1, max: 60 });
  readonly #bar = h("input", { type: "checkbox", checked: true });
  readonly #progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": text.figure.recorded });
  readonly #cancel = button(text.figure.cancel, () => this.#recording.abort(new Error("cancelled")), {
    hidden: true,
  });
  readonly #said = h("p", { class: "zw-figure-said", role: "status" });
  readonly #save = button(text.figure.save, () => void this.#run((blob) => saveBlob(blob)), {
    class: "zw-button zw-primary",
  });
  readonly #copy = button(text.figure.copy, () => void this.#toClipboard());
  readonly #video: HTMLElement[];
  readonly #heightField = labelled(text.figure.height, this.#height);
  readonly element: HTMLDialogElement;
  /** Aborted when the dialog is closed. */
  readonly #end = new AbortController();
  /** Aborted when a video is cancelled. */
  #recording = new AbortController();
  /** The size of the picture on the screen, in CSS pixels. */
  readonly #screenWidth: number;
  #wasVideo = false;
  #lastUnit: LengthUnit = "mm";

  constructor(callbacks: FigureCallbacks) {
    this.#callbacks = callbacks;
    const { width, rate } = callbacks.defaults();
    this.#screenWidth = width;
    this.#width.value = String(rounded(width / lengthUnits.mm));
    this.#rate.value = String(rate);
    const axes = callbacks.axes();
    this.#axis = select(
      axes.map(({ axis, name }) => [String(axis), name] as const),
      () => {},
    );
    this.#video = [labelled(text.figure.axis, this.#axis), labelled(text.figure.rate, this.#rate)];
    for (const option of this.#format.options)
      if (isVideo(option.value) && axes.length === 0) option.hidden = true;
    const fields = h(
      "div",
      { class: "zw-figure-fields" },
      labelled(text.figure.format, this.#format),
      labelled(text.figure.unit, this.#unit),
      labelled(text.figure.width, this.#width),
      this.#heightField,
      labelled(text.figure.resolution, this.#dpi),
      ...this.#video,
      h("label", { class: "zw-check" }, this.#title, text.figure.title),
      h("label", { class: "zw-check" }, this.#bar, text.figure.scaleBar),
    );
    const buttons = h("div", { class: "zw-buttons" }, this.#save, this.#copy, this.#cancel);
    this.element = makeDialog(
      "zw-help zw-figure",
      text.figure.heading,
      fields,
      this.#progress,
      this.#said,
      buttons,
    );
    this.element.addEventListener("close", () => this.#close());
    this.element.addEventListener("input", () => this.#sync());
    this.#sync();
  }

  #close(): void {
    this.#end.abort(new Error("the dialog was closed"));
    this.element.remove();
  }

  /** Videos have 1920 by 1080 pixels, pictures the width on the screen, until other sizes are chosen. */
  #setSize(): void {
    const isMoving = isVideo(this.#format.value);
    if (isMoving === this.#wasVideo) return;
    this.#wasVideo = isMoving;
    const unit = isMoving ? "px" : "mm";
    const { width, height, dpi } = videoSize;
    this.#unit.value = unit;
    this.#lastUnit = unit;
    this.#width.value = String(isMoving ? width : rounded(this.#screenWidth / lengthUnits.mm));
    this.#height.value = isMoving ? String(height) : "";
    this.#dpi.value = String(isMoving ? dpi : 300);
    this.#sync();
  }

  /** Keeps the size when its unit changes. */
  #convert(): void {
    const unit = this.#unit.value as LengthUnit;
    const factor = lengthUnits[this.#lastUnit] / lengthUnits[unit];
    for (const field of [this.#width, this.#height])
      if (field.value !== "") field.value = String(rounded(Number(field.value) * factor));
    this.#lastUnit = unit;
    this.#sync();
  }

  /** Shows the size of the figure, or the reason why it cannot be made. */
  #sync(): void {
    const format = this.#format.value;
    const isMoving = isVideo(format);
    for (const field of this.#video) field.hidden = !isMoving;
    this.#copy.hidden = format !== "png";
    const problem = this.#problem();
    this.#save.disabled = problem !== undefined;
    this.#copy.disabled = problem !== undefined;
    const { width, height, dpi } = this.#options;
    const pixels = (length: number) => Math.round((length / cssResolution) * dpi);
    this.#said.textContent =
      problem ?? text.figure.size(pixels(width), height === undefined ? undefined : pixels(height));
  }

  #problem(): string | undefined {
    const { width, height = width, dpi } = this.#options;
    const format = this.#format.value;
    const { least, most } = figureLimits;
    if (isVideo(format) && !canRecord(format))
      return text.figure.noRecorder(format === "mp4" ? "MP4" : "WebM");
    if (![width, height].every((length) => length >= least && length <= most)) {
      const unit = this.#unit.value as LengthUnit;
      const [from, to] = [least, most].map((length) => Math.ceil(length / lengthUnits[unit]));
      return text.figure.wrongSize(from!, to!, unit);
    }
    if (!(dpi >= dpiLimits.least && dpi <= dpiLimits.most))
      return text.figure.wrongResolution(dpiLimits.least, dpiLimits.most);
    if (isVideo(format) && !(Number(this.#rate.value) >= 1 && Number(this.#rate.value) <= 60))
      return text.figure.wrongRate;
    return undefined;
  }

  get #options() {
    const perUnit = lengthUnits[this.#unit.value as LengthUnit];
    const length = (field: HTMLInputElement) =>
      field.value.trim() === "" ? undefined : Number(field.value) * perUnit;
    return {
      width: length(this.#width) ?? 0,
      height: length(this.#height),
      dpi: Number(this.#dpi.value),
      isTitled: this.#title.checked,
      hasScaleBar: this.#bar.checked,
    };
  }

  #make(): Promise<NamedBlob> {
    const format = this.#format.value;
    const options = this.#options;
    this.#recording = new AbortController();
    if (!isVideo(format)) return this.#callbacks.make({ ...options, type: format as "png" | "svg" });
    for (const part of [this.#progress, this.#cancel]) part.hidden = false;
    this.#progress.value = 0;
    const begun = performance.now();
    return this.#callbacks.record({
      ...options,
      format,
      axis: Number(this.#axis.value),
      rate: Number(this.#rate.value),
      signal: AbortSignal.any([this.#end.signal, this.#recording.signal]),
      onProgress: (done, total) => {
        this.#progress.value = done / total;
        const perSecond = (1000 * done) / (performance.now() - begun);
        this.#said.textContent = text.figure.progress(done, total, perSecond.toFixed(1));
      },
    });
  }

  /** Makes the figure, and reports success or failure. */
  async #run(
    use: (figure: NamedBlob) => unknown,
    done: (name: string) => string = text.tools.saved,
    figure = this.#make(),
  ): Promise<void> {
    for (const button of [this.#save, this.#copy]) button.disabled = true;
    this.#said.textContent = text.figure.drawing;
    let said: string;
    try {
      const made = await figure;
      this.#end.signal.throwIfAborted();
      await use(made);
      said = done(made.name);
    } catch (error) {
      const isCancelled = this.#recording.signal.aborted;
      said = isCancelled ? text.figure.cancelled : text.figure.failed(errorMessage(error));
    }
    for (const part of [this.#progress, this.#cancel]) part.hidden = true;
    this.#sync();
    this.#said.textContent = said;
  }

  /** The clipboard must be asked at once, and takes a promise of the picture. */
  async #toClipboard(): Promise<void> {
    const figure = this.#make();
    const writing = async () => {
      if (typeof ClipboardItem === "undefined" || !navigator.clipboard?.write)
        throw new Error(text.figure.noClipboard);
      await navigator.clipboard.write([new ClipboardItem({ "image/png": figure.then(({ blob }) => blob) })]);
    };
    const written = writing();
    written.catch(() => {}); // reported once the picture has been made
    await this.#run(() => written, text.figure.copied, figure);
  }
}

const isVideo = (format: string): format is VideoFormat => format === "webm" || format === "mp4";

const rounded = (length: number): number => Number(length.toFixed(length < 20 ? 2 : 0));

/** Shows the dialog over an element, which keeps the focus afterwards. */
export function showFigureDialog(over: HTMLElement, callbacks: FigureCallbacks): void {
  const { element } = new FigureDialog(callbacks);
  over.append(element);
  element.showModal();
}
