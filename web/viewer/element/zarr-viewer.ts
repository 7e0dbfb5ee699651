/** The viewer as a custom element: `<zarr-viewer src="…">`. */

import type { Source, WorkerPool } from "zarr-wasm";
import { errorMessage } from "../base/format.js";
import { chooseLanguage, text } from "../language/text.js";
import { layerAttributes } from "../model/added-layers.js";
import type { PictureOptions } from "../model/figure.js";
import { givenTexts, givenValues, readSettings, settingNames, unsetSettings } from "../model/query.js";
import type { WantedState } from "../model/state.js";
import { openAhead } from "../source/nodes.js";
import { sharedPool } from "../tiles/shared.js";
import type { ZarrViewerProperties } from "./attributes.js";
import type {
  ControlsMode,
  PointerReport,
  ProgressReport,
  RefreshSelection,
  ScreenPoint,
  ViewerState,
  ViewerView,
} from "./options.js";
import styleText from "./style-text.js";
import { Viewer } from "./viewer.js";

/** Attributes that select the source. */
const placeNames = ["src", "path", "variable", "derive", "order", "plate"] as const;

/** Attributes for appearance and behaviour. */
const optionNames = ["controls", "link", "page", "cooperative"] as const;

/** "light" or "dark", for pages with a fixed colour scheme, regardless of the user's preference. */
const themeName = "theme";

/** Attributes with a property of the same name, whose value is the text of the attribute. */
const reflectedNames = [
  ...(["path", "axes", "channels", "colormap", "range", "tool", "places"] as const),
  ...(["interpolation", "projection", "meridian", "parallel", "by", "link"] as const),
];

/** Properties that a page may set before the class is defined. */
const propertyNames = ["src", ...reflectedNames, "controls", "settings"];

/** Attributes for parts of the state. The colour map has a longer name here than in addresses. */
const stateNames = settingNames.map((name) => (name === "map" ? "colormap" : name));

const settingName = (attribute: string): string => (attribute === "colormap" ? "map" : attribute);

/** `event.detail` of the events `load`, `change`, `state`, `pointer`, `progress` and `error`. */
export interface ZarrViewerEvents {
  readonly load: CustomEvent<ViewerView>;
  readonly change: CustomEvent<{ readonly view: ViewerView; readonly control: string }>;
  /** The property `state` has changed. */
  readonly state: CustomEvent<ViewerState>;
  /** Null when the pointer leaves. */
  readonly pointer: CustomEvent<PointerReport | null>;
  readonly progress: CustomEvent<ProgressReport>;
  readonly error: CustomEvent<{ readonly error: unknown; readonly message: string }>;
}

/** Events of the element by name, as `HTMLElementEventMap` for other elements. */
export interface ZarrViewerEventMap
  extends Omit<HTMLElementEventMap, keyof ZarrViewerEvents>,
    ZarrViewerEvents {}

/** An element that dispatches these events. */
export interface ZarrEventTarget extends HTMLElement {
  addEventListener<K extends keyof ZarrViewerEventMap>(
    type: K,
    listener: (this: this, event: ZarrViewerEventMap[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof ZarrViewerEventMap>(
    type: K,
    listener: (this: this, event: ZarrViewerEventMap[K]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** On servers that render pages, which have no `HTMLElement`, the class is only a name. */
const Base = (globalThis.HTMLElement ?? class {}) as unknown as new () => ZarrEventTarget &
  Pick<ZarrViewerProperties, (typeof reflectedNames)[number]>;

/**
 * An element that shows a Zarr array. Attributes are read when they are set. Changes by the user are not
 * reflected in attributes; they are available from `settings` and the `change` event. No event bubbles.
 */
export class ZarrViewerElement extends Base {
  static readonly observedAttributes: readonly string[] = [
    ...placeNames,
    ...optionNames,
    themeName,
    ...stateNames,
  ];

  #viewer: Viewer | undefined;
  /** A source other than an address, which overrides `src`. */
  #source: Source | undefined;
  /** Settings for the next source. */
  #settings: WantedState | undefined;
  readonly #changed = new Set<string>();
  #children: MutationObserver | undefined;

  /** Address of the source, or a store. */
  get src(): Source | null {
    return this.#source ?? this.getAttribute("src");
  }
  set src(value: Source | null) {
    const isAddress = typeof value === "string" || value instanceof URL;
    this.#source = isAddress || value === null ? undefined : value;
    if (isAddress) this.setAttribute("src", String(value));
    else {
      this.removeAttribute("src");
      this.#note("src");
    }
  }

  get controls(): ControlsMode {
    const value = this.getAttribute("controls");
    return value === "minimal" || value === "none" ? value : "full";
  }
  set controls(value: ControlsMode | null) {
    reflect(this, "controls", value);
  }

  /** The current view; undefined before a source has been opened. */
  get view(): ViewerView | undefined {
    return this.#viewer?.view;
  }

  get state(): ViewerState {
    return this.#viewer?.state ?? "empty";
  }

  /** The whole state, including parts without an attribute. May be set in part. */
  get settings(): WantedState | undefined {
    return this.#viewer?.view?.settings ?? this.#settings;
  }
  set settings(value: WantedState | undefined) {
    // Attributes set earlier in this tick are applied first, so that the last setting wins.
    if (!placeNames.some((name) => this.#changed.has(name))) this.#update();
    else if (value) {
      this.#settings = { ...this.#settings, ...value }; // for the source that is about to be opened
      return;
    }
    if (value && (this.#viewer?.view || this.state === "opening")) this.#viewer!.change(value);
    else this.#settings = value;
  }

  /** Opens the source again and reloads the view. */
  async reload(): Promise<void> {
    await this.#viewer?.reload();
  }

  /** The workers of all viewers of the page, for the page's own calls of `get`. */
  get pool(): WorkerPool {
    return sharedPool();
  }

  /**
   * Reads elements again that a program has changed, and draws them once they have been read.
   * @param selection an index, a slice or null for each dimension. Default: everything
   */
  async refresh(selection?: RefreshSelection): Promise<void> {
    await this.#viewer?.refresh(selection);
  }

  /**
   * The place of an element in the window, as `clientX` and `clientY`; undefined without a plane. Fractions of an index
   * are positions between centres of elements.
   */
  elementToScreen(index: readonly number[]): ScreenPoint | undefined {
    return this.#viewer?.elementToScreen(index);
  }

  /** The inverse of `elementToScreen`: an index with fractions; undefined outside the array. */
  screenToElement(x: number, y: number): readonly number[] | undefined {
    return this.#viewer?.screenToElement(x, y);
  }

  /** The view as a picture, by default as PNG as on the screen; undefined if there is none. */
  async picture(options?: PictureOptions): Promise<Blob | undefined> {
    return this.#viewer?.picture(options);
  }

  /** @internal */
  connectedCallback(): void {
    for (const name of propertyNames) this.#upgrade(name);
    const { lang } = this.closest<HTMLElement>("[lang]") ?? document.documentElement;
    const loading = chooseLanguage([lang]);
    if (!loading) this.#mountOnce();
    else {
      void openAhead(this.getAttribute("src") ?? "", this.path);
      void loading.then(() => this.#mountOnce());
    }
  }

  #mountOnce(): void {
    if (!this.#viewer && this.isConnected) this.#mount(); // otherwise it was only moved
  }

  #mount(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [styleSheet(this.getAttribute(themeName))];
    const place = document.createElement("div");
    root.replaceChildren(place);
    this.#viewer = new Viewer(place, {});
    this.#children = watchLayers(this, () => this.#note("layers"));
    this.#setOptions();
    this.#note("src");
  }

  /** @internal */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (!this.isConnected) this.#unmount();
    });
  }

  #unmount(): void {
    if (!this.#viewer) return;
    this.#children?.disconnect();
    this.#settings = this.settings;
    this.#viewer.destroy();
    this.#viewer = undefined;
  }

  /** @internal */
  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return;
    if (name === "src" && value !== null) this.#source = undefined;
    this.#dropSettings(name);
    this.#note(name);
  }

  /** Removes the pending settings that an attribute has just overridden. */
  #dropSettings(attribute: string): void {
    if (!this.#settings || !stateNames.includes(attribute)) return;
    const overridden = unsetSettings(settingName(attribute));
    const others = Object.entries(this.#settings).filter(([key]) => !(key in overridden));
    this.#settings = Object.fromEntries(others);
  }

  /** Properties set before the class was defined would hide its accessors. */
  #upgrade(name: string): void {
    if (!Object.hasOwn(this, name)) return;
    const values = this as unknown as Record<string, unknown>;
    const value = values[name];
    delete values[name];
    values[name] = value;
  }

  /** Attributes that change together cause one update. */
  #note(name: string): void {
    if (this.#changed.size === 0) queueMicrotask(() => this.#update());
    this.#changed.add(name);
  }

  #update(): void {
    const names = [...this.#changed];
    this.#changed.clear();
    if (!this.#viewer) return;
    const has = (list: readonly string[]) => names.some((name) => list.includes(name));
    if (names.includes(themeName)) {
      this.#unmount();
      this.#mount();
      return;
    }
    if (has(optionNames)) this.#setOptions();
    if (has(placeNames)) this.#open();
    else if (has(stateNames)) {
      const changed = names.filter((name) => stateNames.includes(name));
      this.#viewer.change(this.#changeOf(changed), this.#given(changed), changed);
    }
  }

  #given(names: readonly string[]) {
    return givenTexts(names, (name) => this.#textOf(name));
  }

  /** The change of state that changed attributes ask for; removed attributes restore their defaults. */
  #changeOf(names: readonly string[]): WantedState {
    const removed = names.filter((name) => !this.hasAttribute(name));
    const unset: WantedState = Object.assign({}, ...removed.map((name) => unsetSettings(settingName(name))));
    const isUnset = (name: string) =>
      Object.keys(unsetSettings(settingName(name))).some((key) => key in unset);
    return { ...unset, ...this.#read((name) => names.includes(name) || isUnset(name)) };
  }

  #open(): void {
    const source = this.src;
    if (source === null || source === "") {
      this.#clear();
      this.#viewer!.showHint(text.opening.noSource);
      return;
    }
    const settings = { ...this.#read(() => true), ...this.#settings };
    const given = [
      ...this.#given([...stateNames, "controls", "theme", "order"]),
      ...givenValues(this.#settings),
    ];
    this.#settings = undefined;
    const v1Order = this.getAttribute("order") === "writer" ? "writer" : undefined;
    const variable = this.getAttribute("variable") ?? undefined;
    const derive = this.getAttribute("derive") ?? undefined;
    const plate = this.getAttribute("plate") ?? undefined;
    const path = this.path ?? undefined;
    void this.#viewer!.show({ source, path, variable, derive, v1Order, plate, settings }, given);
  }

  /** Without a source, clears the view. */
  #clear(): void {
    if (!this.#viewer?.target) return;
    this.#unmount();
    this.#settings = undefined;
    this.#mount();
  }

  /** Reads the requested state from attributes. */
  #read(isWanted: (attribute: string) => boolean): WantedState {
    return readSettings((name) => {
      const attribute = name === "map" ? "colormap" : name;
      return isWanted(attribute) ? this.#textOf(attribute) : null;
    });
  }

  /** The value of an attribute; that of `layers` may be given by children. */
  #textOf(name: string): string | null {
    return this.getAttribute(name) ?? (name === "layers" ? childLayers(this) : null);
  }

  #setOptions(): void {
    this.#viewer!.setOptions({
      controls: this.controls,
      link: this.link ?? undefined,
      page: this.getAttribute("page") ?? undefined,
      cooperative: this.hasAttribute("cooperative"),
      onChange: (view, control) => {
        if (control === "open") this.#tell("load", view);
        else this.#tell("change", { view, control });
      },
      onState: (state) => this.#tell("state", state),
      onPointer: (pointed) => this.#tell("pointer", pointed ?? null),
      onProgress: (progress) => this.#tell("progress", progress),
      onError: (error) => this.#tell("error", { error, message: errorMessage(error) }),
    });
  }

  #tell<K extends keyof ZarrViewerEvents>(name: K, detail: ZarrViewerEvents[K]["detail"]): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function reflect(element: Element, name: string, value: unknown): void {
  if (value === null || value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, Array.isArray(value) && name === "range" ? value.join(":") : String(value));
}

for (const name of reflectedNames)
  Object.defineProperty(ZarrViewerElement.prototype, name, {
    get(this: Element) {
      return this.getAttribute(name);
    },
    set(this: Element, value: unknown) {
      reflect(this, name, value);
    },
    configurable: true,
    enumerable: true,
  });

declare global {
  interface HTMLElementTagNameMap {
    "zarr-viewer": ZarrViewerElement;
  }
}

const sheets = new Map<string, CSSStyleSheet>();

/** A style sheet shared by all viewers of the page. Constructed by script, which no page policy forbids. */
function styleSheet(theme: string | null): CSSStyleSheet {
  const name = theme === "light" || theme === "dark" ? theme : "";
  let sheet = sheets.get(name);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    const query = name === "dark" ? "all" : "not all";
    const text = name
      ? styleText
          .replace(/\(prefers-color-scheme:\s*dark\)/g, ` ${query}`)
          .replace(/color-scheme:\s*light dark/g, `color-scheme:${name}`)
      : styleText;
    sheet.replaceSync(text);
    sheets.set(name, sheet);
  }
  return sheet;
}

/** Defines `<zarr-viewer>`. Does nothing if it is defined already, or outside a page. */
export function defineZarrViewer(): void {
  const { customElements } = globalThis;
  if (customElements && !customElements.get("zarr-viewer"))
    customElements.define("zarr-viewer", ZarrViewerElement);
}

/** The layers of an element's children as in addresses; null without any. */
function childLayers(element: Element): string | null {
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
function watchLayers(element: Element, onChange: () => void): MutationObserver {
  const observer = new MutationObserver((changes) => {
    if (changes.some(({ type, target }) => type === "childList" || target !== element)) onChange();
  });
  observer.observe(element, { childList: true, subtree: true, attributeFilter: [...layerAttributes] });
  return observer;
}
