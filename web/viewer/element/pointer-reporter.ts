/** The element under the pointer: shown below the picture, and reported to the embedding page. */
import { scalarAt } from "../base/format.js";
import type { Pointed, Readout } from "../panels/readout.js";
import type { PointerReport } from "./options.js";
import type { ViewerModel } from "./viewer-model.js";

type By = PointerReport["by"];

export class PointerReporter {
  #by: By = "pointer";
  /** The last report: the element, and what identifies its values. Undefined after the pointer has left. */
  #reported: { readonly place: string; readonly value: string } | undefined;

  constructor(
    private readonly readout: Readout,
    private readonly model: ViewerModel,
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
    const listener = this.model.options.onPointer;
    if (!listener) return;
    if (!pointed) {
      if (this.#reported === undefined) return;
      this.#reported = undefined;
      listener(undefined);
      return;
    }
    const [isPick, text, values] = [this.#by === "pick", this.readout.text, storedValues(pointed)];
    const place = `${isPick} ${pointed.index}`;
    // The text also changes when coordinates or properties arrive; a picked element is reported for its values.
    const value = isPick && values.length > 0 ? values.map(valueKey).join() : text;
    const before = this.#reported;
    if (before?.place === place && (before.value === value || isUnread(pointed))) return;
    this.#reported = { place, value };
    listener({ index: pointed.index, values, text, by: this.#by });
  }
}

/** Whether an element has values that have not been read: of a reported one, they are read again. */
const isUnread = ({ readings, shape, plotted }: Pointed): boolean =>
  readings.length === 0 && shape === undefined && plotted === undefined;

const valueKey = (value: PointerReport["values"][number]): string =>
  typeof value === "object"
    ? JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part))
    : String(value);

/** The stored values; undefined for unreadable ones. */
function storedValues({ readings }: Pointed): PointerReport["values"] {
  return readings.map(({ tile, row, column, gap }) =>
    gap?.kind === "damaged" ? undefined : scalarAt(tile.block.region, tile.offsetOf(row, column)),
  );
}
