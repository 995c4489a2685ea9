import { cleanText } from '../screen/clean-text';

/** A record as one line, line break included. No field breaks the line, and none is taken for a formula. */
export function toCsvLine(fields: readonly (string | null)[]): string {
  return `${fields.map(toField).join(',')}\n`;
}

function toField(value: string | null): string {
  const text = guardFormula(cleanText(value));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run what begins like this; a number with its plus is none. OWASP, CSV injection. */
function guardFormula(text: string): string {
  return /^[=+@-]/.test(text) && !/^[+-]?[0-9.]+$/.test(text) ? `'${text}` : text;
}
