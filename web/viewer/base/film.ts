/** Videos of pictures, with the browser's recorder. */

export type FilmFormat = keyof typeof videoTypes;

/** Formats of videos, and what recorders call them, the best first. */
const videoTypes = {
  webm: ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"],
  mp4: ["video/mp4;codecs=avc1.640028", "video/mp4;codecs=avc1", "video/mp4"],
} as const;

/** The recorder's name of a format; undefined if the browser cannot record it. */
function recorderType(format: FilmFormat): string | undefined {
  const canCapture = typeof HTMLCanvasElement.prototype.captureStream === "function";
  if (!canCapture || typeof MediaRecorder === "undefined") return undefined;
  return videoTypes[format].find((type) => MediaRecorder.isTypeSupported(type));
}

export const canRecord = (format: FilmFormat): boolean => recorderType(format) !== undefined;

/** Bits per pixel and frame: enough for sharp edges of elements. */
const bitsPerPixel = 0.6;

/** Milliseconds between two requests of the same frame. */
const requestInterval = 40;
/** Milliseconds that the last frame is recorded longer: recorders and players may drop the end. */
const lastDuration = 400;
/** Maximum number of requests of a frame. */
const maxRequests = 50;

/** A video of frames of equal duration, which are drawn onto its canvas. The recorder pauses between them. */
export class Film {
  readonly #track: CanvasCaptureMediaStreamTrack;
  readonly #recorder: MediaRecorder;
  readonly #parts: Blob[] = [];
  readonly #started: Promise<unknown>;

  /**
   * @param canvas with even width and height, as encoders require
   * @param format one that {@link canRecord} accepts
   * @param rate frames per second
   */
  constructor(
    canvas: HTMLCanvasElement,
    format: FilmFormat,
    private readonly rate: number,
  ) {
    const mimeType = recorderType(format)!;
    const videoBitsPerSecond = Math.max(1e6, canvas.width * canvas.height * rate * bitsPerPixel);
    const stream = canvas.captureStream(0);
    this.#track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
    this.#recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond });
    this.#recorder.addEventListener("dataavailable", ({ data }) => this.#parts.push(data));
    this.#started = this.#next("start");
    this.#recorder.start();
  }

  /** Adds the picture of the canvas. */
  async add(): Promise<void> {
    await this.#started;
    if (this.#recorder.state === "paused") await this.#resume();
    await this.#record(1000 / this.rate);
    this.#recorder.pause();
  }

  cancel(): void {
    this.#track.stop();
    if (this.#recorder.state !== "inactive") this.#recorder.stop();
  }

  /** Recorders drop frames while they are busy: a frame lasts longer until one has been encoded. */
  async #record(duration: number): Promise<void> {
    const requests = Math.max(3, Math.round(duration / requestInterval));
    for (let i = 0; i < requests || (i < maxRequests && !(await this.#hasEncoded())); i++) {
      this.#track.requestFrame();
      await new Promise((resolve) => setTimeout(resolve, duration / requests));
    }
  }

  /** Whether a frame has been encoded since the last call. */
  async #hasEncoded(): Promise<boolean> {
    const next = this.#next("dataavailable");
    this.#recorder.requestData();
    return (await next).data.size > 0;
  }

  /** A frame that arrives while the recorder resumes is lost. */
  async #resume(): Promise<void> {
    const resumed = this.#next("resume");
    this.#recorder.resume();
    await resumed;
  }

  #next<K extends keyof MediaRecorderEventMap>(event: K): Promise<MediaRecorderEventMap[K]> {
    return new Promise((resolve) => this.#recorder.addEventListener(event, resolve, { once: true }));
  }

  /** Ends the recording, once the last frame has been encoded. */
  async finish(): Promise<Blob> {
    await this.#resume();
    await this.#record(lastDuration);
    const stopped = this.#next("stop");
    const failed = this.#next("error").then(() => Promise.reject(new Error("the browser stopped recording")));
    this.#recorder.stop();
    this.#track.stop();
    await Promise.race([stopped, failed]);
    return new Blob(this.#parts, { type: this.#recorder.mimeType.split(";")[0]! });
  }
}
