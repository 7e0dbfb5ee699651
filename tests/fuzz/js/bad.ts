/** The files of tests/bad: inputs that once broke something, and handmade bad inputs. */
import { readFileSync } from "node:fs";
import { getSession } from "../../../dist/engine/engine.js";
import type { Plan } from "../../../dist/engine/plan.js";
import { isZarrError } from "../../../dist/index.js";
import { readPlanFile } from "./plan-seeds.js";
import { type Outcome, outcomeOf } from "./target.js";
import { targets } from "./targets.js";

/** A row of bad.json. */
export interface BadFile {
  /** Folder and name below tests/bad; the folder names the target. */
  readonly file: string;
  /** Expected outcome: "ok" if only the properties of the target must hold. */
  readonly outcome: Outcome;
  /** The defect. */
  readonly about: string;
}

const folder = new URL("../../bad/", import.meta.url);

export function badFiles(): BadFile[] {
  return JSON.parse(readFileSync(new URL("bad.json", folder), "utf8")) as BadFile[];
}

export const readBad = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, folder)));

/** The outcome of a file. Inputs of native targets that run plans are decoded by the WebAssembly module. */
export async function outcomeOfBad(file: string, bytes: Uint8Array): Promise<Outcome> {
  const [name = ""] = file.split("/");
  const target = targets.find((candidate) => candidate.name === name);
  if (target) return outcomeOf(target, bytes);
  if (!/^(decode-|chain$)/.test(name)) return "ok"; // for the native fuzzer only
  return decodeInModule(bytes);
}

async function decodeInModule(bytes: Uint8Array): Promise<Outcome> {
  const { words, data } = readPlanFile(bytes);
  const session = await getSession("full");
  // The members of a plan that a session uses.
  const plan = { words, steps: [], projections: undefined } as unknown as Plan;
  try {
    session.decode(plan, data);
    return "ok";
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return `${error._tag}/${error.code}`;
  }
}
