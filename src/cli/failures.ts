/** The command was written wrongly: exit code 2. The message never repeats the value of an argument. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(
    message: string,
    /** What to do about it. */
    readonly advice: string | null = null,
  ) {
    super(message);
  }
}

/** A check or a call failed: exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    message: string,
    /** What to do about it. */
    readonly advice: string | null = null,
  ) {
    super(message);
  }
}

/** Runs what checks its input with `TypeError`s that show no value: here the input comes from the command line. */
export async function blameUsage<Result>(call: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}
