/** Draws regions: those of the state over the picture, and new ones by a drag, clicks or Enter. */
import { h } from "../base/dom.js";
import { clearedContext, strokeDark } from "../draw/map-lines.js";
import type { Point } from "../input/gestures.js";
import { text } from "../language/text.js";
import { regionColor, vertices } from "../model/region-shapes.js";
import { type RegionKind, type RegionPoint, type RegionState, regionKinds } from "../model/regions.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import { isLine, type PlaneContent, pointAt, positionAt } from "./plane-geometry.js";
import { type ToolPlane, TwoPointTool } from "./two-point-tool.js";

/** Straight parts of an edge on a map, where edges may be bent. */
const bends = 24;
/** Distance in CSS pixels at which a click closes a polygon, and between the vertices of a drawn one. */
const near = 8;

const isRegionKind = (tool: string): tool is RegionKind => (regionKinds as readonly string[]).includes(tool);

export class RegionTool extends TwoPointTool {
  readonly #canvas = h("canvas", { class: "zw-map-lines zw-regions-drawn", hidden: true });
  /** The region that is being drawn. */
  #draft: readonly RegionPoint[] = [];
  #isDragged = false;

  constructor(
    plane: ToolPlane,
    private readonly add: (region: RegionState) => void,
  ) {
    super(plane);
    plane.frame.overlay.append(this.#canvas);
  }

  get #kind(): RegionKind | undefined {
    const { tool, axes } = this.plane.content!.state;
    return axes.length === 2 && isRegionKind(tool) ? tool : undefined;
  }

  #place(at: Point): RegionPoint | undefined {
    const { content, viewpoint } = this.plane;
    const found = content && viewpoint && positionAt(content, viewpoint, at);
    return found && [found.row, found.column];
  }

  override click(at: Point): void {
    const place = this.#place(at);
    if (this.#kind === "point" && place) this.#add([place]);
    else if (this.#kind === "polygon" && place) this.#addVertex(at, place);
    else super.click(at);
  }

  override drag(at: Point, before: Point, pressed: Point): void {
    if (this.#kind !== "polygon") {
      super.drag(at, before, pressed);
      return;
    }
    // A drawn outline.
    this.#isDragged = true;
    const place = this.#place(at);
    const last = this.#draft.at(-1);
    const distance = last ? this.#distance(last, at) : near;
    if (place && distance >= near / 2) this.#draft = [...this.#draft, place];
    this.paint();
  }

  override drop(at: Point, pressed: Point): void {
    if (this.#kind !== "polygon") {
      super.drop(at, pressed);
      return;
    }
    if (this.#isDragged && this.#draft.length >= 3) this.#add(this.#draft);
    this.#isDragged = false;
  }

  override hover(at: Point): void {
    if (this.#kind !== "polygon") super.hover(at);
  }

  /** A click at the first or the last vertex closes the polygon. */
  #addVertex(at: Point, place: RegionPoint): void {
    const [first, last] = [this.#draft[0], this.#draft.at(-1)];
    const isClosed = first && last && Math.min(this.#distance(first, at), this.#distance(last, at)) < near;
    if (isClosed && this.#draft.length >= 3) this.#add(this.#draft);
    else if (!isClosed) {
      this.#draft = [...this.#draft, place];
      this.paint();
    }
  }

  #distance([row, column]: RegionPoint, { x, y }: Point): number {
    const at = pointAt(this.plane.content!, this.plane.viewpoint!, { row, column });
    return Math.hypot(at.x - x, at.y - y);
  }

  #add(points: readonly RegionPoint[]): void {
    const { axes, regions } = this.plane.content!.state;
    const kind = this.#kind!;
    const names = new Set(regions.map(({ name }) => name));
    let number = regions.length + 1;
    while (names.has(text.regions.numbered(number))) number++;
    this.clear();
    this.add({ name: text.regions.numbered(number), kind, axes: [axes[0]!, axes[1]!], points });
  }

  protected show(from: Point, to: Point): void {
    const [a, b] = [this.#place(from), this.#place(to)];
    if (a && b) this.#draft = [a, b];
    this.paint();
  }

  protected finish(from: Point, to: Point): void {
    const [a, b] = [this.#place(from), this.#place(to)];
    if (a && b && this.#kind) this.#add([a, b]);
    else this.clear();
  }

  protected clear(): boolean {
    const wasDrawn = this.#draft.length > 0;
    this.#draft = [];
    this.paint();
    return wasDrawn;
  }

  paint(): void {
    const { content, viewpoint } = this.plane;
    if (!content || !viewpoint) return;
    const { regions, axes } = content.state;
    const drawn = isLine(content) ? [] : regions;
    const isShown = drawn.length > 0 || this.#draft.length > 0;
    this.#canvas.hidden = !isShown;
    if (!isShown) return;
    const context = clearedContext(this.#canvas, viewpoint);
    for (const [i, region] of drawn.entries())
      if (region.points.length > 0 && region.axes.join() === axes.join())
        drawRegion(context, content, viewpoint, region, regionColor(i));
    const kind = this.#kind;
    if (kind && this.#draft.length > 0) {
      const isOpen = kind === "polygon" && !this.#isDragged;
      const draft = { kind: isOpen ? ("line" as const) : kind, points: this.#draft, name: "" };
      drawRegion(context, content, viewpoint, draft, regionColor(drawn.length));
    }
  }
}

/** A coloured outline with a dark rim, visible on any colour, and its name. */
function drawRegion(
  context: CanvasRenderingContext2D,
  shown: PlaneContent,
  view: Viewpoint,
  { kind, points, name }: Pick<RegionState, "kind" | "points" | "name">,
  color: string,
): void {
  const corners = vertices({ kind, points });
  const isOpen = kind === "line" || kind === "point";
  const bent = shown.projection ? bends : 1;
  const path = corners.flatMap((from, i) => {
    const to = corners[i + 1] ?? (isOpen ? from : corners[0]!);
    return Array.from({ length: bent }, (_, part): Point => {
      const at = (k: 0 | 1) => from[k] + ((to[k] - from[k]) * part) / bent;
      return pointAt(shown, view, { row: at(0), column: at(1) });
    });
  });
  context.beginPath();
  for (const { x, y } of path) context.lineTo(x, y);
  if (kind === "point") {
    context.beginPath();
    context.arc(path[0]!.x, path[0]!.y, 5, 0, 2 * Math.PI);
  }
  if (!isOpen) context.closePath();
  strokeDark(context, color);
  const corner = path.reduce((a, b) => (b.y < a.y ? b : a));
  context.font = "600 12px system-ui, sans-serif";
  context.lineWidth = 3;
  context.strokeStyle = "rgb(0 0 0 / 75%)";
  context.fillStyle = "#fff";
  context.strokeText(name, corner.x + 6, corner.y - 6);
  context.fillText(name, corner.x + 6, corner.y - 6);
}
