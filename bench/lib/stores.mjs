// The stores of a checkout, built, and what the benchmarks do with one: with a store of four parts,
// and with one of eight, as builds before it have.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [PENDING_SECONDS, DAY_SECONDS, MOST_BROWSERS, MOST_LOGINS] = [600, 86_400, 10, 100];

export function loadStores(checkout) {
  const require = createRequire(join(checkout, 'package.json'));
  const { memoryStore } = require('./dist/index.js');
  const { redisStore } = require('./dist/stores/redis/redis-store.js');
  return { memoryStore, redisStore };
}

/** Every step takes the number of a user, or of a login of one user, and does it once. */
export const stepsOf = (store) =>
  'challenges' in store ? stepsOfEightParts(store) : stepsOfFourParts(store);

const pendingIdOf = (index) => `2f1c9c1e-6f0b-4e0e-9f43-${String(index).padStart(12, '0')}`;
const loginIdOf = (index) => `8a0b1c2d-6f0b-4e0e-9f43-${String(index).padStart(12, '0')}`;
const browserIdOf = (index) => `browser-${String(index).padStart(8, '0')}`;

function describeLogin(index) {
  return {
    version: 1,
    pendingId: pendingIdOf(index),
    userId: `user-${index}`,
    userIdType: 'string',
    purpose: 'login',
    bucket: 'others',
    mobile: `+1202${String(1_000_000 + index)}`,
    pendingUntil: Date.now() + PENDING_SECONDS * 1000,
  };
}

function describeText(index) {
  const now = Date.now();
  return {
    version: 1,
    otpId: `otp-${index}`,
    bucket: 'others',
    mobile: `+1202${String(1_000_000 + index)}`,
    numberKey: String(index).padStart(22, 'x'),
    isNewNumber: false,
    sentAt: now,
    expiresAt: now + 300_000,
  };
}

function describeUserLogin(userId, loginId) {
  const now = Date.now();
  const user = { userId, method: 'sms', label: 'Firefox, Windows' };
  return { version: 1, loginId, ...user, startedAt: now, lastSeenAt: now };
}

function stepsOfFourParts({ pendingLogins, records, finish }) {
  const kind = pendingLogins.findNewest === undefined ? 'text' : 'otp';
  const finishLogin = (index, leavesMark) =>
    finish(pendingIdOf(index), {
      otpId: `otp-${index}`,
      leavesMark,
      ...{ clears: [], charges: [], puts: [] },
    });
  const begin = async (index) => {
    const { mobile, ...same } = describeLogin(index);
    const isOld = pendingLogins.findNewest === undefined;
    const login = { ...same, ...(isOld && { mobile }), startedAt: Date.now() };
    const text = describeText(index);
    const { pendingId, userId } = login;
    const begun = { pendingId, userId, place: 'login:others', value: JSON.stringify(login) };
    const otp = { otpId: text.otpId, value: JSON.stringify(text) };
    // A build from before 27 November 2026 begins a login with its OTP.
    if (isOld) return pendingLogins.begin({ ...begun, text: otp }, PENDING_SECONDS);

    const digest = String(index).padStart(22, 'd');
    const compared = { side: 'others', block: digest, sender: `s${digest.slice(1)}` };
    const limits = { most: 100, protectedSeconds: 60, joinSeconds: 30 };
    await pendingLogins.begin(
      { ...begun, ...compared },
      { ttlSeconds: PENDING_SECONDS, ...limits },
    );
    return pendingLogins.attach(pendingId, otp);
  };
  const putLogin = (userId, loginId) => {
    const expiresAt = Date.now() + 30 * DAY_SECONDS * 1000;
    const login = { ...describeUserLogin(userId, loginId), expiresAt };
    const { lastSeenAt: rank } = login;
    const record = { id: loginId, tag: String(rank), rank, value: JSON.stringify(login) };
    const options = { ttlSeconds: 30 * DAY_SECONDS, most: MOST_LOGINS };
    return records.put({ kind: 'login', owner: userId, record, ...options });
  };
  return {
    begin,
    claim: (index) => pendingLogins.claim(pendingIdOf(index), { of: kind, most: 5 }),
    finish: (index) => finishLogin(index, false),
    pass: async (index) => {
      await begin(index);
      await finishLogin(index, true);
    },
    rememberBrowser: (index) => {
      const [id, owner] = [browserIdOf(index), `user-${index}`];
      const knownAt = Math.floor(Date.now() / 1000);
      const expiresAt = (knownAt + 90 * DAY_SECONDS) * 1000;
      const value = { version: 1, browserId: id, userId: owner, knownAt, expiresAt };
      const options = { ttlSeconds: 90 * DAY_SECONDS, most: MOST_BROWSERS };
      const [tag, rank] = [String(knownAt), knownAt];
      const record = { id, tag, rank, value: JSON.stringify(value) };
      return records.put({ kind: 'browser', owner, record, ...options });
    },
    addLogin: (index) => putLogin(`user-${index}`, loginIdOf(index)),
    addLoginOfOne: (index) => putLogin('user-0', loginIdOf(index)),
    findLoginOfOne: (index) =>
      records.find({ kind: 'login', owner: 'user-0', id: loginIdOf(index) }),
  };
}

function stepsOfEightParts({ challenges, browsers, logins }) {
  const begin = (index) => {
    const sent = { isSent: true, sends: 1, maxAttempts: 5 };
    const challenge = { ...describeLogin(index), ...describeText(index), ...sent };
    return challenges.begin(challenge, PENDING_SECONDS);
  };
  const finishLogin = (index) => challenges.consume(`otp-${index}`, { byCode: true });
  const beginLogin = (userId, loginId) =>
    logins.begin(describeUserLogin(userId, loginId), 30 * DAY_SECONDS, MOST_LOGINS);
  return {
    begin,
    claim: (index) => challenges.claim(`otp-${index}`),
    finish: finishLogin,
    pass: async (index) => {
      await begin(index);
      await finishLogin(index);
    },
    rememberBrowser: (index) =>
      browsers.remember(
        { browserId: browserIdOf(index), userId: `user-${index}`, seenAt: Date.now() },
        90 * DAY_SECONDS,
        MOST_BROWSERS,
      ),
    addLogin: (index) => beginLogin(`user-${index}`, loginIdOf(index)),
    addLoginOfOne: (index) => beginLogin('user-0', loginIdOf(index)),
    findLoginOfOne: (index) => logins.find(loginIdOf(index)),
  };
}
