/** Types of sources to open, and of opened ones. */

import type { Source, ZarrGroup, ZarrWarning } from "zarr-wasm";
import { text } from "../language/text.js";
import type { Collection } from "./collection.js";
import type { Dataset } from "./dataset.js";
import type { Plate } from "./plate.js";
import type { Branch } from "./tree.js";

/** The source to open. */
export interface SourceTarget {
  /** A URL or a store. */
  readonly source: Source;
  /** Path of the node below the source. */
  readonly path?: string | undefined;
  readonly v1Order?: "spec" | "writer" | undefined;
  /** The variable of a dataset or pyramid. Default: the one with the most dimensions. */
  readonly variable?: string | undefined;
  /** "contents" lists a group, and shows the elements of an array, even if it could be shown otherwise. */
  readonly as?: "contents" | undefined;
  /** The fields and planes that the wells of a plate show: "field:0,acquisition:1,size:64". */
  readonly plate?: string | undefined;
  /** The address of the store, if it has one. */
  readonly address?: string | undefined;
  /** The computation on the variable: "mean:time". */
  readonly derive?: string | undefined;
  /** Name of a store that has no address. */
  readonly name?: string | undefined;
}

export interface OpenContext {
  readonly signal: AbortSignal;
  readonly onWarning: (warning: ZarrWarning) => void;
}

/** The result of opening. */
export type Opened = {
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
  /** Messages about parts of the target that do not exist in its source. */
  readonly unusable?: readonly string[] | undefined;
} & (
  | {
      readonly kind: "dataset";
      readonly dataset: Dataset;
      /** Path in the store of the shown node, which may differ from the requested one. */
      readonly path: string;
      /** Searches for the collection of the node. */
      readonly collection: (signal: AbortSignal) => Promise<Collection | undefined>;
    }
  | { readonly kind: "plate"; readonly plate: Plate; readonly group: ZarrGroup }
  | {
      readonly kind: "contents";
      /** Display name of the kind of group: "AnnData". */
      readonly what: string;
      readonly branch: Branch;
      readonly attributes: ZarrGroup["attributes"];
      /** Searches for the embeddings of AnnData. */
      readonly embeddings?: (signal: AbortSignal) => Promise<Collection | undefined>;
      /** The group, if it is a data frame of AnnData. */
      readonly frame?: ZarrGroup;
    }
);

/** A short name of a source: the last part of its address. */
export function targetName({ source, path, name }: SourceTarget): string {
  const isAddress = typeof source === "string" || source instanceof URL;
  const full = isAddress ? String(source) : (name ?? text.sources.array);
  const [address] = full.split(/[?#|]/, 1);
  const names = `${address}/${path ?? ""}`.split("/").filter((part) => part !== "");
  return names.at(-1) ?? full;
}
