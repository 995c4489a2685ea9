import { StoreError, type Warn } from '../errors';
import { toSafeCause } from '../foreign-error';

/**
 * Calls all functions that follow a decision. The decision stays, so an error changes nothing: it
 * is reported, and the others still run.
 */
export async function callAll(warn: Warn, calls: readonly (() => unknown)[]): Promise<void> {
  const settled = await Promise.allSettled(
    calls.map(async (call) => {
      await call();
    }),
  );
  for (const one of settled) if (one.status === 'rejected') reportFollowUp(warn, one.reason);
}

/** Warns that something which follows a decision has failed. */
export function reportFollowUp(warn: Warn, error: unknown): void {
  // The event `store-failing` reports it.
  if (error instanceof StoreError) return;

  const { name, code } = toSafeCause(error);
  const cause = code ?? name;
  warn(
    'SMS_OTP_FOLLOW_UP',
    `A login or a message is decided, but something that follows it has failed (${cause}): a ` +
      'cookie was not set, an event not emitted, or a change not taken back',
    cause,
  );
}
