/** Creates elements; the only module that does. Text is inserted as text, never as markup. */

type Handler = (event: never) => void;
type Attribute = string | number | boolean | Handler | undefined;
type Child = Node | string | undefined | false;

/**
 * Creates an element with attributes and children. Function attributes are listeners (`onclick`), true sets
 * an empty attribute, false and undefined omit it.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** A button with a label. */
export const button = (
  text: string,
  onclick: () => void,
  attributes: Readonly<Record<string, Attribute>> = {},
): HTMLButtonElement => h("button", { type: "button", class: "zw-button", onclick, ...attributes }, text);

/** Shows or hides an element. Browsers compute its style anew even if it is set to the same. */
export function setHidden(element: HTMLElement, isHidden: boolean): void {
  if (element.hidden !== isHidden) element.hidden = isHidden;
}

/** An element of a drawing. */
export function svg(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (Node | string)[]
): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** A small drawing in the colour of the text, as the path of a line in a square of 16 units. */
export const icon = (path: string): Element =>
  svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path }));

let lastId = 0;

/** A unique id, for labels. */
export function uniqueId(name: string): string {
  lastId++;
  return `zw-${name}-${lastId}`;
}

/**
 * A form control under its label. `element` is inserted instead of the control if it contains the control.
 */
export function labelled(
  text: string,
  control: HTMLElement,
  className = "zw-field",
  element = control,
): HTMLElement {
  control.id ||= uniqueId("control");
  return h("div", { class: className }, h("label", { for: control.id }, text), element);
}

/** A drop-down list of [value, text] pairs. */
export function select(
  entries: readonly (readonly [string, string])[],
  onchange: (value: string) => void,
): HTMLSelectElement {
  const control = h("select", { onchange: () => onchange(control.value) });
  control.append(...entries.map(([value, text]) => h("option", { value }, text)));
  return control;
}

/** Marks fields in which the user is typing. Their values must not change. */
const typing = "data-typing";

/** A number field; `onchange` is called when typing ends. */
export function numberField(
  attributes: Readonly<Record<string, Attribute>>,
  onchange: () => void,
): HTMLInputElement {
  const field = h("input", { type: "number", ...attributes });
  field.addEventListener("input", () => field.setAttribute(typing, ""));
  field.addEventListener("blur", () => field.removeAttribute(typing));
  field.addEventListener("change", () => {
    field.removeAttribute(typing);
    onchange();
  });
  return field;
}

/** Shows a value in a number field, unless the user is typing in it. */
export function showNumber(field: HTMLInputElement, value: number | string | undefined): void {
  if (!field.hasAttribute(typing)) field.value = String(value);
}
