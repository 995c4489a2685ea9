import fc from 'fast-check';

import type { Charge, Counter, SmsOtpStore } from '../../src/stores/store';
import { makeChallenge } from './make-challenge';
import { makeBrowser, makeDevice, makeLogin } from './make-device';

type Run = (store: Required<SmsOtpStore>) => Promise<unknown>;

/** One call, with what its answer says apart from the time that passes between two stores. */
export interface Step {
  readonly text: string;
  readonly run: Run;
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const counter: fc.Arbitrary<Counter> = fc.record(
  {
    key,
    windowSeconds: fc.constantFrom(null, 5_000, 9_000),
    amount: fc.oneof(
      fc.integer({ min: -4, max: 5 }),
      fc.constantFrom(Number.MAX_SAFE_INTEGER, -(2 ** 52)),
    ),
    max: fc.nat(6),
    isOnlyRead: fc.boolean(),
    exemptBy: fc.uniqueArray(key),
    lock: fc.record({
      every: fc.integer({ min: 1, max: 3 }),
      seconds: fc.array(fc.constantFrom(0, 3_000, 7_000), { minLength: 1, maxLength: 3 }),
    }),
  },
  { requiredKeys: ['key', 'windowSeconds'] },
);
const counters = fc.uniqueArray(counter, { selector: (one) => one.key, maxLength: 4 });
const otpId = fc.constantFrom('x', 'y', 'z');
const challenge = fc
  .record({
    otpId,
    userId: fc.constantFrom('user', 'other'),
    purpose: fc.constantFrom('login' as const, 'step-up' as const),
    maxAttempts: fc.integer({ min: 1, max: 3 }),
  })
  .map((changes) => makeChallenge(changes.otpId, changes));

const user = fc.constantFrom('user', 'other');
const hash = fc.constantFrom('h1', 'h2', 'h3');
const device = fc
  .record({ deviceId: otpId, userId: user, createdAt: fc.nat(3), tokenHash: hash })
  .map(({ deviceId, ...changes }) => makeDevice(deviceId, changes));

const browser = fc
  .record({ browserId: otpId, userId: user, seenAt: fc.nat(3) })
  .map(({ browserId, ...changes }) => makeBrowser(browserId, changes));

const login = fc
  .record({
    loginId: otpId,
    userId: user,
    startedAt: fc.nat(3),
    lastSeenAt: fc.constantFrom(0, 0.1 + 0.2),
  })
  .map(({ loginId, ...changes }) => makeLogin(loginId, changes));
const seen = fc.record({
  at: fc.constantFrom(0, 1_000.5, 60_000, 1e21),
  everySeconds: fc.constantFrom(0, 1, 60),
  ttlSeconds: fc.constantFrom(600, 700),
});

const stepOfLogin: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: counters.map((all) =>
      toStep('charge', all, async (s) => timeless(await s.counters.charge(all))),
    ),
  },
  fc
    .tuple(fc.array(key), fc.boolean())
    .map(([keys, keepsLocked]) =>
      toStep('clear', [keys, keepsLocked], (s) => s.counters.clear(keys, { keepsLocked })),
    ),
  fc
    .tuple(key, fc.constantFrom(0, 4_000))
    .map(([one, seconds]) => toStep('lock', [one, seconds], (s) => s.counters.lock(one, seconds))),
  {
    weight: 2,
    arbitrary: challenge.map((one) => toStep('begin', one, (s) => s.challenges.begin(one, 600))),
  },
  { weight: 2, arbitrary: otpId.map((id) => toStep('claim', id, (s) => s.challenges.claim(id))) },
  otpId.map((id) => toStep('find', id, (s) => s.challenges.find(id))),
  otpId.map((id) => toStep('consume', id, (s) => s.challenges.consume(id))),
  otpId.map((id) => toStep('discard', id, (s) => s.challenges.discard(id))),
  fc
    .constantFrom('user', 'other')
    .map((id) => toStep('discardAll', id, (s) => s.challenges.discardAll(id))),
);

const stepOfParts: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(user, fc.uniqueArray(hash), fc.boolean())
    .map(([id, hashes, isFirst]) =>
      toStep('replace', [id, hashes, isFirst], (s) =>
        s.recoveryCodes.replace(id, hashes, { isFirst }),
      ),
    ),
  fc
    .tuple(user, hash)
    .map(([id, one]) => toStep('spend', [id, one], (s) => s.recoveryCodes.spend(id, one))),
  user.map((id) => toStep('count', id, (s) => s.recoveryCodes.count(id))),
  {
    weight: 2,
    arbitrary: fc
      .tuple(device, fc.integer({ min: 1, max: 3 }))
      .map(([one, most]) => toStep('add', [one, most], (s) => s.devices.add(one, 600, most))),
  },
  fc
    .tuple(user, otpId, hash, hash)
    .map(([id, deviceId, seenHash, nextHash]) =>
      toStep('rotate', [id, deviceId, seenHash, nextHash], (s) =>
        s.devices.rotate(id, deviceId, { seenHash, nextHash, usedAt: 0.1 + 0.2 }),
      ),
    ),
  user.map((id) => toStep('list', id, (s) => s.devices.list(id))),
  fc
    .tuple(user, otpId)
    .map(([id, one]) => toStep('remove', [id, one], (s) => s.devices.remove(id, one))),
  user.map((id) => toStep('removeAll', id, (s) => s.devices.removeAll(id))),
  {
    weight: 2,
    arbitrary: fc
      .tuple(browser, fc.integer({ min: 1, max: 3 }))
      .map(([one, most]) =>
        toStep('remember', [one, most], async (s) =>
          [...(await s.browsers.remember(one, 600, most))].sort(),
        ),
      ),
  },
  user.map((id) => toStep('list browsers', id, (s) => s.browsers.list(id))),
  user.map((id) => toStep('forget', id, async (s) => [...(await s.browsers.forget(id))].sort())),
  {
    weight: 2,
    arbitrary: fc
      .tuple(login, fc.integer({ min: 1, max: 3 }))
      .map(([one, most]) =>
        toStep('begin login', [one, most], async (s) =>
          [...(await s.logins.begin(one, 600, most))].sort(),
        ),
      ),
  },
  fc
    .tuple(otpId, fc.option(seen, { nil: undefined }))
    .map(([id, at]) => toStep('find login', [id, at], (s) => s.logins.find(id, at))),
  otpId.map((id) => toStep('end login', id, (s) => s.logins.end(id))),
  user.map((id) => toStep('list logins', id, (s) => s.logins.list(id))),
  fc
    .tuple(user, fc.option(otpId, { nil: undefined }))
    .map(([id, except]) =>
      toStep('end all logins', [id, except], async (s) =>
        [...(await s.logins.endAll(id, except))].sort(),
      ),
    ),
  fc
    .tuple(key, fc.string())
    .map(([one, text]) => toStep('write', [one, text], (s) => writeNote(s, one, text))),
  key.map((one) => toStep('read', one, (s) => s.notes.read(one))),
  key.map((one) => toStep('remove', one, (s) => s.notes.remove(one))),
);

export const step: fc.Arbitrary<Step> = fc.oneof(stepOfLogin, stepOfParts);

function writeNote({ notes }: Required<SmsOtpStore>, key: string, text: string): Promise<void> {
  return notes.write(key, text, 600);
}

function toStep(name: string, values: unknown, run: Run): Step {
  // The text is what a failing sequence is reported by.
  return { text: `${name} ${JSON.stringify(values)}`, run };
}

function timeless({ refusedBy, counts }: Charge): unknown {
  const toTimeless = (seconds: number | null): unknown =>
    seconds === null ? null : Math.round(seconds / 1_000);
  return {
    refusedBy,
    counts: counts.map(({ count, resetSeconds, lockedSeconds }) => [
      count,
      toTimeless(resetSeconds),
      toTimeless(lockedSeconds),
    ]),
  };
}
