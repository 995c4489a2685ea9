import { WrongUsage } from './failures';

/**
 * Parses the text of a JSON file.
 * @param name What the file is called in the message.
 * @throws {WrongUsage} ERR_WRONG_USAGE that names the line, and shows nothing of the file.
 */
export function parseJson(name: string, text: string): unknown {
  const json = text.replace(/^\uFEFF/, '');

  try {
    return JSON.parse(json) as unknown;
  } catch {
    // The platform's message would quote the file.
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

/** Returns the number of the first line that no end of the file could make valid, or null. */
function findBrokenLine(lines: readonly string[]): number | null {
  const isBrokenBy = (line: number): boolean => isBroken(lines.slice(0, line).join('\n'));
  if (!isBrokenBy(lines.length)) return null;

  // All lines up to `good` are the beginning of something valid, and those up to `bad` are not.
  let [good, bad] = [0, lines.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBrokenBy(middle)) bad = middle;
    else good = middle;
  }
  return bad;
}

/** Returns whether the beginning of a text is wrong, and not merely too short. */
function isBroken(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return false;
  } catch (error) {
    // Only the position is read: the rest of the platform's message quotes the file.
    const { message } = error as SyntaxError;
    const position = /at position (\d+)/.exec(message)?.[1];
    const isTooShort =
      message.includes('end of JSON input') || Number(position) >= beginning.length;
    // No string goes on in the next line.
    return !isTooShort || message.startsWith('Unterminated string');
  }
}
