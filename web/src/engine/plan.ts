/** Plans: a codec chain bound to one array, as the words that src/chain/plan.hpp reads. */

import { componentsOf, DType } from "../dtypes/dtype.js";
import { coreRow } from "../dtypes/table.js";
import { type CoreCodec, codecRow } from "./codec-table.js";
import { largerModule, type ModuleName } from "./compile.js";
import { swapsBytes } from "./endian-words.js";

/** The word format; src/chain/plan.hpp's kPlanVersion. */
const planVersion = 2;
/** Flags of plans; src/chain/plan.hpp's PlanFlag. */
const bytesOnly = 1;
const skipChecksums = 2;

/** One codec of a chain, its configuration already turned into the core's integer parameters. */
export interface ChainStep {
  readonly core: CoreCodec;
  readonly params: readonly number[];
  /** The name by which the metadata calls the codec. */
  readonly name: string;
  /** False where checksums in the data are to be left unread. Default: true. */
  readonly verifiesChecksums?: boolean | undefined;
}

export interface PlanArray {
  readonly dtype: DType;
  /** Decoded chunk. */
  readonly shape: readonly number[];
  /** One element of fill value, `dtype.itemBytes` bytes. */
  readonly fillItem: Uint8Array;
}

/** What a session needs of a plan: what threads tell each other. */
export interface PlanWords {
  readonly words: Uint32Array;
  /** The codecs' names, for errors. */
  readonly steps: readonly { readonly name: string }[];
}

/** Has no memory of its own in the core: sessions prepare it when they first meet it. */
export class Plan implements PlanWords {
  readonly words: Uint32Array;
  /** Bytes of a decoded chunk; the most of them, for bytes-only plans. */
  readonly decodedBytes: number;
  /** The module that can encode it. */
  readonly encodeModule: ModuleName;
  /** True where encoded chunks are byte for byte what they decode to. */
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
   * A plan for bytes whose number is not known beforehand: bytes-to-bytes codecs alone, possibly none.
   * @param bound the most bytes, at least 1, that a chunk may decode to; all memory is sized by it.
   */
  static bytesOnly(steps: readonly ChainStep[], bound: number): Plan {
    return new Plan(
      { dtype: DType.simple("uint8"), shape: [bound], fillItem: Uint8Array.of(0) },
      steps,
      bytesOnly,
    );
  }

  /**
   * Where elements keep their places (the chain only swaps bytes) and chunks are large: how to decode one
   * piece by piece, so that a piece is still in the cache when it is written out.
   */
  get pieces(): PiecePlan | undefined {
    if (this.#pieces === "unknown") this.#pieces = piecesOf(this);
    return this.#pieces;
  }

  /** The module that can decode it. */
  get decodeModule(): ModuleName {
    return this.#decodeModule;
  }

  /** Says that a chunk turned out to need the full module: from now on all are decoded there. */
  requireFullModule(): void {
    this.#decodeModule = "full";
  }
}

/** A plan for a run of elements, and how many bytes that is. */
export interface PiecePlan {
  readonly plan: Plan;
  readonly bytes: number;
}

/** Bytes of a piece: two of them fit the second-level cache of any processor of note. */
const pieceBytes = 2 ** 17;

function piecesOf({ steps, array, decodedBytes, isNative }: Plan): PiecePlan | undefined {
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
  // Booleans are made 0 and 1.
  return core === "bytes" && dtype.core !== "bool" && !swapsBytes(params, componentsOf(dtype));
}

function arrayWords({ dtype, shape, fillItem }: PlanArray): number[] {
  const runs = componentsOf(dtype);
  const padded = new Uint8Array(Math.ceil(dtype.itemBytes / 4) * 4);
  padded.set(fillItem);
  return [
    coreRow(dtype.core).id,
    dtype.itemBytes,
    runs.length,
    ...runs.flatMap((run) => [run.bytes, run.count]),
    shape.length,
    ...shape,
    ...new Uint32Array(padded.buffer),
  ];
}

function stepWords(step: ChainStep): number[] {
  return [codecRow(step.core).id, step.params.length, ...step.params];
}

/** The module that has a codec; where nothing encodes with it, the one that can say so. */
function moduleOf(core: CoreCodec, direction: "decode" | "encode"): ModuleName {
  const { decode, encode } = codecRow(core);
  return direction === "decode" || encode === "none" ? decode : encode;
}

/** The module that can run all of some codecs in a direction. */
export function moduleFor(steps: readonly ChainStep[], direction: "decode" | "encode"): ModuleName {
  const modules = steps.map((step) => moduleOf(step.core, direction));
  return modules.reduce(largerModule, "decode");
}
