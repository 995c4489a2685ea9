/** Text of the gateway's or of a file: nothing in it steers the terminal or breaks the line. */
export function cleanText(text: string | null): string {
  return (text ?? '').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').trim();
}
