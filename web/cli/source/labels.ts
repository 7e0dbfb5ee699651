/** Selections by label on the command line: `--sel time=2001-07,lat=50.5`. */
import { isZarrError, open, type Selection, type ZarrArray } from "zarr-wasm";
import { decodeCF, type Label, type LabelSelection, sel } from "zarr-wasm/conventions";
import { UsageError } from "../options/options.js";

/** Labels of a dimension as text; a quoted one is a string, whatever it looks like. */
interface Entry {
  readonly name: string;
  readonly values: string[];
}

const number = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const clock = String.raw`[T ]\d\d(?::?\d\d(?::?\d\d(?:\.\d+)?)?)?\s*(?:Z|[+-]\d\d(?::?\d\d)?)?`;
const time = String.raw`[+-]?\d{4,6}(?:-\d\d(?:-\d\d(?:${clock})?)?)?`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;

const isNumber = new RegExp(`^${number}$`, "i");
/** A single time contains colons, too. */
const isTime = new RegExp(`^${time}$`, "i");
const isYearOrMonth = /^[+-]?\d{4,6}(-\d\d)?$/;
const isQuoted = new RegExp(`^${quoted}$`);
const interval = new RegExp(`^(${time}|${number})?:(${time}|${number})?(?::(\\d+)?)?$`, "i");

/** Splits text at commas outside quotes. */
const parts = (text: string) => text.match(new RegExp(`(?:${quoted}|[^,])+`, "g")) ?? [];

/** Parses `time=2001-01:2001-03,level=500,850`: a part without a name continues the list before it. @throws UsageError. */
export function parseLabels(texts: readonly string[]): readonly Entry[] {
  const entries: Entry[] = [];
  for (const part of texts.flatMap(parts)) {
    const [, name = "", value = part] = /^([^="]+)=(.*)$/s.exec(part) ?? [];
    const last = entries.at(-1);
    if (value.trim() === "" || (name === "" && !last))
      throw new UsageError(`--sel takes NAME=LABEL, such as time=2001-07 or lat=40:50, got "${part}"`);
    if (name === "") last!.values.push(value.trim());
    else entries.push({ name: name.trim(), values: [value.trim()] });
  }
  const twice = entries.find(({ name }, i) => entries.findIndex((entry) => entry.name === name) < i);
  if (twice) throw new UsageError(`--sel selects twice along "${twice.name}"`);
  if (entries.length === 0) throw new UsageError("--sel is empty");
  for (const entry of entries) labelSelection(entry, true); // reports lists of intervals
  return entries;
}

/** Converts labels to a selection of an array. @throws the errors of `sel`. */
export async function selectLabels(
  array: ZarrArray,
  entries: readonly Entry[],
  isNearest = false,
): Promise<Selection> {
  const wanted = await Promise.all(
    entries.map(async (entry) => {
      const kind = await kindOfLabels(array, entry.name);
      const selection = labelSelection(entry, kind !== "numbers");
      // The nearest element of a year or month is not one: all of its elements are selected.
      const isTimeText = kind === "times" && typeof selection === "string";
      const isPeriod = isNearest && isTimeText && isYearOrMonth.test(selection);
      return [entry.name, isPeriod ? { start: selection, stop: selection } : selection] as const;
    }),
  );
  return sel(array, Object.fromEntries(wanted), { method: isNearest ? "nearest" : "exact" });
}

/** @param isText whether labels that look like numbers are strings, such as years. */
function labelSelection({ name, values }: Entry, isText: boolean): LabelSelection {
  const [only] = values as [string];
  if (values.length === 1 && only === ":") return null;
  if (values.length === 1 && isInterval(only)) {
    const [, start, stop, step] = interval.exec(only)!;
    const end = (text: string | undefined) => (text === undefined ? null : toLabel(text, isText));
    return { start: end(start), stop: end(stop), step: step === undefined ? null : Number(step) };
  }
  if (values.some(isInterval))
    throw new UsageError(`--sel ${name} must be one interval or a list of labels, got "${values.join(",")}"`);
  const labels = values.map((text) => toLabel(text, isText));
  return labels.length === 1 ? labels[0]! : { each: labels };
}

const isInterval = (text: string) => !isTime.test(text) && interval.test(text);

function toLabel(text: string, isText: boolean): Label {
  if (isQuoted.test(text)) return unquoted(text);
  if (isText || !isNumber.test(text)) return text;
  const value = Number(text);
  return /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--sel takes quoted labels as JSON strings, got ${text}`);
  }
}

/** Kind of the coordinates with a name; numbers if they are missing, which `sel` reports. */
async function kindOfLabels(
  { store, path, limits, zarrFormat }: ZarrArray,
  name: string,
): Promise<"texts" | "times" | "numbers"> {
  const place = [...path.split("/").slice(0, -1), name].join("/");
  try {
    const found = await open(store, { path: place, kind: "array", version: zarrFormat, limits });
    if (found.dtype.isVariable || found.dtype.core.startsWith("fixed_")) return "texts";
    const nothing = { data: new Float64Array(0), shape: [0], stride: [1] };
    const isTime = found.dtype.core === "datetime64" || decodeCF(found, nothing).kind === "milliseconds";
    return isTime ? "times" : "numbers";
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return "numbers"; // as `sel` reads times of calendars without real days
  }
}
