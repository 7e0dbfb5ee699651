/** Controls of a plate: channel, field of view, and the indices along other axes, of all wells. */
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import type { PlateChoices, PlateView } from "../model/plate-view.js";

export class PlateControls {
  readonly element = h("form", {
    class: "zw-plate-controls",
    hidden: true,
    onsubmit: (event: Event) => event.preventDefault(),
  });
  #view: PlateView;
  #isOffered = false;

  constructor(
    first: PlateView,
    private readonly onView: (view: PlateView) => void,
  ) {
    this.#view = first;
  }

  /** Offers choices, once they are known; a choice of one thing has no control. */
  offer({ channels, fields, axes }: PlateChoices): void {
    if (this.#isOffered) return;
    this.#isOffered = true;
    if (channels.length > 1)
      this.#add(
        "Channel",
        this.#list(["All", ...channels], (this.#view.channel ?? -1) + 1, (at) => ({
          channel: at > 0 ? at - 1 : null,
        })),
      );
    if (fields > 1)
      this.#add(
        "Field of view",
        this.#list(
          Array.from({ length: fields }, (_, i) => String(i + 1)),
          this.#view.field,
          (field) => ({ field }),
        ),
      );
    for (const { axis, name, length, at } of axes) {
      const field = numberField({ min: 0, max: length - 1, step: 1 }, () => {
        const index = Math.min(Math.max(Math.round(Number(field.value)), 0), length - 1);
        showNumber(field, index);
        this.#change({ index: new Map([...this.#view.index, [axis, index]]) });
      });
      showNumber(field, this.#view.index.get(axis) ?? at);
      this.#add(name, field);
    }
    this.element.hidden = this.element.childElementCount === 0;
  }

  #add(name: string, control: HTMLInputElement | HTMLSelectElement): void {
    this.element.append(labelled(name, control));
  }

  #list(
    names: readonly string[],
    chosen: number,
    changeFor: (at: number) => Partial<PlateView>,
  ): HTMLSelectElement {
    const entries = names.map((name, i) => [String(i), name] as const);
    const list = select(entries, (value) => this.#change(changeFor(Number(value))));
    list.value = String(chosen);
    return list;
  }

  #change(change: Partial<PlateView>): void {
    this.#view = { ...this.#view, ...change };
    this.onView(this.#view);
  }
}
