/** Notes below the picture: warnings, and what the reader should know about what is drawn. */
import { h } from "../base/dom.js";
import { maxText, shortened } from "../base/text.js";

export interface Note {
  readonly text: string;
  /** True for what may be wrong, not only good to know. */
  readonly isWarning?: boolean | undefined;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

/** Most notes that are shown: documents can give reason for any number of warnings. */
const mostNotes = 20;

const restNote = (count: number): Note => ({
  text:
    count === 1 ? "One more note is not shown." : `${count.toLocaleString("en")} more notes are not shown.`,
});

export class Notes {
  readonly element = h("ul", { class: "zw-notes", "aria-label": "Notes", hidden: true });

  #shown = "";

  /** Notes that are there already stay as they are, so that their buttons can be used. */
  show(notes: readonly Note[]): void {
    const rest = notes.length - mostNotes;
    const shown = rest > 0 ? [...notes.slice(0, mostNotes), restNote(rest)] : notes;
    this.#list(shown);
  }

  #list(notes: readonly Note[]): void {
    const key = notes.map(({ text, action }) => `${text}\n${action?.label}`).join("\n\n");
    if (key === this.#shown) return;
    this.#shown = key;
    this.element.hidden = notes.length === 0;
    const items = notes.map(({ text, isWarning, action }) =>
      h(
        "li",
        { class: isWarning ? "zw-warning" : undefined },
        h("span", {}, shortened(text, maxText)),
        action && h("button", { type: "button", class: "zw-button", onclick: action.run }, action.label),
      ),
    );
    this.element.replaceChildren(...items);
  }
}
