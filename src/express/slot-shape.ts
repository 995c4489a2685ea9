import type { SmsOtpSession } from './session-data';

type Members = Readonly<Record<string, unknown>>;

/**
 * True for a slot as this version writes it. Sessions rest outside of this process: a slot of another version or with
 * anything odd in it counts as none. Allocates nothing: guards ask it on every request.
 */
export function isSlot(value: unknown): value is SmsOtpSession {
  if (!isObject(value) || value.version !== 1) return false;
  const { pending, verified } = value;
  return (pending === undefined || isPending(pending)) && (verified === undefined || isMark(verified));
}

function isPending(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { otpId, pendingId, purpose, expiresAt, pendingUntil } = value;
  const hasIds = typeof otpId === 'string' && typeof pendingId === 'string';
  const hasTimes = Number.isFinite(expiresAt) && Number.isFinite(pendingUntil);
  return hasIds && hasTimes && isPurpose(purpose);
}

function isPurpose(value: unknown): boolean {
  return value === 'login' || value === 'step-up' || value === 'transaction' || value === 'enrol';
}

function isMark(value: unknown): boolean {
  return isObject(value) && typeof value.userId === 'string' && Number.isFinite(value.at);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
