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
  // The source is relative if the page reads from its own server.
  const source = url.origin === location.origin ? String(target.source) : absolute(target.source);
  url.search = writeQuery({ ...target, source }, { array: arrayFacts(dataset), settings });
  return url.href;
}

/** The data that a generated program reads; undefined for a store of the page. */
export function codeRequest(
  { target, dataset, settings: state }: ViewerView,
  plane: PlaneView | undefined,
): CodeRequest | undefined {
  if (!isAddress(target.source)) return undefined;
  const { seen, level } = plane ?? {};
  return { source: absolute(target.source), v1Order: target.v1Order, dataset, state, seen, level };
}
