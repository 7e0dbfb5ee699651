/** The layers over the picture: a list with the controls of each, and a field that adds one. */

import { button, h, labelled } from "../base/dom.js";
import { longName, shortName } from "../base/text.js";
import { text } from "../language/text.js";
import {
  type LayerState,
  layerColor,
  layerName,
  layerStates,
  maxLayerSize,
  maxLayers,
  sourceKey,
} from "../model/added-layers.js";
import { type LayerContents, layerContents } from "../model/column-colors.js";
import type { ViewState } from "../model/state.js";
import { isPair } from "../source/columns.js";
import { geneControl } from "./genes.js";
import {
  type Changing,
  type Control,
  checkControl,
  colorControl,
  columnRangeControl,
  groupControl,
  listControl,
  mapControl,
  numberControl,
  type Panel,
  type PanelContext,
  shareControl,
} from "./panel.js";

export const layersPanel: Panel = {
  name: "layers",
  tab: "layers",
  title: () => text.tabs.layers,
  isShown: ({ kind }) => kind === "image",
  build(context) {
    const opacity = shareControl(context, text.layers.pictureOpacity, {
      control: "image-opacity",
      value: ({ imageOpacity }) => imageOpacity,
      set: (imageOpacity) => ({ imageOpacity }),
    });
    return [groupControl([layerRows(context), opacity, addPart(context)])];
  },
};

function addPart({ change }: PanelContext): Control {
  const append = () => {
    const source = address.value.trim();
    address.value = "";
    if (source !== "")
      change(({ layers }) => ({ layers: layerStates([...layers, { source }]) }), "layers-add");
  };
  const onkeydown = (event: KeyboardEvent) => {
    if (event.key === "Enter") append();
  };
  const placeholder = text.layers.addressHint;
  const address = h("input", { type: "text", spellcheck: false, placeholder, onkeydown });
  const add = button(text.layers.add, append);
  const field = h("span", { class: "zw-layer-add" }, address, add);
  return {
    element: labelled(text.layers.address, address, "zw-field", field),
    sync({ layers }) {
      add.disabled = layers.length >= maxLayers;
    },
  };
}

function layerRows(context: PanelContext): Control {
  const element = h("div", { class: "zw-layer-rows" });
  let rows: Control[] = [];
  let shown = "";
  return {
    element,
    sync(state, view) {
      const { layers } = state;
      const keys = layers.map((layer) => `${sourceKey(layer)} ${layer.path}`).join("\n");
      if (keys !== shown) {
        shown = keys;
        rows = layers.map((layer, at) => layerRow(context, layer, at));
        // The topmost first.
        element.replaceChildren(...rows.map((row) => row.element).reverse());
      }
      for (const row of rows) row.sync!(state, view);
    },
  };
}

/** The controls of a layer. Before it has been opened, all are offered. */
function layerRow({ dataset, change }: PanelContext, layer: LayerState, at: number): Control {
  const set = (next: (layers: readonly LayerState[]) => readonly LayerState[], control: string) =>
    change(({ layers }) => ({ layers: next(layers) }), `layers-${control}`);
  const own: Changing<LayerState> = {
    change: (next, control) =>
      set(
        (layers) => layers.map((one, i) => (i === at ? ({ ...one, ...next(one) } as LayerState) : one)),
        `${at}-${control}`,
      ),
  };
  const name = shortName(layerName(layer));
  const move = (by: 1 | -1) =>
    set((layers) => {
      const others = layers.toSpliced(at, 1);
      return others.toSpliced(at + by, 0, layers[at]!);
    }, "order");
  const up = button("↑", () => move(1), { "aria-label": text.layers.raise(name) });
  const down = button("↓", () => move(-1), { "aria-label": text.layers.lower(name) });
  const remove = button(text.layers.remove, () => set((layers) => layers.toSpliced(at, 1), "remove"), {
    "aria-label": text.panels.remove(name),
  });
  let contents: LayerContents | undefined;
  const isNumbers = () => contents?.column?.kind === "numbers";
  const isOn = checkControl(own, name, {
    control: "visible",
    value: ({ isOn }) => isOn,
    set: (isOn) => ({ isOn }),
  });
  isOn.element.title = longName(layerName(layer)) ?? "";
  const style = [
    listControl(own, text.layers.blending, blends(), {
      control: "blend",
      value: ({ blend }) => blend,
      set: (blend) => ({ blend }),
      isShown: () => contents?.kind !== "features",
    }),
    mapControl(own, text.panels.colorMap, {
      control: "colormap",
      value: ({ colormap }) => colormap,
      set: (colormap) => ({ colormap }),
      isShown: () => !contents || contents.kind === "image" || (isNumbers() && !isPair(contents.column)),
    }),
    colorControl(own, text.layers.color, {
      control: "color",
      value: layerColor,
      set: (color) => ({ color }),
      isShown: () => contents?.kind !== "labels" && contents?.column === undefined,
    }),
    numberControl(
      own,
      text.layers.size,
      { min: 0, max: maxLayerSize, step: "any", placeholder: text.panels.auto },
      {
        control: "size",
        value: ({ size }) => size || null,
        set: (size) => ({ size: size ?? 0 }),
        isShown: () => contents?.kind === "features",
      },
    ),
  ];
  const range = columnRangeControl(own, text.panels.of(name), {
    control: "range",
    value: ({ range }) => range,
    set: (range) => ({ range }),
    isShown: isNumbers,
  });
  const outlines = checkControl(own, text.panels.outlines, {
    control: "outlines",
    value: ({ isOutline }) => isOutline,
    set: (isOutline) => ({ isOutline }),
    isShown: () => contents?.kind === "labels",
  });
  const opacity = shareControl(own, text.layers.opacity, {
    control: "opacity",
    value: ({ opacity }) => opacity,
    set: (opacity) => ({ opacity }),
  });
  const { element, sync } = groupControl<LayerState>(
    [
      isOn,
      opacity,
      byPart(own, () => contents),
      geneControl<LayerState>(own, {
        control: "gene",
        genes: () => contents?.table?.genes,
        by: ({ by }) => by,
        set: setColumn,
      }),
      groupControl(style, { class: "zw-layer-style" }),
      range,
      outlines,
      { element: h("div", { class: "zw-layer-buttons" }, up, down, remove) },
    ],
    { class: "zw-layer", role: "group", "aria-label": text.layers.layer(name) },
  );
  return {
    element,
    sync({ layers }: ViewState, view) {
      contents = layerContents(dataset, layers[at]!);
      up.disabled = at === layers.length - 1;
      down.disabled = at === 0;
      sync(layers[at]!, view);
    },
  };
}

const blends = () =>
  [
    ["normal", text.layers.normal],
    ["add", text.layers.additive],
  ] as const;

/** Another column has other values. */
const setColumn = (by: string): Partial<LayerState> => ({ by, colormap: null, range: { mode: "auto" } });

/** The column that colours a layer. */
function byPart(own: Changing<LayerState>, contents: () => LayerContents | undefined): Control<LayerState> {
  let columns: readonly string[] = [];
  const { element, list, sync } = listControl<LayerState, string>(own, text.panels.colorBy, [], {
    control: "by",
    value: ({ by }) => (columns.includes(by) ? by : ""),
    set: setColumn,
    isShown: () => columns.length > 0,
  });
  return {
    element,
    sync(layer, view) {
      const known = contents()?.columns ?? [];
      if (list.options.length === 0 || known.join("\n") !== columns.join("\n")) {
        columns = known;
        const none = contents()?.kind === "labels" ? text.layers.label : text.layers.none;
        list.replaceChildren(
          h("option", { value: "" }, none),
          ...columns.map((name) => h("option", { value: name }, shortName(name))),
        );
      }
      sync(layer, view);
    },
  };
}
