import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type {
  ActivePendingLogin,
  AttachedOtp,
  BeginOptions,
  BegunPendingLogin,
  ClaimOptions,
  NewPendingLogin,
  PendingClaim,
} from 'passport-sms-otp';
import { forEach, naming } from '../for-each';
import {
  assertOneTrue,
  atOnce,
  type CheckContext,
  checksOf,
  WORDS,
  type StoreCheck,
} from './context';

const UNKNOWN = { outcome: 'unknown' } as const;
const EXHAUSTED = { outcome: 'exhausted' } as const;
/** The time between two begins whose order matters. */
export const APART_SECONDS = 0.1;

const about = checksOf('pendingLogins', setUpLogins);

/** Checks of `PendingLoginStore`: which OTPs a login has. */
export const pendingOtpChecks: readonly StoreCheck[] = [
  about('a login is found as it began, without an OTP', async (user) => {
    assert.equal(await user.find('a'), null);
    await user.begin('a');
    await user.assertActive('a', []);
    await user.begin('b', { otp: user.otp('x') });
    await user.assertActive('b', ['x']);
    await user.assertActive('a', []);
  }),

  about('values come back letter by letter', async (user) => {
    const values = [
      ' { "b" : 1.0, "a" : [1e3], "a": null } ',
      JSON.stringify({ text: 'it\'s {x}\n\\ "ü" 語 😀 \0 : $1 %s' }),
      '""',
    ];
    const long = [...values, `"${'x'.repeat(4_094)}"`, `"${'語'.repeat(4_094)}"`];
    const longOtp = [...values, `"${'x'.repeat(1_022)}"`, `"${'語'.repeat(1_022)}"`, '7'];
    await forEach(long.entries(), async ([index, value]) => {
      const [id, otp] = [`a${index}`, user.otp('x', longOtp[index])];
      await user.begin(id, { value, otp });
      const attached = user.otp('y', longOtp[index + 1]);
      assert.equal(await user.store.attach(user.name(id), attached), true);
      const expected = { userId: user.userId, value, sends: 2, otps: [attached, otp] };
      assert.deepEqual(await user.find(id), expected);
    });
  }),

  about('an attached OTP is the newest, and of more than two the oldest ends', async (user) => {
    await user.begin('a');
    const attached = [['x'], ['y', 'x'], ['z', 'y'], ['w', 'z']];
    await forEach(attached.entries(), async ([index, otps]) => {
      assert.equal(await user.attach('a', otps[0]), true);
      await user.assertActive('a', otps, { sends: index + 1 });
    });
    assert.deepEqual(await user.claim('a', { otpId: user.name('y') }), UNKNOWN);
    assert.equal(await user.end('a', 'y'), false);
  }),

  about('a login that is not active gets no OTP, and takes none from another', async (user) => {
    await user.begin('other', { otp: user.otp('o') });
    const ends = {
      ended: () => user.end('a'),
      'ended with all': () => user.store.endAll(user.userId, user.name('other')),
      passed: () => user.finishWithMark('a').then(() => user.end('a')),
      expired: () => user.pass(1),
    };
    assert.equal(await user.attach('a', 'y'), false);
    await forEach(Object.entries(ends), async ([word, end]) => {
      await user.begin('a', {}, { ttlSeconds: word === 'expired' ? 1 : 600 });
      await end();
      assert.equal(await user.attach('a', 'y'), false);
      await user.assertGone('a');
      await user.assertActive('other', ['o']);
    });
  }),

  about('the same OTP again is the newest, goes on with its attempts, and counts', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await user.attach('a', 'y');
    await user.assertAttempts('a', [1, 2, 1], ['x', 'x', 'y'].map(user.at));
    assert.equal(await user.attach('a', 'x', '"again"'), true);
    const expected = [user.otp('x', '"again"'), user.otp('y')];
    await user.assertActive('a', expected, { sends: 3 });
    await user.assertAttempts('a', [3, 2], ['x', 'y'].map(user.at));
    // Attach the newest once more: no OTP ends.
    assert.equal(await user.attach('a', 'x'), true);
    await user.assertActive('a', ['x', 'y'], { sends: 4 });
    await user.attach('a', 'z');
    await user.assertActive('a', ['z', 'x'], { sends: 5 });
    await user.assertAttempts('a', [4, 1], ['x', 'z'].map(user.at));
  }),

  about('an OTP takes the OTPs from the other login of that user and place alone', async (user) => {
    const apart = {
      'other place': { place: 'step-up others' },
      'place like it': { place: 'login others:' },
      'other user': { userId: user.name('other') },
      'user like it': { userId: `${user.userId}:login` },
    };
    for (const [id, change] of Object.entries(apart))
      await user.begin(id, { ...change, otp: user.otp(id) });
    await user.begin('a', { otp: user.otp('x') });
    await user.attach('a', 'y');
    await user.begin('b', { otp: user.otp('z') });
    await user.assertActive('a', [], { sends: 2 });
    await user.assertActive('b', ['z']);
    await forEach(['x', 'y'], async (id) => {
      assert.deepEqual(await user.claim('a', { otpId: user.name(id) }), UNKNOWN);
    });
    // And back.
    await user.attach('a', 'w');
    await user.assertActive('a', ['w'], { sends: 3 });
    await user.assertActive('b', [], { sends: 1 });
    for (const [id, change] of Object.entries<Partial<NewPendingLogin>>(apart))
      await user.assertActive(id, [id], { userId: change.userId });
  }),

  about('a login that begins takes no OTP', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    for (const id of ['b', 'c', 'd']) await user.begin(id);
    await user.assertActive('a', ['x']);
    for (const id of ['b', 'c', 'd']) await user.assertActive(id, []);
  }),

  about('a login that has ended passes its OTPs to no other', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await user.begin('b', { otp: user.otp('y') });
    assert.equal(await user.end('b'), true);
    await user.assertActive('a', [], { sends: 1 });
    await user.attach('a', 'z');
    await user.begin('c', { otp: user.otp('y') }, { ttlSeconds: 1 });
    await user.pass(1);
    await user.assertActive('a', [], { sends: 2 });
    await user.attach('a', 'w');
    await user.assertActive('a', ['w'], { sends: 3 });
  }),

  about('one id at two logins is two OTPs', async (user) => {
    const elsewhere = { userId: user.name('other') };
    await user.begin('a', { otp: user.otp('x', '"of a"') });
    await user.begin('b', { ...elsewhere, otp: user.otp('x', '"of b"') });
    await user.begin('c', { place: 'step-up', otp: user.otp('x', '"of c"') });
    await user.assertAttempts('a', [1, 2, 3], [{}, {}, {}]);
    await user.assertAttempts('b', [1, 2], [{}, user.at('x')]);
    assert.equal(await user.end('a', 'x'), true);
    await user.assertActive('a', [], { sends: 1 });
    await user.assertActive('b', [user.otp('x', '"of b"')], elsewhere);
    await user.assertActive('c', [user.otp('x', '"of c"')]);
    // Also if one login takes the OTP from the other.
    await user.begin('d', { otp: user.otp('x') });
    await user.begin('e', { otp: user.otp('x') });
    await user.assertActive('d', [], { sends: 1 });
    await user.assertAttempts('e', [1], [{}]);
  }),

  about('of many OTPs at once one login has them, and all logins stay', async (user) => {
    await atOnce(20, async (index) => {
      const [id, otpId] = [`a${index}`, `x${index}`];
      await user.begin(id);
      assert.equal(await user.attach(id, otpId), true);
    });
    const counts = await atOnce(20, async (index) => {
      const { sends, otps } = await user.findActive(`a${index}`);
      assert.equal(sends, 1);
      return otps.length;
    });
    assert.equal(counts.filter((count) => count === 1).length, 1);
    assert.equal(counts.filter((count) => count === 0).length, 19);
  }),

  about('of many OTPs that are attached at once two are active, and all count', async (user) => {
    await user.begin('a');
    const attached = await atOnce(20, (index) => user.attach('a', `x${index % 10}`));
    assert.ok(attached.every((isAttached) => isAttached));
    const { sends, otps } = await user.findActive('a');
    assert.deepEqual([sends, otps.length], [20, 2]);
    assert.notEqual(otps[0]?.otpId, otps[1]?.otpId);
  }),

  about('with `endsPrevious` the newest OTP is the only one', async (user) => {
    await user.begin('a');
    const attach = (otpId: string, options?: { readonly endsPrevious: boolean }) =>
      user.store.attach(user.name('a'), user.otp(otpId), options);
    assert.equal(await attach('x', { endsPrevious: true }), true);
    assert.equal(await attach('y', { endsPrevious: false }), true);
    await user.assertActive('a', ['y', 'x'], { sends: 2 });
    await user.claim('a', user.at('x'));
    assert.equal(await attach('z', { endsPrevious: true }), true);
    await user.assertActive('a', ['z'], { sends: 3 });
    await forEach(['x', 'y'], async (id) => {
      assert.deepEqual(await user.claim('a', user.at(id)), UNKNOWN);
      assert.equal(await user.end('a', id), false);
    });
    // The newest one again, and one that has ended.
    assert.equal(await attach('z', { endsPrevious: true }), true);
    await user.assertActive('a', ['z'], { sends: 4 });
    assert.equal(await attach('x', { endsPrevious: true }), true);
    await user.assertActive('a', ['x'], { sends: 5 });
    await user.assertAttempts('a', [2], [user.at('x')]);
    await user.attach('a', 'y');
    await user.assertActive('a', ['y', 'x'], { sends: 6 });
  }),

  about('an OTP that has ended keeps its attempts, and has them when it is back', async (user) => {
    const backs: Record<string, (id: string) => Promise<unknown>> = {
      'by two newer ones': async (id) => {
        for (const otpId of ['y', 'z']) await user.attach(id, otpId);
      },
      'by its end': (id) => user.end(id, 'x'),
      'by the end of its newer one': async (id) => {
        await user.attach(id, 'y');
        for (const otpId of ['x', 'y']) await user.end(id, otpId);
      },
      'by another login': (id) => user.begin(`beside ${id}`, { place: id, otp: user.otp('y') }),
      'by another login, as the previous one': async (id) => {
        await user.attach(id, 'y');
        await user.begin(`beside ${id}`, { place: id, otp: user.otp('y') });
      },
    };
    await forEach(Object.entries(backs), async ([id, end]) => {
      await user.begin(id, { place: id, otp: user.otp('x') });
      await user.assertAttempts(id, [1, 2], [{}, {}]);
      await end(id);
      assert.deepEqual(await user.claim(id, user.at('x')), UNKNOWN);
      assert.equal(await user.attach(id, 'x'), true);
      await user.assertAttempts(id, [3], [user.at('x')], ['x']);
      await user.attach(id, 'w');
      await user.assertAttempts(id, [1, 4, 5], [{}, user.at('x'), user.at('x')]);
      await user.attach(id, 'v');
      await user.attach(id, 'x');
      assert.deepEqual(await user.claim(id), EXHAUSTED);
    });
  }),

  about('an OTP of a series ends the other logins of that user and series', async (user) => {
    const series = { series: 'session' };
    const apart = {
      'other series': { series: 'session 2' },
      'no series': {},
      'other user': { ...series, userId: user.name('other') },
    };
    for (const [id, change] of Object.entries(apart))
      await user.begin(id, { ...change, place: id });
    for (const id of ['a', 'b', 'c']) await user.begin(id, { ...series, place: `place ${id}` });
    await user.begin('passed', { ...series, place: 'passed' });
    await user.finishWithMark('passed');
    // A begin ends no login.
    for (const id of ['a', 'b', 'c']) await user.assertActive(id, []);
    assert.equal(await user.attach('b', 'x'), true);
    await user.assertGone('a', 'c');
    await user.assertActive('b', ['x']);
    assert.equal(await user.find('passed'), 'passed');
    for (const [id, change] of Object.entries<Partial<NewPendingLogin>>(apart))
      await user.assertActive(id, [], { userId: change.userId });
    // One after another, also a login with an OTP, in the same place or another.
    await user.begin('d', { ...series, otp: user.otp('y') });
    await user.assertGone('b');
    await user.begin('e', { ...series, otp: user.otp('z') });
    await user.assertGone('d');
    assert.equal(await user.attach('e', 'w'), true);
    await user.assertActive('e', ['w', 'z']);
    // Logins without a series do not end each other.
    await user.begin('f', { place: 'f' });
    assert.equal(await user.attach('no series', 'v'), true);
    await user.assertActive('f', []);
    await user.assertActive('e', ['w', 'z']);
  }),

  about('a login that its series has ended leaves nothing behind', async (user) => {
    const series = { series: 'session' };
    await user.begin('a', { ...series, otp: user.otp('x') });
    await user.claim('a');
    await user.claim('a', { of: 'totp' });
    await user.begin('b', { ...series, place: 'step-up', otp: user.otp('y') });
    await user.assertGone('a');
    await user.begin('a', { otp: user.otp('x') });
    await user.assertActive('a', ['x']);
    await user.assertAttempts('a', [1, 1], [{}, { of: 'totp' }]);
    await user.assertActive('b', ['y']);
  }),

  about('of many OTPs of a series at once one login is left', async (user) => {
    const ids = Array.from({ length: 10 }, (_, index) => `a${index}`);
    for (const id of ids) await user.begin(id, { series: 'session', place: id });
    const attached = await Promise.all(ids.map((id) => user.attach(id, 'x')));
    assertOneTrue(attached);
    const left = ids[attached.indexOf(true)] ?? '';
    await user.assertActive(left, ['x']);
    await user.assertGone(...ids.filter((id) => id !== left));
  }),

  about('the newest login of a series is the one with an OTP, or the last begun', async (user) => {
    const assertNewest = async (id: string | null, series = 'session'): Promise<void> => {
      const expected =
        id === null ? null : { pendingId: user.name(id), login: await user.findActive(id) };
      assert.deepEqual(await user.store.findNewest(user.userId, series), expected);
    };
    const begin = async (id: string, changes: Partial<NewPendingLogin> = {}): Promise<void> => {
      await user.pass(APART_SECONDS);
      await user.begin(id, { series: 'session', place: `place ${id}`, ...changes });
    };
    await assertNewest(null);
    await begin('foreign', { userId: user.name('other') });
    await begin('none', { series: undefined });
    await assertNewest(null);
    await forEach(['a', 'b', 'c'], async (id) => {
      await begin(id);
      await assertNewest(id);
    });
    await begin('other', { series: 'session 2' });
    await assertNewest('c');
    await assertNewest('other', 'session 2');
    await user.attach('b', 'x');
    await assertNewest('b');
    await begin('d');
    await assertNewest('b');
    // Without its OTP it is an older login again.
    await user.end('b', 'x');
    await assertNewest('d');
    await user.finishWithMark('d');
    await assertNewest('b');
    await user.assertAttempts('b', [1], [{}]);
    await user.end('b');
    await assertNewest(null);
    await user.begin('e', { series: 'session' }, { ttlSeconds: 1 });
    await user.pass(1);
    await assertNewest(null);
    assert.deepEqual(
      (await user.store.findNewest(user.name('other'), 'session'))?.pendingId,
      user.name('foreign'),
    );
  }),

  about('ids, users and places are arbitrary strings', async (user) => {
    const begin = (word: string): Promise<void> => {
      const words = { place: word, side: word, block: word, sender: word, series: word };
      return user.begin(word, { ...words, userId: user.name(word), otp: user.otp(word) });
    };
    await Promise.all(WORDS.map(begin));
    await forEach(WORDS, async (word) => {
      await user.assertActive(word, [word], { userId: user.name(word) });
      assert.equal(await user.attach(word, `${word} next`), true);
      await user.assertAttempts(word, [1, 1], [user.at(word), user.at(`${word} next`)]);
      assert.equal(await user.end(word, word), true);
    });
    await forEach(WORDS, async (word) => {
      const again = { userId: user.name(word), place: word, sender: word };
      const joined = await user.tryBegin(`${word} again`, again, { joinSeconds: 600 });
      // An attempt was counted.
      assert.deepEqual(joined, { outcome: 'begun' });
      await user.assertActive(word, [`${word} next`], { userId: user.name(word), sends: 2 });
      await user.store.endAll(user.name(word));
      await user.assertGone(word);
    });
  }),
];

/** Checks of `PendingLoginStore`: attempts and ends. */
export const pendingLoginChecks: readonly StoreCheck[] = [
  about('a claim returns the login and the number of the attempt', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await user.attach('a', 'y');
    await forEach([1, 2, 3], async (attempt) => {
      const login = await user.findActive('a');
      const claimed = { outcome: 'claimed', attempt, otpId: user.name('y'), login };
      assert.deepEqual(await user.claim('a'), claimed);
    });
    await user.assertActive('a', ['y', 'x'], { sends: 2 });
  }),

  about('a typed code counts at the newest OTP, at a named one, or at none', async (user) => {
    await user.begin('a');
    await user.assertAttempts('a', [1, 2], [{}, {}], [null, null]);
    await user.attach('a', 'x');
    await user.assertAttempts('a', [1], [{}], ['x']);
    await user.attach('a', 'y');
    await user.assertAttempts(
      'a',
      [1, 2, 2, 3, 3],
      [{}, user.at('x'), user.at('y'), user.at('x'), {}],
      ['y', 'x', 'y', 'x', 'y'],
    );
    // Without an OTP, the attempts from before the first OTP continue.
    for (const id of ['y', 'x']) await user.end('a', id);
    await user.assertAttempts('a', [3], [{}], [null]);
  }),

  about('a claim at an OTP that the login does not have is unknown', async (user) => {
    await user.begin('a');
    await user.begin('b', { place: 'step-up', otp: user.otp('x') });
    const ask = (): Promise<PendingClaim> => user.claim('a', user.at('x'));
    assert.deepEqual(await ask(), UNKNOWN);
    await user.attach('a', 'y');
    assert.deepEqual(await ask(), UNKNOWN);
    await user.attach('a', 'x');
    await user.assertAttempts('a', [1], [user.at('x')]);
    await user.end('a', 'x');
    assert.deepEqual(await ask(), UNKNOWN);
    await user.assertAttempts('a', [1], [{}]);
  }),

  about('attempts of each kind and at each OTP are counted apart', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await user.attach('a', 'y');
    const kinds = ['totp', 'recovery-code', 'challenge', '__proto__', 'a:b', 'attempts'];
    for (const attempt of [1, 2]) {
      await user.assertAttempts('a', [attempt, attempt], [user.at('x'), user.at('y')]);
      for (const of of kinds) await user.assertAttempts('a', [attempt], [{ of }], [null]);
    }
    await user.begin('b');
    for (const of of kinds) await user.assertAttempts('b', [1], [{ of }]);
  }),

  about('a kind that is named like the id of an OTP is counted apart from it', async (user) => {
    await user.begin('a', { otp: { otpId: 'totp', value: '{}' } });
    await user.assertAttempts('a', [1, 1, 2, 2], [{}, { of: 'totp' }, {}, { of: 'totp' }]);
    await user.begin('b', { otp: { otpId: 'otp', value: '{}' } });
    await user.assertAttempts('b', [1], [{}]);
    assert.equal(await user.store.end(user.name('b'), { otpId: 'otp' }), true);
    await user.assertAttempts('b', [1], [{}], [null]);
  }),

  about('of 100 claims at once exactly five get the login', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await user.attach('a', 'y');
    await forEach([{}, user.at('x'), { of: 'totp' }], async (options) => {
      const claims = await atOnce(100, () => user.claim('a', options));
      const attempts = claims.flatMap((one) => (one.outcome === 'claimed' ? one.attempt : []));
      assert.deepEqual(attempts.toSorted(), [1, 2, 3, 4, 5]);
      assert.equal(claims.filter(({ outcome }) => outcome === 'exhausted').length, 95);
      assert.deepEqual(await user.claim('a', options), EXHAUSTED);
    });
  }),

  about('what is exhausted stays so, and leaves all else as it was', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await user.assertAttempts('a', [1], [{ most: 1 }]);
    for (let again = 0; again < 3; again += 1)
      assert.deepEqual(await user.claim('a', { most: 1 }), EXHAUSTED);
    await user.assertAttempts('a', [1], [{ of: 'totp', most: 1 }]);
    await user.attach('a', 'y');
    await user.assertAttempts('a', [1], [{ most: 1 }]);
    assert.deepEqual(await user.claim('a', { ...user.at('x'), most: 1 }), EXHAUSTED);
    await user.attach('a', 'x');
    assert.deepEqual(await user.claim('a', { most: 1 }), EXHAUSTED);
    await user.assertActive('a', ['x', 'y'], { sends: 3 });
    assert.equal(await user.end('a'), true);
    await user.assertGone('a');
  }),

  about('finding a login counts no attempt', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await atOnce(10, () => user.find('a'));
    await user.assertAttempts('a', [1], [{ most: 1 }]);
  }),

  about('exactly one of many callers ends a login, which is then removed', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await user.begin('b');
    assertOneTrue(await atOnce(50, () => user.end('a')));
    await user.assertGone('a');
    await user.assertActive('b', []);
    assert.equal(await user.end('never'), false);
  }),

  about('exactly one of many callers ends an OTP, and its login lives on', async (user) => {
    await user.begin('a', { otp: user.otp('x') });
    await user.attach('a', 'y');
    assert.equal(await user.end('a', 'never'), false);
    assert.equal(await user.end('never', 'x'), false);
    assertOneTrue(await atOnce(50, () => user.end('a', 'y')));
    await user.assertActive('a', ['x'], { sends: 2 });
    await user.assertAttempts('a', [1], [{}], ['x']);
    assertOneTrue(await atOnce(50, () => user.end('a', 'x')));
    await user.assertActive('a', [], { sends: 2 });
    await user.attach('a', 'z');
    await user.assertActive('a', ['z'], { sends: 3 });
  }),

  about('of callers that end a login and its OTP no two end the same', async (user) => {
    for (let round = 0; round < 5; round += 1) {
      await user.begin('a', { otp: user.otp('x') });
      const ended = await atOnce(20, (index) =>
        user.end('a', index % 4 === round % 4 ? undefined : 'x'),
      );
      assertOneTrue(ended.filter((_one, index) => index % 4 === round % 4));
      assert.ok(ended.filter((one) => one).length <= 2);
      await user.assertGone('a');
    }
  }),

  about('a login that ends while OTPs are attached has ended', async (user) => {
    await forEach([0, 1, 5, 20], async (endedAt) => {
      await user.begin('a', { otp: user.otp('x') });
      await user.begin('other', { otp: user.otp('o') });
      const done = await atOnce<unknown>(21, (index) => {
        if (index === endedAt) return user.end('a');
        return index % 2 === 0 ? user.attach('a', `y${index}`) : user.claim('a');
      });
      assert.equal(done[endedAt], true);
      await user.assertGone('a');
      await user.end('other');
    });
  }),

  about('ending all ends every login of that user but the excepted one', async (user) => {
    const all = ['a', 'b', 'c', 'd'];
    for (const id of all) await user.begin(id, { place: `place ${id}` });
    await user.attach('a', 'x');
    for (const id of ['taken from', 'taker']) await user.begin(id, { otp: user.otp(id) });
    const foreign = { userId: user.name('other') };
    await user.begin('foreign', { ...foreign, otp: user.otp('x') });
    await user.store.endAll(user.name('nobody'));
    await user.store.endAll(user.userId, user.name('a'));
    await user.assertGone('b', 'c', 'd', 'taken from', 'taker');
    await user.assertActive('a', ['x']);
    await user.store.endAll(user.userId, user.name('foreign'));
    await user.assertGone(...all);
    await user.assertActive('foreign', ['x'], foreign);
    await user.begin('a');
    await user.assertActive('a', []);
  }),

  about('of logins that begin while all are ended each is complete or removed', async (user) => {
    await user.begin('first', { otp: user.otp('x') });
    const [, begun] = await Promise.all([
      atOnce(3, () => user.store.endAll(user.userId)),
      atOnce(10, async (index) => {
        await user.begin(`a${index}`);
        return user.attach(`a${index}`, `x${index}`);
      }),
    ]);
    await user.assertGone('first');
    for (const [index, isAttached] of begun.entries())
      if (!isAttached) await user.assertGone(`a${index}`);
    await user.store.endAll(user.userId);
    await user.assertGone(...begun.map((_one, index) => `a${index}`));
  }),

  about("while one user's logins are ended, all that begin of another user stay", async (user) => {
    const other = { userId: user.name('other') };
    await atOnce<unknown>(20, (index) =>
      index % 2 === 0 ? user.store.endAll(user.userId) : user.begin(`a${index}`, other),
    );
    for (let index = 1; index < 20; index += 2) await user.assertActive(`a${index}`, [], other);
  }),

  about('a login is gone when its time is up, and not before', async (user) => {
    await user.begin('long', { place: 'step-up', otp: user.otp('x') });
    await user.begin('short', { otp: user.otp('x') }, { ttlSeconds: 4 });
    await user.pass(1);
    await user.assertActive('short', ['x']);
    // No call extends the time of a login.
    await user.attach('short', 'y');
    await user.claim('short');
    await user.end('short', 'x');
    await user.pass(3);
    await user.assertGone('short');
    await user.assertActive('long', ['x']);
    await user.begin('short');
    await user.assertAttempts('short', [1], [{}], [null]);
    await user.assertActive('short', []);
  }),
];

/** What an active login should show, besides its OTPs. */
interface Expected {
  readonly userId?: string | undefined;
  readonly value?: string | undefined;
  /** Left out: as many as it has OTPs. */
  readonly sends?: number | undefined;
}

/** A login that begins, with the OTP that it then gets. */
type Begin = Partial<NewPendingLogin> & { readonly otp?: AttachedOtp };

/** Returns the calls for the pending logins of one user. */
export function setUpLogins({ store: whole, name, pass }: CheckContext) {
  const store = whole.pendingLogins;
  const userId = name(`user: "it's"`);
  const otp = (
    id: string,
    value = `{"sent":"${Buffer.from(id).toString('hex')}"}`,
  ): AttachedOtp => ({
    otpId: name(id),
    value,
  });
  const login = (id: string, changes: Partial<NewPendingLogin> = {}): NewPendingLogin => ({
    ...{ pendingId: name(id), userId, place: 'login others', side: 'others', block: 'block' },
    ...{ value: '{"purpose":"login"}', ...changes },
  });
  const find = (id: string) => store.find(name(id));
  const findActive = async (id: string): Promise<ActivePendingLogin> => {
    const found = await find(id);
    const problem = found === 'passed' ? 'has passed' : 'is unknown';
    assert.ok(found !== null && found !== 'passed', `${id} ${problem}`);
    return found;
  };
  /** Returns the store's answer. Joins no login unless the options say so. */
  const tryBegin = (
    id: string,
    changes: Partial<NewPendingLogin> = {},
    options: Partial<BeginOptions> = {},
  ): Promise<BegunPendingLogin> => {
    const bounds = { ttlSeconds: 600, most: 1_000, protectedSeconds: 600, joinSeconds: 0 };
    return store.begin(login(id, changes), { ...bounds, ...options });
  };
  const claim = (id: string, options: Partial<ClaimOptions> = {}): Promise<PendingClaim> =>
    store.claim(name(id), { of: 'otp', most: 5, ...options });
  const end = (id: string, otpId?: string): Promise<boolean> =>
    otpId === undefined ? store.end(name(id)) : store.end(name(id), { otpId: name(otpId) });
  const attach = (id: string, otpId = '', value?: string): Promise<boolean> =>
    store.attach(name(id), otp(otpId, value));
  return {
    ...{ store, name, pass, userId, otp, login, find, findActive, tryBegin, claim, end, attach },
    /** Begins a login, which must succeed, and attaches the OTP. */
    begin: async (
      id: string,
      { otp: attached, ...changes }: Begin = {},
      options: Partial<BeginOptions> = {},
    ): Promise<void> => {
      const begun = tryBegin(id, changes, options);
      await assert.doesNotReject(begun);
      assert.deepEqual(await begun, { outcome: 'begun' });
      if (attached !== undefined) assert.equal(await store.attach(name(id), attached), true);
    },
    finishWithMark: async (id: string): Promise<void> => {
      const changes = { leavesMark: true, clears: [], charges: [], puts: [] };
      assert.equal((await whole.finish(name(id), changes)).isFinished, true);
    },
    /** Returns an attempt at this OTP. */
    at: (otpId: string) => ({ otpId: name(otpId) }),
    assertActive: async (
      id: string,
      otps: readonly (string | AttachedOtp)[],
      { userId: whose = userId, value = login(id).value, sends = otps.length }: Expected = {},
    ) => {
      const shown = otps.map((one) => (typeof one === 'string' ? otp(one) : one));
      const active = { userId: whose, value, sends, otps: shown };
      await naming(id, async () => assert.deepEqual(await findActive(id), active));
    },
    /** Makes claims one after another, and asserts the numbers of the attempts. */
    assertAttempts: async (
      id: string,
      attempts: readonly number[],
      claims: readonly Partial<ClaimOptions>[],
      otpIds?: readonly (string | null)[],
    ) => {
      for (const [index, options] of claims.entries())
        await naming(`claim ${index + 1} of ${id}, ${inspect(options)}`, async () => {
          const claimed = await claim(id, options);
          assert.ok(claimed.outcome === 'claimed', claimed.outcome);
          assert.equal(claimed.attempt, attempts[index]);
          const otpId = otpIds?.[index];
          if (otpId !== undefined) assert.equal(claimed.otpId, otpId === null ? null : name(otpId));
        });
    },
    assertGone: async (...gone: readonly string[]) => {
      await forEach(gone, async (id) => {
        assert.equal(await find(id), null);
        assert.deepEqual(await claim(id), UNKNOWN);
        assert.deepEqual(await claim(id, { of: 'totp' }), UNKNOWN);
        assert.equal(await end(id), false);
        assert.equal(await attach(id, 'late'), false);
        assert.equal(await find(id), null);
      });
    },
  };
}
