/** Shares the view: its address, an image, a program. */
import { h } from "../base/dom.js";
import { saveBlob } from "../base/save.js";
import { javascriptCode, pythonCode } from "../model/code.js";
import type { ViewState } from "../model/state.js";
import type { Control, Panel, PanelContext, PanelView } from "./panel.js";

export const sharePanel: Panel = {
  name: "share",
  title: "Share",
  build: (context) => [new Sharing(context)],
};

/** Duration of a success message in milliseconds. */
const wordTime = 4000;

class Sharing implements Control {
  readonly #context: PanelContext;
  readonly #said = h("p", { class: "zw-share-said", role: "status" });
  /** Text for manual copying if the clipboard is unavailable. */
  readonly #text = h("textarea", {
    class: "zw-share-text",
    readonly: true,
    rows: 6,
    hidden: true,
    "aria-label": "Text to copy",
  });
  readonly #link: HTMLButtonElement;
  readonly #picture: HTMLButtonElement;
  readonly #figure: HTMLButtonElement;
  readonly element: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: PanelContext) {
    this.#context = context;
    const button = (text: string, onclick: () => void) =>
      h("button", { type: "button", class: "zw-button", onclick }, text);
    this.#link = button("Copy link", () => this.#copyLink());
    this.#picture = button("Save PNG", () => void this.#save());
    this.#figure = button("Figure…", () => void this.#context.showFigureDialog(this.element));
    const [python, script] = [
      button("Copy as Python", () => this.#copyCode(pythonCode, "Python")),
      button("Copy as JavaScript", () => this.#copyCode(javascriptCode, "JavaScript")),
    ];
    this.element = h(
      "div",
      {},
      h("div", { class: "zw-buttons" }, this.#link, this.#picture, this.#figure, python, script),
      this.#said,
      this.#text,
    );
  }

  sync(_state: ViewState, { isPicture }: PanelView): void {
    this.#link.hidden = this.#context.link() === undefined;
    this.#picture.disabled = !isPicture;
    this.#figure.disabled = !isPicture;
  }

  #copyLink(): void {
    const link = this.#context.link();
    if (link) void this.#copy(link, "Link copied to the clipboard.");
  }

  #copyCode(write: typeof pythonCode, name: string): void {
    const request = this.#context.codeRequest();
    const code = request && write(request);
    if (!code) this.#say("This store exists only in this page; a program cannot read it.");
    else if ("reason" in code) this.#say(`${code.reason}.`);
    else void this.#copy(code.text, `${name} code for this view copied to the clipboard.`);
  }

  async #copy(text: string, done: string): Promise<void> {
    this.#text.hidden = true;
    try {
      await navigator.clipboard.writeText(text);
      this.#say(done);
    } catch {
      // Pages loaded over http, or without permission, cannot use the clipboard.
      this.#text.value = text;
      this.#text.hidden = false;
      this.#text.focus();
      this.#text.select();
      this.#say("This page cannot use the clipboard: copy the text below.", true);
    }
  }

  async #save(): Promise<void> {
    const picture = await this.#context.picture();
    if (!picture) return;
    saveBlob(picture);
    this.#say(`${picture.name} is saved.`);
  }

  #say(text: string, isLasting = false): void {
    this.#said.textContent = text;
    clearTimeout(this.#timer);
    if (isLasting) return;
    this.#timer = setTimeout(() => {
      this.#said.textContent = "";
    }, wordTime);
  }
}
