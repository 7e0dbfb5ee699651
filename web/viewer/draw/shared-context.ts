/**
 * The WebGL2 context of a page. Browsers allow about 16 contexts, so all pictures are drawn with this one, one
 * after another, and copied to their own canvases.
 */
import { makeResources, type Resources } from "./gl.js";
import { Textures } from "./textures.js";

/** A context that is not lost, and the objects that are lost with it. */
export interface LiveContext {
  readonly canvas: HTMLCanvasElement;
  readonly gl: WebGL2RenderingContext;
  readonly resources: Resources;
  readonly textures: Textures;
}

/** A rectangle of device pixels, with y pointing down. */
export interface PixelBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Minimum time between two contexts in milliseconds: one may be lost again at once. */
const minLifetime = 500;

const attributes: WebGLContextAttributes = { antialias: false, depth: false, powerPreference: "low-power" };

let shared: SharedContext | undefined;

export class SharedContext {
  #live: LiveContext | undefined;
  #canvas: HTMLCanvasElement;
  #madeAt = 0;
  #replacing: ReturnType<typeof setTimeout> | undefined;
  readonly #users = new Set<() => void>();

  /**
   * Acquires the page's context; call `leave` after use.
   * @param onRestored called when a lost context has been replaced: everything must be drawn again
   * @throws if WebGL2 is unavailable
   */
  static join(onRestored: () => void): SharedContext {
    shared ??= new SharedContext();
    shared.#users.add(onRestored);
    return shared;
  }

  private constructor() {
    const live = makeContext();
    if (!live) throw new Error("WebGL2 is unavailable");
    this.#canvas = live.canvas;
    this.#adopt(live);
  }

  /** Undefined while the context is lost. */
  get live(): LiveContext | undefined {
    return this.#live?.gl.isContextLost() ? undefined : this.#live;
  }

  /** The last user releases the context. */
  leave(onRestored: () => void): void {
    this.#users.delete(onRestored);
    if (this.#users.size > 0) return;
    if (shared === this) shared = undefined;
    clearTimeout(this.#replacing);
    this.#release();
    this.#live?.textures.clear();
    if (this.#live) loseWhenIdle(this.#live.gl);
    this.#live = undefined;
  }

  #adopt(live: LiveContext): void {
    this.#release();
    this.#live = live;
    this.#canvas = live.canvas;
    this.#madeAt = performance.now();
    live.canvas.addEventListener("webglcontextlost", this.#lose);
    live.canvas.addEventListener("webglcontextrestored", this.#restore);
  }

  #release(): void {
    this.#canvas.removeEventListener("webglcontextlost", this.#lose);
    this.#canvas.removeEventListener("webglcontextrestored", this.#restore);
  }

  readonly #lose = (event: Event): void => {
    event.preventDefault(); // otherwise it would never be restored
    this.#live?.textures.clear();
    this.#live = undefined;
    const wait = Math.max(0, this.#madeAt + minLifetime - performance.now());
    this.#replacing = setTimeout(() => this.#resume(makeContext()), wait);
  };

  readonly #restore = (): void => this.#resume(makeContext(this.#canvas));

  /** Without a new context, browsers may still restore the lost one. */
  #resume(live: LiveContext | undefined): void {
    if (!live || this.#live || this.#users.size === 0) return;
    clearTimeout(this.#replacing);
    this.#adopt(live);
    for (const onRestored of this.#users) onRestored();
  }
}

/** Interval at which the state of the GPU is polled, in milliseconds. */
const idleCheck = 20;

/**
 * Browsers limit the number of contexts: releases one instead of waiting for garbage collection. Losing a context
 * blocks the page until everything that was sent to it has been drawn.
 */
function loseWhenIdle(gl: WebGL2RenderingContext): void {
  const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  const look = () => {
    const isBusy = sync && !gl.isContextLost() && gl.getSyncParameter(sync, gl.SYNC_STATUS) !== gl.SIGNALED;
    if (isBusy) setTimeout(look, idleCheck);
    else gl.getExtension("WEBGL_lose_context")?.loseContext();
  };
  setTimeout(look, idleCheck);
}

function makeContext(canvas = document.createElement("canvas")): LiveContext | undefined {
  const gl = canvas.getContext("webgl2", attributes) as WebGL2RenderingContext | null;
  if (!gl || gl.isContextLost()) return undefined;
  return { canvas, gl, resources: makeResources(gl), textures: new Textures(gl, 0) };
}

/**
 * Starts a picture in the lower left corner of the drawing buffer, which grows to the largest picture and is
 * transparent.
 */
export function beginPicture({ canvas, gl }: LiveContext, width: number, height: number): void {
  if (canvas.width < width) canvas.width = width;
  if (canvas.height < height) canvas.height = height;
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(0, 0, width, height);
  gl.disable(gl.BLEND);
  gl.disable(gl.SCISSOR_TEST);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
}

/**
 * Copies a picture to a canvas of its size, pixel by pixel, transparent ones too.
 * @param parts the rectangles to copy; others keep their content. Default: everything
 */
export function copyPicture(
  { canvas }: LiveContext,
  target: CanvasRenderingContext2D,
  parts?: readonly PixelBox[],
): void {
  const { width, height } = target.canvas;
  const whole = { left: 0, top: 0, right: width, bottom: height };
  target.save();
  target.imageSmoothingEnabled = false;
  // Not a clipped copy: Chromium blends the rows at the edges of a clip.
  for (const { left, top, right, bottom } of parts ?? [whole]) {
    const [x, y] = [right - left, bottom - top];
    if (x <= 0 || y <= 0) continue;
    target.clearRect(left, top, x, y);
    target.drawImage(canvas, left, canvas.height - height + top, x, y, left, top, x, y);
  }
  target.restore();
}
