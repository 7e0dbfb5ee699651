/**
 * Compiles expressions: types every operation by the rules of NumPy 2, in which numbers of the text adapt to the type of
 * the arrays, and emits instructions for the core.
 */

import { closestTo } from "../../util/arguments.js";
import { floatKind, holds, isFloatKind, isUnsigned, type Kind, kinds, promote } from "./kinds.js";
import { badExpression, type Term } from "./parse.js";
import { type Operation, Program, type Value } from "./program.js";
import type { Stored } from "./sources.js";

/** A value, or a number of the text (an integer if a bigint). */
type Operand = Value | number | bigint;

/** What a name of an expression stands for: the number of an input and its type, or a number. */
export type Binding =
  | { readonly input: number; readonly stored: Stored }
  | { readonly constant: number | bigint };

export interface Compiled {
  readonly program: Program;
  readonly kind: Kind;
}

const isValue = (operand: Operand): operand is Value => typeof operand === "object";

const numbers: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, pi: Math.PI };

/** Functions of one float. */
const floatFunctions = ["sqrt", "exp", "log", "log10", "sin", "cos"] as const;
const rounding: readonly string[] = ["round", "floor", "ceil"];

/** Least and greatest number of arguments of functions; others have one. */
const arity: Readonly<Record<string, readonly [number, number]>> = {
  where: [3, 3],
  clip: [3, 3],
  min: [2, 16],
  max: [2, 16],
  abs: [1, 1],
  isMissing: [1, 1],
};

const casts: readonly string[] = kinds.filter((kind) => kind !== "float16");
const unaryFunctions: readonly string[] = [...floatFunctions, ...rounding, ...casts];
const functions = [...floatFunctions, ...rounding, ...Object.keys(arity)];

/** Operations of operators that need no other rule. */
const operators: Readonly<Record<string, Operation>> = {
  ...{ "+": "add", "-": "subtract", "*": "multiply", "u-": "negate" },
  ...{ "&": "and", "|": "or", "u~": "not", "<": "less", "<=": "lessEqual", "==": "equal" },
};

/**
 * Compiles an expression.
 * @param find returns what a name stands for; undefined for an unknown one.
 * @param names for suggestions.
 * @throws InvalidArgument ("bad-expression").
 */
export function compile(
  text: string,
  term: Term,
  find: (name: string) => Binding | undefined,
  names: readonly string[],
): Compiled {
  const compiler = new Compiler(text, find, names);
  const value = compiler.typed(compiler.term(term));
  const { program } = compiler;
  const [constants, instructions] = program.size;
  if (!program.finish(value) || constants > 256 || instructions >= 1024)
    throw badExpression(text, term.at, "too many intermediate results");
  return { program, kind: value.kind };
}

class Compiler {
  readonly program = new Program();
  /** Position of the operation that is compiled. */
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly find: (name: string) => Binding | undefined,
    private readonly names: readonly string[],
  ) {}

  term(term: Term): Operand {
    if (term.kind === "number") return term.value;
    const args = term.kind === "call" ? term.args.map((arg) => this.term(arg)) : [];
    this.#at = term.at;
    if (term.kind === "name") return this.#name(term.name);
    const folded = args.some(isValue) ? undefined : fold(term.name, args as (number | bigint)[]);
    if (typeof folded === "bigint" && !holds("int64", folded) && !holds("uint64", folded))
      throw this.#bad("an integer of more than 64 bits");
    return folded ?? (/\w$/.test(term.name) ? this.#word(term.name, args) : this.#operator(term.name, args));
  }

  #bad(message: string, meant?: string) {
    return badExpression(this.text, this.#at, message, meant);
  }

  #name(name: string): Operand {
    const found = this.find(name);
    if (found && "constant" in found) return found.constant;
    if (found)
      return this.#decoded({ kind: found.stored.kind, from: "input", index: found.input }, found.stored);
    if (Object.hasOwn(numbers, name)) return numbers[name]!;
    const known = this.names.length > 0 ? `; operands are ${this.names.join(", ")}` : "";
    throw this.#bad(`unknown name "${name}"${known},`, closestTo(name, this.names));
  }

  /** Decodes by CF as `decodeCF` does: the scale in float64, missing values by their stored form. */
  #decoded(value: Value, { decode, missing = [], isBool }: Stored): Value {
    let result = isBool ? this.#as(value, "bool") : value;
    if (decode) {
      const { scale, offset, isFloat32 } = decode;
      if (scale !== 1 || offset !== 0) {
        result = this.#emit("multiply", "float64", [result, scale]);
        result = this.#emit("add", "float64", [result, offset]);
      }
      result = this.#as(result, isFloat32 ? "float32" : "float64");
    }
    for (const number of missing) {
      const isMissing = this.#emit("equal", value.kind, [value, number], "bool");
      result = this.program.emit(
        "select",
        [isMissing, this.#as(Number.NaN, result.kind), result],
        result.kind,
      );
    }
    return result;
  }

  /** Returns an operand as a value of its own type: int64 or float64 for numbers of the text. */
  typed(operand: Operand): Value {
    if (isValue(operand)) return operand;
    if (typeof operand === "number") return this.#as(operand, "float64");
    return this.#as(operand, holds("int64", operand) ? "int64" : "uint64");
  }

  /** Converts to a type. */
  #as(operand: Operand, kind: Kind): Value {
    if (isValue(operand)) return operand.kind === kind ? operand : this.program.emit("cast", [operand], kind);
    if (isBeyond(kind, operand)) throw this.#bad(`${operand} is out of range for ${kind}`);
    return this.program.constant(kind, operand);
  }

  /** Converts operands to a type and computes with them. */
  #emit(operation: Operation, kind: Kind, operands: readonly Operand[], result = kind): Value {
    const args = operands.map((operand) => this.#as(operand, kind));
    return this.program.emit(operation, args, result);
  }

  /** Converts operands to a type, but computes in another one. */
  #via(operation: Operation, inside: Kind, operands: readonly Operand[], kind: Kind): Value {
    const args = operands.map((operand) => this.#as(operand, kind));
    return this.#as(this.#emit(operation, inside, args), kind);
  }

  /** Returns the common type of operands. */
  #common(operands: readonly Operand[]): Kind {
    const values = operands.filter(isValue).map(({ kind }) => kind);
    const kind = values.length > 0 ? values.reduce(promote) : undefined;
    if (kind && isFloatKind(kind)) return kind;
    if (operands.some((operand) => typeof operand === "number")) return "float64";
    const isWeak = operands.some((operand) => typeof operand === "bigint");
    return kind === undefined || (kind === "bool" && isWeak) ? "int64" : kind;
  }

  /** Whether a value is not 0. */
  #truth = (operand: Operand): Value => this.#as(this.typed(operand), "bool");

  #operator(name: string, args: readonly Operand[]): Value {
    const kind = this.#common(args);
    const float = isFloatKind(kind) ? kind : "float64";
    const small = kind === "bool" ? "int8" : kind;
    if (/[<>=]/.test(name)) return this.#compare(name, kind, args as [Operand, Operand]);
    if (name === "**") return this.#power(args as [Operand, Operand], small);
    if (name === "/") return this.#emit("divide", float, args);
    if (name === "u+") return this.#as(args[0]!, kind);
    if (name === "%")
      return this.#via("modulo", isFloatKind(kind) ? "float64" : wideKind(small), args, small);
    if (/[&|~]/.test(name) && isFloatKind(kind))
      throw this.#bad(`"${name.replace("u", "")}" of ${kind}: use and, or, not,`);
    if (kind === "bool" && name.endsWith("-"))
      throw this.#bad("booleans cannot be subtracted; use not or !=,");
    if (kind === "bool" && /[+*]/.test(name)) return this.#emit(name === "+" ? "or" : "and", kind, args);
    return this.#emit(operators[name]!, kind, args);
  }

  #power([base, exponent]: readonly [Operand, Operand], kind: Kind): Value {
    const value = this.#as(base, kind);
    if (!isValue(exponent) && Number(exponent) === 2) return this.#emit("multiply", kind, [value, value]);
    if (isFloatKind(kind)) {
      if (exponent === 0.5) return this.#emit("sqrt", kind, [value]);
      return this.#via("power", "float64", [value, exponent], kind);
    }
    const isSigned = isValue(exponent) ? /^int/.test(exponent.kind) : exponent < 0;
    if (isSigned)
      throw this.#bad("integers cannot have negative exponents; convert one of them with float64(…),");
    return this.#via("power", "uint64", [value, exponent], kind);
  }

  #compare(name: string, kind: Kind, [a, b]: readonly [Operand, Operand]): Value {
    if (name.startsWith(">")) return this.#compare(name.replace(">", "<"), kind, [b, a]);
    if (name === "!=") return this.#emit("not", "bool", [this.#compare("==", kind, [a, b])]);
    const operation = operators[name]!;
    // A number of the text that the type does not hold is less than all its values, or greater.
    const [isLeft, isRight] = [isBeyond(kind, a), isBeyond(kind, b)];
    if (isLeft || isRight) {
      const isLess = isLeft ? (a as bigint) < 0n : (b as bigint) > 0n;
      return this.program.constant("bool", operation !== "equal" && isLess ? 1n : 0n);
    }
    const areIntegers = [a, b].every((operand) => isValue(operand) && !isFloatKind(operand.kind));
    if (kind === "float64" && areIntegers) return this.#compareMixed(operation, a as Value, b as Value);
    return this.#emit(operation, operation === "equal" ? kind : orderedKind(kind), [a, b], "bool");
  }

  /** Compares uint64 with a signed type: exactly, as NumPy does, without rounding to float64. */
  #compareMixed(operation: Operation, a: Value, b: Value): Value {
    const isFirst = !isUnsigned(a.kind);
    const isNegative = this.#emit("less", "int64", [isFirst ? a : b, 0n], "bool");
    const result = this.#emit(operation, "uint64", [a, b], "bool");
    if (isFirst && operation !== "equal") return this.#emit("or", "bool", [isNegative, result]);
    return this.#emit("and", "bool", [this.#emit("not", "bool", [isNegative]), result]);
  }

  /** Compiles and, or, not and functions. */
  #word(name: string, args: readonly Operand[]): Value {
    if (/^(?:and|or|not)$/.test(name)) return this.#emit(name as Operation, "bool", args.map(this.#truth));
    const [least, most] = this.#arity(name);
    if (args.length < least || args.length > most)
      throw this.#bad(
        `${name}() takes ${least}${most > least ? ` to ${most}` : ""} arguments, got ${args.length}`,
      );
    const [first, ...rest] = args as [Operand, ...Operand[]];
    const common = this.#common(args);
    if (name === "where") {
      const kind = this.#common(rest);
      const choices = rest.map((operand) => this.#as(operand, kind));
      return this.program.emit("select", [this.#truth(first), ...choices], kind);
    }
    if (name === "clip") {
      // As in NumPy, bounds of the text beyond the range of an integer type have no effect.
      const [low, high] = rest.map((bound) => (isBeyond(common, bound) ? [] : [bound])) as [
        Operand[],
        Operand[],
      ];
      return this.#extreme("min", common, [this.#extreme("max", common, [first, ...low]), ...high]);
    }
    if (name === "min" || name === "max") return this.#extreme(name, common, args);
    const value = this.typed(first);
    const { kind } = value;
    if (casts.includes(name)) return this.#as(value, name as Kind);
    if (name === "abs") {
      if (kind === "bool" || isUnsigned(kind)) return value;
      return this.#via("absolute", orderedKind(kind), [value], kind);
    }
    if (rounding.includes(name))
      return isFloatKind(kind) ? this.#emit(name as Operation, kind, [value]) : value;
    if (name === "isMissing") {
      if (!isFloatKind(kind)) return this.program.constant("bool", 0n);
      return this.#emit("not", "bool", [this.#emit("equal", kind, [value, value], "bool")]);
    }
    const float = floatKind(kind);
    return this.#via(name as Operation, name === "sqrt" ? float : "float64", [value], float);
  }

  #arity(name: string): readonly [number, number] {
    if (unaryFunctions.includes(name)) return [1, 1];
    if (Object.hasOwn(arity, name)) return arity[name]!;
    const meant = closestTo(name, [...functions, ...casts]);
    throw this.#bad(`unknown function "${name}"; functions are ${functions.join(", ")} and types,`, meant);
  }

  /** Returns the least or the greatest of operands. */
  #extreme(name: "min" | "max", kind: Kind, [first, ...rest]: readonly Operand[]): Value {
    const [boolean, operation] =
      name === "min" ? (["and", "minimum"] as const) : (["or", "maximum"] as const);
    return rest.reduce<Value>(
      (a, b) =>
        kind === "bool"
          ? this.#emit(boolean, kind, [a, b])
          : this.#via(operation, orderedKind(kind), [a, b], kind),
      this.#as(first!, kind),
    );
  }
}

/** Whether an operand is an integer of the text that an integer type does not hold. */
const isBeyond = (kind: Kind, operand: Operand): boolean =>
  typeof operand === "bigint" && !isFloatKind(kind) && !holds(kind, operand);

const wideKind = (kind: Kind): Kind => (isUnsigned(kind) ? "uint64" : "int64");

/** Returns the type in which the core orders values of a type. */
function orderedKind(kind: Kind): Kind {
  if (isFloatKind(kind) || kind.endsWith("64")) return kind;
  return kind === "uint32" ? "int64" : "int32";
}

/** Computes operations on numbers of the text alone, as Python does; undefined for others. */
function fold(name: string, args: readonly (number | bigint)[]): number | bigint | undefined {
  const [a, b] = args as [number | bigint, number | bigint];
  if (args.every((arg) => typeof arg === "bigint")) {
    const [x, y] = args as unknown as [bigint, bigint];
    if (name === "u~") return ~x;
    if (name === "u-") return -x;
    if (name === "+") return x + y;
    if (name === "-") return x - y;
    if (name === "*") return x * y;
    if (name === "**" && y >= 0n && (y <= 64n || (x >= -1n && x <= 1n))) return x ** y;
  }
  if (name === "u+") return a;
  const [x, y] = [Number(a), Number(b)];
  if (name === "u-") return -x;
  if (name === "+") return x + y;
  if (name === "-") return x - y;
  if (name === "*") return x * y;
  if (name === "/") return x / y;
  if (name === "**") return x ** y;
  const isFunction = args.length === 1 && (floatFunctions as readonly string[]).includes(name);
  return isFunction ? Math[name as (typeof floatFunctions)[number]](x) : undefined;
}
