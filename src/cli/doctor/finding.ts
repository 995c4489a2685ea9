import { SmsOtpError } from '../../errors';
import { explain } from '../explain';
import { CommandFailure } from '../failures';

/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly status: 'pass' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; null where nothing is to be done. */
  readonly advice: string | null;
}

export function pass(check: string, detail: string): Finding {
  return { check, status: 'pass', detail, advice: null };
}

export function warn(check: string, detail: string, advice: string): Finding {
  return { check, status: 'warn', detail, advice };
}

export function fail(check: string, detail: string, advice: string | null): Finding {
  return { check, status: 'fail', detail, advice };
}

/** An expected error as a finding. What is none of ours is thrown on. */
export function toFinding(check: string, error: unknown, status: 'warn' | 'fail' = 'fail'): Finding {
  if (!(error instanceof SmsOtpError) && !(error instanceof CommandFailure)) throw error;
  const { message, advice } = explain(error);
  return { check, status, detail: message, advice };
}
