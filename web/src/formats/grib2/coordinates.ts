/** Coordinates of GRIB 2 files as arrays: computed when they are read, or lists of a few numbers. */

import { toJson } from "../../metadata/print.js";
import type { MaybePromise } from "../../store/store.js";
import { JsonNumber, type JsonObject } from "../../util/json.js";
import { inSlices } from "../../util/slices.js";
import { type ArrayParts, bytesCodec } from "../file/documents.js";
import type { FileArray, FileChunk } from "../file/model.js";

/** Numbers by index. */
export interface Computed {
  readonly shape: readonly number[];
  /** Direction of latitudes, as an attribute. */
  readonly direction?: string;
  /** Returns a function of the index. */
  open(): MaybePromise<(...at: number[]) => number>;
}

/** Returns a longitude from 0 up to 360 degrees. */
export const degrees = (longitude: number): number => longitude - 360 * Math.floor(longitude / 360);

/** Elements of a chunk, so that it is computed in a short time. */
const chunkElements = 2 ** 16;

export class CoordinateArray implements FileArray {
  readonly kind = "array";
  readonly #parts: ArrayParts;

  constructor(
    private readonly computed: Computed,
    dataType: "float64" | "int64",
    dimensionNames: readonly string[],
    attributes: JsonObject,
  ) {
    const { shape } = computed;
    const columns = Math.max(1, Math.min(shape.at(-1) ?? 1, chunkElements));
    const chunks = shape.map((length, axis) =>
      axis === shape.length - 1
        ? columns
        : Math.max(1, Math.min(length, Math.floor(chunkElements / columns))),
    );
    this.#parts = {
      shape,
      dataType,
      chunks,
      fillValue: dataType === "float64" ? "NaN" : new JsonNumber("0"),
      codecs: [bytesCodec(true)],
      dimensionNames,
      attributes,
    };
  }

  describe(): ArrayParts {
    return this.#parts;
  }

  async chunk(at: readonly number[], signal: AbortSignal | undefined): Promise<FileChunk> {
    const value = await this.computed.open();
    return { bytes: await inSlices(this.#fill(at, value), signal) };
  }

  /** Computes a chunk of one row or several; elements beyond the edge are left 0. */
  *#fill(at: readonly number[], value: (...at: number[]) => number): Generator<void, Uint8Array, void> {
    const { shape, dataType } = this.#parts;
    const chunks = this.#parts.chunks as readonly number[];
    const [rows, columns] = [chunks.length > 1 ? chunks[0]! : 1, chunks.at(-1) ?? 1];
    const bytes = new Uint8Array(8 * rows * columns);
    const view = new DataView(bytes.buffer);
    const write = (index: number, found: number) =>
      dataType === "int64"
        ? view.setBigInt64(8 * index, BigInt(found), true)
        : view.setFloat64(8 * index, found, true);
    const [top, left] = [chunks.length > 1 ? at[0]! * rows : 0, (at.at(-1) ?? 0) * columns];
    const height = chunks.length > 1 ? Math.min(rows, shape[0]! - top) : 1;
    const width = Math.min(columns, (shape.at(-1) ?? 1) - left);
    for (let j = 0; j < height; j++) {
      for (let i = 0; i < width; i++) {
        write(j * columns + i, chunks.length > 1 ? value(top + j, left + i) : value(left + i));
        if (i % 256 === 0) yield;
      }
    }
    return bytes;
  }
}

/** Returns numbers that are known. */
export const listed = (values: readonly number[], shape: readonly number[]): Computed => ({
  shape,
  open: () => (j, i) => values[(j ?? 0) * (shape[1] ?? 1) + (i ?? 0)]!,
});

/** Attributes of coordinates by name, as cfgrib writes them. */
export function coordinateAttributes(name: string, direction?: string): JsonObject {
  const [units, standardName, longName, positive] = known[name] ?? ["1", "", name];
  return toJson(
    {
      long_name: longName,
      units,
      ...(standardName && { standard_name: standardName }),
      ...(positive && { positive }),
      ...(direction && { stored_direction: direction }),
      ...(units.includes(" since ") && { calendar: "proleptic_gregorian" }),
    },
    name,
  ) as JsonObject;
}

const since = "seconds since 1970-01-01T00:00:00";
const pressure = (units: string) => [units, "air_pressure", "pressure", "down"] as const;

const known: Readonly<Record<string, readonly [string, string, string, string?]>> = {
  latitude: ["degrees_north", "latitude", "latitude"],
  longitude: ["degrees_east", "longitude", "longitude"],
  number: ["1", "realization", "ensemble member numerical id"],
  step: ["hours", "forecast_period", "time since forecast_reference_time"],
  time: [since, "forecast_reference_time", "initial time of forecast"],
  valid_time: [since, "time", "time"],
  depthBelowLand: ["m", "depth", "soil depth", "down"],
  depthBelowLandLayer: ["m", "depth", "soil depth", "down"],
  heightAboveGround: ["m", "height", "height above the surface", "up"],
  hybrid: ["1", "atmosphere_hybrid_sigma_pressure_coordinate", "hybrid level", "down"],
  isobaricInhPa: pressure("hPa"),
  isobaricInPa: pressure("Pa"),
  isobaricLayer: pressure("hPa"),
};
