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
    this.#started = new Promise((resolve) => this.#recorder.addEventListener("start", resolve));
    this.#recorder.start();
  }

  async add(frame: HTMLCanvasElement): Promise<void> {
    await this.#started;
    this.#context.drawImage(frame, 0, 0);
    if (this.#recorder.state === "paused") this.#recorder.resume();
    // A frame that arrives while the recorder resumes is lost.
    for (let i = 0; i < 2; i++) {
      this.#track.requestFrame();
      await new Promise((resolve) => setTimeout(resolve, 500 / this.rate));
    }
    this.#recorder.pause();
  }

  /** Ends the recording, once the last frame has been encoded. */
  async finish(): Promise<Blob> {
    this.#recorder.resume();
    this.#track.requestFrame();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return new Promise((resolve, reject) => {
      const [type] = this.#recorder.mimeType.split(";");
      this.#recorder.addEventListener("stop", () => resolve(new Blob(this.#parts, { type: type! })));
      this.#recorder.addEventListener("error", () => reject(new Error("the browser stopped recording")));
      this.#recorder.stop();
      this.#track.stop();
    });
  }
}
