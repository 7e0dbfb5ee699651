/** Notes below the picture: warnings, and remarks on the displayed data. */

import { h } from "../base/dom.js";
import { formatCount } from "../base/format.js";
import { maxText, shortened } from "../base/text.js";

export interface Note {
  readonly text: string;
  /** Another sentence, if there is one. */
  readonly more?: Promise<string | undefined> | undefined;
  /** True for possible errors, false for remarks. */
  readonly isWarning?: boolean | undefined;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

/** Maximum number of displayed notes. */
const maxNotes = 20;

const restNote = (count: number): Note => ({ text: `More notes: ${formatCount(count)}.` });

export class Notes {
  readonly element = h("ul", { class: "zw-notes", "aria-label": "Notes", hidden: true });

  #shown = "";

  /** Elements of unchanged notes stay, so that their buttons remain usable. */
  show(notes: readonly Note[]): void {
    const rest = notes.length - maxNotes;
    const shown = rest > 0 ? [...notes.slice(0, maxNotes), restNote(rest)] : notes;
    this.#list(shown);
  }

  #list(notes: readonly Note[]): void {
    const key = notes.map(({ text, action }) => `${text}\n${action?.label}`).join("\n\n");
    if (key === this.#shown) return;
    this.#shown = key;
    this.element.hidden = notes.length === 0;
    this.element.replaceChildren(...notes.map(noteItem));
  }
}

function noteItem({ text, more, isWarning, action }: Note): HTMLElement {
  const span = h("span", {}, shortened(text, maxText));
  void more?.then((sentence) => sentence && span.replaceChildren(shortened(`${text} ${sentence}`, maxText)));
  const button =
    action && h("button", { type: "button", class: "zw-button", onclick: action.run }, action.label);
  return h("li", { class: isWarning ? "zw-warning" : undefined }, span, button);
}
