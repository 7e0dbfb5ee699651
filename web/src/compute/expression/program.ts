/** Programs for the core: typed instructions on blocks of elements (kernels/expression.hpp). */

import { type Kind, kindBytes, kindNumber } from "./kinds.js";

/** Operations in the order of the core. */
const operations = [
  ...(["cast", "add", "subtract", "multiply", "divide", "modulo", "power", "negate", "absolute"] as const),
  ...(["minimum", "maximum", "less", "lessEqual", "equal", "and", "or", "not", "select"] as const),
  ...(["sqrt", "round", "floor", "ceil", "exp", "log", "log10", "sin", "cos"] as const),
] as const;

export type Operation = (typeof operations)[number];

/** A value of a program: an input, a constant, or the result of an instruction. */
export interface Value {
  readonly kind: Kind;
  readonly from: "input" | "constant" | "result";
  readonly index: number;
}

interface Instruction {
  readonly operation: Operation;
  readonly args: readonly Value[];
  readonly result: Value;
}

/** Maximum number of results that are needed at a time. */
const maxSlots = 64;

/** An input in memory; offset and strides are in bytes. */
interface InputPlace {
  readonly kind: Kind;
  readonly offset: number;
  readonly strides: readonly number[];
}

export class Program {
  readonly #constants: (readonly [kind: Kind, bits: bigint])[] = [];
  readonly #instructions: Instruction[] = [];
  /** Values by what they are, so that nothing is computed twice. */
  readonly #known = new Map<string, Value>();

  constant(kind: Kind, number: number | bigint): Value {
    const bits = constantBits(kind, number);
    return this.#value(`${kind} ${bits}`, () => {
      this.#constants.push([kind, bits]);
      return { kind, from: "constant", index: this.#constants.length - 1 };
    });
  }

  /** Appends an instruction; its operands have one type, except the condition of "select". */
  emit(operation: Operation, args: readonly Value[], kind: Kind = args.at(-1)!.kind): Value {
    const key = [operation, kind, ...args.map(({ from, index }) => from + index)].join();
    return this.#value(key, () => {
      const result: Value = { kind, from: "result", index: this.#instructions.length };
      this.#instructions.push({ operation, args, result });
      return result;
    });
  }

  #value(key: string, make: () => Value): Value {
    const known = this.#known.get(key) ?? make();
    this.#known.set(key, known);
    return known;
  }

  /**
   * Makes a value the result of the program, whose last instruction must compute it.
   * @returns false if too many intermediate results are needed at a time.
   */
  finish(value: Value): boolean {
    const last = this.#instructions.at(-1);
    if (last?.result !== value) this.#instructions.push({ operation: "cast", args: [value], result: value });
    return this.#slots().every((slot) => slot < maxSlots);
  }

  /** Returns the slot of each instruction's result; a slot is used again after the last use of its value. */
  #slots(): number[] {
    const lastUse = new Map<Value, number>();
    for (const [i, { args }] of this.#instructions.entries()) for (const arg of args) lastUse.set(arg, i);
    const used: boolean[] = [];
    const slots: number[] = [];
    for (const [i, { args }] of this.#instructions.entries()) {
      const free = used.indexOf(false);
      slots[i] = free < 0 ? used.length : free;
      used[slots[i]!] = true;
      for (const arg of args)
        if (arg.from === "result" && lastUse.get(arg) === i) used[slots[arg.index]!] = false;
    }
    return slots;
  }

  /** Number of constants and instructions. */
  get size(): readonly [constants: number, instructions: number] {
    return [this.#constants.length, this.#instructions.length];
  }

  /** Returns the words of the core for a box. */
  words(shape: readonly number[], inputs: readonly InputPlace[]): number[] {
    const [constants, instructions] = this.size;
    const slots = this.#slots();
    const first = { input: 0, constant: inputs.length, result: inputs.length + constants };
    const operand = (value: Value) =>
      value.from === "result" ? first.result + slots[value.index]! : first[value.from] + value.index;
    return [
      ...[shape.length, inputs.length, constants, instructions, ...shape],
      ...inputs.flatMap(({ kind, offset, strides }) => [kindNumber(kind), offset, ...strides]),
      ...this.#constants.flatMap(([kind, bits]) => [
        kindNumber(kind),
        Number(bits & 0xffffffffn),
        Number(bits >> 32n),
      ]),
      ...this.#instructions.flatMap(({ operation, args, result }, i) => {
        const [a = 0, b = 0, c = 0] = args.map(operand);
        const to = operation === "cast" ? kindNumber(result.kind) : b;
        return [operations.indexOf(operation), kindNumber(args.at(-1)!.kind), a, to, c, slots[i]!];
      }),
    ];
  }
}

/** Returns the bits of a number of a type, extended by zeros to 64. */
function constantBits(kind: Kind, number: number | bigint): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (kind === "float32") view.setFloat32(0, Number(number), true);
  else if (kind === "float64") view.setFloat64(0, Number(number), true);
  else view.setBigUint64(0, BigInt.asUintN(8 * kindBytes(kind), BigInt(number)), true);
  return view.getBigUint64(0, true);
}
