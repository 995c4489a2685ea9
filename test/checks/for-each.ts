import assert from 'node:assert/strict';
import { inspect } from 'node:util';

/** Runs a part of a check for each input, one after the other. A failure names its input. */
export async function forEach<Input>(
  inputs: Iterable<Input>,
  body: (input: Input) => Promise<unknown>,
): Promise<void> {
  for (const input of inputs) {
    const shown = inspect(input, { breakLength: Infinity, maxStringLength: 40 });
    await naming(shown, () => body(input));
  }
}

/** Puts what a part of a check is about before the message of its failure. */
export async function naming<Result>(what: string, body: () => Promise<Result>): Promise<Result> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw error;
    const { message, actual, expected, operator } = error;
    throw new assert.AssertionError({
      ...{ message: `with ${what}: ${message}`, actual, expected, operator },
    });
  }
}
