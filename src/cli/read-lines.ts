/**
 * The longest line, in characters. A longer one is not a number, and a file of one line must not
 * fill the memory.
 */
const MAX_LINE_CHARACTERS = 1_024;
const TOO_LONG = 'too long';

/**
 * Splits input that arrives in pieces of any size into lines. A line that is too long is only
 * reported as such.
 */
export async function* readLines(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  // Decode as a stream, because a character may arrive in two pieces.
  const decoder = new TextDecoder();
  let rest = '';

  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = (rest + text).split('\n');
    rest = toShortLine(lines.pop() ?? '');
    yield* lines.map(toShortLine);
  }

  if (rest !== '') yield rest;
}

function toShortLine(line: string): string {
  return line.length > MAX_LINE_CHARACTERS ? TOO_LONG : line;
}
