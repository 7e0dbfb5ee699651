/** The page around one viewer: source field, samples, dropped files, and the address bar. */
import { shortName } from "./base/text.js";
import { Viewer } from "./element/viewer.js";
import { locale } from "./language/locale.js";
import { chooseLanguage, text } from "./language/text.js";
import { givenTexts, readQuery, settingNames, type ViewTarget, writeQuery } from "./model/query.js";
import { arrayFacts } from "./model/state.js";
import type { Offer } from "./page/gallery.js";
import { chooseButtons, LocalStores, localScheme, takeDrops } from "./page/local.js";
import type { Dropped, NotDropped } from "./source/drop.js";
import type { View, ViewerOptions, ViewerTarget } from "./viewer.js";

/** The language requested in the address, which later addresses repeat. */
const language = new URLSearchParams(location.search).get("lang");
const texts = chooseLanguage([language ?? "", ...navigator.languages]);
if (texts) await texts;
document.documentElement.lang = locale;
for (const [place, shown] of [
  ["[for=source]", text.page.address],
  ["#open button", text.page.open],
  ["#recent summary", text.page.recent],
] as const)
  document.querySelector(place)!.textContent = shown;

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const input = byId<HTMLInputElement>("source");
const main = byId("viewer");
const notice = byId("notice");
const gallery = byId("gallery");

const local = new LocalStores();
const viewer = new Viewer(main, { onChange: remember, onPlace: follow, page: location.pathname });

/** The last change that made a history entry: a drag of one control makes only one. */
let last = { control: "", time: Number.NEGATIVE_INFINITY };
const sameDrag = 1000; // milliseconds

/** A pending address during a drag: browsers limit the rate of history changes. */
let pending: ReturnType<typeof setTimeout> | undefined;
const restAfterDrag = 200; // milliseconds

/** Maximum length of an address in the history. Browsers refuse two million characters, servers far fewer. */
const maxAddress = 30_000;

/** Adds the requested language to an address of this page. */
function withLanguage(query: string): string {
  const part = `${query.includes("?") ? "&" : "?"}lang=${encodeURIComponent(language ?? "")}`;
  return language === null ? query : query + part;
}

/** Writes an address to the history, as a new entry or replacing the current one. */
function keep(query: string, how: "push" | "replace"): void {
  if (query.length > maxAddress) return;
  if (how === "push") history.pushState(null, "", query);
  else history.replaceState(null, "", query);
}

/** The part of a target that the address holds; local stores are named there. */
function locationTarget({ source, path, v1Order, as, variable, plate, name }: ViewerTarget): ViewTarget {
  const key = typeof source === "string" || source instanceof URL ? String(source) : local.keyOf(source);
  return { source: key ?? name ?? "", path, v1Order, as, variable, plate };
}

/** Keeps the view in the address bar, so that it can be shared and restored by the back button. */
function remember({ target, dataset, settings }: View, control: string): void {
  const place = locationTarget(target);
  const query = () => withLanguage(writeQuery(place, { array: arrayFacts(dataset), settings }));
  const now = performance.now();
  if (control === "open") keepRecent(place);
  const isDrag = control !== "open" && control === last.control && now - last.time < sameDrag;
  last = { control, time: now };
  // A source that was just opened has its entry, unless the byte order was changed.
  const isEntered =
    control === "open" && (readQuery(location.search)?.v1Order ?? "spec") === (place.v1Order ?? "spec");
  clearTimeout(pending);
  if (isDrag) {
    pending = setTimeout(() => keep(query(), "replace"), restAfterDrag);
    return;
  }
  const address = query();
  if (address !== location.search) keep(address, isEntered ? "replace" : "push");
}

/** Adds an opened source to the recent ones. */
function keepRecent({ source }: ViewTarget): void {
  const handle = local.get(source)?.handle;
  if (handle || !source.startsWith(localScheme))
    void recentSources().then(({ keepSource }) => keepSource({ source, handle }));
}

/** Called when the place shown differs from the address. */
function follow(...[target, cause, wells]: Parameters<NonNullable<ViewerOptions["onPlace"]>>): void {
  clearTimeout(pending);
  last = { control: "", time: Number.NEGATIVE_INFINITY };
  const place = locationTarget(target);
  const shownWells = wells && { array: arrayFacts(wells.dataset), settings: wells.settings };
  const query = withLanguage(writeQuery(place, shownWells));
  if (cause === "open") keepRecent(place);
  else keep(query, cause === "go" ? "push" : "replace");
  name(place);
}

/** Shows the name of the source in the field, the title and the list. */
function name({ source, path }: ViewTarget): void {
  input.value = source.startsWith(localScheme) ? source.slice(localScheme.length) : source;
  const parts = `${input.value}/${path ?? ""}`.split("/").filter(Boolean);
  document.title = text.page.titleOf(shortName(parts.at(-1) ?? ""));
}

function showTarget(target: ViewTarget): void {
  name(target);
  setNotice("");
  gallery.hidden = true;
  thumbnails.abort();
  main.hidden = false;
  const search = new URLSearchParams(location.search);
  const given = givenTexts([...settingNames, "order"], (name) => search.get(name));
  if (!target.source.startsWith(localScheme)) return void viewer.show(target, given);
  const dropped = local.get(target.source);
  if (dropped) return void viewer.show({ ...target, source: dropped.store, name: dropped.name }, given);
  setNotice(text.page.notKept(input.value));
  showGallery();
}

function setNotice(sentence: string): void {
  notice.textContent = sentence;
  notice.hidden = sentence === "";
}

function goTo(query: string): void {
  clearTimeout(pending);
  last = { control: "", time: Number.NEGATIVE_INFINITY };
  history.pushState(null, "", withLanguage(query));
  window.scrollTo({ top: 0 });
  showAddress();
}

/** Opens a typed or pasted address, which may be one of this page. */
function openSource(source: string): void {
  if (viewer.target && locationTarget(viewer.target).source === source && !main.hidden)
    return void viewer.reload();
  goTo(writeQuery({ source }));
}

/** Opens dropped or chosen files. */
function take(found: readonly (Dropped | NotDropped)[]): void {
  const [refused] = found.filter((entry) => "refused" in entry);
  const [dropped, ...others] = found.filter((entry) => "store" in entry);
  if (dropped) goTo(writeQuery({ source: local.add(dropped) }));
  if (refused) setNotice(refused.refused);
  else if (dropped && others.length > 0)
    setNotice(
      text.page.othersDropped(
        dropped.name,
        others.map(({ name }) => name),
      ),
    );
}

byId<HTMLFormElement>("open").addEventListener("submit", (event) => {
  event.preventDefault();
  const source = input.value.trim();
  if (source !== "") openSource(source);
});
byId("choose").replaceChildren(chooseButtons(take));
takeDrops(take);

// Keys of the viewer work before anything in it has the focus.
document.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, target } = event;
  if (target !== document.body || key !== "k" || !(ctrlKey || metaKey)) return;
  const copy = new KeyboardEvent("keydown", { key, ctrlKey, metaKey, cancelable: true });
  const isFree = document.querySelector(".zw-viewer")?.dispatchEvent(copy) ?? true;
  if (!isFree) event.preventDefault();
});

window.addEventListener("popstate", () => {
  clearTimeout(pending);
  showAddress();
});

/** Opens the source in the address bar; without one, shows the start page. */
function showAddress(): void {
  const target = readQuery(location.search);
  if (target) showTarget(target);
  else {
    setNotice("");
    showGallery();
  }
}

/** Aborted when another source is opened. */
let thumbnails = new AbortController();

function showGallery(): void {
  main.hidden = true;
  gallery.hidden = false;
  thumbnails.abort();
  thumbnails = new AbortController();
  void fillGallery(thumbnails.signal);
  if (readQuery(location.search)) return;
  input.value = "";
  document.title = text.page.title;
}

/** Samples of the server. */
let offers: Promise<Offer[]> | undefined;

async function fillGallery(signal: AbortSignal): Promise<void> {
  const list = byId("gallery-list");
  const { fetchOffers, fillThumbnails, galleryView } = await import("./page/gallery.js");
  offers ??= fetchOffers();
  const found = await offers;
  if (!list.hasChildNodes()) list.replaceChildren(galleryView(found, goTo));
  if (!signal.aborted) fillThumbnails(list, signal);
}

byId("home").addEventListener("click", (event) => {
  const { ctrlKey, metaKey, shiftKey } = event;
  if (ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  goTo(location.pathname);
});

const recentSources = () => import("./page/recent.js");
const recent = byId<HTMLDetailsElement>("recent");
recent.addEventListener("toggle", () => {
  if (recent.open) void recentSources().then(({ showRecent }) => showRecent(recent, take, goTo));
});

showAddress();
