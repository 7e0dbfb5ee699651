/** The requested source: compared with the open one, described, shared as an address and for generated code. */
import type { Source } from "zarr-wasm";
import type { CodeRequest } from "../model/code.js";
import { writeQuery } from "../model/query.js";
import { arrayFacts, resolveState, type ViewState, type WantedState } from "../model/state.js";
import type { ErrorContext, FailedOperation } from "../panels/error-advice.js";
import type { Dataset } from "../source/dataset.js";
import type { ViewerTarget, ViewerView } from "./options.js";
import type { PlaneView } from "./plane-view.js";

export const isAddress = (source: Source): source is string | URL =>
  typeof source === "string" || source instanceof URL;

/** The absolute address of a source, for display. */
export function absolute(source: string | URL): string {
  return URL.canParse(source, location.href) ? new URL(source, location.href).href : String(source);
}

export function isSameTarget(a: ViewerTarget, b: ViewerTarget): boolean {
  const isSameSource =
    isAddress(a.source) && isAddress(b.source)
      ? String(a.source) === String(b.source)
      : a.source === b.source;
  return (
    isSameSource &&
    (a.path ?? "") === (b.path ?? "") &&
    a.as === b.as &&
    a.variable === b.variable &&
    a.derive === b.derive &&
    a.plate === b.plate &&
    (a.v1Order ?? "spec") === (b.v1Order ?? "spec")
  );
}

/** Names of unknown settings that have been reported. */
const unknownNames = new Set<string>();

/** Resolves a requested state; axes may be given by name. Warns once of each unknown setting. */
export function resolveFor(dataset: Dataset, wanted: WantedState): ViewState {
  const axes = Array.isArray(wanted.axes)
    ? wanted.axes.map((axis) =>
        typeof axis === "string" ? dataset.axes.findIndex(({ name }) => name === axis) : axis,
      )
    : undefined;
  const state = resolveState(arrayFacts(dataset), axes ? { ...wanted, axes } : wanted);
  for (const name of Object.keys(wanted)) {
    if (name in state || unknownNames.has(name)) continue;
    unknownNames.add(name);
    console.warn(`zarr-wasm: the viewer has no setting "${name}"; expected ${Object.keys(state).join(", ")}`);
  }
  return state;
}

/** Page and source as context of an error. */
export function errorContext({ source }: ViewerTarget, operation: FailedOperation): ErrorContext {
  const { protocol: pageProtocol, origin: pageOrigin } = location;
  return { operation, pageProtocol, pageOrigin, source: isAddress(source) ? absolute(source) : "" };
}

/** The address of a view on a viewer page; undefined for a store of the page. */
export function viewLink({ target, dataset, settings }: ViewerView, page: string): string | undefined {
  if (!isAddress(target.source)) return undefined;
  const url = new URL(page, location.href);
  // Sources are relative if the page reads from its own server.
  const reachable = (source: string | URL) =>
    url.origin === location.origin ? String(source) : absolute(source);
  const layers = settings.layers.map((layer) => ({
    ...layer,
    source: typeof layer.source === "string" ? reachable(layer.source) : layer.source,
  }));
  const view = { array: arrayFacts(dataset), settings: { ...settings, layers } };
  url.search = writeQuery({ ...target, source: reachable(target.source) }, view);
  return url.href;
}

/** The data that a generated program reads; undefined for a store of the page, and for a scatter plot. */
export function codeRequest(
  { target, dataset, settings: state }: ViewerView,
  plane: PlaneView | undefined,
): CodeRequest | undefined {
  if (!isAddress(target.source) || dataset.embedding) return undefined;
  const { seen, level } = plane ?? {};
  return { source: absolute(target.source), v1Order: target.v1Order, dataset, state, seen, level };
}
