/** Records the pictures of a canvas as a video, with the browser's encoder. */

/** Formats of videos, and what recorders call them, the best first. */
const videoTypes = {
  webm: ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"],
  mp4: ["video/mp4;codecs=avc1.640028", "video/mp4;codecs=avc1", "video/mp4"],
} as const;

/** The recorder's name of a format; undefined if the browser cannot record it. */
export function recorderType(format: keyof typeof videoTypes): string | undefined {
  const canCapture = typeof HTMLCanvasElement.prototype.captureStream === "function";
  if (!canCapture || typeof MediaRecorder === "undefined") return undefined;
  return videoTypes[format].find((type) => MediaRecorder.isTypeSupported(type));
}

/** Bits per pixel and frame: enough for sharp edges of elements. */
const bitsPerPixel = 0.6;

/** Milliseconds between two requests of the same frame. */
const requestInterval = 40;
/** Maximum number of requests of a frame. */
const maxRequests = 50;

/** A video of frames of equal duration. The recorder pauses while the next frame is made. */
export class Film {
  readonly #canvas = document.createElement("canvas");
  readonly #context = this.#canvas.getContext("2d")!;
  readonly #track: CanvasCaptureMediaStreamTrack;
  readonly #recorder: MediaRecorder;
  readonly #parts: Blob[] = [];
  readonly #started: Promise<unknown>;

  /**
   * @param first a canvas with the size of the frames
   * @param rate frames per second
   */
  constructor(
    first: HTMLCanvasElement,
    mimeType: string,
    private readonly rate: number,
  ) {
    // Encoders require even sizes.
    const [width, height] = [first.width & ~1, first.height & ~1];
    Object.assign(this.#canvas, { width, height });
    this.#context.drawImage(first, 0, 0);
    const stream = this.#canvas.captureStream(0);
    this.#track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
    const videoBitsPerSecond = Math.max(1e6, width * height * rate * bitsPerPixel);
    this.#recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond });
    this.#recorder.addEventListener("dataavailable", ({ data }) => this.#parts.push(data));
    this.#started = this.#next("start");
    this.#recorder.start();
  }

  async add(frame: HTMLCanvasElement): Promise<void> {
    await this.#started;
    this.#context.drawImage(frame, 0, 0);
    if (this.#recorder.state === "paused") await this.#resume();
    await this.#record(1000 / this.rate);
    this.#recorder.pause();
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
    await this.#record(100);
    const stopped = this.#next("stop");
    const failed = this.#next("error").then(() => Promise.reject(new Error("the browser stopped recording")));
    this.#recorder.stop();
    this.#track.stop();
    await Promise.race([stopped, failed]);
    return new Blob(this.#parts, { type: this.#recorder.mimeType.split(";")[0]! });
  }
}
