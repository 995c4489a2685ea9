/** A word that tells what failed. Never a message: it may hold an address, a name or what was stored. */
export function toFailureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown }; // any error may have one
  if (typeof code === 'string') return code;
  // Redis begins with the kind of its refusal: "WRONGPASS invalid username-password pair …".
  return /^[A-Z]{4,}(?= )/.exec(error.message)?.[0] ?? error.constructor.name;
}
