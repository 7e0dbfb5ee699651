/** The files of tests/bad: what once broke something, and what is made to. */
import { readFileSync } from "node:fs";
import { sessionOf } from "../../../dist/engine/engine.js";
import type { Plan } from "../../../dist/engine/plan.js";
import { isZarrError } from "../../../dist/index.js";
import { readPlanFile } from "./plan-seeds.js";
import { type Outcome, outcomeOf } from "./target.js";
import { targets } from "./targets.js";

/** A row of bad.json. */
export interface BadFile {
  /** Folder and name below tests/bad; the folder is the target that the file is an input of. */
  readonly file: string;
  /** How it must end: "ok" where only the properties of the target are to hold. */
  readonly outcome: Outcome;
  /** What is wrong with it. */
  readonly about: string;
}

const folder = new URL("../../bad/", import.meta.url);

export function badFiles(): BadFile[] {
  return JSON.parse(readFileSync(new URL("bad.json", folder), "utf8")) as BadFile[];
}

export const readBad = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, folder)));

/** How a file ends here. Inputs of native targets that run plans are decoded by the WebAssembly module. */
export async function outcomeOfBad(file: string, bytes: Uint8Array): Promise<Outcome> {
  const [name = ""] = file.split("/");
  const target = targets.find((candidate) => candidate.name === name);
  if (target) return outcomeOf(target, bytes);
  if (!/^(decode-|chain$)/.test(name)) return "ok"; // the native fuzzer's own
  return decodeInModule(bytes);
}

async function decodeInModule(bytes: Uint8Array): Promise<Outcome> {
  const { words, data } = readPlanFile(bytes);
  const session = await sessionOf("full");
  // All that a session asks of a plan.
  const plan = { words, steps: [], projections: undefined } as unknown as Plan;
  try {
    session.decode(plan, data);
    return "ok";
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return `${error._tag}/${error.code}`;
  }
}
