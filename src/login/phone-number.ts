/** True for an E.164 number with its plus: 7 to 15 digits, the first not zero. */
export function isPhoneNumber(value: unknown): value is string {
  return typeof value === 'string' && /^\+[1-9][0-9]{6,14}$/.test(value);
}

/** What may be shown of a number: the last two digits. Length and country stay hidden. */
export function maskPhone(mobile: string): string {
  return `•• •• ${mobile.slice(-2)}`;
}
