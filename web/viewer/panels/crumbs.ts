/** The path to the current node: every group above it, with links to their contents. */

import { button, h } from "../base/dom.js";
import { longName, shortName } from "../base/text.js";
import { text } from "../language/text.js";

/** Maximum number of displayed groups. */
const maxCrumbs = 12;

export class Crumbs {
  readonly #list = h("ol");
  readonly element = h(
    "nav",
    { class: "zw-crumbs", "aria-label": text.crumbs.title, hidden: true },
    this.#list,
  );

  /** @param go navigates to a node of the same source */
  constructor(private readonly go: (path: string, as?: "contents") => void) {}

  /**
   * @param root name of the source.
   * @param path of the opened node; `shown` is the path of the drawn node, which may be below it.
   */
  show(root: string, path: string, shown: string, isContents: boolean): void {
    const parts = (shown.startsWith(path) ? shown : path).split("/").filter((part) => part !== "");
    const item = (name: string, i: number) => {
      const isLast = i === parts.length;
      const short = shortName(name);
      const onclick = () => this.go(parts.slice(0, i).join("/"));
      return h(
        "li",
        {},
        isLast
          ? h("span", { "aria-current": "page", title: longName(name) }, short)
          : button(short, onclick, { class: undefined, title: text.crumbs.open(longName(name) ?? short) }),
      );
    };
    // The root and the last groups of a long path; a button for the group above them.
    const left = parts.length + 1 - maxCrumbs;
    const items = [
      item(root, 0),
      ...(left > 0 ? [this.#gap(parts.slice(0, left), left)] : []),
      ...parts.slice(Math.max(0, left)).map((name, i) => item(name, Math.max(0, left) + i + 1)),
    ];
    // The group of the current node, listed.
    const own = path.split("/").filter((part) => part !== "");
    const group = (own.length < parts.length ? own : parts.slice(0, -1)).join("/");
    const onclick = () => this.go(group, "contents");
    const browse = button(text.crumbs.browse, onclick, { class: "zw-browse" });
    browse.title = parts.length > 0 ? text.crumbs.listOthers : text.crumbs.list;
    browse.hidden = isContents || parts.length === 0;
    this.#list.replaceChildren(...items, h("li", { class: "zw-crumbs-end" }, browse));
    this.element.hidden = parts.length === 0 && isContents;
    if (parts.length === 0 && browse.hidden) this.element.hidden = true;
  }

  /** A button for omitted groups, which opens the last of them. */
  #gap(groups: readonly string[], count: number): HTMLElement {
    const onclick = () => this.go(groups.join("/"));
    const label = text.crumbs.gap(count);
    return h("li", {}, button("…", onclick, { class: undefined, title: label, "aria-label": label }));
  }

  hide(): void {
    this.element.hidden = true;
  }
}
