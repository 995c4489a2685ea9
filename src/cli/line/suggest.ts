/** The known word that was probably meant, or null. */
export function suggestWord(typed: string, known: readonly string[]): string | null {
  if (typed.length > 20) return null;
  const [best] = known
    .map((word) => ({ word, distance: distanceOf(typed, word) }))
    .sort((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= 2 ? best.word : null;
}

/** Levenshtein's: letters to add, remove or change. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_value, index) => index);
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at += 1) {
      const change = (row[at - 1] ?? 0) + (other[at - 1] === letter ? 0 : 1);
      next.push(Math.min(change, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? Infinity;
}
