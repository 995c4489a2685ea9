import type {
  AttachedOtp,
  FinishOptions,
  NewPendingLogin,
  StoredRecord,
} from '../../src/stores/store';

/** A record with the tag `tag`. */
export function makeRecord(id: string, changes: Partial<StoredRecord> = {}): StoredRecord {
  return { id, tag: 'tag', rank: 1, value: '{"label":"Firefox on Linux"}', ...changes };
}

/** A text whose value names its id. */
export function makeText(otpId: string): AttachedOtp {
  return { otpId, value: JSON.stringify({ text: otpId }) };
}

/** A pending login of the user `user`. */
export function makePendingLogin(
  pendingId: string,
  changes: Partial<NewPendingLogin> = {},
): NewPendingLogin {
  return { pendingId, userId: 'user', place: 'login others', value: '{}', ...changes };
}

/** A finish that changes nothing but the login. */
export function makeFinish(changes: Partial<FinishOptions> = {}): FinishOptions {
  return { leavesMark: false, clears: [], charges: [], puts: [], ...changes };
}
