/** Labels in volumes: hidden ones and the background are transparent, also without an image below. */
import { labelCount } from "../base/color-tables.js";
import { labelCode, noLabel } from "../base/label-pixels.js";
import { type CodeLook, codeLook } from "../draw/label-look.js";
import { layerColors } from "../draw/table.js";
import type { LayerStyle } from "../model/layers.js";

/** Minimum opacity of labels that end a ray. Others are transparent. */
export const solid = 0.99;

export const rayColors = (style: LayerStyle): Uint32Array =>
  layerColors(style.kind === "labels" ? { ...style, isOverlay: true } : style);

/** Returns the opacity of a label, as the shader draws it. */
export function labelOpacities(style: LayerStyle): (label: number) => number {
  const table = rayColors(style);
  const { hidden = [], selected = [], isFaint = false }: Partial<CodeLook> = codeLook(style) ?? {};
  return (label) => {
    const code = labelCode(label);
    if (code < labelCount) return (table[code]! >>> 24) / 255;
    if (code === noLabel || hidden.includes(code)) return 0;
    return isFaint && !selected.includes(code) ? 1 / 6 : 1;
  };
}
