/** Which version of a repository is meant. */
import { invalidArgument, notFound, type ZarrError } from "../../util/errors.js";
import { isObjectId } from "./format.js";

/** At most one of `branch`, `tag` and `snapshot`; without one the branch "main". */
export interface IcechunkVersion {
  /** The newest version of a branch. */
  branch?: string | undefined;
  tag?: string | undefined;
  /** Id of a snapshot: 20 characters. */
  snapshot?: string | undefined;
  /** The last version of the branch that was written at that time or before. A text is read as Date does. */
  asOf?: Date | string | undefined;
}

/** A version, with its options checked. */
export type WantedVersion =
  | { readonly kind: "branch" | "tag"; readonly name: string; readonly asOf: Date | undefined }
  | { readonly kind: "snapshot"; readonly name: string };

/** @throws InvalidArgument. */
export function checkVersion({ branch, tag, snapshot, asOf }: IcechunkVersion): WantedVersion {
  const given = Object.entries({ branch, tag, snapshot }).filter(([, name]) => name !== undefined);
  if (given.length > 1)
    throw invalidArgument(`${given.map(([kind]) => kind).join(" and ")} cannot be asked for together`);
  const [kind, name] = (given[0] ?? ["branch", "main"]) as [WantedVersion["kind"], unknown];
  if (typeof name !== "string" || name === "") throw invalidArgument(`${kind} must be a text`);
  if (asOf !== undefined && kind !== "branch")
    throw invalidArgument(`asOf is a time of a branch, not of a ${kind}`);
  if (kind !== "snapshot") return { kind, name, asOf: asOf === undefined ? undefined : dateOf(asOf) };
  if (!isObjectId(name)) throw invalidArgument(`${JSON.stringify(name)} is not the id of a snapshot`);
  return { kind, name };
}

function dateOf(value: Date | string): Date {
  const date = value instanceof Date ? value : new Date(String(value));
  if (Number.isNaN(date.getTime()))
    throw invalidArgument(`asOf must be a time, not ${String(value).slice(0, 80)}`);
  return date;
}

/** The error of a version that the repository lacks. */
export const noVersion = (what: string): ZarrError => notFound(what, { code: "no-version" });
