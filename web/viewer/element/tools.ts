/** Buttons above the picture, and the commands of keys and of gestures that are left to the page. */

import { effect } from "@preact/signals-core";
import { button, h, icon } from "../base/dom.js";
import { radioGroup } from "../base/radios.js";
import { saveBlob } from "../base/save.js";
import { adoptSheet } from "../base/styles.js";
import type { Command } from "../input/gestures.js";
import { text } from "../language/text.js";
import type { ToolName } from "../model/state.js";
import type { MainPanel } from "./main-panel.js";
import styleText from "./tool-style-text.js";
import type { ViewerModel } from "./viewer-model.js";

/** The tools with their keys, and icons as paths in a square of 16 units. */
const tools = [
  ["pan", "H", "M8 1v14M1 8h14M6 3l2-2 2 2M6 13l2 2 2-2M3 6 1 8l2 2M13 6l2 2-2 2"],
  ["zoom", "Z", "M11 6.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM10 10l5 5M4.5 6.5h4M6.5 4.5v4"],
  ["pick", "P", "M8 1v4M8 11v4M1 8h4M11 8h4M7 7h2v2H7z"],
  ["measure", "M", "M1 11 11 1l4 4L5 15zM4 8l2 2M6.5 5.5l1 1M9 3l2 2"],
] as const;

/** Time for which a message stays over the picture, in milliseconds. */
const messageTime = 1600;

const isApple = /Mac|iP(ad|hone)/.test(globalThis.navigator?.platform ?? "");

/** @param shown the key as the language of the page names it */
const namedBy = (label: string, key: string, shown = key) => ({
  title: `${label} (${shown})`,
  "aria-label": label,
  "aria-keyshortcuts": key,
});

export class Tools {
  readonly #message = h("p", { class: "zw-message", role: "status", hidden: true });
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly panel: MainPanel,
    private readonly model: ViewerModel,
  ) {
    const { actions } = model;
    const own = text.tools;
    const tool = (sign: string, label: string, key: string, onclick: () => void) =>
      button(sign, onclick, { class: "zw-tool", ...namedBy(label, key) });
    adoptSheet(panel.element, styleText);
    const choices = tools.map(([value, key, path]) => {
      const { title, ...attributes } = namedBy(own[value], key);
      return { value, content: icon(path), title, attributes };
    });
    const choice = radioGroup<ToolName>(own.title, choices, (tool) => this.#choose(tool));
    const full = tool("", own.full, "F", () => this.run("full"));
    full.classList.add("zw-tool-full");
    full.hidden = !document.fullscreenEnabled;
    const save = tool("PNG", own.save, "S", () => this.run("save"));
    save.classList.add("zw-tool-save");
    panel.tools.replaceChildren(
      choice.element,
      tool(own.fit, own.fitSlice, "0", () => actions.zoom("reset")),
      tool("−", own.out, "-", () => actions.zoom("out")),
      tool("+", own.in, "+", () => actions.zoom("in")),
      full,
      save,
      button("⌕", () => void this.#find(), {
        class: "zw-tool",
        ...(isApple ? namedBy(own.find, "Meta+K") : namedBy(own.find, "Control+K", own.findKey)),
      }),
      tool("?", own.help, "?", () => this.run("help")),
    );
    this.#listen();
    panel.element.append(this.#message);
    effect(() => {
      const { tool = "pan", view } = model.settings.value ?? {};
      const isVolume = view === "volume";
      choice.labelOf("zoom").hidden = isVolume;
      choice.show(isVolume && tool === "zoom" ? "pan" : tool);
    });
  }

  #choose(tool: ToolName): void {
    this.model.actions.change({ tool }, "tool");
  }

  run(command: Command): void {
    if (command === "help") void this.#help();
    else if (command === "full") this.#toggleFull();
    else if (command === "save") void this.#save();
    else if (command === "wheel" || command === "touch")
      this.#say(command === "touch" ? text.tools.touch : text.tools.wheel(isApple));
    else this.#choose(command);
  }

  async #help(): Promise<void> {
    const { showHelp } = await import("../panels/help.js");
    showHelp(this.panel.element, this.model.view!);
  }

  /** Ctrl or ⌘ and K opens the command box. */
  #listen(): void {
    this.model.root.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || !(event.ctrlKey || event.metaKey) || event.key !== "k") return;
      event.preventDefault();
      void this.#find();
    });
  }

  async #find(): Promise<void> {
    const { showCommandBox } = await import("./command-box.js");
    showCommandBox(this.model.root);
  }

  #toggleFull(): void {
    const root = this.panel.element.closest<HTMLElement>(".zw-viewer")!;
    const { fullscreenElement } = root.getRootNode() as Document | ShadowRoot;
    // Browsers may refuse, in frames for example.
    if (fullscreenElement === root) void document.exitFullscreen();
    else root.requestFullscreen?.().catch(() => this.#say(text.tools.noFull));
  }

  async #save(): Promise<void> {
    const picture = await this.model.actions.picture();
    if (!picture) return;
    saveBlob(picture);
    this.#say(text.tools.saved(picture.name));
  }

  #say(message: string): void {
    this.#message.hidden = false;
    if (this.#message.textContent !== message) this.#message.textContent = message;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#message.hidden = true;
      this.#message.textContent = "";
    }, messageTime);
  }
}
