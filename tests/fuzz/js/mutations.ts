/** Inputs derived from seeds by small changes to bytes, or to tokens of text. */
import fc from "fast-check";
import { textBytes } from "./target.js";

const edits = { minLength: 0, maxLength: 6 };
const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Numbers at the limits of formats. */
const edgeNumbers = [
  0,
  1,
  2,
  127,
  128,
  255,
  256,
  65535,
  65536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 2,
  2 ** 32 - 1,
];

type ByteEdit = (bytes: number[]) => void;

const position = (bytes: readonly number[], where: number) => Math.floor(where * bytes.length);

const byteEdits: fc.Arbitrary<ByteEdit> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(at, fc.nat(255)).map(([where, value]) => set(where, [value])) },
  { weight: 2, arbitrary: fc.tuple(at, fc.nat(7)).map(([where, bit]) => flip(where, bit)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(at, fc.constantFrom(...edgeNumbers), fc.constantFrom(2, 4, 8))
      .map(([where, value, size]) => set(where, littleEndian(value, size))),
  },
  { weight: 2, arbitrary: fc.tuple(at, fc.nat(40)).map(([where, count]) => remove(where, count)) },
  {
    weight: 2,
    arbitrary: fc.tuple(at, fc.uint8Array({ maxLength: 12 })).map(([where, more]) => insert(where, more)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(at, at, fc.nat(60)).map(([from, to, count]) => repeat(from, to, count)),
  },
  { weight: 1, arbitrary: at.map((where) => remove(where, Number.POSITIVE_INFINITY)) },
);

function set(where: number, values: readonly number[]): ByteEdit {
  return (bytes) => {
    const start = position(bytes, where);
    values.slice(0, bytes.length - start).forEach((value, i) => {
      bytes[start + i] = value;
    });
  };
}

function flip(where: number, bit: number): ByteEdit {
  return (bytes) => {
    const i = position(bytes, where);
    if (i < bytes.length) bytes[i]! ^= 1 << bit;
  };
}

function remove(where: number, count: number): ByteEdit {
  return (bytes) => void bytes.splice(position(bytes, where), count);
}

function insert(where: number, more: Uint8Array): ByteEdit {
  return (bytes) => void bytes.splice(position(bytes, where), 0, ...more);
}

function repeat(from: number, to: number, count: number): ByteEdit {
  return (bytes) => {
    const start = position(bytes, from);
    bytes.splice(position(bytes, to), 0, ...bytes.slice(start, start + count));
  };
}

function littleEndian(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** i) % 256);
}

/** Seeds with bytes set, flipped, removed, inserted and copied; occasionally random bytes. */
export function mutatedBytes(seeds: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const mutated = fc.tuple(fc.constantFrom(...seeds), fc.array(byteEdits, edits)).map(([seed, changes]) => {
    const bytes = [...seed];
    for (const change of changes) change(bytes);
    return Uint8Array.from(bytes);
  });
  return fc.oneof(
    { weight: 15, arbitrary: mutated },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  );
}

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[A-Za-z]+|\s+|./gs;
const isValue = (text: string) => /^["\d\w-]/.test(text);

/** Replacements for any value. */
const oddValues = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "1",
  "-1",
  "1.5",
  "1e400",
  "-1e-400",
  "2147483648",
  "4294967296",
  "9007199254740993",
  "18446744073709551616",
  "NaN",
  "-Infinity",
  '""',
  '"0"',
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  "[]",
  "[[]]",
  "{}",
  '{"__proto__":{"polluted":1}}',
  "[null]",
  "[1e9,1e9,1e9]",
  `${"[".repeat(70)}${"]".repeat(70)}`,
];

type TokenEdit = (tokens: string[], donors: readonly string[]) => void;

/** The n-th token after a position that is a value or a name. */
function valueAt(tokens: readonly string[], where: number): number {
  const start = Math.floor(where * tokens.length);
  const found = tokens.findIndex((text, i) => i >= start && isValue(text));
  return found < 0 ? start : found;
}

const tokenEdits: fc.Arbitrary<TokenEdit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(at, fc.constantFrom(...oddValues)).map(
      ([where, value]): TokenEdit =>
        (tokens) => {
          tokens[valueAt(tokens, where)] = value;
        },
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(at, at).map(
      ([where, which]): TokenEdit =>
        (tokens, donors) => {
          tokens[valueAt(tokens, where)] = donors[Math.floor(which * donors.length)]!;
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(at, fc.oneof(fc.integer(), fc.double(), fc.bigInt(), fc.string())).map(
      ([where, value]): TokenEdit =>
        (tokens) => {
          tokens[valueAt(tokens, where)] = typeof value === "string" ? JSON.stringify(value) : String(value);
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(at, fc.integer({ min: 1, max: 12 })).map(
      ([where, count]): TokenEdit =>
        (tokens) =>
          void tokens.splice(Math.floor(where * tokens.length), count),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(at, at, fc.integer({ min: 1, max: 30 })).map(
      ([from, to, count]): TokenEdit =>
        (tokens) => {
          const start = Math.floor(from * tokens.length);
          tokens.splice(Math.floor(to * tokens.length), 0, ...tokens.slice(start, start + count));
        },
    ),
  },
);

/** Text, mostly JSON, with tokens removed, repeated, or replaced by unusual ones or by tokens of other seeds. */
export function mutatedText(seeds: readonly string[]): fc.Arbitrary<Uint8Array> {
  const donors = [...new Set(seeds.flatMap((seed) => seed.match(token) ?? []).filter(isValue))];
  const mutated = fc.tuple(fc.constantFrom(...seeds), fc.array(tokenEdits, edits)).map(([seed, changes]) => {
    const tokens: string[] = seed.match(token) ?? [];
    for (const change of changes) change(tokens, donors);
    return textBytes(tokens.join(""));
  });
  return fc.oneof(
    { weight: 12, arbitrary: mutated },
    { weight: 1, arbitrary: mutatedBytes(seeds.map(textBytes)) },
  );
}
