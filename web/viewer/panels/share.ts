/** Shares the view: its address, an image, a program. */

import { button, h } from "../base/dom.js";
import { saveBlob } from "../base/save.js";
import { text } from "../language/text.js";
import { javascriptCode, pythonCode } from "../model/code.js";
import type { Control, Panel, PanelContext } from "./panel.js";

export const sharePanel: Panel = {
  name: "share",
  tab: "share",
  title: () => text.tabs.share,
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
  const area = h("textarea", {
    class: "zw-share-text",
    readonly: true,
    rows: 6,
    hidden: true,
    "aria-label": text.sharing.manual,
  });
  const copy = async (copied: string, done: string) => {
    area.hidden = true;
    try {
      await navigator.clipboard.writeText(copied);
      say(done);
    } catch {
      // Pages loaded over http, or without permission, cannot use the clipboard.
      area.value = copied;
      area.hidden = false;
      area.focus();
      area.select();
      say(text.sharing.noClipboard, true);
    }
  };
  const copyLink = () => {
    const address = context.link();
    if (address) void copy(address, text.sharing.linkCopied);
  };
  const copyCode = (write: typeof pythonCode, name: string) => {
    const request = context.codeRequest();
    const code = request && write(request);
    if (!code) say(text.sharing.onlyHere);
    else if ("reason" in code) say(`${code.reason}.`);
    else void copy(code.text, text.sharing.codeCopied(name));
  };
  const savePicture = async () => {
    const picture = await context.picture();
    if (!picture) return;
    saveBlob(picture);
    say(text.sharing.saved(picture.name));
  };
  const link = button(text.sharing.link, copyLink);
  const save = button(text.sharing.png, () => void savePicture());
  const figure = button(text.sharing.figure, () => void context.showFigureDialog(element));
  const python = button(text.sharing.copyAs("Python"), () => copyCode(pythonCode, "Python"));
  const script = button(text.sharing.copyAs("JavaScript"), () => copyCode(javascriptCode, "JavaScript"));
  const buttons = h("div", { class: "zw-buttons" }, link, save, figure, python, script);
  const element = h("div", {}, buttons, said, area);
  return {
    element,
    sync(_state, { isPicture }) {
      link.hidden = context.link() === undefined;
      save.disabled = !isPicture;
      figure.disabled = !isPicture;
    },
  };
}
