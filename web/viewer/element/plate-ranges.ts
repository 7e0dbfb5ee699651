/** The ranges of channels on a plate, the same for all wells: declared, or found from a sample of wells. */
import type { Layer } from "../model/layers.js";
import { Findings } from "../numbers/findings.js";
import { summarize } from "../numbers/summary.js";
import type { Thumbnail } from "./thumbnail.js";

type Limits = readonly [low: number, high: number];

/** By layer. The first well declares ranges for all. */
export function plateRanges(sample: readonly Thumbnail[]): (layer: Layer) => Limits | undefined {
  const [declared, found] = [new Map<string, Limits>(), new Map<string, Findings>()];
  for (const [well, { layers }] of sample.entries())
    for (const { layer, plane } of layers) {
      const { id, range } = layer;
      if (range.mode === "manual" && !declared.has(id)) declared.set(id, [range.low, range.high]);
      const findings = found.get(id) ?? new Findings();
      found.set(id, findings);
      findings.add(String(well), summarize(plane, []));
    }
  return ({ id }) => declared.get(id) ?? found.get(id)?.automaticRange();
}
