import type {
  AttachedText,
  FinishOptions,
  NewPendingLogin,
  SmsOtpStore,
  StoredRecord,
} from '../../src/stores/store';

/** A record with the tag `tag`. */
export function makeRecord(id: string, changes: Partial<StoredRecord> = {}): StoredRecord {
  return { id, tag: 'tag', rank: 1, value: '{"label":"Firefox on Linux"}', ...changes };
}

/** A text whose value names its id. */
export function makeText(otpId: string): AttachedText {
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

/** Every call of records and pending logins, and `finish`. */
export function everyNextCall(store: SmsOtpStore): readonly (() => Promise<unknown>)[] {
  const { records, pendingLogins } = store;
  const of = { kind: 'login', owner: 'user' };
  const put = { ...of, record: makeRecord('a'), ttlSeconds: 60, most: 5 };
  const window = { key: 'a', windowSeconds: 60 };
  const changes = { clears: ['b'], charges: [window], puts: [put], replaces: { ...of, id: 'b' } };
  return [
    () => records.put(put),
    () => records.find({ ...of, id: 'a' }),
    () => records.swap({ ...of, id: 'a' }, 'tag', makeRecord('b'), null),
    () => records.list(of),
    () => records.remove({ ...of, id: 'a' }, 'tag'),
    () => records.removeAll(of, 'b'),
    () => pendingLogins.begin(makePendingLogin('a', { text: makeText('x') }), 60),
    () => pendingLogins.attach('a', makeText('y')),
    () => pendingLogins.claim('a', { of: 'text', most: 5 }),
    () => pendingLogins.find('a'),
    () => pendingLogins.end('a', { otpId: 'x' }),
    () => store.finish('a', makeFinish({ ...changes, leavesMark: true })),
    () => pendingLogins.end('a'),
    () => pendingLogins.endAll('user', 'b'),
  ];
}
