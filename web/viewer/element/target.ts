/** What a viewer was asked for: whether it is an address, whether it is what is open, and what is said of it. */
import type { Source } from "zarr-wasm";
import { factsOf, resolveState, type ViewState, type WantedState } from "../model/state.js";
import type { Explanation, Place, Stage } from "../panels/messages.js";
import type { Dataset } from "../source/dataset.js";
import type { RefusedAddress } from "../source/open.js";
import type { ViewerTarget } from "./options.js";

export const isAddress = (source: Source): source is string | URL =>
  typeof source === "string" || source instanceof URL;

/** The whole address of a source, for people. */
export function absolute(source: string | URL): string {
  return URL.canParse(source, location.href) ? new URL(source, location.href).href : String(source);
}

export function isSamePlace(a: ViewerTarget, b: ViewerTarget): boolean {
  const isSameSource =
    isAddress(a.source) && isAddress(b.source)
      ? String(a.source) === String(b.source)
      : a.source === b.source;
  return (
    isSameSource &&
    (a.path ?? "") === (b.path ?? "") &&
    a.as === b.as &&
    a.variable === b.variable &&
    (a.v1Order ?? "spec") === (b.v1Order ?? "spec")
  );
}

/** The state asked for; axes may be given by their names. */
export function resolveFor(dataset: Dataset, wanted: WantedState): ViewState {
  const axes = Array.isArray(wanted.axes)
    ? wanted.axes.map((axis) =>
        typeof axis === "string" ? dataset.axes.findIndex(({ name }) => name === axis) : axis,
      )
    : undefined;
  return resolveState(factsOf(dataset), axes ? { ...wanted, axes } : wanted);
}

/** Page and source, as far as they matter to what has gone wrong. */
export function failingPlace({ source }: ViewerTarget, stage: Stage): Place {
  const { protocol: pageProtocol, origin: pageOrigin } = location;
  return { stage, pageProtocol, pageOrigin, source: isAddress(source) ? absolute(source) : "" };
}

/** Why an address cannot be opened. */
export const refusal = ({ message }: RefusedAddress): Explanation => ({
  title: "The source cannot be used",
  message,
  hints: [],
  details: [],
});
