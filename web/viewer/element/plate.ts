/** A plate: the pictures of its wells in common ranges, and the panels of their channels. */
import { type Signal, signal as signalOf } from "@preact/signals-core";
import type { ZarrGroup } from "zarr-wasm";
import { h } from "../base/dom.js";
import { eachInSlices } from "../base/slices.js";
import { unusable } from "../base/unusable.js";
import { text } from "../language/text.js";
import { type Layer, planLayers } from "../model/layers.js";
import {
  acceptedParts,
  type Box,
  fieldPlaces,
  isOnPlate,
  isPlateView,
  type PlateView,
  plateChoices,
  plateViewText,
  readPlateView,
  wellSettings,
} from "../model/plate-view.js";
import { arrayFacts, resolveState, type ViewState, type WantedState } from "../model/state.js";
import { channelSettingsPanel, channelsPanel } from "../panels/channels.js";
import type { Change, PanelContext, PanelView } from "../panels/panel.js";
import { plateControls, plateView } from "../panels/plate.js";
import { slicePanel } from "../panels/slice.js";
import { valuesPanel } from "../panels/values.js";
import type { Dataset } from "../source/dataset.js";
import type { Plate } from "../source/plate.js";
import { Legend, showLegend } from "./legends.js";
import type { ViewerTarget } from "./options.js";
import { type Limits, Ranges } from "./ranges.js";
import { showPanel } from "./side-panels.js";
import { paintThumbnail, type Thumbnail } from "./thumbnail.js";
import { isSufficient, readWell, type WellData, type WellNeed, WellReader } from "./well-reader.js";

/** Milliseconds without a change after which the view is told. */
const restAfterChange = 150;

/** Minimum side of a field that a click opens, in CSS pixels; a click on smaller ones opens the well. */
const minTarget = 24;

export interface PlateCallbacks {
  /** @param settings of the wells, if the user has changed them */
  onGo(path: string, settings?: WantedState): void;
  /** Called with the text of another view of all wells, and their state. */
  onView(plate: string, view: { readonly dataset: Dataset; readonly settings: ViewState } | undefined): void;
  /** Called with a message about planes that the plate does not have. */
  onUnusable(messages: readonly string[]): void;
}

/** @param target of the plate. @param signal aborts all loading */
export function createPlate(
  opened: { readonly plate: Plate; readonly group: ZarrGroup },
  target: ViewerTarget,
  callbacks: PlateCallbacks,
  signal: AbortSignal,
): { main: HTMLElement; beside: HTMLElement[] } {
  const { plate = "" } = target;
  if (!isPlateView(plate)) callbacks.onUnusable([unusable("plate", plate, text.plate.parts)]);
  const { element, panels } = new PlatePart(opened.plate, opened.group, target, callbacks, signal);
  return { main: element, beside: [panels] };
}

class PlatePart {
  readonly #grid: ReturnType<typeof plateView>;
  readonly #controls: ReturnType<typeof plateControls>;
  readonly #reader: WellReader;
  readonly #legend = new Legend();
  readonly element: HTMLElement;
  readonly panels = h("div", { class: "zw-plate-panels" });
  readonly #panelView: Signal<PanelView | undefined> = signalOf(undefined);
  /** Places of the fields of drawn wells. */
  readonly #places = new WeakMap<HTMLElement, readonly { path: string; place: Box | undefined }[]>();
  #view: PlateView;
  /** The first field that has been read, and its state: that of all wells. */
  #first: { readonly dataset: Dataset; readonly settings: ViewState } | undefined;
  #isChanged = false;
  #telling = 0;
  #limits: ReadonlyMap<string, Limits> = new Map();
  /** A drawing of all wells: "again" if it is out of date. */
  #painting: "no" | "yes" | "again" = "no";

  constructor(
    plate: Plate,
    private readonly group: ZarrGroup,
    private readonly target: ViewerTarget,
    private readonly callbacks: PlateCallbacks,
    private readonly signal: AbortSignal,
  ) {
    this.#view = readPlateView(target.plate ?? "");
    this.#controls = plateControls(this.#view, (view) => {
      this.#view = view;
      this.#grid.setSize(view.size);
      this.#tell();
      this.#followSize();
    });
    this.#reader = new WellReader(
      {
        read: (path, aborted) => this.#read(path, aborted),
        isSufficient: (data) => isSufficient(data, this.#need),
        onData: (well, data) => this.#show(well, data),
        onRest: () => this.#rest(),
      },
      signal,
    );
    this.#grid = plateView(plate, {
      size: this.#view.size,
      controls: this.#controls.element,
      foot: this.#legend.element,
      onWell: (well, path) => this.#reader.add(well, path),
      onSize: () => this.#followSize(),
      onOpen: (well, path, event) => this.#open(well, path, event),
    });
    this.element = this.#grid.element;
    signal.addEventListener("abort", () => clearTimeout(this.#telling), { once: true });
  }

  #followSize(): void {
    this.#reader.update();
    this.#repaint();
  }

  get #need(): WellNeed {
    const { field, acquisition } = this.#view;
    const { dataset, settings } = this.#first ?? {};
    const planes = dataset && settings ? planLayers(dataset, settings).map(planeKey) : [];
    return {
      field,
      acquisition,
      size: Math.ceil(2 ** (Math.ceil(2 * Math.log2(this.#grid.side)) / 2)),
      planes,
    };
  }

  async #read(path: string, aborted: AbortSignal): Promise<WellData> {
    const below = this.group.path === "" ? path : path.slice(this.group.path.length + 1);
    const data = await readWell(this.group, below, this.#need, (dataset) => this.#stateOf(dataset), aborted);
    if (this.#first) this.#offer(data);
    // The planes are known by now.
    return data.need.planes.length > 0
      ? data
      : { ...data, need: { ...data.need, planes: this.#need.planes } };
  }

  /** The state of a field. Its dataset may differ from the first one. */
  #stateOf(dataset: Dataset): ViewState {
    if (!this.#first) {
      const wanted = { ...wellSettings(dataset, this.#view), ...this.target.settings };
      this.#first = { dataset, settings: resolveState(arrayFacts(dataset), wanted) };
      this.#buildPanels();
    }
    const { dataset: first, settings } = this.#first;
    return dataset === first ? settings : resolveState(arrayFacts(dataset), settings);
  }

  /** Offers the fields and acquisitions of the first well that has any. */
  #offer({ count, acquisitions }: WellData): void {
    if (count === 0 || !this.#controls.offer(count, acquisitions)) return;
    const { plate = "" } = this.target;
    const choices = plateChoices(this.#first!.dataset, count);
    if (plate !== "" && isPlateView(plate) && !isOnPlate(this.#view, choices))
      this.callbacks.onUnusable([unusable("plate", plate, acceptedParts(choices))]);
  }

  #buildPanels(): void {
    const context: PanelContext = {
      dataset: this.#first!.dataset,
      derived: undefined,
      path: this.group.path,
      v1Order: undefined,
      change: (change) => this.#change(change),
      go: (path) => this.callbacks.onGo(path),
      link: () => undefined,
      picture: async () => undefined,
      codeRequest: () => undefined,
      showFigureDialog: async () => {},
      play() {},
      reorder() {},
      derive() {},
      setBudget() {},
    };
    for (const panel of [slicePanel, channelsPanel, valuesPanel, channelSettingsPanel])
      showPanel(this.panels, panel, context, this.#panelView);
  }

  #change(change: Change): void {
    const { dataset, settings } = this.#first!;
    const part = typeof change === "function" ? change(settings) : change;
    this.#first = { dataset, settings: resolveState(arrayFacts(dataset), { ...settings, ...part }) };
    this.#isChanged = true;
    this.#tell();
    this.#findRanges();
    this.#reader.update();
    this.#repaint();
  }

  /** Tells the view once changes have paused: browsers limit changes of the address. */
  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = window.setTimeout(() => this.#tellNow(), restAfterChange);
  }

  #tellNow(): void {
    clearTimeout(this.#telling);
    this.#telling = 0;
    this.callbacks.onView(plateViewText(this.#view), this.#first);
  }

  /** Draws a well. Until everything in view has been read, the ranges follow the wells that have been. */
  #show(well: HTMLElement, data: WellData): void {
    if (this.#limits.size === 0) this.#findRanges();
    this.#paint(well, data);
  }

  #rest(): void {
    const read = this.#reader.visible.flatMap(({ data }) => data ?? []);
    if (read.length === 0) return;
    this.#findRanges();
    this.#repaint();
    this.#controls.showSize(this.#grid.cell);
    const failed = read.filter(({ problem }) => problem !== undefined).length;
    const hidden = Math.max(
      0,
      ...read.filter(({ count, fields }) => count > fields.length).map((d) => d.count),
    );
    this.#grid.say([
      text.plate.inView(read.length),
      ...(failed > 0 ? [text.plate.failedWells(failed)] : []),
      ...(this.#view.field === null && hidden > 0 ? [text.plate.enlarge(hidden)] : []),
    ]);
  }

  /** Finds the ranges of the channels from the wells in view. */
  #findRanges(): void {
    if (!this.#first) return;
    const { dataset, settings } = this.#first;
    const layers = planLayers(dataset, settings);
    const ranges = new Ranges();
    ranges.begin(layers, { isPerSlice: true, isCommon: settings.isRangeCommon });
    const own = new Map(layers.map((layer) => [planeKey(layer), layer]));
    for (const [i, { data }] of this.#reader.visible.entries())
      for (const { path, thumbnail } of data?.fields ?? [])
        for (const { layer, plane } of thumbnail?.layers ?? []) {
          const shown = own.get(planeKey(layer));
          if (shown) ranges.add({ key: `${i} ${path}`, level: 1, plane, gaps: [] }, shown);
        }
    ranges.settle();
    this.#limits = new Map(
      layers.flatMap((layer) => (ranges.isKnown(layer) ? [[layer.id, ranges.limits(layer)]] : [])),
    );
    this.#panelView.value = {
      state: settings,
      kind: "image",
      seen: undefined,
      numbers: layers.map((layer) => ranges.numbers(layer)),
      playing: undefined,
      isPicture: false,
      displayed: undefined,
      labels: [],
      table: undefined,
      collection: undefined,
      memory: undefined,
    };
    showLegend(this.#legend, { dataset, settings, layers, ranges });
  }

  /** Draws all wells in view again, in the next frames. */
  #repaint(): void {
    if (this.#painting !== "no") {
      this.#painting = "again";
      return;
    }
    this.#painting = "yes";
    requestAnimationFrame(async () => {
      const list = this.#reader.visible;
      const paint = (i: number) => {
        const { well, data } = list[i]!;
        if (data) this.#paint(well, data);
      };
      await eachInSlices(list.length, paint, this.signal).catch(() => {}); // the plate has been left
      const isAgain = this.#painting === "again";
      this.#painting = "no";
      if (isAgain && !this.signal.aborted) this.#repaint();
    });
  }

  #paint(well: HTMLElement, data: WellData): void {
    const places = fieldPlaces(data.fields.map(({ box }) => box));
    const fields = data.fields.map(({ path }, i) => ({ path, place: places[i] }));
    this.#places.set(well, fields);
    const seen = data.fields.filter(({ thumbnail }) => thumbnail).length;
    const state =
      seen === 0 ? (data.problem === undefined ? "empty" : "failed") : data.problem ? "partial" : "read";
    this.#grid.mark(well, state, data.problem);
    const side = Math.max(1, Math.round(this.#grid.side * devicePixelRatio));
    const canvas = well.querySelector("canvas") ?? h("canvas");
    Object.assign(canvas, { width: side, height: side });
    const context = canvas.getContext("2d")!;
    for (const [i, { thumbnail }] of data.fields.entries()) {
      const place = places[i];
      if (!place) continue;
      if (thumbnail) drawField(context, this.#styled(thumbnail), place, side, this.#limits);
      else hatch(context, place, side);
    }
    if (!canvas.isConnected) well.append(canvas);
  }

  /** The numbers of a field in the colours of the state. */
  #styled(thumbnail: Thumbnail): Thumbnail {
    const { dataset } = thumbnail;
    const state = this.#stateOf(dataset);
    const planes = new Map(thumbnail.layers.map(({ layer, plane }) => [planeKey(layer), plane]));
    const layers = planLayers(dataset, state).flatMap((layer) => {
      const plane = planes.get(planeKey(layer));
      return plane ? [{ layer, plane }] : [];
    });
    return { dataset, state, layers };
  }

  /** Opens the field at a pointer, or the well. */
  #open(well: HTMLElement, path: string, event: MouseEvent): void {
    const { left, top, width, height } = well.getBoundingClientRect();
    const [x, y] = [(event.clientX - left) / width, (event.clientY - top) / height];
    const fields = this.#places.get(well) ?? [];
    const isInside = ({ place: at }: (typeof fields)[number]) =>
      at && x >= at.left && y >= at.top && x < at.left + at.width && y < at.top + at.height;
    // Keys have no place.
    const found = event.detail > 0 && fields.length > 1 ? fields.find(isInside) : fields[0];
    const isField =
      found !== undefined &&
      (this.#view.field !== null || (event.detail > 0 && found.place!.width * width >= minTarget));
    const to = isField && found.path !== "" ? `${path}/${found.path}` : path;
    // The address of the plate, to which the back button returns.
    if (this.#telling) this.#tellNow();
    const { channels, colormap, isReversed, range, index } = this.#first?.settings ?? {};
    this.callbacks.onGo(to, this.#isChanged ? { channels, colormap, isReversed, range, index } : undefined);
  }
}

/** Identifies a plane, whatever its colours. */
const planeKey = ({ id, index, axes, field, part, isRaw }: Layer): string =>
  JSON.stringify([id, index.map((at, axis) => (axes.includes(axis) ? 0 : at)), axes, field, part, isRaw]);

/** Marks a field that cannot be read, which must not look like one without light. */
function hatch(context: CanvasRenderingContext2D, { top, left, height, width }: Box, side: number): void {
  context.save();
  context.scale(side, side);
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.fillStyle = "#777";
  context.fill();
  context.strokeStyle = "#bbb";
  context.lineWidth = 2 / side;
  const step = 8 / side;
  context.beginPath();
  for (let x = left - height; x < left + width; x += step) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}

function drawField(
  context: CanvasRenderingContext2D,
  thumbnail: Thumbnail,
  { top, left, height, width }: Box,
  side: number,
  limits: ReadonlyMap<string, Limits>,
): void {
  const picture = paintThumbnail(thumbnail, ({ id }) => limits.get(id));
  if (!picture) return;
  const [x, y, across, down] = [left, top, width, height].map((part) => part * side) as [
    number,
    number,
    number,
    number,
  ];
  context.save();
  context.imageSmoothingEnabled = picture.width > across;
  const isFlipped = picture.style.transform !== "";
  context.translate(x, isFlipped ? y + down : y);
  context.scale(1, isFlipped ? -1 : 1);
  context.drawImage(picture, 0, 0, across, down);
  context.restore();
}
