/** Opens the layers over a picture and keeps their contents; loads the tables of labels. */

import { loadColormap } from "../base/colormaps.js";
import { errorMessage } from "../base/format.js";
import { keptFor } from "../base/memo.js";
import { shortName } from "../base/text.js";
import { text } from "../language/text.js";
import { contentKey, type LayerState, layerName, placeKey } from "../model/added-layers.js";
import { makeLabelTable } from "../model/label-column.js";
import { keepLabelTable, labelTableOf } from "../model/label-look.js";
import { type OpenedLayer, openedLayers } from "../model/layer.js";
import { placedLayers } from "../model/placed-layers.js";
import type { Note } from "../panels/messages.js";
import { type LayerContent, openLayerContent } from "../source/added-layer.js";
import type { Dataset } from "../source/dataset.js";
import { readGene } from "../source/gene-name.js";
import { type GeneOptions, LargeRead } from "../source/genes.js";
import { labelTable } from "../source/label-table.js";
import { placeLayer } from "../source/layer-place.js";
import type { Observations } from "../source/observations.js";
import { consentNote, progressText } from "./column-reader.js";
import type { ViewerModel } from "./viewer-model.js";

export { VectorOverlay } from "./vector-overlay.js";

/** The content of a layer, while it is being opened and later. */
interface Opening {
  readonly content: Promise<LayerContent>;
  readonly abort: () => void;
}

export class LayerOpener {
  #layers: readonly LayerState[] = [];
  readonly #openings = new Map<string, Opening>();
  /** Errors of the layers that have been tried, by their keys. */
  readonly #tried = new Map<string, Attempt>();
  /** Keys of layers whose long reads the user has agreed to. */
  readonly #agreed = new Set<string>();

  constructor(
    private readonly image: Dataset,
    private readonly signal: AbortSignal,
    /** Called when the content of a layer can be drawn. */
    private readonly onNews: () => void,
    private readonly model: ViewerModel,
  ) {
    signal.addEventListener("abort", () => this.#keep([]), { once: true });
  }

  /** Opens the visible layers of a list that are not open, and forgets all others. */
  async open(layers: readonly LayerState[]): Promise<void> {
    this.#layers = layers;
    this.#keep(layers);
    this.#note();
    await Promise.all(layers.map((layer) => layer.isOn && this.#open(layer)));
  }

  #keep(layers: readonly LayerState[]): void {
    const contents = new Set(layers.map(contentKey));
    for (const [key, { abort }] of this.#openings)
      if (!contents.has(key)) {
        this.#openings.delete(key);
        abort();
      }
    const tried = new Set(layers.map(tryKey));
    for (const [key, { reading }] of this.#tried) if (!tried.has(key)) reading.abort();
    retain(this.#tried, tried);
    retain(openedLayers(this.image), new Set(layers.map(placeKey)));
  }

  async #open(layer: LayerState): Promise<void> {
    const key = tryKey(layer);
    if (this.#tried.has(key)) return;
    const attempt: Attempt = { reading: new AbortController() };
    const maxBytes = this.#agreed.has(key) ? Infinity : undefined;
    const onProgress = (share: number, bytes: number) => {
      attempt.progress = progressText(layer.by, share, bytes);
      this.#note();
    };
    const signal = AbortSignal.any([this.signal, attempt.reading.signal]);
    this.#tried.set(key, attempt);
    const isCurrent = () => this.#tried.get(key) === attempt && !this.signal.aborted;
    try {
      const [content] = await Promise.all([
        this.#content(layer),
        layer.colormap ? loadColormap(layer.colormap) : undefined,
      ]);
      // The layer is shown while its gene is read.
      if (isCurrent() && readGene(layer.by)) this.#show(content, layer);
      const options = { maxBytes, onProgress, signal };
      if (content.kind === "features") await readLink(content.link?.observations, layer.by, options);
      else if (content.dataset.isLabels)
        await loadLabelTable(content.dataset, layer.by, this.signal, options);
      if (!isCurrent()) return;
      attempt.progress = undefined;
      this.#show(content, layer);
    } catch (error) {
      if (!isCurrent()) return;
      attempt.error = error;
      if (!(error instanceof LargeRead)) this.model.options.onError?.(error);
    }
    this.#note();
  }

  #show(content: LayerContent, layer: LayerState): void {
    const opened = content.kind === "features" ? content : this.#placed(content.dataset, layer);
    openedLayers(this.image).set(placeKey(layer), opened);
    this.onNews();
  }

  #placed(dataset: Dataset, layer: LayerState): OpenedLayer {
    const placed = placeLayer(this.image, dataset, layer);
    return { kind: "image", dataset, plan: (...how) => placedLayers(placed, ...how) };
  }

  #content(layer: LayerState): Promise<LayerContent> {
    const key = contentKey(layer);
    const known = this.#openings.get(key);
    if (known) return known.content;
    const controller = new AbortController();
    const content = openLayerContent(layer, this.image, controller.signal).catch((error: unknown) => {
      this.#openings.delete(key); // may be tried again
      throw error;
    });
    this.#openings.set(key, { content, abort: () => controller.abort() });
    return content;
  }

  #note(): void {
    this.model.layerNotes.value = this.#layers.flatMap((layer) => this.#noteOf(layer));
  }

  #noteOf(layer: LayerState): Note[] {
    const attempt = layer.isOn ? this.#tried.get(tryKey(layer)) : undefined;
    const name = shortName(layerName(layer));
    if (attempt?.error instanceof LargeRead)
      return [consentNote(layer.by, attempt.error, () => this.#agree(layer))];
    if (attempt?.error === undefined && attempt?.progress !== undefined) return [{ text: attempt.progress }];
    if (attempt?.error !== undefined) {
      const { failed, retry } = text.layerNotes;
      const action = { label: retry, run: () => this.#retry(layer) };
      return [{ text: failed(name, errorMessage(attempt.error)), isWarning: true, action }];
    }
    const opened = attempt && openedLayers(this.image).get(placeKey(layer));
    const { leftOut = 0, count = 0 } = opened?.kind === "features" ? opened.features : {};
    return leftOut === 0 ? [] : [{ text: text.layerNotes.leftOut(name, leftOut, count) }];
  }

  #agree(layer: LayerState): void {
    this.#agreed.add(tryKey(layer));
    this.#retry(layer);
  }

  #retry(layer: LayerState): void {
    this.#tried.delete(tryKey(layer));
    void this.open(this.#layers);
  }
}

/** Reads what describes and colours the rows of features. */
async function readLink(
  observations: Observations | undefined,
  by: string,
  options?: GeneOptions,
): Promise<void> {
  await Promise.all([observations?.readDescribed(), by === "" ? undefined : observations?.read(by, options)]);
}

/** The result of opening a layer. */
interface Attempt {
  /** Aborted when the layer has another column. */
  readonly reading: AbortController;
  error?: unknown;
  /** A sentence on a long read. */
  progress?: string | undefined;
}

/** Identifies the content of a layer, its place, and the data that its style reads. */
const tryKey = (layer: LayerState): string => `${placeKey(layer)} ${layer.colormap ?? ""} ${layer.by}`;

/** Removes all entries but those with some keys. */
function retain(map: Map<string, unknown>, kept: ReadonlySet<string>): void {
  for (const key of map.keys()) if (!kept.has(key)) map.delete(key);
}

/** Whether the tables of a store have been searched: labels without one would be searched at every change. */
const search = keptFor((_array: Dataset["array"]) => ({ isDone: false }));

/**
 * Loads the table of labels: the one of SpatialData, or the properties of OME-Zarr. Does nothing if there is none.
 * @param by a column that is read, too; "" for none
 * @throws what reading throws.
 */
export async function loadLabelTable(
  labels: Dataset,
  by: string,
  signal: AbortSignal,
  options?: GeneOptions,
): Promise<void> {
  const searched = search(labels.array);
  if (!searched.isDone) {
    const found = (await labelTable(labels.array, signal)) ?? labels.labelInfo?.table;
    searched.isDone = true;
    if (found && !labelTableOf(labels)) keepLabelTable(labels, makeLabelTable(found));
  }
  await readLink(labelTableOf(labels)?.observations, by, options);
}
