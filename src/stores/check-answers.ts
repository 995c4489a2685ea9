import { readFields } from '../errors';

// Any store may return anything. These functions check an answer against the contract of stores,
// and the guard refuses it if they return false.

export function isBoolean(answer: unknown): boolean {
  return typeof answer === 'boolean';
}

/** @param asked The counters. The answer has a count for each of them. */
export function isCharge(answer: unknown, asked: unknown): boolean {
  const { refusedBy, counts } = readFields(answer);
  if (!Array.isArray(counts) || !Array.isArray(asked)) return false;
  const isOneOfThem =
    refusedBy === null || (isWholeNumber(refusedBy) && Number(refusedBy) < asked.length);
  return isOneOfThem && counts.length === asked.length && counts.every(isCount);
}

function isCount(answer: unknown): boolean {
  const { count, resetSeconds, lockedSeconds, generation } = readFields(answer);
  return (
    isWholeNumber(count) &&
    (resetSeconds === null || isSeconds(resetSeconds)) &&
    isSeconds(lockedSeconds) &&
    isWholeNumber(generation)
  );
}

export function isClaim(answer: unknown): boolean {
  const { outcome, attempt, otpId, login } = readFields(answer);
  if (outcome === 'unknown' || outcome === 'exhausted') return true;
  const isCounted = isWholeNumber(attempt) && attempt !== 0;
  return outcome === 'claimed' && isCounted && isTextOrNull(otpId) && isActiveLogin(login);
}

/** @param asked The login that begins. */
export function isBegun(answer: unknown, asked: unknown): boolean {
  const { outcome, pendingId, login } = readFields(answer);
  if (outcome === 'begun' || outcome === 'refused') return true;
  const isJoined = outcome === 'joined' && typeof pendingId === 'string' && isActiveLogin(login);
  return isJoined && readFields(login).userId === readFields(asked).userId;
}

export function isFoundLogin(answer: unknown): boolean {
  return answer === null || answer === 'passed' || isActiveLogin(answer);
}

/** @param asked The id of the user. */
export function isNewestLogin(answer: unknown, asked: unknown): boolean {
  if (answer === null) return true;
  const { pendingId, login } = readFields(answer);
  const isNamed = typeof pendingId === 'string' && isActiveLogin(login);
  return isNamed && readFields(login).userId === asked;
}

function isActiveLogin(answer: unknown): boolean {
  const { userId, value, sends, otps } = readFields(answer);
  const hasOtps = Array.isArray(otps) && otps.length <= 2 && otps.every(isAttachedOtp);
  return isStrings([userId, value]) && isWholeNumber(sends) && hasOtps;
}

function isAttachedOtp(answer: unknown): boolean {
  const { otpId, value } = readFields(answer);
  return isStrings([otpId, value]);
}

function isTextOrNull(answer: unknown): boolean {
  return answer === null || typeof answer === 'string';
}

export function isFinishResult(answer: unknown): boolean {
  const { isFinished, results, replaced } = readFields(answer);
  if (isFinished === false) return true;
  return isFinished === true && isPutResults(results) && isRecordOrNull(replaced);
}

function isPutResults(answer: unknown): boolean {
  return Array.isArray(answer) && answer.every(isPutResult);
}

export function isPutResult(answer: unknown): boolean {
  const { isPut, gone, replaced } = readFields(answer);
  return isBoolean(isPut) && isStrings(gone) && isRecordOrNull(replaced);
}

export function isStrings(answer: unknown): boolean {
  return Array.isArray(answer) && answer.every((one) => typeof one === 'string');
}

export function isRecordOrNull(answer: unknown): boolean {
  return answer === null || isRecord(answer);
}

export function isRecords(answer: unknown): boolean {
  return Array.isArray(answer) && answer.every(isRecord);
}

function isRecord(answer: unknown): boolean {
  const { id, tag, rank, value } = readFields(answer);
  return isStrings([id, tag, value]) && Number.isFinite(rank);
}

function isWholeNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isSeconds(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 0;
}
