/** What is pointed at: said below the picture, and told to whoever embeds the viewer. */
import { scalarAt } from "../base/format.js";
import type { Pointed, Readout } from "../panels/readout.js";
import type { PointerReport, ViewerOptions } from "./options.js";

type By = PointerReport["by"];

export class Pointing {
  #by: By = "pointer";
  #reported = "";

  /** @param listener who is told; undefined for nobody */
  constructor(
    private readonly readout: Readout,
    private readonly listener: () => ViewerOptions["onPointer"],
  ) {}

  /** How it was pointed last. */
  get by(): By {
    return this.#by;
  }

  /** @param pointed undefined where nothing is pointed at any more */
  show(pointed: Pointed | undefined, by: By): void {
    this.#by = by;
    this.readout.show(pointed, by);
    this.#report(pointed);
  }

  /** The same is said once, although it is looked up whenever something has been read. */
  #report(pointed: Pointed | undefined): void {
    const listener = this.listener();
    if (!listener) return;
    const text = pointed ? this.readout.text : "";
    const key = pointed ? `${pointed.index} ${text}` : "";
    if (key === this.#reported) return;
    this.#reported = key;
    listener(pointed && { index: pointed.index, values: valuesOf(pointed), text, by: this.#by });
  }
}

/** As they are stored; undefined for those that could not be read. */
function valuesOf({ readings }: Pointed): PointerReport["values"] {
  return readings.map(({ tile, row, column, gap }) =>
    gap?.kind === "damaged" ? undefined : scalarAt(tile.block.region, tile.offsetOf(row, column)),
  );
}
