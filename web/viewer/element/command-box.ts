/** The command box: finds controls and actions of a viewer by their names, and goes to them. */

import { h, uniqueId } from "../base/dom.js";
import { text } from "../language/text.js";

/** A control, and its name as users read it. */
interface Found {
  readonly name: string;
  /** The tab that contains it: "Axes", or "". */
  readonly place: string;
  readonly control: HTMLElement;
  /** Opens the tab of the control. */
  readonly tab: HTMLElement | null;
}

const controls = "button, input, select, summary, textarea, [role=slider]";

/** Maximum number of results in the list. */
const maxShown = 12;

/** Opens the box over a viewer. Its own panels give the names, so that there is no second list of them. */
export function showCommandBox(root: HTMLElement): void {
  const all = findControls(root);
  let shown: readonly Found[] = [];
  let active = 0;
  const listId = uniqueId("commands");
  const list = h("ul", { id: listId, role: "listbox", "aria-label": text.commands.list });
  const field = h("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": listId,
    "aria-autocomplete": "list",
    "aria-label": text.commands.find,
    placeholder: text.commands.find,
    autocomplete: "off",
    spellcheck: false,
    oninput: () => show(field.value),
    onkeydown: (event: KeyboardEvent) => key(event),
  });
  const dialog = h(
    "dialog",
    { class: "zw-help zw-commands", "aria-label": text.commands.title },
    field,
    list,
  );
  const choose = (found: Found | undefined) => {
    if (!found) return;
    dialog.close();
    goTo(found);
  };
  const mark = () => {
    for (const [i, item] of [...list.children].entries()) {
      item.setAttribute("aria-selected", String(i === active));
      if (i === active) field.setAttribute("aria-activedescendant", item.id);
    }
  };
  const show = (typed: string) => {
    shown = matches(all, typed).slice(0, maxShown);
    active = 0;
    const items = shown.map((found) => {
      const attributes = { role: "option", id: uniqueId("command"), onclick: () => choose(found) };
      return h("li", attributes, found.name, found.place !== "" && h("span", {}, found.place));
    });
    list.replaceChildren(...items);
    if (items.length === 0) field.removeAttribute("aria-activedescendant");
    mark();
  };
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) active = (active + step + shown.length) % shown.length;
    else if (event.key === "Enter") choose(shown[active]);
    else return;
    event.preventDefault();
    mark();
  };
  dialog.addEventListener("close", () => dialog.remove());
  root.append(dialog);
  dialog.showModal();
  show("");
}

/** Controls that are not hidden in their panel, also of tabs and sections that are closed. */
function findControls(root: HTMLElement): Found[] {
  const isOff = (control: Element) => control.closest("[hidden]") !== null || control.matches(":disabled");
  const found = [...root.querySelectorAll<HTMLElement>(controls)].flatMap((control): Found[] => {
    const panel = control.closest(".zw-tab-panel");
    const isInPlace = panel !== null || control.closest(".zw-tools, .zw-modes") !== null;
    const name = nameOf(control);
    if (!isInPlace || isOff(control) || name === "") return [];
    const tab = panel && root.querySelector<HTMLElement>(`#${panel.getAttribute("aria-labelledby")}`);
    return [{ name, place: tab?.textContent ?? "", control, tab }];
  });
  return found.filter(
    ({ name, place }, i) => found.findIndex((one) => one.name === name && one.place === place) === i,
  );
}

function nameOf(control: HTMLElement): string {
  const labels = (control as HTMLInputElement).labels;
  const text = control.getAttribute("aria-label") ?? labels?.[0]?.textContent ?? control.textContent ?? "";
  return text.trim();
}

/** Those that contain every word, the ones that begin with the text first. */
function matches(all: readonly Found[], text: string): readonly Found[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = all.filter(({ name, place }) => {
    const whole = `${name} ${place}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const isFirst = ({ name }: Found) => name.toLowerCase().startsWith(text.toLowerCase().trim());
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))];
}

/** Opens the tab and the section of a control, and focuses it; presses buttons. */
function goTo({ control, tab }: Found): void {
  tab?.click();
  for (let part = control.closest("details"); part; part = part.parentElement?.closest("details") ?? null)
    part.open = true;
  control.scrollIntoView({ block: "nearest" });
  control.focus();
  const isChoice = control.matches("input[type=radio]");
  if (isChoice || control.matches("button")) control.click();
}
