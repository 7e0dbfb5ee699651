/** Variables of GRIB 2 files: fields of one parameter, type of level and grid, as a hypercube. */

import { integerJson, jsonEntries, jsonObject, withEntries } from "../../metadata/print.js";
import type { MaybePromise } from "../../store/store.js";
import { isZarrError, type ZarrError } from "../../util/errors.js";
import type { JsonObject } from "../../util/json.js";
import { unsupportedFile } from "../file/cursor.js";
import { type ArrayParts, named } from "../file/documents.js";
import type { FileArray, FileChunk, FileContext, FilePart } from "../file/model.js";
import { CoordinateArray, coordinateAttributes, listed } from "./coordinates.js";
import { type Grid, readGrid } from "./grid.js";
import { joinMessage, type Packing } from "./messages.js";
import { findParameter } from "./parameters.js";
import type { Product } from "./product.js";

/** A field of a variable, whose sections may be read later. */
export interface Entry {
  readonly product: Product;
  readonly grid: Uint8Array;
  readonly packing: Packing;
  /** Returns where the message or its sections are. */
  locate(signal: AbortSignal | undefined): MaybePromise<FilePart | readonly FilePart[]>;
}

/** A coordinate along a dimension, or of all fields. */
interface Axis {
  readonly name: string;
  readonly values: readonly number[];
  readonly valueIn: (product: Product) => number;
}

/** Packings that the codec reads. */
const packings = new Set([0, 2, 3, 4, 40, 41, 42]);

export class Variable implements FileArray {
  readonly kind = "array";
  readonly product: Product;
  /** Coordinates of one value and of several: number, time, step, level. */
  readonly axes: readonly Axis[];
  /** The error of a grid that is not read. */
  readonly #grid: Grid | ZarrError;
  readonly #entries = new Map<string, Entry>();
  readonly #dimensions: readonly Axis[];
  #parts: ArrayParts | undefined;
  #coordinates: ReadonlyMap<string, Coordinate> | undefined;

  constructor(
    private readonly context: FileContext,
    readonly name: string,
    private readonly entries: readonly Entry[],
    grid: Grid | ZarrError,
  ) {
    const { product } = entries[0]!;
    this.product = product;
    this.#grid = grid;
    const products = entries.map((entry) => entry.product);
    const axis = (own: string, valueIn: (product: Product) => number): Axis => {
      const values = [...new Set(products.map(valueIn))].sort((a, b) => a - b);
      return { name: own, valueIn, values: own.startsWith("isobaricIn") ? values.reverse() : values };
    };
    this.axes = [
      ...(product.number === undefined ? [] : [axis("number", ({ number }) => number ?? 0)]),
      axis("time", ({ time }) => time),
      axis("step", ({ step }) => step),
      axis(product.typeOfLevel, ({ level }) => level),
    ];
    this.#dimensions = this.axes.filter(({ values }) => values.length > 1);
    this.#fill();
  }

  /** Places the fields; of several at one place the first one counts, as in cfgrib. */
  #fill(): void {
    const places = this.#dimensions.map(({ values }) => new Map(values.map((value, i) => [value, i])));
    let repeated = 0;
    for (const entry of this.entries) {
      const at = this.#dimensions.map(({ valueIn }, i) => places[i]!.get(valueIn(entry.product))!).join();
      if (this.#entries.has(at)) repeated++;
      else this.#entries.set(at, entry);
    }
    const { name, onWarning } = this.context;
    if (repeated > 0) {
      const message = `${name}: ${repeated} fields of ${this.name} are left out: earlier ones have the same coordinates`;
      onWarning?.({ code: "repeated-field", message });
    }
  }

  /** The grid; undefined if it is not read. */
  get grid(): Grid | undefined {
    return "shape" in this.#grid ? this.#grid : undefined;
  }

  describe(): ArrayParts {
    if (!("shape" in this.#grid)) throw this.#grid;
    this.#parts ??= this.#describe(this.#grid);
    return this.#parts;
  }

  async chunk(at: readonly number[], signal: AbortSignal | undefined): Promise<FileChunk | undefined> {
    const entry = this.#entries.get(at.slice(0, this.#dimensions.length).join());
    if (!entry) return undefined;
    const { template } = entry.packing;
    if (!packings.has(template))
      throw unsupportedFile(
        `${this.context.name}: ${this.name}: the packing template 5.${template} is not read`,
      );
    const parts = await entry.locate(signal);
    return "offset" in parts ? parts : joinMessage(this.product.parameter[0], parts as readonly FilePart[]);
  }

  #describe(grid: Grid): ArrayParts {
    // For values of up to 24 bits, float32 has the precision of other readers.
    const isDouble = this.entries.some(({ packing: { template, bits } }) =>
      template === 4 ? bits === 2 : bits > 24,
    );
    return {
      shape: [...this.#dimensions.map(({ values }) => values.length), ...grid.shape],
      dataType: isDouble ? "float64" : "float32",
      chunks: [...this.#dimensions.map(() => 1), ...grid.shape.map((length) => length || 1)],
      fillValue: "NaN",
      codecs: [named("grib2")],
      dimensionNames: [...this.#dimensions.map(({ name }) => name), ...grid.dimensions],
      attributes: this.#attributes(grid),
    };
  }

  #attributes(grid: Grid): JsonObject {
    const { centre, parameter, typeOfLevel, stepType, dataType, derived, surfaces } = this.product;
    const known = findParameter(this.product);
    const [discipline, category, number] = parameter.map(integerJson);
    const shown = [...this.coordinates()].filter(([, { array }]) => array);
    const coordinates = shown.map(([name]) => name).filter((name) => name !== "spatial_ref");
    const own = jsonObject([
      ["long_name", known?.longName ?? `parameter ${parameter.join(".")}`],
      ["units", known?.units],
      ["GRIB_shortName", known?.shortName],
      ["GRIB_discipline", discipline],
      ["GRIB_parameterCategory", category],
      ["GRIB_parameterNumber", number],
      ["GRIB_centre", integerJson(centre)],
      ["GRIB_typeOfLevel", typeOfLevel],
      ["GRIB_typeOfFirstFixedSurface", integerJson(surfaces[0])],
      ["GRIB_stepType", stepType],
      ["GRIB_dataType", dataType],
      ["GRIB_derived", derived || undefined],
      ["coordinates", coordinates.join(" ")],
      ["grid_mapping", grid.mapping && "spatial_ref"],
    ]);
    return withEntries(own, jsonEntries(grid.attributes));
  }

  /** Properties in which variables of one type of level differ, as strings. */
  get properties(): string[] {
    const { stepType, dataType, derived } = this.product;
    const levels = this.axes.at(-1)!.values;
    return [levels.length === 1 ? String(levels[0]) : "", stepType, dataType, derived];
  }

  /** Returns the coordinates by name. */
  coordinates(): ReadonlyMap<string, Coordinate> {
    this.#coordinates ??= new Map([...this.#ownCoordinates(), ...this.#gridCoordinates()]);
    return this.#coordinates;
  }

  *#ownCoordinates(): Generator<[string, Coordinate]> {
    const { axes } = this;
    const text = ({ values }: Axis) => values.join();
    for (const axis of axes) {
      const values = axis.name === "step" ? axis.values.map((value) => value / 3600) : axis.values;
      yield [axis.name, { text: text(axis), array: () => listArray(axis.name, () => values, [axis]) }];
    }
    const [time, step] = ["time", "step"].map((own) => axes.find(({ name }) => name === own)!);
    if (time!.values.length * step!.values.length > maxValid) return;
    const valid = () => time!.values.flatMap((start) => step!.values.map((own) => start + own));
    const array = () => listArray("valid_time", valid, [time!, step!]);
    yield ["valid_time", { text: `${text(time!)} ${text(step!)}`, array }];
  }

  *#gridCoordinates(): Generator<[string, Coordinate]> {
    const { grid } = this;
    if (!grid) return;
    const text = gridText(grid);
    for (const [name, computed] of Object.entries(grid.coordinates)) {
      const isAxis = grid.dimensions.includes(name);
      const attributes = coordinateAttributes(name, computed.direction);
      const dimensions = isAxis ? [name] : grid.dimensions;
      yield [name, { text, array: () => new CoordinateArray(computed, "float64", dimensions, attributes) }];
    }
    const { mapping } = grid;
    if (mapping)
      yield [
        "spatial_ref",
        { text, array: () => new CoordinateArray(listed([0], []), "int64", [], mapping) },
      ];
    yield [gridKey, { text, array: undefined }];
  }
}

/** Name of the grid among coordinates: fields of different grids are not in one group. */
const gridKey = " grid";

export interface Coordinate {
  /** Tells different ones apart. */
  readonly text: string;
  /** Undefined for a coordinate that is not a member. */
  readonly array: (() => FileArray) | undefined;
}

/** Maximum number of times of validity. */
const maxValid = 2 ** 22;

function listArray(name: string, values: () => readonly number[], axes: readonly Axis[]): FileArray {
  const along = axes.filter((axis) => axis.values.length > 1);
  const type = name === "number" || name.endsWith("time") ? "int64" : "float64";
  const direction = name.startsWith("isobaricIn") ? "decreasing" : undefined;
  return new CoordinateArray(
    listed(
      values(),
      along.map((axis) => axis.values.length),
    ),
    type,
    along.map((axis) => axis.name),
    coordinateAttributes(name, direction),
  );
}

const gridNumbers = new WeakMap<Grid, number>();
let gridCount = 0;

/** Returns a string that identifies a grid. */
function gridText(grid: Grid): string {
  const known = gridNumbers.get(grid) ?? ++gridCount;
  gridNumbers.set(grid, known);
  return `grid ${known}`;
}

/** Joins fields to variables. Fields of one parameter with different grids, steps of time and so on are different ones. */
export function variablesOf(context: FileContext, entries: readonly Entry[]): Variable[] {
  const grids = new Map<Uint8Array, { readonly index: number; readonly grid: Grid | ZarrError }>();
  const groups = new Map<string, { name: string; entries: Entry[]; grid: Grid | ZarrError }>();
  for (const entry of entries) {
    const known = grids.get(entry.grid) ?? { index: grids.size, grid: tryGrid(context, entry.grid) };
    grids.set(entry.grid, known);
    const { product } = entry;
    const { parameter, centre, typeOfLevel, stepType, dataType, derived } = product;
    const name = findParameter(product)?.name ?? parameter.join("_");
    const isMember = product.number !== undefined;
    const key = [
      name,
      ...parameter,
      centre,
      typeOfLevel,
      stepType,
      dataType,
      derived,
      isMember,
      known.index,
    ].join("|");
    const group = groups.get(key) ?? { name, entries: [], grid: known.grid };
    groups.set(key, group);
    group.entries.push(entry);
  }
  return [...groups.values()].map((group) => new Variable(context, group.name, group.entries, group.grid));
}

function tryGrid({ name }: FileContext, section: Uint8Array): Grid | ZarrError {
  try {
    return readGrid(section);
  } catch (error) {
    if (!isZarrError(error)) throw error;
    error.message = `${name}: ${error.message}`;
    return error;
  }
}
