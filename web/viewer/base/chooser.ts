/** Select boxes: native for few options, a field with suggestions for many. */
import { h, uniqueId } from "./dom.js";
import { indicesWhere } from "./slices.js";
import { longName, shortName } from "./text.js";

/** Options up to which a native select box is used. */
const maxNative = 40;

/** Maximum number of suggestions. */
export const maxSuggested = 60;

/** Whether the input of a field is a suggestion that has been chosen, not typed. */
export const isSuggestion = (event: Event): boolean =>
  !(event instanceof InputEvent) || event.inputType === "insertReplacementText";

export interface Options {
  readonly count: number;
  name(index: number): string;
}

/** A control like `<select>`; options are identified by their index. */
export interface Chooser {
  /** The element to insert. */
  readonly element: HTMLElement;
  /** The form control: target of a label or an `aria-label`. */
  readonly control: HTMLElement;
  show(index: number): void;
  /** Disables options. */
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

/** An input field; Enter or leaving it chooses the option with that name, or the only option whose name contains the input. */
class FieldChooser implements Chooser {
  readonly element: HTMLElement;
  readonly control: HTMLInputElement;
  readonly #list = h("datalist", { id: uniqueId("list") });
  #isTyping = false;
  #chosen = 0;
  #taken: readonly number[] = [];
  #search = new AbortController();

  constructor(
    private readonly options: Options,
    private readonly onChoose: (index: number) => void,
  ) {
    this.control = h("input", {
      type: "text",
      list: this.#list.id,
      autocomplete: "off",
      spellcheck: "false",
      onfocus: () => this.#open(),
      oninput: (event: Event) => void this.#type(event),
      onchange: () => void this.#choose(),
      onblur: () => this.#showChosen(),
    });
    this.element = h("div", { class: "zw-chooser" }, this.control, this.#list);
  }

  show(index: number): void {
    this.#chosen = index;
    if (!this.#isTyping) this.#showChosen();
  }

  setTaken(taken: readonly number[]): void {
    this.#taken = taken;
  }

  #name(index: number): string {
    return index >= 0 && index < this.options.count ? this.options.name(index) : "";
  }

  /** Ends typing. */
  #showChosen(): void {
    this.#isTyping = false;
    const name = this.#name(this.#chosen);
    this.control.value = shortName(name);
    this.control.placeholder = "";
    this.control.title = longName(name) ?? "";
  }

  /** Browsers suggest only what contains the text. */
  #open(): void {
    this.#isTyping = true;
    this.control.placeholder = shortName(this.#name(this.#chosen));
    this.control.value = "";
    void this.#suggest();
  }

  /** The first options that fit; undefined if another search has begun. */
  async #find(isWanted: (name: string) => boolean, most: number): Promise<readonly number[] | undefined> {
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    const isFree = (i: number) => !this.#taken.includes(i) && isWanted(this.options.name(i));
    return indicesWhere(this.options.count, isFree, signal, most).catch(() => undefined);
  }

  #type(event: Event): Promise<void> {
    this.#isTyping = true;
    return isSuggestion(event) ? this.#choose() : this.#suggest();
  }

  async #suggest(): Promise<void> {
    const text = this.control.value.trim().toLowerCase();
    const found = await this.#find((name) => name.toLowerCase().includes(text), maxSuggested);
    if (found)
      this.#list.replaceChildren(
        ...found.map((i) => h("option", { value: shortName(this.options.name(i)) })),
      );
  }

  async #choose(): Promise<void> {
    const text = this.control.value.trim();
    if (text === "") return;
    const same = await this.#find((name) => shortName(name) === text, 1);
    const like = (name: string) => name.toLowerCase().includes(text.toLowerCase());
    const found = same?.length === 0 ? await this.#find(like, 2) : same;
    if (found?.length === 1 && found[0] !== this.#chosen) this.onChoose(found[0]!);
    this.#showChosen();
  }
}
