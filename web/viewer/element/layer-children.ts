/** The `<zarr-layer>` children of an element. */
import { layerAttributes } from "../model/added-layers.js";

/** The layers of an element's children as in addresses; null without any. */
export function childLayers(element: Element): string | null {
  const layers = [...element.children].filter(({ localName }) => localName === "zarr-layer");
  const given = (layer: Element) =>
    layerAttributes.flatMap((name) => {
      const value = layer.getAttribute(name);
      return value === null ? [] : [[name, value]];
    });
  return layers.length === 0
    ? null
    : JSON.stringify(layers.map((layer) => Object.fromEntries(given(layer)) as object));
}

/** Calls a function after every change of the children. */
export function watchLayers(element: Element, onChange: () => void): MutationObserver {
  const observer = new MutationObserver((changes) => {
    if (changes.some(({ type, target }) => type === "childList" || target !== element)) onChange();
  });
  observer.observe(element, { childList: true, subtree: true, attributeFilter: [...layerAttributes] });
  return observer;
}
