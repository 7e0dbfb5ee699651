/** Inputs that once broke something, and handmade bad inputs: tests/fuzz/bad.json. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { getSession } from "../../../dist/engine/engine.js";
import type { Plan } from "../../../dist/engine/plan.js";
import { isZarrError } from "../../../dist/index.js";
import { readPlanFile } from "./plan-seeds.js";
import { type Outcome, outcomeOf } from "./target.js";
import { targets } from "./targets.js";

/** A row of bad.json. */
export interface BadInput {
  readonly target: string;
  readonly name: string;
  /** Expected outcome: "ok" if only the properties of the target must hold. */
  readonly outcome: Outcome;
  /** The defect. */
  readonly about: string;
  readonly base64: string;
}

export function badInputs(): BadInput[] {
  return JSON.parse(readFileSync(path.resolve("tests/fuzz/bad.json"), "utf8")) as BadInput[];
}

export const bytesOfBad = ({ base64 }: BadInput): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));

/** The outcome of an input. Those of native targets that run plans are decoded by the WebAssembly module. */
export async function outcomeOfBad(input: BadInput): Promise<Outcome> {
  const target = targets.find(({ name }) => name === input.target);
  if (target) return outcomeOf(target, bytesOfBad(input));
  if (!/^(decode-|chain$)/.test(input.target)) return "ok"; // for the native fuzzer only
  return decodeInModule(bytesOfBad(input));
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
