/** Editor of a colour map of the user's own: a list of colours, from the lowest value to the highest. */
import { colorTable, pixelBytes } from "../base/color-tables.js";
import type { ColormapName } from "../base/colormaps.js";
import { h } from "../base/dom.js";

/** Number of colours taken from another map. */
const taken = 5;
/** Maximum number of colours with a field; longer lists come from links and attributes. */
const maxFields = 16;

const hex = (pixel: number): string =>
  `#${pixelBytes(pixel)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")}`;

/** A list of colours like another map. */
export function colorsLike(map: ColormapName): ColormapName {
  if (map.startsWith("#")) return map;
  const table = colorTable(map === "labels" ? "gray" : map);
  const colors = Array.from({ length: taken }, (_, i) => hex(table[Math.round((255 * i) / (taken - 1))]!));
  return colors.join() as ColormapName;
}

export class OwnColors {
  readonly #fields = h("span", { class: "zw-own-fields" });
  readonly #add = h("button", { type: "button", class: "zw-button", onclick: () => this.#append() }, "Add");
  readonly #remove = h(
    "button",
    { type: "button", class: "zw-button", onclick: () => this.#set(this.#colors.slice(0, -1)) },
    "Remove",
  );
  readonly element = h(
    "div",
    { class: "zw-own-colors", role: "group", "aria-label": "Colours, from low to high", hidden: true },
    this.#fields,
    this.#add,
    this.#remove,
  );
  #colors: readonly string[] = [];

  constructor(private readonly onColors: (map: ColormapName) => void) {}

  show(map: ColormapName): void {
    this.element.hidden = !map.startsWith("#") || map.split(",").length > maxFields;
    if (this.element.hidden) return;
    this.#colors = map.split(",");
    while (this.#fields.children.length > this.#colors.length) this.#fields.lastElementChild!.remove();
    while (this.#fields.children.length < this.#colors.length)
      this.#fields.append(this.#field(this.#fields.children.length));
    for (const [i, color] of this.#colors.entries()) {
      const field = this.#fields.children[i] as HTMLInputElement;
      if (field.value !== color) field.value = color;
    }
    this.#add.disabled = this.#colors.length >= maxFields;
    this.#remove.disabled = this.#colors.length <= 2;
  }

  #field(at: number): HTMLInputElement {
    const field = h("input", {
      type: "color",
      "aria-label": `Colour ${at + 1}`,
      oninput: () => this.#set(this.#colors.map((color, i) => (i === at ? field.value : color))),
    });
    return field;
  }

  #append(): void {
    this.#set([...this.#colors, this.#colors.at(-1)!]);
  }

  #set(colors: readonly string[]): void {
    this.onColors(colors.join() as ColormapName);
  }
}
