/** Decodes LZMA, for the copies of the wasm modules in scripts: neither the runtime nor a loaded module can. */

/** Probabilities of the literals start after those of all other symbols. */
const layout = {
  isMatch: 0,
  isRep: 192,
  isRepG0: 204,
  isRepG1: 216,
  isRepG2: 228,
  isRep0Long: 240,
  slots: 432,
  distances: 688,
  align: 804,
  lengths: 820,
  repLengths: 1334,
  literals: 1848,
} as const;

/** Parts of the probabilities of lengths. */
const lengthLayout = { long: 1, low: 2, middle: 130, high: 258 } as const;

const firstBytes = 13; // properties, size of the dictionary, size of the data

/** Reads bits of a range-coded stream. */
class RangeDecoder {
  readonly #stream: Uint8Array;
  readonly #probabilities: Uint16Array;
  #range = 0xffffffff;
  #code = 0;
  /** Number of bytes read. */
  position = firstBytes + 1;

  constructor(stream: Uint8Array, probabilities: Uint16Array) {
    this.#stream = stream;
    this.#probabilities = probabilities.fill(1024);
    for (let i = 0; i < 4; i++) this.#code = ((this.#code << 8) | this.#next()) >>> 0;
  }

  #next(): number {
    const byte = this.#stream[this.position++];
    if (byte === undefined) throw new RangeError("the LZMA stream is truncated");
    return byte;
  }

  #normalize(): void {
    if (this.#range >= 0x1000000) return;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | this.#next()) >>> 0;
  }

  bit(index: number): number {
    const probability = this.#probabilities[index]!;
    const bound = (this.#range >>> 11) * probability;
    const isOne = this.#code >= bound;
    if (isOne) {
      this.#range -= bound;
      this.#code -= bound;
      this.#probabilities[index] = probability - (probability >> 5);
    } else {
      this.#range = bound;
      this.#probabilities[index] = probability + ((2048 - probability) >> 5);
    }
    this.#normalize();
    return isOne ? 1 : 0;
  }

  /** Bits of equal probability. */
  direct(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      this.#range >>>= 1;
      const isOne = this.#code >= this.#range;
      if (isOne) this.#code -= this.#range;
      value = value * 2 + (isOne ? 1 : 0);
      this.#normalize();
    }
    return value;
  }

  /** A number of some bits, the highest first. */
  tree(start: number, bits: number): number {
    let node = 1;
    for (let i = 0; i < bits; i++) node = node * 2 + this.bit(start + node);
    return node - (1 << bits);
  }

  /** A number of some bits, the lowest first. */
  reverseTree(start: number, bits: number): number {
    let node = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.bit(start + node);
      node = node * 2 + bit;
      value |= bit << i;
    }
    return value;
  }

  /** The length of a match. */
  length(start: number, place: number): number {
    if (this.bit(start) === 0) return 2 + this.tree(start + lengthLayout.low + place * 8, 3);
    if (this.bit(start + lengthLayout.long) === 0)
      return 10 + this.tree(start + lengthLayout.middle + place * 8, 3);
    return 18 + this.tree(start + lengthLayout.high, 8);
  }

  /** The distance of a match, less one. */
  distance(length: number): number {
    const slot = this.tree(layout.slots + Math.min(length - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return high + this.reverseTree(layout.distances + high - slot, bits);
    return high + this.direct(bits - 4) * 16 + this.reverseTree(layout.align, 4);
  }

  /** A byte after a literal: `matched` is undefined. After a match: the byte that would have continued it. */
  literal(start: number, matched: number | undefined): number {
    let symbol = 1;
    if (matched !== undefined)
      for (let expected = matched << 1; symbol < 256; expected <<= 1) {
        const bit = this.bit(start + ((1 + ((expected >> 8) & 1)) << 8) + symbol);
        symbol = symbol * 2 + bit;
        if (bit !== ((expected >> 8) & 1)) break;
      }
    while (symbol < 256) symbol = symbol * 2 + this.bit(start + symbol);
    return symbol & 255;
  }
}

/** Symbols between literals and matches: the coder's state and the last four distances, less one. */
class MatchHistory {
  state = 0;
  distances = [0, 0, 0, 0];

  afterLiteral(): void {
    this.state = this.state < 4 ? 0 : this.state < 10 ? this.state - 3 : this.state - 6;
  }

  /** Moves a distance to the front. */
  repeat(index: number): void {
    this.distances.unshift(...this.distances.splice(index, 1));
  }
}

/** Reads the length of a match, and moves its distance to the front. */
function readMatch(coder: RangeDecoder, history: MatchHistory, place: number): number {
  const { state } = history;
  const isLiteral = state < 7;
  if (coder.bit(layout.isRep + state) === 0) {
    const length = coder.length(layout.lengths, place);
    history.distances = [coder.distance(length), ...history.distances.slice(0, 3)];
    history.state = isLiteral ? 7 : 10;
    return length;
  }
  if (coder.bit(layout.isRepG0 + state) === 0) {
    if (coder.bit(layout.isRep0Long + state * 16 + place) === 0) {
      history.state = isLiteral ? 9 : 11;
      return 1;
    }
  } else if (coder.bit(layout.isRepG1 + state) === 0) history.repeat(1);
  else history.repeat(coder.bit(layout.isRepG2 + state) === 0 ? 2 : 3);
  history.state = isLiteral ? 8 : 11;
  return coder.length(layout.repLengths, place);
}

/**
 * Decodes the first bytes of a stream in the .lzma format (FORMAT_ALONE of liblzma).
 * @returns the bytes, and how many of the stream were read
 */
export function decodeLzma(
  stream: Uint8Array,
  bytes: number,
): { decoded: Uint8Array<ArrayBuffer>; read: number } {
  const properties = stream[0]!;
  const literalBits = properties % 9;
  const literalPlaces = (1 << (Math.floor(properties / 9) % 5)) - 1;
  const places = (1 << Math.floor(properties / 45)) - 1;
  const probabilities = new Uint16Array(
    layout.literals + (0x300 << (literalBits + (Math.floor(properties / 9) % 5))),
  );
  const coder = new RangeDecoder(stream, probabilities);
  const history = new MatchHistory();
  const decoded = new Uint8Array(bytes);
  for (let at = 0; at < bytes; ) {
    const place = at & places;
    const distance = history.distances[0]! + 1;
    if (coder.bit(layout.isMatch + history.state * 16 + place) === 0) {
      const before = (decoded[at - 1] ?? 0) >> (8 - literalBits);
      const context = ((at & literalPlaces) << literalBits) + before;
      const matched = history.state < 7 ? undefined : decoded[at - distance]!;
      decoded[at++] = coder.literal(layout.literals + 0x300 * context, matched);
      history.afterLiteral();
      continue;
    }
    const end = at + readMatch(coder, history, place);
    const from = history.distances[0]! + 1;
    if (from > at || end > bytes) throw new RangeError("the LZMA stream is damaged");
    for (; at < end; at++) decoded[at] = decoded[at - from]!;
  }
  return { decoded, read: coder.position };
}
