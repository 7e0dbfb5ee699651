/** A list to choose from: the browser's own for few options, for many a field that finds them. */
import { h, uniqueId } from "./dom.js";
import { namesWith } from "./slices.js";
import { longName, shortName } from "./text.js";
import { arrange, VirtualWindow } from "./virtual.js";

/** Longer lists are fields with a list that opens. */
const maxNative = 40;

/** Most options in the document. */
const maxOptions = 60;

/** CSS pixels. */
const optionHeight = 32;

export interface Options {
  readonly count: number;
  name(index: number): string;
}

/** Like `<select>`: one of many options is chosen, by its index. */
export interface Chooser {
  /** What stands in the panel. */
  readonly element: HTMLElement;
  /** What a label is for, and what gets an `aria-label`. */
  readonly control: HTMLElement;
  show(index: number): void;
  /** Options that cannot be chosen now. */
  setTaken(taken: readonly number[]): void;
}

export function chooser(options: Options, onChoose: (index: number) => void): Chooser {
  return options.count > maxNative
    ? new FieldChooser(options, onChoose)
    : new NativeChooser(options, onChoose);
}

class NativeChooser implements Chooser {
  readonly element: HTMLSelectElement;

  constructor({ count, name }: Options, onChoose: (index: number) => void) {
    this.element = h("select", { onchange: () => onChoose(this.element.selectedIndex) });
    for (let i = 0; i < count; i++) this.element.append(h("option", { value: i }, shortName(name(i))));
  }

  get control(): HTMLElement {
    return this.element;
  }

  show(index: number): void {
    this.element.selectedIndex = index;
  }

  setTaken(taken: readonly number[]): void {
    for (const [i, option] of [...this.element.options].entries()) option.disabled = taken.includes(i);
  }
}

/** A combobox: typing finds options, arrow keys go through them, Enter chooses. */
class FieldChooser implements Chooser {
  readonly element: HTMLElement;
  readonly control: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #content = h("div", { role: "presentation" });
  readonly #nothing = h("p", { class: "zw-chooser-nothing", role: "status", hidden: true }, "Nothing found");
  readonly #popup: HTMLElement;
  readonly #window: VirtualWindow;
  readonly #id = uniqueId("option");
  #chosen = 0;
  #taken: readonly number[] = [];
  /** Options that are listed: all of them, or those that were found. */
  #found: readonly number[] | undefined;
  /** Position in the list that keys have moved to. */
  #active = 0;
  #search = new AbortController();

  constructor(
    private readonly options: Options,
    private readonly onChoose: (index: number) => void,
  ) {
    this.#list = h(
      "div",
      { class: "zw-list zw-virtual", role: "listbox", id: uniqueId("list") },
      this.#content,
    );
    this.#popup = h("div", { class: "zw-chooser-popup", hidden: true }, this.#list, this.#nothing);
    this.control = h("input", {
      type: "text",
      role: "combobox",
      autocomplete: "off",
      spellcheck: "false",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.#list.id,
      onclick: () => this.#open(),
      oninput: () => void this.#filter(),
      onblur: () => this.#close(),
      onkeydown: (event: KeyboardEvent) => this.#press(event),
    });
    this.element = h("div", { class: "zw-chooser" }, this.control, this.#popup);
    // A press in the list must not take the focus from the field, which closes the list.
    this.#popup.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => this.#pick(target));
    this.#window = new VirtualWindow({
      scroller: this.#list,
      content: this.#content,
      maxItems: maxOptions,
      render: () => this.#render(),
    });
  }

  show(index: number): void {
    if (index === this.#chosen && this.control.value !== "") return;
    this.#chosen = index;
    if (!this.#isOpen) this.#showChosen();
  }

  setTaken(taken: readonly number[]): void {
    this.#taken = taken;
    if (this.#isOpen) this.#window.update(true);
  }

  get #isOpen(): boolean {
    return !this.#popup.hidden;
  }

  get #count(): number {
    return this.#found?.length ?? this.options.count;
  }

  #showChosen(): void {
    if (this.#chosen < 0 || this.#chosen >= this.options.count) return;
    const name = this.options.name(this.#chosen);
    this.control.value = shortName(name);
    this.control.title = longName(name) ?? "";
  }

  #optionAt(position: number): number {
    return this.#found ? this.#found[position]! : position;
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#popup.hidden = false;
    this.control.setAttribute("aria-expanded", "true");
    this.#list.setAttribute("aria-label", this.control.getAttribute("aria-label") ?? "Options");
    this.control.select();
    this.#listAll();
  }

  #listAll(): void {
    this.#found = undefined;
    this.#active = this.#chosen;
    this.#relist();
  }

  #relist(): void {
    this.#nothing.hidden = this.#count > 0;
    this.#list.hidden = this.#count === 0;
    this.#window.setTracks({ count: this.#count, size: optionHeight });
    this.#move(this.#active);
  }

  #close(): void {
    this.#search.abort();
    if (!this.#isOpen) return;
    this.#popup.hidden = true;
    this.#content.replaceChildren();
    this.control.setAttribute("aria-expanded", "false");
    this.control.removeAttribute("aria-activedescendant");
    this.#showChosen();
  }

  async #filter(): Promise<void> {
    this.#open();
    this.#search.abort();
    this.#search = new AbortController();
    const text = this.control.value.trim();
    if (text === "") return this.#listAll();
    const { count } = this.options;
    try {
      this.#found = await namesWith(text, count, (i) => this.options.name(i), this.#search.signal);
      this.#active = 0;
      if (this.#isOpen) this.#relist();
    } catch {
      // Another search has begun.
    }
  }

  #move(position: number): void {
    this.control.removeAttribute("aria-activedescendant");
    if (this.#count === 0) return;
    this.#active = Math.min(Math.max(position, 0), this.#count - 1);
    this.#window.reveal(this.#active);
    this.#window.update(true);
    this.control.setAttribute("aria-activedescendant", `${this.#id}-${this.#active}`);
  }

  #render(): void {
    if (!this.#isOpen) return;
    const { start, stop } = this.#window.rows;
    const positions = Array.from({ length: stop - start }, (_, i) => start + i);
    arrange(
      this.#content,
      positions.map((position) => this.#row(position)),
    );
  }

  #row(position: number): HTMLElement {
    const index = this.#optionAt(position);
    const name = this.options.name(index);
    const isTaken = this.#taken.includes(index);
    const row = h(
      "div",
      {
        class: position === this.#active ? "zw-row zw-active" : "zw-row",
        role: "option",
        id: `${this.#id}-${position}`,
        "data-position": position,
        title: longName(name),
        "aria-selected": String(index === this.#chosen),
        "aria-disabled": isTaken ? "true" : undefined,
        "aria-posinset": position + 1,
        "aria-setsize": this.#count,
      },
      shortName(name),
    );
    row.style.insetBlockStart = `${this.#window.top(position)}px`;
    return row;
  }

  #pick(target: EventTarget | null): void {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-position]") : null;
    if (row) this.#choose(Number(row.dataset["position"]));
  }

  #choose(position: number): void {
    if (position >= this.#count) return;
    const index = this.#optionAt(position);
    if (this.#taken.includes(index)) return;
    this.#close();
    if (index !== this.#chosen) this.onChoose(index);
  }

  #press(event: KeyboardEvent): void {
    const { key, altKey } = event;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: this.#window.page,
      PageUp: -this.#window.page,
    };
    if (key === "Enter" && this.#isOpen) this.#choose(this.#active);
    else if (key === "Escape" && this.#isOpen) this.#close();
    else if (Object.hasOwn(steps, key) && !this.#isOpen) this.#open();
    else if (Object.hasOwn(steps, key) && altKey) this.#close();
    else if (Object.hasOwn(steps, key)) this.#move(this.#active + steps[key]!);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
