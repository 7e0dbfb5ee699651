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
const isComparison = (name: string) => /^(?:[<>]=?|[!=]=)$/.test(name);

const numbers: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, pi: Math.PI };

/** Functions of one float. */
const floatFunctions = ["sqrt", "exp", "log", "log10", "sin", "cos"] as const;
const rounding = ["round", "floor", "ceil"] as const;

const arithmetic: Readonly<Record<string, Operation>> = { "+": "add", "-": "subtract", "*": "multiply" };

/** Least and greatest number of arguments of other functions. */
const arity: Readonly<Record<string, readonly [number, number]>> = {
  where: [3, 3],
  clip: [3, 3],
  min: [2, 16],
  max: [2, 16],
  abs: [1, 1],
  isMissing: [1, 1],
};

const functions = [...floatFunctions, ...rounding, ...Object.keys(arity)];
const casts = kinds.filter((kind) => kind !== "float16") as readonly string[];

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
  const value = compiler.typed(compiler.term(term), term);
  const { program } = compiler;
  const [constants, instructions] = program.size;
  if (!program.finish(value) || constants > 256 || instructions >= 1024)
    throw badExpression(text, term.at, "too many intermediate results");
  return { program, kind: value.kind };
}

class Compiler {
  readonly program = new Program();

  constructor(
    private readonly text: string,
    private readonly find: (name: string) => Binding | undefined,
    private readonly names: readonly string[],
  ) {}

  term(term: Term): Operand {
    if (term.kind === "number") return term.value;
    if (term.kind === "name") return this.#name(term.name, term);
    const args = term.args.map((arg) => this.term(arg));
    const folded = args.some(isValue) ? undefined : fold(term.name, args as (number | bigint)[]);
    if (typeof folded === "bigint" && !holds("int64", folded) && !holds("uint64", folded))
      throw this.#bad(term, "an integer of more than 64 bits");
    return folded ?? this.#call(term.name, args, term);
  }

  #bad(term: Term, message: string, meant?: string) {
    return badExpression(this.text, term.at, message, meant);
  }

  #name(name: string, term: Term): Operand {
    const found = this.find(name);
    if (found && "constant" in found) return found.constant;
    if (found)
      return this.#decoded(
        { kind: found.stored.kind, from: "input", index: found.input },
        found.stored,
        term,
      );
    if (Object.hasOwn(numbers, name)) return numbers[name]!;
    const known = this.names.length > 0 ? `; operands are ${this.names.join(", ")}` : "";
    throw this.#bad(term, `unknown name "${name}"${known},`, closestTo(name, this.names));
  }

  /** Decodes by CF as `decodeCF` does: the scale in float64, missing values by their stored form. */
  #decoded(value: Value, { decode, missing = [], isBool }: Stored, term: Term): Value {
    const { program } = this;
    let result = isBool ? this.#as(value, "bool", term) : value;
    if (decode) {
      const { scale, offset, isFloat32 } = decode;
      if (scale !== 1 || offset !== 0) {
        result = this.#as(result, "float64", term);
        result = program.emit("multiply", [result, program.constant("float64", scale)]);
        result = program.emit("add", [result, program.constant("float64", offset)]);
      }
      result = this.#as(result, isFloat32 ? "float32" : "float64", term);
    }
    const nan = missing.length > 0 ? [program.constant(result.kind, Number.NaN)] : [];
    for (const number of missing) {
      const isMissing = program.emit("equal", [value, program.constant(value.kind, number)], "bool");
      result = program.emit("select", [isMissing, ...nan, result]);
    }
    return result;
  }

  /** Returns an operand as a value of its own type: int64 or float64 for numbers of the text. */
  typed(operand: Operand, term: Term): Value {
    if (isValue(operand)) return operand;
    const int = typeof operand === "bigint" && !holds("int64", operand) ? "uint64" : "int64";
    return this.#as(operand, typeof operand === "bigint" ? int : "float64", term);
  }

  /** Converts to a type. */
  #as(operand: Operand, kind: Kind, term: Term): Value {
    if (isValue(operand)) return operand.kind === kind ? operand : this.program.emit("cast", [operand], kind);
    if (typeof operand === "bigint" && !isFloatKind(kind) && !holds(kind, operand))
      throw this.#bad(term, `${operand} is out of range for ${kind}`);
    return this.program.constant(kind, operand);
  }

  /** Returns the common type of operands. */
  #common(operands: readonly Operand[]): Kind {
    const values = operands.filter(isValue).map(({ kind }) => kind);
    const kind = values.length > 0 ? values.reduce(promote) : undefined;
    if (kind && isFloatKind(kind)) return kind;
    if (operands.some((operand) => typeof operand === "number")) return "float64";
    const isWeak = operands.some((operand) => typeof operand === "bigint");
    if (kind === undefined || (kind === "bool" && isWeak)) return "int64";
    return kind;
  }

  /** Computes in another type than that of the result. */
  #via(operation: Operation, args: readonly Operand[], inside: Kind, kind: Kind, term: Term): Value {
    const converted = args.map((arg) => this.#as(this.#as(arg, kind, term), inside, term));
    return this.#as(this.program.emit(operation, converted), kind, term);
  }

  /** Returns the condition that a value is not 0. */
  #truth = (operand: Operand, term: Term): Value => this.#as(this.typed(operand, term), "bool", term);

  #call(name: string, args: readonly Operand[], term: Term): Operand {
    const { program } = this;
    if (isComparison(name)) return this.#compare(name, args as [Operand, Operand], term);
    if (name === "and" || name === "or")
      return program.emit(
        name,
        args.map((arg) => this.#truth(arg, term)),
      );
    if (name === "not") return program.emit("not", [this.#truth(args[0]!, term)]);
    if (name === "&" || name === "|" || name === "u~") return this.#bitwise(name, args, term);
    if (/^u?\W/.test(name)) return this.#arithmetic(name, args, term);
    return this.#function(name, args, term);
  }

  #bitwise(name: string, args: readonly Operand[], term: Term): Value {
    const kind = this.#common(args);
    if (isFloatKind(kind)) throw this.#bad(term, `"${name.replace("u", "")}" of ${kind}: use and, or, not,`);
    const operation = name === "&" ? "and" : name === "|" ? "or" : "not";
    return this.program.emit(
      operation,
      args.map((arg) => this.#as(arg, kind, term)),
    );
  }

  #arithmetic(name: string, args: readonly Operand[], term: Term): Value {
    const kind = this.#common(args);
    if (name === "**") return this.#power(args as [Operand, Operand], kind, term);
    if (name === "%") {
      const own = kind === "bool" ? "int8" : kind;
      const inside = isFloatKind(own) ? "float64" : isUnsigned(own) ? "uint64" : "int64";
      return this.#via("modulo", args, inside, own, term);
    }
    if (name === "/")
      return this.#via(
        "divide",
        args,
        isFloatKind(kind) ? kind : "float64",
        isFloatKind(kind) ? kind : "float64",
        term,
      );
    if (name === "u+") return this.#as(args[0]!, kind, term);
    const converted = args.map((arg) => this.#as(arg, kind, term));
    if (kind !== "bool") return this.program.emit(name === "u-" ? "negate" : arithmetic[name]!, converted);
    if (name.endsWith("-")) throw this.#bad(term, "booleans cannot be subtracted; use not or !=,");
    return this.program.emit(name === "+" ? "or" : "and", converted);
  }

  #power([base, exponent]: [Operand, Operand], common: Kind, term: Term): Value {
    const kind = common === "bool" ? "int8" : common;
    const value = this.#as(base, kind, term);
    const isSmall = !isValue(exponent) && (isFloatKind(kind) || typeof exponent === "bigint");
    if (isSmall && Number(exponent) === 2) return this.program.emit("multiply", [value, value]);
    if (isSmall && Number(exponent) === 1) return value;
    if (isFloatKind(kind)) {
      if (exponent === 0.5) return this.program.emit("sqrt", [value]);
      return this.#via("power", [value, exponent], "float64", kind, term);
    }
    const mayBeNegative = isValue(exponent)
      ? !isUnsigned(exponent.kind) && exponent.kind !== "bool"
      : exponent < 0;
    if (mayBeNegative)
      throw this.#bad(term, "integers cannot have negative exponents; convert one of them with float64(…),");
    return this.#via("power", [value, exponent], "uint64", kind, term);
  }

  #compare(name: string, [a, b]: readonly [Operand, Operand], term: Term): Value {
    if (name.startsWith(">")) return this.#compare(name.replace(">", "<"), [b, a], term);
    if (name === "!=") return this.program.emit("not", [this.#compare("==", [a, b], term)]);
    const operation = name === "<" ? "less" : name === "<=" ? "lessEqual" : "equal";
    const kind = this.#common([a, b]);
    for (const [i, operand] of [a, b].entries()) {
      const isOutside = typeof operand === "bigint" && !isFloatKind(kind) && !holds(kind, operand);
      if (isOutside)
        return this.program.constant(
          "bool",
          operation !== "equal" && (i === 0) === (operand as bigint) < 0 ? 1n : 0n,
        );
    }
    if (isValue(a) && isValue(b) && kind === "float64" && !isFloatKind(a.kind) && !isFloatKind(b.kind))
      return this.#compareMixed(operation, a, b, term);
    const inside = operation === "equal" ? kind : orderedKind(kind);
    return this.program.emit(
      operation,
      [a, b].map((arg) => this.#as(arg, inside, term)),
      "bool",
    );
  }

  /** Compares uint64 with a signed type: exactly, as NumPy does, without rounding to float64. */
  #compareMixed(operation: Operation, a: Value, b: Value, term: Term): Value {
    const { program } = this;
    const isFirst = !isUnsigned(a.kind);
    const signed = this.#as(isFirst ? a : b, "int64", term);
    const isNegative = program.emit("less", [signed, program.constant("int64", 0n)], "bool");
    const result = program.emit(
      operation,
      [a, b].map((arg) => this.#as(arg, "uint64", term)),
      "bool",
    );
    if (isFirst && operation !== "equal") return program.emit("or", [isNegative, result]);
    return program.emit("and", [program.emit("not", [isNegative]), result]);
  }

  #function(name: string, args: readonly Operand[], term: Term): Operand {
    const { program } = this;
    const is = (list: readonly string[]) => list.includes(name);
    const isUnary = is(floatFunctions) || is(rounding) || is(casts);
    const counts = isUnary ? ([1, 1] as const) : Object.hasOwn(arity, name) ? arity[name] : undefined;
    if (!counts) {
      const meant = closestTo(name, [...functions, ...casts]);
      throw this.#bad(
        term,
        `unknown function "${name}"; functions are ${functions.join(", ")} and types,`,
        meant,
      );
    }
    if (args.length < counts[0] || args.length > counts[1])
      throw this.#bad(
        term,
        `${name}() takes ${counts[0]}${counts[1] > counts[0] ? ` to ${counts[1]}` : ""} arguments, got ${args.length}`,
      );
    const [first, ...rest] = args as [Operand, ...Operand[]];
    if (is(casts)) return this.#as(isValue(first) ? first : this.typed(first, term), name as Kind, term);
    if (name === "where") {
      const kind = this.#common(rest);
      return program.emit("select", [
        this.#truth(first, term),
        ...rest.map((arg) => this.#as(arg, kind, term)),
      ]);
    }
    if (name === "clip") return this.#clip(args as [Operand, Operand, Operand], term);
    if (name === "min" || name === "max")
      return rest.reduce<Operand>((a, b) => this.#extreme(name, a, b, this.#common(args), term), first);
    const value = this.typed(first, term);
    const { kind } = value;
    if (name === "isMissing")
      return isFloatKind(kind)
        ? program.emit("not", [program.emit("equal", [value, value], "bool")])
        : program.constant("bool", 0n);
    if (name === "abs") return this.#absolute(value, term);
    if (is(rounding)) return isFloatKind(kind) ? program.emit(name as Operation, [value]) : value;
    const inside = name === "sqrt" ? floatKind(kind) : "float64";
    return this.#via(name as Operation, [value], inside, floatKind(kind), term);
  }

  #absolute(value: Value, term: Term): Value {
    const { kind } = value;
    if (kind === "bool" || isUnsigned(kind)) return value;
    return this.#via("absolute", [value], isFloatKind(kind) || kind === "int64" ? kind : "int32", kind, term);
  }

  #extreme(name: "min" | "max", a: Operand, b: Operand, kind: Kind, term: Term): Value {
    const args = [a, b].map((arg) => this.#as(arg, kind, term));
    if (kind === "bool") return this.program.emit(name === "min" ? "and" : "or", args);
    return this.#via(name === "min" ? "minimum" : "maximum", args, orderedKind(kind), kind, term);
  }

  /** As in NumPy, bounds of the text beyond the range of an integer type have no effect. */
  #clip([value, low, high]: readonly [Operand, Operand, Operand], term: Term): Operand {
    const kind = this.#common([value, low, high]);
    const isVoid = (bound: Operand) => typeof bound === "bigint" && !isFloatKind(kind) && !holds(kind, bound);
    let result: Operand = this.#as(value, kind, term);
    if (!isVoid(low)) result = this.#extreme("max", result, low, kind, term);
    return isVoid(high) ? result : this.#extreme("min", result, high, kind, term);
  }
}

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
