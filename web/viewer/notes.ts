/** Notes below the picture: warnings, and what the reader should know about what is drawn. */
import { h } from "./dom.js";

export interface Note {
  readonly text: string;
  /** True for what may be wrong, not only good to know. */
  readonly isWarning?: boolean | undefined;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

export class Notes {
  readonly element = h("ul", { class: "zw-notes", "aria-label": "Notes", hidden: true });

  show(notes: readonly Note[]): void {
    this.element.hidden = notes.length === 0;
    const items = notes.map(({ text, isWarning, action }) =>
      h(
        "li",
        { class: isWarning ? "zw-warning" : undefined },
        h("span", {}, text),
        action && h("button", { type: "button", class: "zw-button", onclick: action.run }, action.label),
      ),
    );
    this.element.replaceChildren(...items);
  }
}
