/** Inputs derived from binary files by changes to their fields: numbers of 1 to 8 bytes, digits, parts of other files. */
import fc from "fast-check";
import { hashRanges, repairHashes } from "./hdf5-hashes.js";

type FieldEdit = (bytes: Uint8Array, seeds: readonly Uint8Array[]) => Uint8Array;

const part = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const size = fc.constantFrom(1, 2, 4, 8);
const edits = { minLength: 0, maxLength: 5 };

/** Values of a field: at the limits of its width, near the present one, or a position in the file. */
const values: readonly ((present: bigint, bits: bigint, length: number) => bigint)[] = [
  () => 0n,
  () => 1n,
  () => 2n,
  (_, bits) => 2n ** bits - 1n,
  (_, bits) => 2n ** bits - 2n,
  (_, bits) => 2n ** (bits - 1n),
  (_, bits) => 2n ** (bits - 1n) - 1n,
  (present) => present + 1n,
  (present) => present - 1n,
  (present) => present * 2n,
  (present) => present ^ 0x40n,
  (_, __, length) => BigInt(length),
  (_, __, length) => BigInt(length) / 2n,
  (_, bits) => 2n ** (bits / 2n),
];

/** A position; mostly near a byte other than 0, since files are padded. */
function place(bytes: Uint8Array, where: number): number {
  const start = Math.floor(where * bytes.length);
  for (let i = start; i < Math.min(bytes.length, start + 256); i++)
    if (bytes[i] !== 0) return Math.max(start, i - (start % 4));
  return start;
}

function setField(where: number, width: number, isLittle: boolean, kind: number): FieldEdit {
  return (bytes) => {
    const at = place(bytes, where);
    if (at + width > bytes.length) return bytes;
    let present = 0n;
    const order = Array.from({ length: width }, (_, i) => at + (isLittle ? width - 1 - i : i));
    for (const i of order) present = (present << 8n) | BigInt(bytes[i]!);
    const bits = BigInt(8 * width);
    let value = BigInt.asUintN(8 * width, values[kind]!(present, bits, bytes.length));
    for (const i of order.reverse()) {
      bytes[i] = Number(value & 255n);
      value >>= 8n;
    }
    return bytes;
  };
}

function write(where: number, more: Uint8Array): FieldEdit {
  return (bytes) => {
    const at = place(bytes, where);
    bytes.set(more.subarray(0, bytes.length - at), at);
    return bytes;
  };
}

/** Copies a part of a seed over another place, or inserts it there. */
function splice(which: number, from: number, to: number, length: number, inserts: boolean): FieldEdit {
  return (bytes, seeds) => {
    const donor = seeds[Math.floor(which * seeds.length)]!;
    const start = place(donor, from);
    const piece = donor.slice(start, start + length);
    if (!inserts) return write(to, piece)(bytes, seeds);
    const at = place(bytes, to);
    return Uint8Array.from(Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]));
  };
}

const cut =
  (where: number): FieldEdit =>
  (bytes) =>
    bytes.slice(0, Math.floor(where * bytes.length));

const remove =
  (where: number, length: number): FieldEdit =>
  (bytes) => {
    const at = place(bytes, where);
    return Uint8Array.from(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]));
  };

const anyEdit: fc.Arbitrary<FieldEdit> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(part, size, fc.boolean(), fc.nat(values.length - 1))
      .map(([where, width, isLittle, kind]) => setField(where, width, isLittle, kind)),
  },
  { weight: 3, arbitrary: fc.tuple(part, fc.uint8Array({ minLength: 1, maxLength: 8 })).map(writeAt) },
  { weight: 1, arbitrary: fc.tuple(part, fc.constantFrom(..."0123456789-. \"<>{}'")).map(writeText) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(part, part, part, fc.integer({ min: 1, max: 200 }), fc.boolean())
      .map(([which, from, to, length, inserts]) => splice(which, from, to, length, inserts)),
  },
  { weight: 1, arbitrary: part.map(cut) },
  {
    weight: 1,
    arbitrary: fc.tuple(part, fc.integer({ min: 1, max: 80 })).map(([at, n]) => remove(at, n)),
  },
);

function writeAt([where, bytes]: [number, Uint8Array]): FieldEdit {
  return write(where, bytes);
}

function writeText([where, text]: [number, string]): FieldEdit {
  return write(where, Uint8Array.of(text.charCodeAt(0)));
}

/**
 * Seeds with changed fields and parts of one another. Checksums of HDF5 structures in which a seed was changed are mostly
 * corrected, so that the structures are read.
 */
export function mutatedFields(seeds: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const hashes = new Map<number, ReturnType<typeof hashRanges>>();
  const hashesOf = (which: number) => {
    const ranges = hashes.get(which) ?? hashRanges(seeds[which]!);
    hashes.set(which, ranges);
    return ranges;
  };
  return fc
    .tuple(fc.nat(seeds.length - 1), fc.array(anyEdit, edits), fc.nat(9))
    .map(([which, changes, luck]) => {
      let bytes: Uint8Array = seeds[which]!.slice();
      for (const change of changes) bytes = change(bytes, seeds);
      if (luck > 0) repairHashes(bytes, hashesOf(which));
      return bytes;
    });
}
