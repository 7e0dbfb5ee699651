/** Plates: their attributes, their wells by row and column, and the fields of view of a well. */
import type { ZarrGroup } from "zarr-wasm";
import { multiscales } from "zarr-wasm/conventions";
import { eachInSlices } from "../base/slices.js";
import { omeAttributes, own, pathBelow, textAt } from "./attributes.js";
import type { Dataset } from "./dataset.js";
import { multiscaleDataset } from "./multiscale.js";

/** A well of a plate, with its row and column if the attributes give them. */
export interface Well {
  readonly path: string;
  readonly row: number | undefined;
  readonly column: number | undefined;
}

/** Names of rows and columns, and the wells. */
export interface PlateWells {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly wells: readonly Well[];
}

/** A plate, as its attributes describe it. */
export interface PlateKind extends PlateWells {
  readonly kind: "plate";
}

/**
 * Reads the attributes of a plate.
 * @param paths of its wells
 */
export async function plateKind(
  plate: unknown,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<PlateKind> {
  const listed = own(plate, "wells") as readonly unknown[];
  const index = (entry: unknown, name: string) => {
    const value = own(entry, name);
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  };
  const uniqueNames = (name: string) => {
    const list = own(plate, name);
    return Array.isArray(list) ? list.map((entry) => textAt(entry, "name") ?? "") : [];
  };
  const wells: Well[] = [];
  const read = (i: number) => {
    const [row, column] = ["rowIndex", "columnIndex"].map((name) => index(listed[i], name));
    wells.push({ path: paths[i]!, row, column });
  };
  await eachInSlices(paths.length, read, signal);
  return { kind: "plate", wells, rows: uniqueNames("rows"), columns: uniqueNames("columns") };
}

/** Row and column of a well. */
export type WellPosition = readonly [row: number, column: number];

export class Plate {
  /** Names. Before version 0.4 the paths of wells can name further rows and columns. */
  readonly rows: string[];
  readonly columns: string[];
  readonly #paths = new Map<number, string>();
  readonly #rowOf = new Map<string, number>();
  readonly #columnOf = new Map<string, number>();
  /** In reading order. */
  first: WellPosition | undefined;
  last: WellPosition | undefined;

  private constructor({ rows, columns }: PlateWells) {
    this.rows = [...rows];
    this.columns = [...columns];
  }

  /** @param below converts a path from the plate to a path in the store */
  static async of(
    plate: PlateWells,
    below: (path: string) => string,
    signal: AbortSignal | undefined,
  ): Promise<Plate> {
    const made = new Plate(plate);
    await made.#index(plate.wells, below, signal);
    return made;
  }

  async #index(
    wells: readonly Well[],
    below: (path: string) => string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const name = (names: readonly string[], index: Map<string, number>) => (i: number) => {
      if (!index.has(names[i]!)) index.set(names[i]!, i);
    };
    await eachInSlices(this.rows.length, name(this.rows, this.#rowOf), signal);
    await eachInSlices(this.columns.length, name(this.columns, this.#columnOf), signal);
    const positions = new Array<WellPosition>(wells.length);
    const locate = (i: number) => {
      const { path, row, column } = wells[i]!;
      const [rowName = "", columnName = ""] = path.split("/").slice(-2);
      positions[i] = [
        wellIndex(this.rows, this.#rowOf, row, rowName),
        wellIndex(this.columns, this.#columnOf, column, columnName),
      ];
    };
    await eachInSlices(wells.length, locate, signal);
    // Keys need the final number of columns.
    await eachInSlices(wells.length, (i) => this.#keep(positions[i]!, below(wells[i]!.path)), signal);
  }

  #keep(position: WellPosition, path: string): void {
    const key = this.#keyOf(position);
    if (!this.#paths.has(key)) this.#paths.set(key, path);
    if (!this.first || key < this.#keyOf(this.first)) this.first = position;
    if (!this.last || key > this.#keyOf(this.last)) this.last = position;
  }

  #keyOf([row, column]: WellPosition): number {
    return row * this.columns.length + column;
  }

  /** Number of positions with a well. */
  get count(): number {
    return this.#paths.size;
  }

  /** Path in the store of the well at a position; undefined for an empty position. */
  pathAt(position: WellPosition): string | undefined {
    return this.#paths.get(this.#keyOf(position));
  }

  nameOf([row, column]: WellPosition): string {
    return `${this.rows[row]}${this.columns[column]}`;
  }

  /** The next well in a direction, from a position that may lie outside the plate. */
  next([row, column]: WellPosition, [down, across]: WellPosition): WellPosition | undefined {
    for (
      let at: WellPosition = [row + down, column + across];
      this.#has(at);
      at = [at[0] + down, at[1] + across]
    )
      if (this.pathAt(at) !== undefined) return at;
    return undefined;
  }

  #has([row, column]: WellPosition): boolean {
    return row >= 0 && row < this.rows.length && column >= 0 && column < this.columns.length;
  }

  /** Position of the well with a name such as "b12", ignoring case. */
  find(name: string): WellPosition | undefined {
    for (let end = 1; end < name.length; end++) {
      const row = named(this.#rowOf, name.slice(0, end));
      const column = named(this.#columnOf, name.slice(end));
      if (row !== undefined && column !== undefined && this.pathAt([row, column]) !== undefined)
        return [row, column];
    }
    return undefined;
  }
}

const named = (index: ReadonlyMap<string, number>, name: string): number | undefined =>
  index.get(name) ?? index.get(name.toUpperCase()) ?? index.get(name.toLowerCase());

/** Row or column of a well: from its index, else from its path, which can add a name. */
function wellIndex(
  names: string[],
  index: Map<string, number>,
  told: number | undefined,
  name: string,
): number {
  if (told !== undefined && told < names.length) return told;
  const known = index.get(name);
  if (known !== undefined) return known;
  index.set(name, names.length);
  return names.push(name) - 1;
}

/** A field of view of a well. */
export interface WellField {
  /** Below the well; "" for a well that is an image. */
  readonly path: string;
  readonly acquisition: number | undefined;
}

/** Maximum number of fields of a well that are shown. */
const maxFields = 256;

/** The fields of a well; empty for a well without images. */
export function wellFields(well: ZarrGroup): readonly WellField[] {
  const ome = omeAttributes(well.attributes);
  if (own(ome, "multiscales") !== undefined) return [{ path: "", acquisition: undefined }];
  const images = own(own(ome, "well"), "images");
  if (!Array.isArray(images)) return [];
  return images.slice(0, maxFields).flatMap((image) => {
    const [path, acquisition] = [pathBelow(own(image, "path")), own(image, "acquisition")];
    if (path === undefined) return [];
    return [{ path, acquisition: Number.isSafeInteger(acquisition) ? (acquisition as number) : undefined }];
  });
}

/** Opens a field of a well. @throws as reading metadata does */
export async function openField(well: ZarrGroup, path: string, signal: AbortSignal): Promise<Dataset> {
  const group = path === "" ? well : await well.open(path, { kind: "group", signal });
  return multiscaleDataset(multiscales(group)[0]!, { title: path, isLabel: false, group, signal });
}
