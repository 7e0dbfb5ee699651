/** What OME-Zarr metadata say about the display of an image: rendering settings, and colours of labels. */
import { LabelColors, type Rgba } from "../base/label-colors.js";
import { maxText, shortened, shortName } from "../base/text.js";
import { omeAttributes, own, textAt } from "./attributes.js";
import type { LabelInfo } from "./dataset.js";
import { propertiesTable } from "./label-table.js";

/** Maximum number of properties of a label that are displayed. */
const maxProperties = 16;

/** Reads `image-label`: colours and properties of single labels. Spec: OME-Zarr 0.4, "labels" metadata. */
export function labelInfo(attributes: unknown): LabelInfo | undefined {
  const label = own(omeAttributes(attributes), "image-label");
  const [colors, properties] = ["colors", "properties"].map((name) => listAt(label, name));
  if (colors!.length === 0 && properties!.length === 0) return undefined;
  let byLabel: Map<number, unknown> | undefined;
  return {
    colors: labelColors(colors!),
    table: propertiesTable(properties!),
    properties(value) {
      byLabel ??= new Map(properties!.map((entry) => [own(entry, "label-value") as number, entry]));
      return propertiesText(byLabel.get(Number(value)));
    },
  };
}

const listAt = (value: unknown, name: string): readonly unknown[] => {
  const list = own(value, name);
  return Array.isArray(list) ? list : [];
};

function labelColors(entries: readonly unknown[]): LabelColors | undefined {
  const colors = new Map<number, Rgba>();
  for (const entry of entries) {
    const [label, rgba] = [own(entry, "label-value"), own(entry, "rgba")];
    const isColor =
      Array.isArray(rgba) &&
      rgba.length === 4 &&
      rgba.every((value) => Number.isInteger(value) && value >= 0 && value <= 255);
    if (Number.isSafeInteger(label) && isColor) colors.set(label as number, rgba as unknown as Rgba);
  }
  return colors.size > 0 ? new LabelColors(colors) : undefined;
}

/** "class: nucleus, area: 33". */
function propertiesText(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const parts = Object.entries(entry)
    .filter(
      ([name, value]) => name !== "label-value" && ["string", "number", "boolean"].includes(typeof value),
    )
    .slice(0, maxProperties)
    .map(([name, value]) => `${shortName(name)}: ${value}`);
  return parts.length > 0 ? shortened(parts.join(", "), maxText) : undefined;
}

/** Default rendering settings: `omero.rdefs`. */
export interface RenderingDefaults {
  readonly t: number | undefined;
  readonly z: number | undefined;
  /** Whether one channel is shown, in gray. */
  readonly isGray: boolean;
}

export function renderingDefaults(attributes: unknown): RenderingDefaults {
  const settings = own(own(omeAttributes(attributes), "omero"), "rdefs");
  const index = (name: string) => {
    const value = own(settings, name);
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  };
  return {
    t: index("defaultT"),
    z: index("defaultZ"),
    isGray: /^gr[ae]yscale$/i.test(textAt(settings, "model") ?? ""),
  };
}
