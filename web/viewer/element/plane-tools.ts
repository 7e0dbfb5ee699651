/** The tools of a plane: what the pressed pointer and Enter do. */
import { LazyPart } from "../base/lazy-part.js";
import type { Point, Tool } from "../input/gestures.js";
import type { RegionState } from "../model/regions.js";
import type { ToolName } from "../model/state.js";
import { isLine, placeMark } from "./plane-geometry.js";
import { type ToolPlane, TwoPointTool } from "./two-point-tool.js";

export interface PlaneToolsCallbacks {
  onPan(dx: number, dy: number): void;
  /** A movement has ended. */
  onRest(): void;
  /** Shows the rectangle between two points. */
  onMark(rectangle: readonly [Point, Point]): void;
  /** Chooses the element at a point. */
  onChoose(at: Point): void;
  /** Pins the cursor to the element at a point. */
  onPin(at: Point): void;
  /** Lets the cursor follow the pointer again. @returns whether it was pinned */
  onUnpin(): boolean;
  /** Adds a region. */
  onRegion(region: RegionState): void;
}

export class PlaneTools {
  readonly #tools: Record<"pan" | "zoom" | "pick", Tool>;
  readonly #measure = new LazyPart(
    async () => new (await import("./measure-tool.js")).MeasureTool(this.plane),
  );
  readonly #regions = new LazyPart(
    async () => new (await import("./region-tool.js")).RegionTool(this.plane, this.callbacks.onRegion),
  );
  #name: ToolName | undefined;

  constructor(
    private readonly plane: ToolPlane,
    private readonly callbacks: PlaneToolsCallbacks,
  ) {
    this.#tools = {
      pan: panTool(callbacks),
      zoom: new ZoomTool(plane, callbacks),
      pick: pickTool(callbacks),
    };
  }

  get current(): Tool {
    const name = this.#name ?? "pan";
    if (name === "pan" || name === "zoom" || name === "pick") return this.#tools[name];
    return (name === "measure" ? this.#measure : this.#regions).value ?? this.#tools.pan;
  }

  /** The tool for a press: with Shift a rectangle, with Ctrl or ⌘ the picture is moved, whatever was chosen. */
  of({ shiftKey, ctrlKey, metaKey }: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }): Tool {
    return ctrlKey || metaKey ? this.#tools.pan : shiftKey ? this.#tools.zoom : this.current;
  }

  /** Draws over a picture, with a tool. */
  paint(name: ToolName): void {
    if (name !== this.#name) {
      const { current } = this;
      if (current instanceof TwoPointTool) current.leave();
      else current.cancel();
      this.#name = name;
      this.plane.frame.box.dataset["tool"] = name;
    }
    if (name === "measure") this.#measure.want();
    this.#measure.value?.paint();
    const hasRegions = this.plane.content!.state.regions.length > 0;
    if (hasRegions || !(name in this.#tools || name === "measure"))
      this.#regions.want(() => this.#regions.value!.paint());
    this.#regions.value?.paint();
  }

  /** @returns whether there was anything to cancel */
  cancel(): boolean {
    const isCancelled = [this.#tools.zoom, this.#tools.pick, this.#measure.value, this.#regions.value].map(
      (tool) => tool?.cancel(),
    );
    return isCancelled.includes(true);
  }
}

const panTool = ({ onPan, onRest, onChoose }: PlaneToolsCallbacks): Tool => ({
  drag: (at, before) => onPan(at.x - before.x, at.y - before.y),
  drop: onRest,
  click: onChoose,
  cancel: () => false,
});

/** The picked element stays under the cursor. */
const pickTool = ({ onPin, onUnpin }: PlaneToolsCallbacks): Tool => ({
  drag: onPin,
  drop: onPin,
  click: onPin,
  cancel: onUnpin,
});

/** Zooms into a rectangle. */
class ZoomTool extends TwoPointTool {
  constructor(
    plane: ToolPlane,
    private readonly callbacks: PlaneToolsCallbacks,
  ) {
    super(plane);
  }

  protected show(from: Point, to: Point): void {
    const { frame, content: shown } = this.plane;
    frame.mark.hidden = false;
    placeMark(frame.mark, [from, to], shown !== undefined && isLine(shown));
  }

  protected finish(from: Point, to: Point): void {
    this.clear();
    this.callbacks.onMark([from, to]);
  }

  protected clear(): boolean {
    const { mark } = this.plane.frame;
    const wasShown = mark.hidden === false;
    mark.hidden = true;
    return wasShown;
  }
}
