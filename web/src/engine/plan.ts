/** Plans: a codec chain bound to one array, encoded as the words that src/chain/plan.hpp reads. */

import { type Component, componentsOf, DType } from "../dtypes/dtype.js";
import { coreRow } from "../dtypes/table.js";
import type { Endian } from "../dtypes/typestr.js";
import { type CoreCodec, codecRow } from "./codec-table.js";
import { largerModule, type ModuleName } from "./compile.js";

/** Version of the word format; kPlanVersion in src/chain/plan.hpp. */
const planVersion = 2;
/** Flags of plans; PlanFlag in src/chain/plan.hpp. */
const bytesOnly = 1;
const skipChecksums = 2;

/** One codec of a chain, with its configuration as integer parameters of the core. */
export interface ChainStep {
  readonly core: CoreCodec;
  readonly params: readonly number[];
  /** The codec's name in the metadata. */
  readonly name: string;
  /** Verifies checksums in the data. Default: true. */
  readonly verifiesChecksums?: boolean | undefined;
}

export interface PlanArray {
  readonly dtype: DType;
  /** Shape of a decoded chunk. */
  readonly shape: readonly number[];
  /** Fill value as one element of `dtype.itemBytes` bytes. */
  readonly fillItem: Uint8Array;
}

/** The part of a plan that a session needs and that threads exchange. */
export interface PlanWords {
  readonly words: Uint32Array;
  /** The codecs' names, for errors. */
  readonly steps: readonly { readonly name: string }[];
}

/** Holds no memory in the core: each session prepares a plan on first use. */
export class Plan implements PlanWords {
  readonly words: Uint32Array;
  /** Size of a decoded chunk in bytes; for bytes-only plans, the maximum. */
  readonly decodedBytes: number;
  /** The module that can encode with this plan. */
  readonly encodeModule: ModuleName;
  /** Whether encoded chunks are byte for byte identical to decoded ones. */
  readonly isNative: boolean;
  #pieces: PiecePlan | undefined | "unknown" = "unknown";
  #decodeModule: ModuleName;

  constructor(
    readonly array: PlanArray,
    readonly steps: readonly ChainStep[],
    flags = 0,
  ) {
    const { dtype, shape } = array;
    this.words = Uint32Array.from([
      planVersion,
      steps.some(({ verifiesChecksums }) => verifiesChecksums === false) ? flags | skipChecksums : flags,
      ...arrayWords(array),
      steps.length,
      ...steps.flatMap(stepWords),
    ]);
    this.decodedBytes = shape.reduce((bytes, length) => bytes * length, dtype.itemBytes);
    this.#decodeModule = moduleFor(steps, "decode");
    this.encodeModule = moduleFor(steps, "encode");
    this.isNative = steps.every((step) => leavesBytesAlone(step, dtype));
  }

  /**
   * Makes a plan for data of unknown length: bytes-to-bytes codecs only, possibly none.
   * @param bound maximum number of bytes, at least 1, that a chunk may decode to; all memory is sized by it.
   */
  static bytesOnly(steps: readonly ChainStep[], bound: number): Plan {
    return new Plan(
      { dtype: DType.simple("uint8"), shape: [bound], fillItem: Uint8Array.of(0) },
      steps,
      bytesOnly,
    );
  }

  /**
   * How to decode a large chunk piece by piece, so that a piece is still in the cache when it is written out.
   * Defined only if the chain does no more than swap bytes, so that elements keep their places.
   */
  get pieces(): PiecePlan | undefined {
    if (this.#pieces === "unknown") this.#pieces = makePieces(this);
    return this.#pieces;
  }

  /** The module that can decode with this plan. */
  get decodeModule(): ModuleName {
    return this.#decodeModule;
  }

  /** Records that a chunk needed the full module, so that all later ones are decoded there. */
  requireFullModule(): void {
    this.#decodeModule = "full";
  }
}

/** A plan for a run of elements, and the size of that run in bytes. */
export interface PiecePlan {
  readonly plan: Plan;
  readonly bytes: number;
}

/** Size of a piece in bytes: two pieces fit the second-level cache of any current processor. */
const pieceBytes = 2 ** 17;

function makePieces({ steps, array, decodedBytes, isNative }: Plan): PiecePlan | undefined {
  const { dtype, fillItem } = array;
  const keepsPlaces = steps.every((step) => step.core === "bytes" || leavesBytesAlone(step, dtype));
  if (isNative || !keepsPlaces || steps.length === 0 || decodedBytes < 4 * pieceBytes) return undefined;
  const elements = Math.max(1, Math.floor(pieceBytes / dtype.itemBytes));
  const bytesSteps = steps.filter((step) => step.core === "bytes");
  return {
    plan: new Plan({ dtype, shape: [elements], fillItem }, bytesSteps),
    bytes: elements * dtype.itemBytes,
  };
}

function leavesBytesAlone({ core, params }: ChainStep, dtype: DType): boolean {
  if (core === "transpose") return params.every((axis, i) => axis === i);
  // Booleans are normalised to 0 and 1.
  return core === "bytes" && dtype.core !== "bool" && !swapsBytes(params, componentsOf(dtype));
}

function arrayWords({ dtype, shape, fillItem }: PlanArray): number[] {
  const runs = componentsOf(dtype);
  return [
    coreRow(dtype.core).id,
    dtype.itemBytes,
    runs.length,
    ...runs.flatMap((run) => [run.bytes, run.count]),
    shape.length,
    ...shape,
    ...packWords(fillItem, dtype.itemBytes),
  ];
}

/** Returns bytes as words of a plan, padded with zeros. */
export function packWords(bytes: ArrayLike<number>, length = bytes.length): number[] {
  const padded = new Uint8Array(Math.ceil(length / 4) * 4);
  padded.set(bytes);
  return [...new Uint32Array(padded.buffer)];
}

function stepWords(step: ChainStep): number[] {
  return [codecRow(step.core).id, step.params.length, ...step.params];
}

/**
 * Returns the module that has a codec. For codecs without an encoder it is the decoding one, which reports
 * that.
 */
function codecModule(core: CoreCodec, direction: "decode" | "encode"): ModuleName {
  const { decode, encode } = codecRow(core);
  return direction === "decode" || encode === "none" ? decode : encode;
}

/** Returns the smallest module that has all the given codecs for a direction. */
export function moduleFor(steps: readonly ChainStep[], direction: "decode" | "encode"): ModuleName {
  const modules = steps.map((step) => codecModule(step.core, direction));
  return modules.reduce(largerModule, "decode");
}

export const endianWords: Readonly<Record<Endian, number>> = { little: 1, big: 2 };
/** For single-byte elements. */
export const noEndian = 0;
/** As the first parameter: one word for each component run follows. */
export const perComponent = 3;

/** Whether a `bytes` codec with these parameters swaps any bytes of elements with these component runs. */
export function swapsBytes(params: readonly number[], runs: readonly Component[]): boolean {
  const endianOf = (i: number) => (params[0] === perComponent ? params[1 + i] : params[0]);
  return runs.some((run, i) => run.bytes > 1 && endianOf(i) === endianWords.big);
}
