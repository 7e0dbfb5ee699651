/** The way to what is shown: every group above it, and what is in them. */
import { h } from "../base/dom.js";

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
    const items = [root, ...parts].map((name, i) => {
      const target = parts.slice(0, i).join("/");
      const isLast = i === parts.length;
      const onclick = () => this.callbacks.onGo(target);
      return h(
        "li",
        {},
        isLast
          ? h("span", { "aria-current": "page" }, name)
          : h("button", { type: "button", onclick, title: `Open ${name}` }, name),
      );
    });
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

  hide(): void {
    this.element.hidden = true;
  }
}
