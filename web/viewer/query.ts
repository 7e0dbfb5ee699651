/**
 * The address of a view: `?source=…&select=4,:,:&axes=1,2&map=magma&range=0:255`.
 *
 * `select` is written as the command line's --select: an index, or start:stop, for every axis. Only what
 * differs from what the viewer would choose anyway is written.
 */
import { type ArrayFacts, resolveSettings, type ViewSettings, type WantedSettings } from "./settings.js";

/** What is viewed: the array's place, how it is opened, and the settings asked for. */
export interface ViewTarget {
  readonly source: string;
  readonly path?: string | undefined;
  readonly v1Order?: "spec" | "writer" | undefined;
  readonly settings?: WantedSettings | undefined;
}

export function readQuery(query: string): ViewTarget | undefined {
  const search = new URLSearchParams(query);
  const source = search.get("source")?.trim();
  if (!source) return undefined;
  const settings: WantedSettings = {
    axes: search.get("axes")?.split(",").map(Number),
    ...readSelect(search.get("select")),
    field: search.get("field") ?? undefined,
    part: search.get("part") ?? undefined,
    colormap: search.get("map") ?? undefined,
    range: readRange(search.get("range")),
  };
  const v1Order = search.get("order") === "writer" ? "writer" : undefined;
  return { source, path: search.get("path") ?? undefined, v1Order, settings };
}

function readSelect(text: string | null): Pick<WantedSettings, "index" | "window"> {
  const entries = text?.split(",") ?? [];
  return {
    index: entries.map((entry) => (/^\d+$/.test(entry) ? Number(entry) : undefined)),
    window: entries.map((entry) => (/^\d+:\d+$/.test(entry) ? entry.split(":").map(Number) : undefined)),
  };
}

function readRange(text: string | null): unknown {
  const match = /^([^:]+):([^:]+)$/.exec(text ?? "");
  return match ? { mode: "manual", low: Number(match[1]), high: Number(match[2]) } : { mode: text };
}

/** The query of a view, with its question mark. */
export function writeQuery(target: ViewTarget, view?: { array: ArrayFacts; settings: ViewSettings }): string {
  const entries: [string, string | undefined][] = [
    ["source", target.source],
    ["path", target.path || undefined],
    ["order", target.v1Order === "writer" ? "writer" : undefined],
    ...(view ? settingsEntries(view.array, view.settings) : []),
  ];
  const parts = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeValue(value)}`],
  );
  return `?${parts.join("&")}`;
}

function settingsEntries(array: ArrayFacts, settings: ViewSettings): [string, string | undefined][] {
  const plain = resolveSettings(array, { field: settings.field, part: settings.part });
  const first = resolveSettings(array, {});
  const unlessPlain = (text: string, plainText: string) => (text === plainText ? undefined : text);
  return [
    ["axes", unlessPlain(settings.axes.join(), plain.axes.join())],
    ["select", unlessPlain(selectText(settings), selectText(plain))],
    ["field", unlessPlain(settings.field, first.field)],
    ["part", unlessPlain(settings.part, first.part)],
    ["map", unlessPlain(settings.colormap, plain.colormap)],
    ["range", unlessPlain(rangeText(settings), rangeText(plain))],
  ];
}

function selectText({ axes, index, window }: ViewSettings): string {
  return index.map((at, axis) => (axes.includes(axis) ? (window[axis]?.join(":") ?? ":") : at)).join();
}

function rangeText({ range }: ViewSettings): string {
  return range.mode === "manual" ? `${range.low}:${range.high}` : range.mode;
}

/** Percent-encodes what a query cannot hold, and leaves readable what it can. */
function escapeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(2F|3A|2C|40)/g, (code) => decodeURIComponent(code));
}
