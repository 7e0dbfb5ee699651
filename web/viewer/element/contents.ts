/** Content other than pictures: plates, groups, tables. */
import { get } from "zarr-wasm";
import { planTable } from "../model/plan.js";
import { arrayFacts, drawnLeaf, type ViewState } from "../model/state.js";
import { tableView, valueView } from "../panels/table.js";
import type { Dataset } from "../source/dataset.js";
import type { Opened, SourceTarget } from "../source/open.js";

export { adoptStyles } from "./panel-styles.js";

/** Content that replaces the picture, and the panel beside it. */
export async function createContents(
  opened: Exclude<Opened, { kind: "dataset" }>,
  target: SourceTarget,
  onGo: (path: string) => void,
  signal: AbortSignal,
): Promise<{ main: HTMLElement; beside: HTMLElement[] }> {
  if (opened.kind === "plate") {
    const { createPlate } = await import("./plate.js");
    return { main: createPlate(opened.plate, target, onGo, signal), beside: [] };
  }
  const { treeView } = await import("../panels/tree.js");
  const { attributesPanel } = await import("../panels/facts.js");
  const attributes = attributesPanel("Group", opened.attributes);
  const main = treeView(opened.what, opened.branch, { onGo, signal });
  if (opened.frame) {
    const { frameTable, readTable } = await import("../panels/frame-table.js");
    return { main: frameTable(await readTable(opened.frame, signal)), beside: [main] };
  }
  return { main, beside: attributes ? [attributes] : [] };
}

/** A table of elements without a picture: a single one, or the first rows of many. */
export async function createTable(
  dataset: Dataset,
  settings: ViewState,
  signal: AbortSignal,
): Promise<HTMLElement> {
  const plan = planTable(arrayFacts(dataset), settings);
  const region = await get(dataset.array, plan.selection, { signal });
  const leaf = drawnLeaf(dataset, settings.field);
  return settings.axes.length === 0 || !leaf ? valueView(region) : tableView(dataset, plan, region, leaf);
}
