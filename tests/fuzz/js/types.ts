/** Data types and fill values in the formats of all versions. */

import { parseFill } from "../../../dist/dtypes/fill.js";
import { fillJson } from "../../../dist/dtypes/fill-print.js";
import { parseDescr } from "../../../dist/dtypes/typestr.js";
import { parseDataType } from "../../../dist/dtypes/v3.js";
import { type DType, isZarrError } from "../../../dist/index.js";
import { type Json, toPlain } from "../../../dist/util/json.js";
import { parseJson } from "../../../dist/util/json-reader.js";
import { triedTypes } from "../../node/support/data-types.js";
import { mutatedText } from "./mutations.js";
import { type FuzzTarget, holds, textBytes, throwFirst } from "./target.js";

const fills = [
  "null",
  "0",
  "-1",
  "true",
  '"NaN"',
  "NaN",
  '"0x7fc00000"',
  "[1.5,-2]",
  '"AAECAw=="',
  '""',
  '"abc"',
  "1e300",
  '{"a":1,"b":2}',
  "-9223372036854775808",
  '"NaT"',
  "3.4028236e38",
];

/** Documents of the form [data type, fill value]. */
const seeds = triedTypes.flatMap(({ numpy, v3 }) =>
  [numpy, v3].flatMap((type) =>
    type === undefined ? [] : fills.map((fill) => `[${JSON.stringify(type)},${fill}]`),
  ),
);

const types: FuzzTarget = {
  name: "types",
  inputs: mutatedText(seeds),
  covers: ["dtypes/fill", "dtypes/typestr.js", "dtypes/v3.js"],
  tags: ["InvalidMetadata", "Unsupported", "LimitExceeded"],
  run: (input) => {
    const json = parseJson(input, { name: "types", maxDepth: 64, bareNonFinite: true });
    if (!Array.isArray(json) || json.length < 2) return;
    const [type, fill] = json as [Json, Json];
    const failures = [
      failureOf(() => check(parseDescr(type, true, { objects: true }).dtype, fill, "loose", 2)),
      failureOf(() => check(parseDataType(toPlain(type)), fill, "strict", 3)),
    ].filter((error) => error !== undefined);
    // A type is usually valid in one version only.
    if (failures.length > 1 || !isZarrError(failures[0])) throwFirst(failures);
  },
};

function failureOf(work: () => void): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Checks that a fill value survives writing and reading. */
function check(dtype: DType, json: Json, rules: "loose" | "strict", version: 2 | 3): void {
  holds(dtype.isVariable || dtype.itemBytes > 0, "elements have bytes");
  const fill = parseFill(dtype, json, rules);
  holds(fill.item.length === dtype.itemBytes, "a fill value is as long as an element");
  const text = written(fillJson(dtype, fill, version));
  if (text === undefined) return;
  const again = parseFill(
    dtype,
    parseJson(textBytes(text), { name: "fill", maxDepth: 64, bareNonFinite: false }),
    rules,
  );
  holds(
    isNaNItem(dtype) || Buffer.compare(again.item, fill.item) === 0,
    `${text} has the same fill value after a round trip`,
  );
}

/** NaNs only keep their bits in version 3. */
const isNaNItem = (dtype: DType) => /float|complex/.test(dtype.core);

/** JSON with bigints and negative zeros; undefined for values that JSON cannot represent. */
function written(value: unknown): string | undefined {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return Object.is(value, -0) ? "-0.0" : Number.isFinite(value) ? String(value) : undefined;
  if (Array.isArray(value)) {
    const parts = value.map(written);
    return parts.includes(undefined) ? undefined : `[${parts.join()}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, part]) => [JSON.stringify(name), written(part)] as const);
  return entries.some(([, part]) => part === undefined)
    ? undefined
    : `{${entries.map(([name, part]) => `${name}:${part}`).join()}}`;
}

export const typeTargets = [types];
