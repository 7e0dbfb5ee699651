/** The element under the pointer: shown below the picture, and reported to the embedding page. */
import { scalarAt } from "../base/format.js";
import type { Pointed, Readout } from "../panels/readout.js";
import type { PointerReport, ViewerOptions } from "./options.js";

type By = PointerReport["by"];

export class PointerReporter {
  #by: By = "pointer";
  #reported = "";

  /** @param listener receives reports; optional */
  constructor(
    private readonly readout: Readout,
    private readonly listener: () => ViewerOptions["onPointer"],
  ) {}

  /** The latest pointing device. */
  get by(): By {
    return this.#by;
  }

  /** @param pointed undefined if the pointer has left */
  show(pointed: Pointed | undefined, by: By): void {
    this.#by = by;
    this.readout.show(pointed, by);
    this.#report(pointed);
  }

  /** Reports equal values once, although they are looked up after every read. */
  #report(pointed: Pointed | undefined): void {
    const listener = this.listener();
    if (!listener) return;
    const text = pointed ? this.readout.text : "";
    const key = pointed ? `${this.#by === "pick"} ${pointed.index} ${text}` : "";
    if (key === this.#reported) return;
    this.#reported = key;
    listener(pointed && { index: pointed.index, values: storedValues(pointed), text, by: this.#by });
  }
}

/** The stored values; undefined for unreadable ones. */
function storedValues({ readings }: Pointed): PointerReport["values"] {
  return readings.map(({ tile, row, column, gap }) =>
    gap?.kind === "damaged" ? undefined : scalarAt(tile.block.region, tile.offsetOf(row, column)),
  );
}
