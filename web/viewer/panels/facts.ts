/** Facts about an array from its metadata. */
import type { Scalar, ZarrArray } from "zarr-wasm";
import { h } from "../base/dom.js";
import {
  formatByteCount,
  formatCount,
  formatNumber,
  formatScalar,
  formatShape,
  formatType,
} from "../base/format.js";
import { maxText, shortened, shortName } from "../base/text.js";
import { text as texts } from "../language/text.js";
import { storedArray } from "../source/folds.js";
import { card, type Panel } from "./panel.js";

/** Maximum lengths of displayed attributes and codec options. */
const maxAttributeText = 20_000;
const maxOptionText = 300;

/** Maximum number of displayed options of a codec. */
const maxOptions = 20;

export const factsPanel: Panel = {
  name: "facts",
  tab: "share",
  isFolded: true,
  title: () => texts.facts.title,
  build: ({ dataset }) => {
    const array = storedArray(dataset.array);
    const rows = factRows(array).map(([name, value]) =>
      h(
        "div",
        {},
        h("dt", {}, name),
        h("dd", {}, typeof value === "string" ? shortened(value, maxText) : value),
      ),
    );
    const details = attributesDetails(array.attributes);
    return [{ element: h("dl", {}, ...rows) }, ...(details ? [{ element: details }] : [])];
  },
};

/** The attributes of a node; undefined if it has none. */
export function attributesCard(title: string, attributes: ZarrArray["attributes"]): HTMLElement | undefined {
  const details = attributesDetails(attributes);
  return details && card({ name: "facts" }, title, [{ element: details }]);
}

function attributesDetails(attributes: ZarrArray["attributes"]): HTMLElement | undefined {
  const count = Object.keys(attributes).length;
  if (count === 0) return undefined;
  const { text, isWhole } = jsonText(attributes, maxAttributeText, 2);
  return h(
    "details",
    { open: count <= 6 },
    h("summary", {}, texts.facts.attributes(formatCount(count))),
    h("pre", { tabindex: 0 }, text),
    !isWhole && h("p", { class: "zw-advice" }, texts.facts.longer),
  );
}

function factRows(array: ZarrArray): [string, Node | string][] {
  const { shape, chunkShape, dtype } = array;
  const product = (lengths: readonly number[]) => lengths.reduce((a, b) => a * b, 1);
  const grid = shape.map((length, axis) => Math.ceil(length / chunkShape[axis]!));
  const names = array.dimensionNames?.map((name) => (name === null ? "–" : shortName(name))).join(", ");
  const facts: [string, Node | string | undefined][] = [
    [texts.facts.shape, formatShape(shape)],
    [texts.facts.dimensions, names],
    [texts.facts.dtype, formatType(dtype)],
    [texts.facts.size, dtype.isVariable ? undefined : formatByteCount(product(shape) * dtype.itemBytes)],
    [texts.facts.chunkShape, formatShape(chunkShape)],
    [texts.facts.shardShape, array.shardShape && formatShape(array.shardShape)],
    [
      texts.facts.chunks,
      texts.facts.chunkCount(
        formatCount(product(grid)),
        dtype.isVariable ? undefined : formatByteCount(product(chunkShape) * dtype.itemBytes),
      ),
    ],
    [texts.facts.fillValue, fillText(array)],
    [texts.facts.codecs, codecList(array)],
    [texts.facts.format, String(array.zarrFormat)],
  ];
  return facts.filter((fact): fact is [string, Node | string] => fact[1] !== undefined);
}

function fillText({ fillValue, dtype }: ZarrArray): string {
  if (fillValue === null) return texts.facts.noFill;
  return typeof fillValue === "number"
    ? formatNumber(dtype, fillValue)
    : formatScalar(dtype, fillValue as Scalar);
}

function codecList({ codecs }: ZarrArray): HTMLElement {
  return h(
    "ol",
    { class: "zw-codecs" },
    ...codecs.map(({ name, configuration }) => {
      const options = Object.entries(configuration ?? {})
        .slice(0, maxOptions)
        .map(([key, value]) => `${shortName(key)} ${optionText(value)}`);
      return h("li", {}, h("b", {}, shortName(name)), options.length > 0 && ` ${options.join(", ")}`);
    }),
  );
}

function optionText(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return shortName(String(value));
  return jsonText(value, maxOptionText, 0).text;
}

/** JSON up to a maximum length. */
interface Written {
  readonly text: string;
  readonly isWhole: boolean;
}

/**
 * Formats a value as JSON of at most `max` characters, without visiting more of it. Integers beyond 2⁵³ and
 * non-finite numbers are written as strings.
 */
export function jsonText(value: unknown, max: number, indent: number): Written {
  const writer = new JsonWriter(max, indent);
  writer.write(value, "");
  return { text: writer.text, isWhole: writer.isWhole };
}

class JsonWriter {
  text = "";
  isWhole = true;

  constructor(
    private readonly max: number,
    private readonly indent: number,
  ) {}

  write(value: unknown, margin: string): void {
    if (typeof value === "string") this.#add(this.#quoted(value));
    else if (typeof value === "bigint") this.#add(`"${value}"`);
    else if (typeof value === "number" && !Number.isFinite(value)) this.#add(`"${value}"`);
    else if (typeof value !== "object" || value === null) this.#add(JSON.stringify(value) ?? "null");
    else if (Array.isArray(value))
      this.#list("[", "]", value.keys(), margin, (i, inner) => this.write(value[i], inner));
    else {
      const object = value as Readonly<Record<string, unknown>>;
      this.#list("{", "}", Object.keys(object), margin, (key, inner) => {
        this.#add(`${this.#quoted(key)}:${this.indent > 0 ? " " : ""}`);
        this.write(object[key], inner);
      });
    }
  }

  #quoted(text: string): string {
    if (text.length > this.max) this.isWhole = false;
    return JSON.stringify(shortened(text, this.max));
  }

  #list<K>(
    start: string,
    end: string,
    keys: Iterable<K>,
    margin: string,
    write: (key: K, inner: string) => void,
  ): void {
    const inner = margin + " ".repeat(this.indent);
    const line = (space: string) => (this.indent > 0 ? `\n${space}` : "");
    let isEmpty = true;
    this.#add(start);
    for (const key of keys) {
      if (!this.isWhole) return;
      this.#add(isEmpty ? line(inner) : `,${line(inner)}`);
      isEmpty = false;
      write(key, inner);
    }
    this.#add(isEmpty ? end : line(margin) + end);
  }

  #add(text: string): void {
    if (!this.isWhole && this.text.length >= this.max) return;
    this.text += text;
    if (this.text.length <= this.max) return;
    this.text = `${this.text.slice(0, this.max)}…`;
    this.isWhole = false;
  }
}
