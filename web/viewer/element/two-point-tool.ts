/** Tools that take two points: by a drag, by two clicks, or by Enter at two elements. */
import { dragThreshold, type Point, type Tool } from "../input/gestures.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Frame } from "./frame.js";
import { type PlaneContent, type WorldPlace, worldPlace, worldPoint } from "./plane-geometry.js";

/** The plane that a tool is used on. */
export interface ToolPlane {
  readonly frame: Frame;
  /** Undefined before the first frame. */
  readonly content: PlaneContent | undefined;
  readonly viewpoint: Viewpoint | undefined;
}

export abstract class TwoPointTool implements Tool {
  /** The first of two clicks; the picture may move before the second. */
  #first: WorldPlace | undefined;

  constructor(protected readonly plane: ToolPlane) {}

  /** Draws between two points, which may still change. */
  protected abstract show(from: Point, to: Point): void;
  /** Uses two points. */
  protected abstract finish(from: Point, to: Point): void;
  /** Removes what `show` draws. @returns whether there was any */
  protected abstract clear(): boolean;

  drag(at: Point, _before: Point, pressed: Point): void {
    this.show(pressed, at);
  }

  drop(at: Point, pressed: Point): void {
    this.#end(pressed, at);
  }

  click(at: Point): void {
    const from = this.#from;
    if (from) this.#end(from, at);
    else {
      const { viewpoint } = this.plane;
      this.#first = viewpoint && worldPlace(viewpoint, at);
      this.show(at, at);
    }
  }

  hover(at: Point): void {
    const from = this.#from;
    if (from) this.show(from, at);
  }

  cancel(): boolean {
    const isBegun = this.#first !== undefined;
    this.#first = undefined;
    return this.clear() || isBegun;
  }

  /** Another tool is chosen: a finished measurement stays. */
  leave(): void {
    if (this.#first) this.cancel();
  }

  get #from(): Point | undefined {
    const { viewpoint } = this.plane;
    return this.#first && viewpoint && worldPoint(viewpoint, this.#first);
  }

  /** Two points in the same place, as of a double click, cancel. */
  #end(from: Point, to: Point): void {
    this.#first = undefined;
    if (Math.hypot(to.x - from.x, to.y - from.y) < dragThreshold) this.clear();
    else this.finish(from, to);
  }
}

/** The context of an empty canvas over the box, in CSS pixels. */
export function clearedContext(
  canvas: HTMLCanvasElement,
  { size, ratio }: Viewpoint,
): CanvasRenderingContext2D {
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  return context;
}
