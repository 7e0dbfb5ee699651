/** Checksums of the structures of HDF5 files, so that changed structures can be made valid. */
import { lookup3 } from "../../../dist/formats/hdf5/checksum.js";

/** A structure, without its checksum at the end; direct blocks of heaps have theirs inside, which counts as 0. */
interface HashRange {
  readonly start: number;
  readonly end: number;
  readonly sum: number;
}

const start = String.raw`\x89HDF\r\n\x1a\n`;
const signatures = new RegExp(
  `${start}|OHDR|OCHK|FRHP|FHDB|FHIB|BTHD|BTLF|BTIN|FAHD|FADB|EAHD|EAIB|EASB|EADB|SMTB|SMLI`,
  "g",
);

const maxLength = 768;

/** Finds structures with a valid checksum. */
export function hashRanges(bytes: Uint8Array): HashRange[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  if (!text.includes("\x89HDF\r\n\x1a\n")) return [];
  const view = viewOf(bytes);
  const isValid = (range: HashRange) =>
    range.end <= bytes.length && view.getUint32(range.sum, true) === hash(bytes, range);
  return [...text.matchAll(signatures)].flatMap(({ 0: signature, index: start }) => {
    const ranges = signature === "FHDB" ? directBlocks(start) : atEnd(start, bytes.length);
    return ranges.filter(isValid).slice(0, 1);
  });
}

function atEnd(start: number, length: number): HashRange[] {
  const count = Math.max(0, Math.min(length - 4, start + maxLength) - start - 3);
  return Array.from({ length: count }, (_, i) => ({ start, end: start + 4 + i, sum: start + 4 + i }));
}

/** Direct blocks by the usual widths of their offsets and their sizes. */
const directBlocks = (start: number): HashRange[] =>
  [2, 3, 4, 5, 8].flatMap((width) =>
    [512, 1024, 2048, 4096].map((size) => ({ start, end: start + size, sum: start + 13 + width })),
  );

/** Writes the checksums of structures again. */
export function repairHashes(bytes: Uint8Array, ranges: readonly HashRange[]): void {
  const view = viewOf(bytes);
  for (const range of ranges)
    if (Math.max(range.end, range.sum + 4) <= bytes.length)
      view.setUint32(range.sum, hash(bytes, range), true);
}

function hash(bytes: Uint8Array, { start, end, sum }: HashRange): number {
  if (sum >= end) return lookup3(bytes.subarray(start, end));
  const block = bytes.slice(start, end);
  return lookup3(block.fill(0, sum - start, sum - start + 4));
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);
