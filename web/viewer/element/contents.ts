/** Content other than pictures: plates, groups, tables. */

import { get } from "zarr-wasm";
import { text } from "../language/text.js";
import { planTable } from "../model/plan.js";
import { arrayFacts, drawnLeaf, type ViewState } from "../model/state.js";
import { frameTable, readTable, tableView, valueView } from "../panels/table.js";
import type { Collection } from "../source/collection.js";
import type { Dataset } from "../source/dataset.js";
import type { Opened } from "../source/opened.js";
import type { ViewerTarget } from "./options.js";
import type { PlateCallbacks } from "./plate.js";

export { adoptStyles } from "./panel-styles.js";

/** Content that replaces the picture, and the panel beside it. */
export async function createContents(
  opened: Exclude<Opened, { kind: "dataset" }>,
  target: ViewerTarget,
  callbacks: PlateCallbacks,
  signal: AbortSignal,
): Promise<{ main: HTMLElement; beside: HTMLElement[] }> {
  const { onGo } = callbacks;
  if (opened.kind === "plate") {
    const { createPlate } = await import("./plate.js");
    return createPlate(opened, target, callbacks, signal);
  }
  const { treeView } = await import("../panels/tree.js");
  const { attributesCard } = await import("../panels/facts.js");
  const attributes = attributesCard(text.collections.group, opened.attributes);
  const main = treeView(opened.what, opened.branch, { onGo, signal });
  if (opened.embeddings) void addEmbeddings(main, opened.embeddings(signal), onGo);
  if (opened.frame) return { main: frameTable(await readTable(opened.frame, signal)), beside: [main] };
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

/** Offers the scatter plots of AnnData above its contents. */
async function addEmbeddings(
  main: HTMLElement,
  finding: Promise<Collection | undefined>,
  onGo: (path: string) => void,
): Promise<void> {
  const found = await finding.catch(() => undefined); // the contents do not depend on it
  const { collectionCard } = await import("../panels/collection.js");
  const panel = found && collectionCard({ ...found, title: text.collections.plots }, onGo);
  if (panel) main.prepend(panel);
}
