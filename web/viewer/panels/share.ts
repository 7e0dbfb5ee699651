/** Shares the view: its address, an image, a program. */
import { button, h } from "../base/dom.js";
import { saveBlob } from "../base/save.js";
import { javascriptCode, pythonCode } from "../model/code.js";
import type { Control, Panel, PanelContext } from "./panel.js";

export const sharePanel: Panel = {
  name: "share",
  tab: "share",
  title: "Share",
  build: (context) => [sharing(context)],
};

/** Duration of a success message in milliseconds. */
const wordTime = 4000;

function sharing(context: PanelContext): Control {
  const said = h("p", { class: "zw-share-said", role: "status" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = (sentence: string, isLasting = false) => {
    said.textContent = sentence;
    clearTimeout(timer);
    if (!isLasting) timer = setTimeout(() => said.replaceChildren(), wordTime);
  };
  /** For manual copying if the clipboard is unavailable. */
  const text = h("textarea", {
    class: "zw-share-text",
    readonly: true,
    rows: 6,
    hidden: true,
    "aria-label": "Text to copy",
  });
  const copy = async (copied: string, done: string) => {
    text.hidden = true;
    try {
      await navigator.clipboard.writeText(copied);
      say(done);
    } catch {
      // Pages loaded over http, or without permission, cannot use the clipboard.
      text.value = copied;
      text.hidden = false;
      text.focus();
      text.select();
      say("This page cannot use the clipboard: copy the text below.", true);
    }
  };
  const copyLink = () => {
    const address = context.link();
    if (address) void copy(address, "Link copied to the clipboard.");
  };
  const copyCode = (write: typeof pythonCode, name: string) => {
    const request = context.codeRequest();
    const code = request && write(request);
    if (!code) say("This store exists only in this page; a program cannot read it.");
    else if ("reason" in code) say(`${code.reason}.`);
    else void copy(code.text, `${name} code for this view copied to the clipboard.`);
  };
  const savePicture = async () => {
    const picture = await context.picture();
    if (!picture) return;
    saveBlob(picture);
    say(`${picture.name} is saved.`);
  };
  const link = button("Copy link", copyLink);
  const save = button("Save PNG", () => void savePicture());
  const figure = button("Figure…", () => void context.showFigureDialog(element));
  const python = button("Copy as Python", () => copyCode(pythonCode, "Python"));
  const script = button("Copy as JavaScript", () => copyCode(javascriptCode, "JavaScript"));
  const buttons = h("div", { class: "zw-buttons" }, link, save, figure, python, script);
  const element = h("div", {}, buttons, said, text);
  return {
    element,
    sync(_state, { isPicture }) {
      link.hidden = context.link() === undefined;
      save.disabled = !isPicture;
      figure.disabled = !isPicture;
    },
  };
}
