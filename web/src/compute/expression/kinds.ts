/** Types of numbers in expressions, and the rules of NumPy by which operands of different types combine. */

/** In the order of the core (kernels/numbers.hpp). There are no operands of float16: they become float32. */
export const kinds = [
  ...(["bool", "int8", "int16", "int32", "int64"] as const),
  ...(["uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"] as const),
] as const;

export type Kind = (typeof kinds)[number];

export const kindNumber = (kind: Kind): number => kinds.indexOf(kind);
export const isFloatKind = (kind: Kind): boolean => kind.startsWith("float");
export const isUnsigned = (kind: Kind): boolean => kind.startsWith("u");
export const kindBytes = (kind: Kind): number => (kind === "bool" ? 1 : bitsOf(kind) / 8);

const bitsOf = (kind: Kind): number => Number(/\d+$/.exec(kind)?.[0] ?? 1);

/** Returns the float type that holds the results of functions such as sqrt: half precision becomes single. */
export const floatKind = (kind: Kind): Kind =>
  isFloatKind(kind) ? kind : bitsOf(kind) <= 16 ? "float32" : "float64";

/** Returns the type of both operands of an operation. */
export function promote(a: Kind, b: Kind): Kind {
  if (a === b || b === "bool") return a;
  if (a === "bool") return b;
  if (isFloatKind(a) || isFloatKind(b))
    return floatKind(a) === "float64" || floatKind(b) === "float64" ? "float64" : "float32";
  const wider = bitsOf(a) >= bitsOf(b) ? a : b;
  if (isUnsigned(a) === isUnsigned(b)) return wider;
  const [unsigned, signed] = isUnsigned(a) ? [a, b] : [b, a];
  const bits = Math.max(2 * bitsOf(unsigned), bitsOf(signed));
  return bits > 64 ? "float64" : (`int${bits}` as Kind);
}

/** Whether an integer is a value of an integer type. */
export function holds(kind: Kind, value: bigint): boolean {
  const bits = bitsOf(kind);
  return value === (isUnsigned(kind) ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value));
}
