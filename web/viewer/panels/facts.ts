/** The array's facts: what its metadata says. */
import type { Scalar, ZarrArray } from "zarr-wasm";
import { h } from "../base/dom.js";
import { formatByteCount, formatNumber, formatScalar, formatShape, formatType } from "../base/format.js";

/** A list of facts about an array. */
export function factsPanel(array: ZarrArray): HTMLElement {
  return h(
    "section",
    { class: "zw-card zw-facts", role: "group", "aria-label": "Facts about the array" },
    h("h3", {}, "Array"),
    h(
      "dl",
      {},
      ...factsOf(array).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    attributesDetails(array.attributes),
  );
}

/** A node's attributes by themselves; undefined where there are none. */
export function attributesPanel(title: string, attributes: ZarrArray["attributes"]): HTMLElement | undefined {
  const details = attributesDetails(attributes);
  return (
    details && h("section", { class: "zw-card zw-facts", "aria-label": title }, h("h3", {}, title), details)
  );
}

function attributesDetails(attributes: ZarrArray["attributes"]): HTMLElement | undefined {
  const count = Object.keys(attributes).length;
  if (count === 0) return undefined;
  return h(
    "details",
    { open: count <= 6 },
    h("summary", {}, `Attributes (${count})`),
    h("pre", { tabindex: 0 }, attributesText(attributes)),
  );
}

function factsOf(array: ZarrArray): [string, Node | string][] {
  const { shape, chunkShape, dtype } = array;
  const product = (lengths: readonly number[]) => lengths.reduce((a, b) => a * b, 1);
  const grid = shape.map((length, axis) => Math.ceil(length / chunkShape[axis]!));
  const names = array.dimensionNames?.map((name) => name ?? "–").join(", ");
  const facts: [string, Node | string | undefined][] = [
    ["Shape", formatShape(shape)],
    ["Dimensions", names],
    ["Data type", formatType(dtype)],
    ["Size", dtype.isVariable ? undefined : formatByteCount(product(shape) * dtype.itemBytes)],
    ["Chunk shape", formatShape(chunkShape)],
    ["Shard shape", array.shardShape && formatShape(array.shardShape)],
    [
      "Chunks",
      `${product(grid).toLocaleString("en")}${dtype.isVariable ? "" : `, each ${formatByteCount(product(chunkShape) * dtype.itemBytes)}`}`,
    ],
    ["Fill value", fillText(array)],
    ["Codecs", codecList(array)],
    ["Zarr format", String(array.zarrFormat)],
  ];
  return facts.filter((fact): fact is [string, Node | string] => fact[1] !== undefined);
}

function fillText({ fillValue, dtype }: ZarrArray): string {
  if (fillValue === null) return "none (reads as zeros)";
  return typeof fillValue === "number"
    ? formatNumber(dtype, fillValue)
    : formatScalar(dtype, fillValue as Scalar);
}

function codecList({ codecs }: ZarrArray): HTMLElement {
  return h(
    "ol",
    { class: "zw-codecs" },
    ...codecs.map(({ name, configuration }) => {
      const options = Object.entries(configuration ?? {}).map(
        ([key, value]) => `${key} ${optionText(value)}`,
      );
      return h("li", {}, h("b", {}, name), options.length > 0 && ` ${options.join(", ")}`);
    }),
  );
}

function optionText(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  return JSON.stringify(value);
}

/** Attributes as indented JSON; integers beyond 2⁵³ and non-finite numbers as they are written in Zarr. */
function attributesText(attributes: unknown): string {
  return JSON.stringify(
    attributes,
    (_key, value) => {
      if (typeof value === "bigint") return String(value);
      return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
    },
    2,
  );
}
