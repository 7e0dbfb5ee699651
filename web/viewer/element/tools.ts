/** Buttons above the picture, and the commands of keys and of gestures that are left to the page. */
import { h } from "../base/dom.js";
import { saveBlob } from "../base/save.js";
import { adoptSheet } from "../base/styles.js";
import type { Command } from "../input/gestures.js";
import type { MainPanel } from "./main-panel.js";
import styleText from "./tool-style-text.js";

export interface ToolsCallbacks {
  onZoom(direction: "in" | "out" | "reset"): void;
  /** The picture in its current view; undefined if there is none. */
  picture(): Promise<{ blob: Blob; name: string } | undefined>;
  /** Names of the axes that have digits as keys. */
  axes(): readonly string[];
}

/** Time for which a message stays over the picture, in milliseconds. */
const messageTime = 1600;

const isApple = /Mac|iP(ad|hone)/.test(globalThis.navigator?.platform ?? "");

const sentences = {
  wheel: `Hold ${isApple ? "⌘" : "Ctrl"} while turning the wheel to zoom`,
  touch: "Use two fingers to move the picture",
};

export class Tools {
  readonly #message = h("p", { class: "zw-message", role: "status", hidden: true });
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly panel: MainPanel,
    private readonly callbacks: ToolsCallbacks,
  ) {
    const button = (text: string, label: string, key: string, onclick: () => void) =>
      h(
        "button",
        {
          type: "button",
          class: "zw-tool",
          title: `${label} (${key})`,
          "aria-label": label,
          "aria-keyshortcuts": key,
          onclick,
        },
        text,
      );
    adoptSheet(panel.element, styleText);
    const full = button("", "Full screen", "F", () => this.run("full"));
    full.classList.add("zw-tool-full");
    full.hidden = !document.fullscreenEnabled;
    panel.tools.replaceChildren(
      button("Fit", "Fit whole slice", "0", () => callbacks.onZoom("reset")),
      button("−", "Zoom out", "-", () => callbacks.onZoom("out")),
      button("+", "Zoom in", "+", () => callbacks.onZoom("in")),
      full,
      button("PNG", "Save as PNG", "S", () => this.run("save")),
      button("?", "Keys and gestures", "?", () => this.run("help")),
    );
    panel.element.append(this.#message);
  }

  run(command: Command): void {
    if (command === "help") void this.#help();
    else if (command === "full") this.#toggleFull();
    else if (command === "save") void this.#save();
    else this.#say(sentences[command]);
  }

  async #help(): Promise<void> {
    const { showHelp } = await import("../panels/help.js");
    showHelp(this.panel.element, this.callbacks.axes());
  }

  #toggleFull(): void {
    const root = this.panel.element.closest<HTMLElement>(".zw-viewer")!;
    const { fullscreenElement } = root.getRootNode() as Document | ShadowRoot;
    // Browsers may refuse, in frames for example.
    if (fullscreenElement === root) void document.exitFullscreen();
    else root.requestFullscreen?.().catch(() => this.#say("This page may not fill the screen"));
  }

  async #save(): Promise<void> {
    const picture = await this.callbacks.picture();
    if (!picture) return;
    saveBlob(picture);
    this.#say(`${picture.name} is saved`);
  }

  #say(text: string): void {
    this.#message.hidden = false;
    if (this.#message.textContent !== text) this.#message.textContent = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#message.hidden = true;
      this.#message.textContent = "";
    }, messageTime);
  }
}
