/** Colours of layers of points and shapes. */
import { type LayerState, sourceKey } from "./added-layers.js";

/** Visible on dark and light pictures, and told apart with red-green colour blindness. */
const palette = ["ffb000", "56b4e9", "ff6db6", "33d17a", "f0e442", "b79bff"];

/** The colour of a layer, "rrggbb": by default one of a palette, always the same for a source. */
export function layerColor(layer: LayerState): string {
  if (layer.color !== "") return layer.color;
  const text = sourceKey(layer) + layer.path;
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (31 * sum + text.charCodeAt(i)) >>> 0;
  return palette[sum % palette.length]!;
}
