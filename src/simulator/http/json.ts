/**
 * A JSON number written digit by digit: beyond 2^53, or with the trailing zeros of a price, a double cannot
 * hold it.
 */
export class NumberLiteral {
  constructor(readonly digits: string) {}
}

/** `JSON.stringify` that also writes number literals. */
export function writeJson(value: unknown): string {
  if (value instanceof NumberLiteral) return value.digits;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`);
  return `{${members.join(',')}}`;
}
