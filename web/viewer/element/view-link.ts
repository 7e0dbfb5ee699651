/** Shares a view: as an address, and as a request for generated code. */
import type { CodeRequest } from "../model/code.js";
import { writeQuery } from "../model/query.js";
import { arrayFacts } from "../model/state.js";
import type { ViewerView } from "./options.js";
import type { PlaneView } from "./plane-view.js";
import { absolute, isAddress } from "./target.js";

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
