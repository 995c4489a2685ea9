import { WrongUsage } from './failures';

/**
 * Parses the content of a JSON file.
 * @param name The name of the file in the message.
 * @throws {WrongUsage} ERR_WRONG_USAGE that names the line and shows nothing of the file.
 */
export function parseJson(name: string, text: string): unknown {
  const json = text.replace(/^\uFEFF/, '');

  try {
    return JSON.parse(json) as unknown;
  } catch {
    // Hide the platform's message, which would quote the file.
    throw new WrongUsage(`${name} is not JSON: ${describeProblem(json)}`, ADVICE);
  }
}

const ADVICE =
  'Check that line and the end of the line before: a missing comma or quote, a comma before a ' +
  'closing bracket, a comment.';

function describeProblem(json: string): string {
  const lines = json.trimEnd().split('\n');
  const line = findBrokenLine(lines);
  return line === null ? `it ends too early, in line ${lines.length}` : `line ${line} is wrong`;
}

/**
 * Returns the number of the first line after which the file cannot become valid. Null if there is
 * none.
 */
function findBrokenLine(lines: readonly string[]): number | null {
  const isBrokenBy = (line: number): boolean => isBroken(lines.slice(0, line).join('\n'));
  if (!isBrokenBy(lines.length)) return null;

  // All lines up to `good` can be the beginning of a valid file. Those up to `bad` cannot.
  let [good, bad] = [0, lines.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBrokenBy(middle)) bad = middle;
    else good = middle;
  }
  return bad;
}

/** Returns whether the beginning of a file is wrong, and not only incomplete. */
function isBroken(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return false;
  } catch (error) {
    // Read only the position: the rest of the platform's message quotes the file.
    const { message } = error as SyntaxError;
    const position = /at position (\d+)/.exec(message)?.[1];
    const isTooShort =
      message.includes('end of JSON input') || Number(position) >= beginning.length;
    // A string cannot continue in the next line.
    return !isTooShort || message.startsWith('Unterminated string');
  }
}
