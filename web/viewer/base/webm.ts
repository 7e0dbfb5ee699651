/** Encodes the pictures of a canvas as WebM with WebCodecs, as fast as the encoder can. */
import type { Film } from "./film.js";

/** Milliseconds that a cluster may last: its blocks have times of 16 bits. */
const longest = 30_000;
const codec = { name: "vp8", id: "V_VP8" } as const;

/** Whether the browser has an encoder. Pages without a secure context have none. */
export const hasEncoder = (): boolean => typeof VideoEncoder !== "undefined";

interface EncodedFrame {
  readonly bytes: Uint8Array;
  /** Milliseconds from the beginning. */
  readonly time: number;
  readonly isKey: boolean;
}

export class EncodedFilm implements Film {
  readonly #encoder: VideoEncoder;
  readonly #chunks: EncodedFrame[] = [];
  #failure: unknown;
  #count = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly rate: number,
    bitrate: number,
  ) {
    this.#encoder = new VideoEncoder({
      output: (chunk) => {
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        this.#chunks.push({ bytes, time: Math.round(chunk.timestamp / 1000), isKey: chunk.type === "key" });
      },
      error: (error) => {
        this.#failure = error;
      },
    });
    const { width, height } = canvas;
    this.#encoder.configure({ codec: codec.name, width, height, bitrate, framerate: rate });
  }

  async add(): Promise<void> {
    if (this.#failure) throw this.#failure;
    const timestamp = Math.round((this.#count * 1e6) / this.rate);
    const frame = new VideoFrame(this.canvas, { timestamp, duration: Math.round(1e6 / this.rate) });
    this.#encoder.encode(frame, { keyFrame: this.#count++ % Math.max(1, Math.round(2 * this.rate)) === 0 });
    frame.close();
    while (this.#encoder.encodeQueueSize > 2)
      await new Promise((resolve) => this.#encoder.addEventListener("dequeue", resolve, { once: true }));
  }

  async finish(): Promise<Blob> {
    await this.#encoder.flush();
    this.#encoder.close();
    return new Blob([this.#file() as Uint8Array<ArrayBuffer>], { type: "video/webm" });
  }

  cancel(): void {
    if (this.#encoder.state !== "closed") this.#encoder.close();
  }

  /** Spec: RFC 9559 (Matroska), of which WebM is a part. */
  #file(): Uint8Array {
    const { width, height } = this.canvas;
    const duration = new DataView(new ArrayBuffer(8));
    duration.setFloat64(0, (this.#count * 1000) / this.rate);
    const head = element(
      0x1a45dfa3,
      element(0x4282, text("webm")),
      element(0x4287, uint(4)),
      element(0x4285, uint(2)),
    );
    const info = element(
      0x1549a966,
      element(0x2ad7b1, uint(1_000_000)),
      element(0x4489, new Uint8Array(duration.buffer)),
      element(0x4d80, text("zarr-wasm")),
      element(0x5741, text("zarr-wasm")),
    );
    const video = element(0xe0, element(0xb0, uint(width)), element(0xba, uint(height)));
    const track = element(
      0xae,
      ...[0xd7, 0x73c5, 0x83].map((id) => element(id, uint(1))),
      element(0x86, text(codec.id)),
      video,
    );
    const tracks = element(0x1654ae6b, track);
    const clusters = this.#clusters();
    // Positions have eight bytes, so that the size of this list does not depend on them.
    const cuesOf = (start: number) => {
      let position = start;
      const points = clusters.map(({ time, bytes }) => {
        const place = element(0xb7, element(0xf7, uint(1)), element(0xf1, uint(position)));
        position += bytes.length;
        return element(0xbb, element(0xb3, uint(time)), place);
      });
      return element(0x1c53bb6b, ...points);
    };
    const start = info.length + tracks.length + cuesOf(0).length;
    const content = [info, tracks, cuesOf(start), ...clusters.map(({ bytes }) => bytes)];
    return joined([head, element(0x18538067, ...content)]);
  }

  /** Each begins with a picture that does not depend on others. */
  #clusters(): { time: number; bytes: Uint8Array }[] {
    const groups: EncodedFrame[][] = [];
    for (const chunk of this.#chunks) {
      const [first] = groups.at(-1) ?? [];
      if (!first || chunk.isKey || chunk.time - first.time >= longest) groups.push([chunk]);
      else groups.at(-1)!.push(chunk);
    }
    return groups.map((group) => {
      const [{ time: start }] = group as [EncodedFrame];
      const blocks = group.map(({ bytes, time, isKey }) => {
        const at = time - start;
        return element(0xa3, Uint8Array.of(0x81, at >> 8, at & 255, isKey ? 0x80 : 0), bytes);
      });
      return { time: start, bytes: element(0x1f43b675, element(0xe7, uint(start)), ...blocks) };
    });
  }
}

const text = (value: string) => new TextEncoder().encode(value);

/** Eight bytes, the most significant first. */
function uint(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value));
  return new Uint8Array(view.buffer);
}

/** An element of EBML, with a size of eight bytes. */
function element(id: number, ...content: readonly Uint8Array[]): Uint8Array {
  const name = uint(id);
  const size = uint(content.reduce((sum, { length }) => sum + length, 0));
  size[0] = 1;
  return joined([name.subarray(name.findIndex((byte) => byte > 0)), size, ...content]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
