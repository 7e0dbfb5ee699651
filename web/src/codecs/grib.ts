/** GRIB 2: chunks that are messages, in files opened as Zarr, and in virtual datasets of the Python package gribberish. */

import type { CodecContext, CodecDefinition, ConfigReader } from "./definition.js";
import { formatValue } from "./definition.js";

const variables = { values: 0, latitude: 1, longitude: 2 };
const flags = { fromWest: 1, northFirst: 2 };

function checkType(config: ConfigReader, { array: { dtype } }: CodecContext): void {
  if (dtype.core !== "float32" && dtype.core !== "float64")
    throw config.error(`does not support data type ${dtype}, only float32 and float64`);
}

/** A field of a message. Points without a value are NaN. */
export const grib2: CodecDefinition = {
  core: "grib2",
  kind: "array-to-bytes",
  names: { 3: ["grib2"] },
  parse(config, context) {
    config.only("field");
    checkType(config, context);
    return { params: [config.integer("field", 0, 2 ** 16, 0), variables.values, 0] };
  },
};

/** gribberish's codec: the first field of a message, or the coordinates of its grid. */
export const gribberish: CodecDefinition = {
  core: "grib2",
  kind: "array-to-bytes",
  names: { 3: ["gribberish"] },
  parse(config, context) {
    config.only("var", "adjust_longitude_range", "north_up");
    checkType(config, context);
    const name = config.get("var") ?? "";
    if (typeof name !== "string") throw config.error(`"var" must be a string, not ${formatValue(name)}`);
    const variable = name === "latitude" || name === "longitude" ? variables[name] : variables.values;
    const turned = config.boolean("adjust_longitude_range", false) ? flags.fromWest : 0;
    const flipped = config.boolean("north_up", false) ? flags.northFirst : 0;
    return { params: [0, variable, turned | flipped] };
  },
};
