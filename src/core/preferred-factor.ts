/**
 * Returns the factor that the app prefers for a user, if the user can use it now. Null: a message
 * comes first.
 */
export async function findPreferred(
  factors: readonly string[],
  getPreferredFactor: () => unknown,
): Promise<string | null> {
  if (factors.length === 0) return null;
  const preferred = await getPreferredFactor();
  return factors.find((factor) => factor === preferred) ?? null;
}
