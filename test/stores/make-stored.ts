import type {
  AttachedOtp,
  BeginOptions,
  FinishOptions,
  NewPendingLogin,
  PendingLoginStore,
  StoredRecord,
} from '../../src/stores/store';

/** A record with the tag `tag`. */
export function makeRecord(id: string, changes: Partial<StoredRecord> = {}): StoredRecord {
  return { id, tag: 'tag', rank: 1, value: '{"label":"Firefox on Linux"}', ...changes };
}

/** An OTP whose value names its id. */
export function makeOtp(otpId: string): AttachedOtp {
  return { otpId, value: JSON.stringify({ otp: otpId }) };
}

/** A pending login of the user `user`. */
export function makePendingLogin(
  pendingId: string,
  changes: Partial<NewPendingLogin> = {},
): NewPendingLogin {
  const placed = { place: 'login others', side: 'others', block: 'block' };
  return { pendingId, userId: 'user', ...placed, value: '{}', ...changes };
}

/** What a login begins with: it joins none, and finds room. */
export function makeBegin(changes: Partial<BeginOptions> = {}): BeginOptions {
  return { ttlSeconds: 600, most: 1_000, protectedSeconds: 60, joinSeconds: 0, ...changes };
}

/** Begins a login of the user `user`, and attaches the OTP, where one is given. */
export async function beginLogin(
  logins: PendingLoginStore,
  pendingId: string,
  { otp, ...changes }: Partial<NewPendingLogin> & { readonly otp?: AttachedOtp | undefined } = {},
  ttlSeconds = 600,
): Promise<void> {
  await logins.begin(makePendingLogin(pendingId, changes), makeBegin({ ttlSeconds }));
  if (otp !== undefined) await logins.attach(pendingId, otp);
}

/** A finish that changes nothing but the login. */
export function makeFinish(changes: Partial<FinishOptions> = {}): FinishOptions {
  return { leavesMark: false, clears: [], charges: [], puts: [], ...changes };
}
