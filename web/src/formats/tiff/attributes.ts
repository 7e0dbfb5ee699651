/** Attributes and fill values from tags: strings, resolution, GDAL's metadata and nodata value. */

import { integersJson, jsonObject } from "../../metadata/print.js";
import { isZarrError } from "../../util/errors.js";
import { type Json, JsonNumber, setOwn } from "../../util/json.js";
import type { Limits } from "../../util/limits.js";
import { floatFillAttribute, floatJson, zeroFill } from "../file/documents.js";
import type { Page } from "./ifd.js";
import type { PageLayout } from "./layout.js";
import { photometricNames, tags, textTags } from "./tags.js";
import { childrenOf, parseXml } from "./xml.js";

/** Entries of an attributes object. */
export type Entries = [string, Json][];

/** Maximum length of a string that becomes an attribute, in bytes; OME-XML and other conventions read longer ones. */
const maxText = 2 ** 16;

/** Returns the tags of a page as attributes, under their names. */
export async function pageAttributes(page: Page, layout: PageLayout): Promise<Entries> {
  const entries: Entries = [];
  for (const [tag, name] of textTags) {
    if (page.count(tag) === 0 || page.count(tag) > maxText) continue;
    entries.push([name, (await page.text(tag, maxText * 8)) ?? ""]);
  }
  entries.push([
    "PhotometricInterpretation",
    photometricNames.get(layout.photometric) ?? String(layout.photometric),
  ]);
  const extra = await page.numbers(tags.extraSamples);
  if (extra.length > 0) entries.push(["ExtraSamples", integersJson(extra.slice(0, layout.samples))]);
  entries.push(...(await resolution(page)));
  if (layout.photometric === 3 && page.count(tags.colorMap) <= 3 * 256 && page.count(tags.colorMap) > 0)
    entries.push(["ColorMap", integersJson(await page.numbers(tags.colorMap))]);
  return entries;
}

/** Rationals stay exact as pairs of numerator and denominator. */
async function resolution(page: Page): Promise<Entries> {
  const entries: Entries = [];
  for (const [tag, name] of [
    [tags.xResolution, "XResolution"],
    [tags.yResolution, "YResolution"],
  ] as const) {
    const [pair] = await page.rationals(tag);
    if (pair) entries.push([name, integersJson(pair)]);
  }
  if (entries.length > 0) {
    const unit = await page.number(tags.resolutionUnit, 2);
    entries.push(["ResolutionUnit", ["none", "inch", "centimeter"][unit - 1] ?? String(unit)]);
  }
  return entries;
}

/** Returns GDAL's metadata as attributes, as rioxarray shows them; those of a band are in lists. */
export async function gdalAttributes(page: Page, samples: number, limits: Limits): Promise<Entries> {
  const text = await page.text(tags.gdalMetadata, limits.metadataBytes);
  if (text === undefined) return [];
  const items = childrenOf(await xmlOf(text), "Item");
  const entries: Entries = [];
  const bands = new Map<string, (string | undefined)[]>();
  const domains: { [name: string]: { [name: string]: Json } } = {};
  for (const { attributes, text: value } of items) {
    const [name, domain] = [attributes.get("name") ?? "", attributes.get("domain")];
    const sample = Number(attributes.get("sample") ?? -1);
    const role = attributes.get("role") ?? name;
    if (domain !== undefined && domain !== "") {
      if (!Object.hasOwn(domains, domain)) setOwn(domains, domain, {});
      setOwn(domains[domain]!, name, value);
    } else if (sample >= 0 && sample < samples) {
      const list = bands.get(role) ?? new Array<string | undefined>(samples).fill(undefined);
      list[sample] = value;
      bands.set(role, list);
    } else entries.push([name, value]);
  }
  for (const [role, values] of bands) entries.push(...bandAttribute(role, values));
  for (const [name, values] of Object.entries(domains)) entries.push([name, values]);
  return entries;
}

async function xmlOf(text: string) {
  try {
    return await parseXml(text, "GDAL_METADATA");
  } catch (error) {
    // Values do not depend on it.
    if (isZarrError(error, "InvalidMetadata")) return undefined;
    throw error;
  }
}

/** Attributes of CF where they say the same for all bands, otherwise lists. */
function bandAttribute(role: string, values: readonly (string | undefined)[]): Entries {
  const [first] = values;
  const isSame = first !== undefined && values.every((value) => value === first);
  if (role === "scale" || role === "offset") {
    const fallback = role === "scale" ? 1 : 0;
    const numbers = values.map((value) => (value === undefined ? fallback : Number(value)));
    if (!numbers.every(Number.isFinite)) return [];
    if (isSame) return [[role === "scale" ? "scale_factor" : "add_offset", floatJson(numbers[0]!)]];
    return [[`${role}s`, numbers.map(floatJson)]];
  }
  const name = role === "unittype" ? "units" : role === "description" ? "long_name" : role;
  return [[name, isSame ? first : values.map((value) => value ?? null)]];
}

interface FillValue {
  readonly fill: Json;
  /** The attribute `_FillValue`, as xarray writes it to Zarr v3; nodata that the type cannot hold as text. */
  readonly attributes: Entries;
}

/** Returns the value of missing chunks: GDAL's nodata value if the data type holds it exactly, otherwise 0. */
export async function fillValue(page: Page, { dataType }: PageLayout): Promise<FillValue> {
  const zero = zeroFill(dataType);
  const text = (await page.text(tags.gdalNodata, 2 ** 10))?.trim();
  if (text === undefined || text === "") return { fill: zero, attributes: [] };
  const float = /^float(\d+)$/.exec(dataType);
  if (float) return floatFill(text, Number(float[1]), zero);
  const integer = /^(u?)int(\d+)$/.exec(dataType);
  const value = integer && integerIn(text);
  const bits = integer ? BigInt(integer[2]!) : 0n;
  const least = integer?.[1] === "u" ? 0n : -(1n << (bits - 1n));
  if (typeof value !== "bigint" || value < least || value >= least + (1n << bits))
    return { fill: zero, attributes: [["GDAL_NODATA", text]] };
  const fill = new JsonNumber(String(value));
  return { fill, attributes: [["_FillValue", fill]] };
}

const integerIn = (text: string): bigint | undefined => {
  if (/^[+-]?\d{1,20}$/.test(text)) return BigInt(text.replace("+", ""));
  const value = Number(text);
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
};

function floatFill(text: string, bits: number, zero: Json): FillValue {
  const isNan = /^[+-]?nan/i.test(text);
  const isInfinite = /^([+-]?)inf/i.exec(text);
  const parsed = isNan ? Number.NaN : isInfinite ? Number(`${isInfinite[1]}Infinity`) : Number(text);
  const value = bits === 32 ? Math.fround(parsed) : parsed;
  const isHalf =
    bits === 16 && Number.isFinite(value) && !(Number.isInteger(value) && Math.abs(value) <= 2048);
  if ((Number.isNaN(value) && !isNan) || isHalf) return { fill: zero, attributes: [["GDAL_NODATA", text]] };
  const fill = Number.isFinite(value) ? floatJson(value) : String(value);
  return { fill, attributes: [["_FillValue", floatFillAttribute(value)]] };
}

/** Returns a JSON object; of entries with the same name, the first one counts. */
export const attributesOf = (entries: Entries) => {
  const unique = new Map<string, Json>();
  for (const [name, value] of entries) if (!unique.has(name)) unique.set(name, value);
  return jsonObject(unique);
};
