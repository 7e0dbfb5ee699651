/** A plate of wells as a grid, and the controls of their planes. */
import { button, h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { formatCount } from "../base/format.js";
import { shortName } from "../base/text.js";
import { type Cells, VirtualGrid } from "../base/virtual-grid.js";
import type { PlateChoices, PlateView } from "../model/plate-view.js";
import type { Plate, WellPosition } from "../source/plate.js";

/** Size of a well with its margin, in CSS pixels. */
const minSize = 32;
const maxSize = 120;

/** Maximum number of wells in the document, of three elements each. */
const maxWells = 500;

/**
 * @param onWell called with the button of each rendered well, which can hold a picture, and the path of the
 *   well
 */
export function plateView(
  plate: Plate,
  onGo: (path: string) => void,
  onWell: (well: HTMLElement, path: string) => void,
  controls: HTMLElement,
): HTMLElement {
  const well = (position: WellPosition): HTMLElement | undefined => {
    const path = plate.pathAt(position);
    if (path === undefined) return undefined;
    const name = `Well ${shortName(plate.nameOf(position))}`;
    const well = button("", () => onGo(path), { class: "zw-well", "aria-label": name, title: name });
    onWell(well, path);
    return well;
  };
  const cells: Cells = {
    rows: plate.rows.length,
    columns: plate.columns.length,
    rowName: (row) => plate.rows[row]!,
    columnName: (column) => plate.columns[column]!,
    content: (row, column) => well([row, column]),
    buttons: plate,
  };
  const grid = new VirtualGrid(cells, {
    label: "Wells",
    role: "grid",
    maxCells: maxWells,
    head: { width: headWidth(plate.rows), height: 26 },
    cellSize: (width) => {
      const side = Math.min(Math.max(Math.floor(width / cells.columns), minSize), maxSize);
      return { width: side, height: side };
    },
  });
  grid.element.classList.add("zw-wells");
  const { count } = plate;
  return h(
    "div",
    { class: "zw-plate", role: "region", "aria-label": "Plate" },
    h("h3", {}, `A plate with ${count === 1 ? "1 well" : `${formatCount(count)} wells`}`),
    h("p", {}, "Choose a well to see its fields of view."),
    controls,
    grid.element,
  );
}

/** Width of row names, from the length of the last ones. */
function headWidth(names: readonly string[]): number {
  const letters = Math.max(...names.slice(-100).map((name) => name.length), 1);
  return 16 + 8 * Math.min(letters, 12);
}

/**
 * Channel, field of view, and the indices along other axes, of all wells. Hidden until `offer` is called with the
 * choices; a choice of one thing has no control.
 */
export function plateControls(
  first: PlateView,
  onView: (view: PlateView) => void,
): { readonly element: HTMLElement; offer(choices: PlateChoices): void } {
  const onsubmit = (event: Event) => event.preventDefault();
  const element = h("form", { class: "zw-plate-controls", hidden: true, onsubmit });
  let view = first;
  const change = (part: Partial<PlateView>) => {
    view = { ...view, ...part };
    onView(view);
  };
  const list = (title: string, names: readonly string[], chosen: number, set: (at: number) => void) => {
    const entries = names.map((name, i) => [String(i), name] as const);
    const control = select(entries, (value) => set(Number(value)));
    control.value = String(chosen);
    return labelled(title, control);
  };
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => String(i + 1));
  const axis = ({ axis, name, length, at }: PlateChoices["axes"][number]) => {
    const field = numberField({ min: 0, max: length - 1, step: 1 }, () => {
      const index = Math.min(Math.max(Math.round(Number(field.value)), 0), length - 1);
      showNumber(field, index);
      change({ index: new Map([...view.index, [axis, index]]) });
    });
    showNumber(field, view.index.get(axis) ?? at);
    return labelled(name, field);
  };
  return {
    element,
    offer({ channels, fields, axes }) {
      if (element.childElementCount > 0) return;
      if (channels.length > 1)
        element.append(
          list("Channel", ["All", ...channels], (view.channel ?? -1) + 1, (at) =>
            change({ channel: at > 0 ? at - 1 : null }),
          ),
        );
      if (fields > 1)
        element.append(list("Field of view", numbered(fields), view.field, (field) => change({ field })));
      element.append(...axes.map(axis));
      element.hidden = element.childElementCount === 0;
    },
  };
}
