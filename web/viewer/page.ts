/** The page: the source's address, samples, and the address bar around one viewer. */
import { h } from "./dom.js";
import { readQuery, type ViewTarget, writeQuery } from "./query.js";
import { fetchSamples, type Sample, sampleLinks } from "./samples.js";
import { mountViewer, type View } from "./viewer.js";

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const input = byId<HTMLInputElement>("source");
const main = byId("viewer");
const sampleList = byId("samples");

const viewer = mountViewer(main, { onChange: remember });

/** The last change that made an entry in the history: a drag of one control makes only one. */
let last = { control: "", time: Number.NEGATIVE_INFINITY };
const sameDrag = 1000; // milliseconds

/** An address that waits for the end of a drag: browsers allow only so many changes in a while. */
let pending: ReturnType<typeof setTimeout> | undefined;
const restAfterDrag = 200; // milliseconds

/** Keeps what is shown in the address bar, so that it can be shared and gone back to. */
function remember({ target, array, settings }: View, control: string): void {
  const place: ViewTarget = { ...target, source: String(target.source) };
  const query = writeQuery(place, { array, settings });
  const now = performance.now();
  const isDrag = control !== "open" && control === last.control && now - last.time < sameDrag;
  last = { control, time: now };
  // An array that was just opened has its entry already, except when it was opened in another order.
  const isEntered =
    control === "open" && (readQuery(location.search)?.v1Order ?? "spec") === (place.v1Order ?? "spec");
  clearTimeout(pending);
  if (isDrag) pending = setTimeout(() => history.replaceState(null, "", query), restAfterDrag);
  else if (query === location.search) return;
  else if (isEntered) history.replaceState(null, "", query);
  else history.pushState(null, "", query);
}

function showTarget(target: ViewTarget): void {
  input.value = target.source;
  document.title = `${target.source.split("/").filter(Boolean).at(-1)} – zarr-wasm viewer`;
  byId("welcome").hidden = true;
  markSample();
  void viewer.show(target);
}

/** Marks the sample that is shown in the list, if it is one. */
function markSample(): void {
  for (const link of sampleList.querySelectorAll("a")) {
    if (link.dataset["source"] === input.value) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function openSource(source: string): void {
  clearTimeout(pending);
  last = { control: "", time: Number.NEGATIVE_INFINITY };
  if (viewer.view?.target.source === source) return void viewer.reload();
  const target: ViewTarget = { source };
  history.pushState(null, "", writeQuery(target));
  showTarget(target);
}

byId<HTMLFormElement>("open").addEventListener("submit", (event) => {
  event.preventDefault();
  const source = input.value.trim();
  if (source !== "") openSource(source);
});

window.addEventListener("popstate", () => {
  clearTimeout(pending);
  showAddress();
});

let samples: readonly Sample[] = [];

/** Shows what the address bar says; without a source, the first sample. */
function showAddress(): void {
  const [first] = samples;
  const target = readQuery(location.search) ?? (first && { source: first.source });
  if (target) showTarget(target);
}

async function start(): Promise<void> {
  const isAsked = readQuery(location.search) !== undefined;
  // What was asked for does not wait for the list of samples.
  if (isAsked) showAddress();
  samples = await fetchSamples();
  const address = ({ source }: Sample) => writeQuery({ source });
  const links = sampleLinks(samples, address, ({ source }) => openSource(source));
  sampleList.replaceChildren(...links.map((link) => h("li", {}, link)));
  byId("sample-bar").hidden = samples.length === 0;
  byId("welcome").hidden = isAsked || samples.length > 0;
  if (isAsked) markSample();
  else showAddress();
}

void start();
