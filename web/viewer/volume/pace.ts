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
  #pending:
    | {
        readonly sync: WebGLSync;
        readonly since: number;
        readonly live: LiveContext;
        readonly isPreview: boolean;
      }
    | undefined;

  /**
   * Called after a picture has been drawn and copied. Copies to canvases in memory wait for the GPU.
   * @param since time before the draw call
   */
  follow(live: LiveContext, isPreview: boolean, since: number): void {
    const sync = live.gl.fenceSync(live.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    live.gl.flush();
    this.#pending = sync ? { sync, since, live, isPreview } : undefined;
  }

  /** Whether the GPU still draws. */
  isBusy(current: LiveContext): boolean {
    const pending = this.#pending;
    if (pending?.live !== current) return false;
    const { gl } = current;
    if (gl.getSyncParameter(pending.sync, gl.SYNC_STATUS) !== gl.SIGNALED) return true;
    gl.deleteSync(pending.sync);
    this.#pending = undefined;
    this.#adapt(performance.now() - pending.since, pending.isPreview);
    return false;
  }

  #adapt(time: number, isPreview: boolean): void {
    const factor = time / (isPreview ? target.preview : target.rows);
    if (isPreview) {
      this.previewTime = time;
      // The number of pixels falls with the square of their size.
      this.grain = within(this.grain * within(Math.sqrt(factor), 0.8, 2), 1.5, 6);
    } else this.rows = within(Math.round(this.rows / within(factor, 0.7, 3)), 8, 4096);
  }
}
