/**
 * The address of a view: `?source=…&select=4,:,:&axes=1,2&map=magma&range=0:255&at=512,300,2`.
 *
 * `select` has the syntax of the command line's --select: an index or start:stop for every axis. Only
 * settings that differ from the viewer's defaults are written. Attributes of the component have the same
 * syntax.
 */
import { type ArrayFacts, entries, resolveState, type ViewState, type WantedState } from "./state.js";

/** The viewed array: its address, how it is opened, and the requested settings. */
export interface ViewTarget {
  readonly source: string;
  readonly path?: string | undefined;
  readonly v1Order?: "spec" | "writer" | undefined;
  /** "contents" lists a group even if it could be shown otherwise. */
  readonly as?: "contents" | undefined;
  /** The variable of a dataset. */
  readonly variable?: string | undefined;
  /** The computation on the variable: "mean:time". */
  readonly derive?: string | undefined;
  /** The planes that the wells of a plate show. */
  readonly plate?: string | undefined;
  readonly settings?: WantedState | undefined;
}

/** Settings that `entries` cover. */
const named = new Set<string>(entries.flatMap(({ read }) => Object.keys(read(""))));

/** The rest of the state as JSON, so that an address holds the complete state. */
const restName = "more";

/** Names of the parts of the state in an address. */
export const settingNames: readonly string[] = [...entries.map(({ name }) => name), restName];

/** A setting as it was given: as text with its name in addresses, or as a part of the state. */
export interface GivenSetting {
  readonly name: string;
  readonly value: unknown;
  readonly isText?: boolean | undefined;
}

/** The settings that are given as text. */
export function givenTexts(
  names: readonly string[],
  textOf: (name: string) => string | null,
): readonly GivenSetting[] {
  return names.flatMap((name) => {
    const value = textOf(name);
    return value === null ? [] : [{ name, value, isText: true }];
  });
}

/** The settings that a program gives. */
export const givenValues = (wanted: WantedState = {}): readonly GivenSetting[] =>
  Object.entries(wanted).map(([name, value]) => ({ name, value }));

/** The name in an address of a part of the state. */
export const settingNameOf = (key: string): string =>
  entries.find(({ read }) => key in read(""))?.name ?? key;

/** Reads the requested settings from strings, by their names in an address. */
export function readSettings(textOf: (name: string) => string | null): WantedState {
  const found = entries.map(({ name, read }) => {
    const text = textOf(name)?.trim();
    return text ? read(text) : {};
  });
  const indices = found.flatMap(({ index }) => (Array.isArray(index) ? [index as readonly unknown[]] : []));
  const index = indices.length > 0 ? { index: mergedIndex(indices) } : {};
  const labels = found.map((part) => part.labels).filter((part) => part !== undefined);
  const merged = labels.length > 0 ? { labels: Object.assign({}, ...labels) } : {};
  return Object.assign(readRest(textOf(restName)), ...found, index, merged) as WantedState;
}

/** Merges lists: along each axis the first defined entry. */
function mergedIndex(lists: readonly (readonly unknown[])[]): unknown[] {
  const length = Math.max(...lists.map((list) => list.length));
  return Array.from({ length }, (_, axis) => lists.map((list) => list[axis]).find((at) => at !== undefined));
}

/** The parts of the state that a string of one of `settingNames` sets, with their defaults. */
export function unsetSettings(name: string): WantedState {
  const read = entries.find((entry) => entry.name === name)?.read ?? (() => ({}));
  return Object.fromEntries(Object.keys(read("")).map((key) => [key, undefined]));
}

export function readQuery(query: string): ViewTarget | undefined {
  const search = new URLSearchParams(query);
  const source = search.get("source")?.trim();
  if (!source) return undefined;
  const v1Order = search.get("order") === "writer" ? "writer" : undefined;
  const as = search.get("as") === "contents" ? "contents" : undefined;
  const settings = readSettings((name) => search.get(name));
  const texts = ["path", "variable", "derive", "plate"].map((name) => search.get(name) ?? undefined);
  const [path, variable, derive, plate] = texts;
  return { source, path, v1Order, as, variable, derive, plate, settings };
}

/** The query of a view, including its question mark. */
export function writeQuery(target: ViewTarget, view?: { array: ArrayFacts; settings: ViewState }): string {
  const list: [string, string | undefined][] = [
    ["source", target.source],
    ["path", target.path || undefined],
    ["order", target.v1Order === "writer" ? "writer" : undefined],
    ["as", target.as],
    ["variable", target.variable || undefined],
    ["derive", target.derive || undefined],
    ["plate", target.plate || undefined],
    ...(view ? writeSettings(view.array, view.settings) : []),
  ];
  const parts = list.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeValue(value)}`],
  );
  return `?${parts.join("&")}`;
}

/** Names and strings of the settings that differ from their defaults. */
export function writeSettings(array: ArrayFacts, state: ViewState): [string, string][] {
  const first = resolveState(array, {});
  const plain = resolveState(array, { field: state.field, part: state.part });
  const different = entries.flatMap(({ name, write }): [string, string][] => {
    const text = write(state);
    const isChoice = name === "field" || name === "part";
    const usual = isChoice ? first : name === "index" ? { ...plain, axes: state.axes } : plain;
    return text === write(usual) ? [] : [[name, text]];
  });
  const rest = restText(state, plain);
  return rest === undefined ? different : [...different, [restName, rest]];
}

function readRest(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([key]) => !named.has(key)));
  } catch {
    return {}; // a truncated address
  }
}

function restText(state: ViewState, plain: ViewState): string | undefined {
  const text = (value: unknown) => JSON.stringify(value);
  const different = Object.entries(state).filter(
    ([key, value]) => !named.has(key) && text(value) !== text(plain[key as keyof ViewState]),
  );
  return different.length === 0 ? undefined : text(Object.fromEntries(different));
}

/** Percent-encodes only characters that a query cannot hold, to keep it readable. */
function escapeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(2F|3A|3B|2C|40)/g, (code) => decodeURIComponent(code));
}
