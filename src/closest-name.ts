/** A name further away than this is a different word, not a misspelling. */
const MAX_DISTANCE = 3;
/**
 * The shortest common beginning at which one name counts as a longer form of another, as with
 * `getPhoneNumber` for `getPhone`.
 */
const MIN_BEGINNING = 4;

/**
 * Returns the known name that a misspelt one was probably meant to be, for "did you mean".
 * @returns undefined when none is close.
 */
export function closestName(misspelt: string, known: readonly string[]): string | undefined {
  const limit = Math.min(MAX_DISTANCE, Math.floor(misspelt.length / 3));

  const [best] = known
    .map((name) => ({ name, distance: editDistance(misspelt.toLowerCase(), name.toLowerCase()) }))
    .filter(
      ({ name, distance }) =>
        distance <= limit || isBeginning(misspelt, name) || isBeginning(name, misspelt),
    )
    .sort((one, other) => one.distance - other.distance);

  return best?.name;
}

function isBeginning(short: string, long: string): boolean {
  return short.length >= MIN_BEGINNING && long.startsWith(short);
}

/** Returns the Levenshtein distance: how many characters must be inserted, removed or replaced. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);

  for (const [index, character] of Array.from(from).entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replace = (row[column - 1] ?? 0) + (to[column - 1] === character ? 0 : 1);
      next.push(Math.min(replace, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }

  return row[to.length] ?? 0;
}
