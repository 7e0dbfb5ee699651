/** Translates pointers, the wheel and keys into movements of a volume's camera. */
import { type Command, dragThreshold, isOnControl, listen, wheelPixels } from "../input/gestures.js";
import type { Orbit } from "../model/volume.js";
import { nearer, shifted, turned, type VolumeViewpoint } from "./camera.js";
import { cubeTarget, lookAlong } from "./cube.js";

export interface OrbitInputCallbacks {
  view(): VolumeViewpoint | undefined;
  /** Device pixels per CSS pixel. */
  ratio(): number;
  onOrbit(orbit: Orbit | null, cause: "pan" | "zoom"): void;
  /** A place in device pixels; undefined if the pointer has left or a button is pressed. */
  onPoint(at: readonly [x: number, y: number] | undefined, by: "pointer" | "keyboard"): void;
  /** A click at a place in device pixels, or Enter. */
  onPick(at: readonly [x: number, y: number]): void;
  onEscape(): void;
  /** Moves the cut plane by a share of half the diagonal; 0 makes it face the camera, or removes it. */
  onCut(step: number): void;
  onCommand(command: Command): void;
  onStep(direction: 1 | -1, axis?: number): void;
  onPlay(): void;
}

/** Degrees or CSS pixels per key press. */
const keyStep = 24;

const moves: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [-keyStep, 0],
  ArrowRight: [keyStep, 0],
  ArrowUp: [0, -keyStep],
  ArrowDown: [0, keyStep],
};

const zooms: Readonly<Record<string, number>> = { "+": 1.25, "=": 1.25, "-": 0.8 };

const commands: Readonly<Record<string, Command>> = {
  "?": "help",
  f: "full",
  s: "save",
  h: "pan",
  p: "pick",
  m: "measure",
};
const cuts: Readonly<Record<string, number>> = { c: 0, "[": -0.02, "]": 0.02 };

export class OrbitInput {
  readonly #pointers = new Map<number, { x: number; y: number }>();
  /** Whether the pressed pointer has not moved by more than a click allows. */
  #isClick = false;
  readonly #unlisten: () => void;

  constructor(
    private readonly box: HTMLElement,
    private readonly callbacks: OrbitInputCallbacks,
  ) {
    const release = ({ pointerId }: PointerEvent) => void this.#pointers.delete(pointerId);
    this.#unlisten = listen(box, {
      pointerdown: (event) => this.#press(event),
      pointermove: (event) => this.#move(event),
      pointerup: release,
      pointercancel: release,
      wheel: (event) => this.#wheel(event),
      keydown: (event) => this.#key(event),
      contextmenu: (event) => event.preventDefault(),
      pointerleave: () => callbacks.onPoint(undefined, "pointer"),
      click: (event) => this.#click(event),
      dblclick: (event) => this.#face(event) || callbacks.onOrbit(null, "zoom"),
    });
  }

  dispose(): void {
    this.#unlisten();
  }

  #at({ clientX, clientY }: MouseEvent): readonly [x: number, y: number] {
    const { left, top } = this.box.getBoundingClientRect();
    const ratio = this.callbacks.ratio();
    return [(clientX - left) * ratio, (clientY - top) * ratio];
  }

  #click(event: MouseEvent): void {
    if (this.#isClick && !this.#face(event)) this.callbacks.onPick(this.#at(event));
  }

  /** Turns the volume if a face of the cube was clicked. */
  #face(event: MouseEvent): boolean {
    const view = this.callbacks.view();
    const target = view && cubeTarget(view, this.callbacks.ratio(), ...this.#at(event));
    if (target) this.callbacks.onOrbit(target, "pan");
    return target !== undefined;
  }

  #press(event: PointerEvent): void {
    this.#isClick = !isOnControl(event) && this.#pointers.size === 0;
    if (isOnControl(event)) return;
    this.box.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** One pointer turns; with Shift, another button or a second finger it shifts; two fingers also zoom. */
  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    const view = this.callbacks.view();
    if (!before) this.callbacks.onPoint(this.#at(event), "pointer");
    if (!before || !view) return;
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (this.#isClick && Math.hypot(dx, dy) < dragThreshold) return;
    this.#isClick = false;
    this.callbacks.onPoint(undefined, "pointer");
    this.#pointers.set(event.pointerId, now);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    const isShift = event.shiftKey || (event.buttons & 6) !== 0 || other !== undefined;
    if (other) {
      const length = (from: { x: number; y: number }) => Math.hypot(from.x - other.x, from.y - other.y);
      this.callbacks.onOrbit(nearer(view.orbit, length(now) / Math.max(1, length(before))), "zoom");
    }
    this.#turn(isShift, dx, dy);
  }

  #turn(isShift: boolean, dx: number, dy: number): void {
    const view = this.callbacks.view();
    if (!view) return;
    const ratio = this.callbacks.ratio();
    const orbit = isShift ? shifted(view, dx * ratio, dy * ratio) : turned(view.orbit, dx, dy);
    this.callbacks.onOrbit(orbit, "pan");
  }

  #wheel(event: WheelEvent): void {
    const view = this.callbacks.view();
    if (!view) return;
    event.preventDefault();
    this.callbacks.onOrbit(nearer(view.orbit, 2 ** (-wheelPixels(event) * 0.003)), "zoom");
  }

  #key(event: KeyboardEvent): void {
    const view = this.callbacks.view();
    if (!view || event.ctrlKey || event.metaKey || event.altKey || event.target !== this.box) return;
    const { callbacks } = this;
    const { key } = event;
    const [move, zoom, cut, command] = [moves[key], zooms[key], cuts[key], commands[key]];
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
    const axis = ["x", "y", "z"].indexOf(key.toLowerCase());
    if (move) this.#turn(event.shiftKey, ...move);
    else if (zoom !== undefined) callbacks.onOrbit(nearer(view.orbit, zoom), "zoom");
    else if (cut !== undefined) callbacks.onCut(cut);
    else if (digit) callbacks.onStep(event.shiftKey ? -1 : 1, Number(digit) - 1);
    else if (command) callbacks.onCommand(command);
    else if (axis >= 0) callbacks.onOrbit(lookAlong(view, axis, event.shiftKey), "pan");
    else if (key === "0") callbacks.onOrbit(null, "zoom");
    else if (key === "v")
      callbacks.onOrbit({ ...view.orbit, isPerspective: !view.orbit.isPerspective }, "zoom");
    else if (key === "." || key === ",") callbacks.onStep(key === "." ? 1 : -1);
    else if (key === " ") callbacks.onPlay();
    else if (key === "Enter") {
      callbacks.onPoint([view.width / 2, view.height / 2], "keyboard");
      callbacks.onPick([view.width / 2, view.height / 2]);
    } else if (key === "Escape") callbacks.onEscape();
    else return;
    event.preventDefault();
  }
}
