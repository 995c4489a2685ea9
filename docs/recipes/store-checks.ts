import type * as contract from 'passport-sms-otp';

// What every store refuses, whatever its database: each of these throws a RangeError.

export function login(begun: contract.NewPendingLogin, options: contract.BeginOptions): void {
  const { pendingId, userId, place, side, sender, series, value } = begun;
  const isNamed = [pendingId, userId, place, side, sender, series].every((name) => name !== '');
  demand(isNamed && value.length <= 4_096, 'pending login');
  demand(isCount(options.most), 'number of logins');
  const times = [options.protectedSeconds, options.joinSeconds];
  demand(
    times.every((seconds) => Number.isFinite(seconds) && seconds >= 0),
    'time of a begin',
  );
  life(options.ttlSeconds);
}

export function newId(found: readonly unknown[]): void {
  demand(found.length === 0, 'id that is known');
}

export function otp({ otpId, value }: contract.AttachedOtp): void {
  demand(otpId !== '' && value.length <= 1_024, 'OTP');
}

export function claim({ of, otpId, most }: contract.ClaimOptions): void {
  demand(of === 'otp' || (of !== '' && otpId === undefined), 'kind of attempt');
  demand(isCount(most), 'number of attempts');
}

export function record(next: contract.StoredRecord, ttlSeconds: number | null): void {
  const { id, tag, rank, value } = next;
  demand(id !== '' && tag !== '' && Number.isFinite(rank) && value.length <= 8_192, 'record');
  if (ttlSeconds !== null) life(ttlSeconds);
}

export function put({ kind, owner, record: next, ttlSeconds, most }: contract.RecordPut): void {
  demand(/^[A-Za-z0-9-]{1,32}$/.test(kind) && owner !== '', 'place of a record');
  demand(most === undefined || isCount(most), 'ceiling of records');
  record(next, ttlSeconds);
}

export function counters(charged: readonly contract.Counter[]): void {
  demand(isUnique(charged.map(({ key }) => key)), 'second counter of a key');
  for (const { windowSeconds, amount, max, lock, raisesTo } of charged) {
    if (windowSeconds !== null) life(windowSeconds);
    demand([amount ?? 1, max ?? 0].every(Number.isSafeInteger), 'amount');
    const isAlone = amount === undefined && max === undefined && lock === undefined;
    demand(raisesTo === undefined || (isAlone && isCount(raisesTo)), 'raise');
  }
}

export function finish(options: contract.FinishOptions): void {
  const { otpId, acceptsPassed, clears, charges, puts, replaces } = options;
  demand(otpId === undefined || acceptsPassed !== true, 'OTP of a login that has passed');
  counters(charges);
  for (const { key, max, exemptBy } of charges) {
    demand(max === undefined && exemptBy === undefined, 'charge of a success');
    demand(!clears.includes(key), 'charge of a counter that is cleared');
  }
  puts.forEach(put);
  demand(isUnique(puts.map(({ kind, owner }) => nameOf(kind, owner))), 'second put of an owner');
  const replaced = replaces && nameOf(replaces.kind, replaces.owner, replaces.id);
  for (const { kind, owner, record: next } of puts)
    demand(nameOf(kind, owner, next.id) !== replaced, 'put of the record that is replaced');
}

export function life(seconds: number): void {
  demand(Number.isFinite(seconds) && seconds > 0, 'time to live');
}

function demand(isAllowed: boolean, what: string): void {
  if (!isAllowed) throw new RangeError(`not allowed: ${what}`);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function isUnique(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

function nameOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
