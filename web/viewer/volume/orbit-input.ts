/** Translates pointers, the wheel and keys into movements of a volume's camera. */
import { isOnControl, listen, wheelPixels } from "../input/listen.js";
import type { Orbit } from "../model/volume.js";
import { nearer, shifted, turned, type VolumeViewpoint } from "./camera.js";

export interface OrbitInputCallbacks {
  view(): VolumeViewpoint | undefined;
  /** Device pixels per CSS pixel. */
  ratio(): number;
  onOrbit(orbit: Orbit | null, cause: "pan" | "zoom"): void;
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

export class OrbitInput {
  readonly #pointers = new Map<number, { x: number; y: number }>();
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
      dblclick: () => callbacks.onOrbit(null, "zoom"),
    });
  }

  dispose(): void {
    this.#unlisten();
  }

  #press(event: PointerEvent): void {
    if (isOnControl(event)) return;
    this.box.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** One pointer turns; with Shift, another button or a second finger it shifts; two fingers also zoom. */
  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    const view = this.callbacks.view();
    if (!before || !view) return;
    const now = { x: event.clientX, y: event.clientY };
    this.#pointers.set(event.pointerId, now);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
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
    const [move, zoom] = [moves[event.key], zooms[event.key]];
    if (move) this.#turn(event.shiftKey, ...move);
    else if (zoom !== undefined) this.callbacks.onOrbit(nearer(view.orbit, zoom), "zoom");
    else if (event.key === "0") this.callbacks.onOrbit(null, "zoom");
    else if (event.key === "p")
      this.callbacks.onOrbit({ ...view.orbit, isPerspective: !view.orbit.isPerspective }, "zoom");
    else return;
    event.preventDefault();
  }
}
