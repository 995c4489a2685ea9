import { SmsOtpError } from '../../errors';
import { CommandFailure, explain } from '../failures';

export interface DoctorResult {
  readonly check: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'not-tested';
  readonly detail: string;
  /** What to do. Null if there is nothing to do. */
  readonly advice: string | null;
}

export function pass(check: string, detail: string): DoctorResult {
  return { check, status: 'pass', detail, advice: null };
}

export function warn(check: string, detail: string, advice: string): DoctorResult {
  return { check, status: 'warn', detail, advice };
}

export function fail(check: string, detail: string, advice: string | null): DoctorResult {
  return { check, status: 'fail', detail, advice };
}

/** Reports a check that could not be made or is inconclusive. */
export function notTested(check: string, why: string, advice: string | null = null): DoctorResult {
  return { check, status: 'not-tested', detail: `not tested: ${why}`, advice };
}

/** Returns an expected error as a result. Throws any other error again. */
export function toResult(
  check: string,
  error: unknown,
  status: 'warn' | 'fail' = 'fail',
): DoctorResult {
  if (!(error instanceof SmsOtpError) && !(error instanceof CommandFailure)) throw error;
  const { message, advice } = explain(error);
  return { check, status, detail: message, advice };
}
