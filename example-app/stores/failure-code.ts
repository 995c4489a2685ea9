/** Returns a short code of an error. Never its message, which may hold an address, a name or stored data. */
export function toFailureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { readonly code?: unknown }; // any error may have one
  if (typeof code === 'string') return code;
  // Redis errors begin with their kind: "WRONGPASS invalid username-password pair …".
  return /^[A-Z]{4,}(?= )/.exec(error.message)?.[0] ?? error.constructor.name;
}
