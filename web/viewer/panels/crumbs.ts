/** The way to what is shown: every group above it, and what is in them. */
import { h } from "../base/dom.js";
import { longName, shortName } from "../base/text.js";

/** Most groups of the way that are shown. */
const mostCrumbs = 12;

export interface CrumbsCallbacks {
  /** Goes to a node of the same source. */
  onGo(path: string, as?: "contents"): void;
}

export class Crumbs {
  readonly #list = h("ol");
  readonly element = h(
    "nav",
    { class: "zw-crumbs", "aria-label": "Way to this node", hidden: true },
    this.#list,
  );

  constructor(private readonly callbacks: CrumbsCallbacks) {}

  /**
   * @param root what the source is called.
   * @param path of the node that was opened; `shown` is that of what is drawn, which may be below it.
   */
  show(root: string, path: string, shown: string, isContents: boolean): void {
    const parts = (shown.startsWith(path) ? shown : path).split("/").filter((part) => part !== "");
    const item = (name: string, i: number) => {
      const isLast = i === parts.length;
      const text = shortName(name);
      const onclick = () => this.callbacks.onGo(parts.slice(0, i).join("/"));
      return h(
        "li",
        {},
        isLast
          ? h("span", { "aria-current": "page", title: longName(name) }, text)
          : h("button", { type: "button", onclick, title: `Open ${longName(name) ?? text}` }, text),
      );
    };
    // Of a long way the beginning and the end; the group before the end leads on.
    const left = parts.length + 1 - mostCrumbs;
    const items = [
      item(root, 0),
      ...(left > 0 ? [this.#gap(parts.slice(0, left), left)] : []),
      ...parts.slice(Math.max(0, left)).map((name, i) => item(name, Math.max(0, left) + i + 1)),
    ];
    // The group that holds what is shown, listed.
    const group = parts.length > 0 ? parts.slice(0, -1).join("/") : "";
    const onclick = () => this.callbacks.onGo(group, "contents");
    const browse = h("button", { type: "button", class: "zw-browse", onclick }, "Browse");
    browse.title = parts.length > 0 ? "What else is in this group" : "What is in this group";
    browse.hidden = isContents || parts.length === 0;
    this.#list.replaceChildren(...items, h("li", { class: "zw-crumbs-end" }, browse));
    this.element.hidden = parts.length === 0 && isContents;
    if (parts.length === 0 && browse.hidden) this.element.hidden = true;
  }

  /** In place of the groups that have no room, the last of which it opens. */
  #gap(groups: readonly string[], count: number): HTMLElement {
    const onclick = () => this.callbacks.onGo(groups.join("/"));
    const label = count === 1 ? "1 more group" : `${count.toLocaleString("en")} more groups`;
    return h("li", {}, h("button", { type: "button", onclick, title: label, "aria-label": label }, "…"));
  }

  hide(): void {
    this.element.hidden = true;
  }
}
