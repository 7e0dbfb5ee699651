/** Suggests the intended word for a misspelt one. */

/** Returns the candidate most similar to a word; undefined if none is similar. The first one wins a tie. */
export function closestTo(word: string, candidates: Iterable<string>): string | undefined {
  const given = word.toLowerCase();
  let best: string | undefined;
  let minEdits = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editsBetween(given, candidate.toLowerCase());
    if (distance < minEdits) [best, minEdits] = [candidate, distance];
  }
  if (best !== undefined || given.length < 3) return best;
  return [...candidates].find((candidate) => candidate.toLowerCase().startsWith(given));
}

/**
 * Returns the number of letters to insert, remove, replace or swap with their neighbour. Words of more than 200 letters
 * count as different without a comparison.
 */
function editsBetween(a: string, b: string): number {
  if (a === b) return 0;
  if (Math.max(a.length, b.length) > 200) return Number.POSITIVE_INFINITY;
  let [before, above] = [[] as number[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) edits = Math.min(edits, before[j - 2]! + 1);
      row.push(edits);
    }
    [before, above] = [above, row];
  }
  return above[b.length]!;
}

/** Returns `; did you mean "info"?`, or "" without a suggestion. */
export const didYouMean = (meant: string | undefined, quote = '"'): string =>
  meant === undefined ? "" : `; did you mean ${quote}${meant}${quote}?`;
