/** Adapts the size of draw calls to the time that the GPU takes for them. */
import type { LiveContext } from "../draw/shared-context.js";

/** Milliseconds that the draw call of a preview should take, and one of the final picture. */
const target = { preview: 80, rows: 60 };

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

export class Pace {
  /** Size of pixels in a preview, in device pixels. */
  grain = 2;
  /** Rows per draw call of the final picture. */
  rows = 64;
  /** Duration of the last preview, in milliseconds. */
  previewTime = 0;
  /** The longest time for a row of a final picture, in milliseconds: its parts differ. Fades with every draw call. */
  #slowest = 0;
  #pending:
    | {
        readonly sync: WebGLSync;
        readonly since: number;
        readonly live: LiveContext;
        readonly rows: number | undefined;
      }
    | undefined;

  /**
   * Called after a picture has been drawn and copied. Copies to canvases in memory wait for the GPU.
   * @param since time before the draw call
   * @param rows number of rows of the final picture; undefined for a preview
   */
  follow(live: LiveContext, since: number, rows?: number): void {
    const sync = live.gl.fenceSync(live.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    live.gl.flush();
    this.#pending = sync ? { sync, since, live, rows } : undefined;
  }

  /** Whether the GPU still draws. */
  isBusy(current: LiveContext): boolean {
    const pending = this.#pending;
    if (pending?.live !== current) return false;
    const { gl } = current;
    if (gl.getSyncParameter(pending.sync, gl.SYNC_STATUS) !== gl.SIGNALED) return true;
    gl.deleteSync(pending.sync);
    this.#pending = undefined;
    const time = performance.now() - pending.since;
    if (pending.rows !== undefined) this.#adaptRows(time, pending.rows);
    else this.#adaptGrain(time);
    return false;
  }

  #adaptGrain(time: number): void {
    this.previewTime = time;
    // The number of pixels falls with the square of their size.
    this.grain = within(this.grain * within(Math.sqrt(time / target.preview), 0.8, 2), 1.5, 6);
  }

  #adaptRows(time: number, count: number): void {
    // The time of a few rows is mostly that until the next frame.
    if (count < this.rows) return;
    this.#slowest = Math.max(this.#slowest * 0.93, time / count);
    this.rows = within(Math.floor(target.rows / this.#slowest), 8, 4096);
  }
}
