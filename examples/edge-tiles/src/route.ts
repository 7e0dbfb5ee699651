/** Parses request URLs, and writes them in a canonical form, which is the cache key. */
import { badRequest, notThere } from "./failures.js";
import { type MapName, mapNames } from "./colours.js";
import type { Settings } from "./settings.js";

export const formats = ["png", "webp", "raw"] as const;
export type Format = (typeof formats)[number];

/** The selected part of a dataset: a variable, and an index along each axis outside the picture. */
export interface Choice {
  readonly variable: string | undefined;
  readonly indices: ReadonlyMap<string, number>;
}

export interface Style {
  readonly map: MapName;
  /** Values of the first and the last colour; undefined for the dataset's own. */
  readonly range: readonly [low: number, high: number] | undefined;
  /** A value that is drawn transparent, like NaN. */
  readonly nodata: number | undefined;
}

export interface TileRoute {
  readonly kind: "tile";
  readonly dataset: string;
  /** 0 is the coarsest. */
  readonly z: number;
  readonly y: number;
  readonly x: number;
  readonly format: Format;
  readonly choice: Choice;
  readonly style: Style;
}

export interface InfoRoute {
  readonly kind: "info";
  readonly dataset: string;
  readonly choice: Choice;
}

export type Route = TileRoute | InfoRoute;

/** @throws Refusal: 400 for an invalid request, 404 for an unknown path. */
export function parseRoute(url: URL, settings: Settings): Route {
  const path = pathOf(url);
  const tile = /^(.+)\/([^/]+)\/([^/]+)\/([^/]+)\.(png|webp|raw)$/.exec(path);
  if (tile) {
    const [, dataset, z, y, x, format] = tile as unknown as [string, string, string, string, string, Format];
    const query = queryOf(url);
    const style = format === "raw" ? plain : takeStyle(query);
    return {
      kind: "tile",
      dataset: checkDataset(dataset, settings),
      z: natural(z, "the level"),
      y: natural(y, "the row"),
      x: natural(x, "the column"),
      format,
      style,
      choice: takeChoice(query),
    };
  }
  const info = /^(.+)\.json$/.exec(path);
  if (info) return { kind: "info", dataset: checkDataset(info[1]!, settings), choice: takeChoice(queryOf(url)) };
  throw notThere("tiles are at /{dataset}/{z}/{y}/{x}.png, .webp or .raw; its properties are at /{dataset}.json");
}

const plain: Style = { map: "gray", range: undefined, nodata: undefined };

function pathOf({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    throw badRequest("invalid path");
  }
}

/** Accepts only paths of plain names, which cannot leave the store's folder. */
function checkDataset(dataset: string, { datasets }: Settings): string {
  const isPath = dataset.length <= 256 && dataset.split("/").every((name) => /^(?!\.+$)[\w.+=@ -]+$/.test(name));
  if (!isPath) throw badRequest("a dataset's name has letters, digits and . _ - + = @ between its slashes");
  if (datasets && !datasets.has(dataset)) throw notThere("there is no such dataset");
  return dataset;
}

function natural(text: string, what: string): number {
  if (!/^(0|[1-9]\d{0,8})$/.test(text)) throw badRequest(`${what} must be a whole number from 0`);
  return Number(text);
}

/** Parameters by name. `v` is ignored: pages change it to bypass their own caches. */
function queryOf(url: URL): Map<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (query.has(name)) throw badRequest(`"${name.slice(0, 32)}" is there twice`);
    query.set(name, value);
  }
  query.delete("v");
  return query;
}

function take(query: Map<string, string>, name: string): string | undefined {
  const value = query.get(name);
  query.delete(name);
  return value;
}

function takeStyle(query: Map<string, string>): Style {
  const map = take(query, "map") ?? "gray";
  if (!mapNames.includes(map as MapName)) throw badRequest(`map must be one of ${mapNames.join(", ")}`);
  const range = take(query, "range")?.split(",").map(finite("range must be two numbers, low,high"));
  if (range && (range.length !== 2 || range[0] === range[1]))
    throw badRequest("range must be two numbers, low,high, that differ");
  const nodata = take(query, "nodata");
  return {
    map: map as MapName,
    range: range as [number, number] | undefined,
    nodata: nodata === undefined ? undefined : finite("nodata must be a number")(nodata),
  };
}

const finite = (message: string) => (text: string) => {
  const value = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw badRequest(message);
  return value;
};

/** Treats the remaining parameters as indices along axes; the dataset checks their names. */
function takeChoice(query: Map<string, string>): Choice {
  const variable = take(query, "variable");
  if (variable !== undefined && !/^(?!\.+$)[\w.-]{1,128}$/.test(variable))
    throw badRequest("variable must be the name of an array");
  if (query.size > 8) throw badRequest("there are too many parameters");
  const indices = new Map<string, number>();
  for (const [name, value] of query) {
    if (!/^[A-Za-z_][\w-]{0,63}$/.test(name)) throw badRequest("a parameter has no name of an axis");
    indices.set(name, natural(value, name));
  }
  return { variable, indices };
}

/** The path and query of a route: equal for equivalent URLs. */
export function canonical(route: Route): string {
  const { dataset, choice } = route;
  const query = new URLSearchParams();
  if (choice.variable !== undefined) query.set("variable", choice.variable);
  for (const [name, index] of choice.indices) if (index !== 0) query.set(name, String(index));
  if (route.kind === "tile") {
    const { map, range, nodata } = route.style;
    if (map !== "gray") query.set("map", map);
    if (range) query.set("range", range.join(","));
    if (nodata !== undefined) query.set("nodata", String(nodata));
  }
  query.sort();
  const place = route.kind === "tile" ? `/${route.z}/${route.y}/${route.x}.${route.format}` : ".json";
  const path = dataset.split("/").map(encodeURIComponent).join("/");
  return `/${path}${place}${query.size > 0 ? `?${query}` : ""}`;
}
