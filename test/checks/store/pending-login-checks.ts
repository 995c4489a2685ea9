import assert from 'node:assert/strict';
import type { AttachedOtp, ClaimOptions, NewPendingLogin, PendingClaim } from 'passport-sms-otp';
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

const about = checksOf('pendingLogins', setUpLogins);

/** `PendingLoginStore`: how a login begins, and which texts it has. */
export const pendingTextChecks: readonly StoreCheck[] = [
  about('a login is found as it began, with its text or without', async (user) => {
    assert.equal(await user.find('a'), null);
    await user.begin('a');
    await user.assertLive('a', []);
    await user.begin('b', { otp: user.text('x') });
    await user.assertLive('b', ['x']);
    await user.assertLive('a', []);
  }),

  about('values come back letter by letter', async (user) => {
    const values = [
      ' { "b" : 1.0, "a" : [1e3], "a": null } ',
      JSON.stringify({ text: 'it\'s {x}\n\\ "ü" 語 😀 \0 : $1 %s' }),
      '""',
    ];
    const long = [...values, `"${'x'.repeat(4_094)}"`, `"${'語'.repeat(4_094)}"`];
    const longText = [...values, `"${'x'.repeat(1_022)}"`, `"${'語'.repeat(1_022)}"`, '7'];
    for (const [index, value] of long.entries()) {
      const text = user.text('x', longText[index]);
      await user.begin('a', { value, otp: text });
      const attached = user.text('y', longText[index + 1]);
      assert.equal(await user.store.attach(user.name('a'), attached), true);
      const expected = { userId: user.userId, value, sends: 2, texts: [attached, text] };
      assert.deepEqual(await user.find('a'), expected);
    }
  }),

  about('a login that begins under a known id replaces the one there was', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await atOnce(9, () => user.claim('a'));
    await atOnce(9, () => user.claim('a', { of: 'totp' }));
    const other = user.name('other');
    await user.begin('a', { userId: other, value: '"again"', otp: user.text('x') });
    await user.assertLive('a', ['x'], { userId: other, value: '"again"' });
    await user.assertAttempts('a', [1, 1], [{}, { of: 'totp' }]);
    await user.store.endAll(user.userId);
    await user.assertLive('a', ['x'], { userId: other, value: '"again"' });
    await user.begin('a', { place: 'step-up', otp: user.text('y') });
    await user.assertLive('a', ['y']);
    // Nothing is left of it with its former user, nor in its former place.
    await user.store.endAll(other);
    await user.begin('b', { otp: user.text('y') });
    await user.assertLive('a', ['y']);
    await user.store.endAll(user.userId);
    await user.assertGone('a', 'b');
  }),

  about('a login without a text takes no place of one that has a live text', async (user) => {
    await user.begin('a');
    await user.claim('a', { of: 'totp' });
    assert.equal(await user.begin('a', { value: '"again"' }), true);
    await user.assertLive('a', [], { value: '"again"' });
    await user.assertAttempts('a', [1], [{ of: 'totp' }]);
    await user.attach('a', 'x');
    const late = { value: '"late"', userId: user.name('other') };
    assert.equal(await user.begin('a', late, 1), false);
    await user.pass(1);
    await user.assertLive('a', ['x'], { value: '"again"' });
    await user.assertAttempts('a', [1, 2], [{}, { of: 'totp' }]);
    await user.store.endAll(user.name('other'));
    await user.assertLive('a', ['x'], { value: '"again"' });
    // Once its text is over, or taken, or the login itself, its place is free.
    await user.end('a', 'x');
    assert.equal(await user.begin('a'), true);
    await user.attach('a', 'x');
    await user.begin('b', { otp: user.text('y') });
    assert.equal(await user.begin('a'), true);
    await user.assertLive('a', []);
    await user.begin('a', { otp: user.text('x') }, 1);
    await user.pass(1);
    assert.equal(await user.begin('a'), true);
    await user.assertLive('a', []);
  }),

  about('of many that begin one login, no text is lost to one without', async (user) => {
    for (let round = 0; round < 5; round += 1) {
      const begun = await atOnce(20, (index) =>
        user.begin('a', index % 5 === round ? { otp: user.text(`x${index}`) } : {}),
      );
      for (const [index, isBegun] of begun.entries()) if (index % 5 === round) assert.ok(isBegun);
      assert.equal((await user.findLive('a')).otps.length, 1);
      await user.end('a');
    }
  }),

  about('an attached text is the newest, and of more than two the oldest is over', async (user) => {
    await user.begin('a');
    for (const [index, texts] of [['x'], ['y', 'x'], ['z', 'y'], ['w', 'z']].entries()) {
      assert.equal(await user.attach('a', texts[0]), true);
      await user.assertLive('a', texts, { sends: index + 1 });
    }
    assert.deepEqual(await user.claim('a', { otpId: user.name('y') }), UNKNOWN);
    assert.equal(await user.end('a', 'y'), false);
  }),

  about('a login that is not live takes no text, and takes none from another', async (user) => {
    await user.begin('other', { otp: user.text('o') });
    const ends = [
      () => user.end('a'),
      () => user.store.endAll(user.userId, user.name('other')),
      () => user.begin('a', {}, 1).then(() => user.pass(1)),
    ];
    assert.equal(await user.attach('a', 'y'), false);
    for (const end of ends) {
      await user.begin('a');
      await end();
      assert.equal(await user.attach('a', 'y'), false);
      await user.assertGone('a');
      await user.assertLive('other', ['o']);
    }
  }),

  about(
    'the same text again is the newest, goes on with its attempts, and counts',
    async (user) => {
      await user.begin('a', { otp: user.text('x') });
      await user.attach('a', 'y');
      await user.assertAttempts('a', [1, 2, 1], ['x', 'x', 'y'].map(user.at));
      assert.equal(await user.attach('a', 'x', '"again"'), true);
      const expected = [user.text('x', '"again"'), user.text('y')];
      await user.assertLive('a', expected, { sends: 3 });
      await user.assertAttempts('a', [3, 2], ['x', 'y'].map(user.at));
      // The newest once more: no text is over.
      assert.equal(await user.attach('a', 'x'), true);
      await user.assertLive('a', ['x', 'y'], { sends: 4 });
      await user.attach('a', 'z');
      await user.assertLive('a', ['z', 'x'], { sends: 5 });
      await user.assertAttempts('a', [4, 1], ['x', 'z'].map(user.at));
    },
  ),

  about(
    'a text takes the texts from the other login of that user and place alone',
    async (user) => {
      const apart = {
        'other place': { place: 'step-up others' },
        'place like it': { place: 'login others:' },
        'other user': { userId: user.name('other') },
        'user like it': { userId: `${user.userId}:login` },
      };
      for (const [id, change] of Object.entries(apart))
        await user.begin(id, { ...change, otp: user.text(id) });
      await user.begin('a', { otp: user.text('x') });
      await user.attach('a', 'y');
      await user.begin('b', { otp: user.text('z') });
      await user.assertLive('a', [], { sends: 2 });
      await user.assertLive('b', ['z']);
      for (const id of ['x', 'y'])
        assert.deepEqual(await user.claim('a', { otpId: user.name(id) }), UNKNOWN);
      // And back, by a text that is attached.
      await user.attach('a', 'w');
      await user.assertLive('a', ['w'], { sends: 3 });
      await user.assertLive('b', [], { sends: 1 });
      for (const [id, change] of Object.entries<Partial<NewPendingLogin>>(apart))
        await user.assertLive(id, [id], { userId: change.userId });
    },
  ),

  about('a login that begins without a text takes none', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    for (const id of ['b', 'c', 'd']) await user.begin(id);
    await user.assertLive('a', ['x']);
    for (const id of ['b', 'c', 'd']) await user.assertLive(id, []);
  }),

  about('a login that is over gives its texts to no other', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await user.begin('b', { otp: user.text('y') });
    assert.equal(await user.end('b'), true);
    await user.assertLive('a', [], { sends: 1 });
    await user.attach('a', 'z');
    await user.begin('c', { otp: user.text('y') }, 1);
    await user.pass(1);
    await user.assertLive('a', [], { sends: 2 });
    await user.attach('a', 'w');
    await user.assertLive('a', ['w'], { sends: 3 });
  }),

  about('one id at two logins is two texts', async (user) => {
    const elsewhere = { userId: user.name('other') };
    await user.begin('a', { otp: user.text('x', '"of a"') });
    await user.begin('b', { ...elsewhere, otp: user.text('x', '"of b"') });
    await user.begin('c', { place: 'step-up', otp: user.text('x', '"of c"') });
    await user.assertAttempts('a', [1, 2, 3], [{}, {}, {}]);
    await user.assertAttempts('b', [1, 2], [{}, user.at('x')]);
    assert.equal(await user.end('a', 'x'), true);
    await user.assertLive('a', [], { sends: 1 });
    await user.assertLive('b', [user.text('x', '"of b"')], elsewhere);
    await user.assertLive('c', [user.text('x', '"of c"')]);
    // Also where the one takes it from the other.
    await user.begin('d', { otp: user.text('x') });
    await user.begin('e', { otp: user.text('x') });
    await user.assertLive('d', [], { sends: 1 });
    await user.assertAttempts('e', [1], [{}]);
  }),

  about('of many texts at once one login has them, and all logins wait on', async (user) => {
    await atOnce(20, async (index) => {
      const [id, text] = [`a${index}`, `x${index}`];
      const isTexted = index % 2 === 0;
      assert.equal(await user.begin(id, isTexted ? { otp: user.text(text) } : {}), true);
      if (!isTexted) assert.equal(await user.attach(id, text), true);
    });
    const counts = await atOnce(20, async (index) => {
      const { sends, otps: texts } = await user.findLive(`a${index}`);
      assert.equal(sends, 1);
      return texts.length;
    });
    assert.equal(counts.filter((count) => count === 1).length, 1);
    assert.equal(counts.filter((count) => count === 0).length, 19);
  }),

  about('of many texts that are attached at once two are live, and all count', async (user) => {
    await user.begin('a');
    const attached = await atOnce(20, (index) => user.attach('a', `x${index % 10}`));
    assert.ok(attached.every((isAttached) => isAttached));
    const { sends, otps: texts } = await user.findLive('a');
    assert.deepEqual([sends, texts.length], [20, 2]);
    assert.notEqual(texts[0]?.otpId, texts[1]?.otpId);
  }),

  about('ids, users and places are arbitrary strings', async (user) => {
    const begin = (word: string): Promise<boolean> =>
      user.begin(word, { userId: user.name(word), place: word, otp: user.text(word) });
    await Promise.all(WORDS.map(begin));
    for (const word of WORDS) {
      await user.assertLive(word, [word], { userId: user.name(word) });
      assert.equal(await user.attach(word, `${word} next`), true);
      await user.assertAttempts(word, [1, 1], [user.at(word), user.at(`${word} next`)]);
      assert.equal(await user.end(word, word), true);
    }
    for (const word of WORDS) {
      await user.assertLive(word, [`${word} next`], { userId: user.name(word), sends: 2 });
      await user.store.endAll(user.name(word));
      await user.assertGone(word);
    }
  }),

  about('what does not fit is refused, and nothing is written', async (user) => {
    const good = user.login('a', { otp: user.text('x') });
    const texts = [{ otpId: '' }, { value: 'x'.repeat(1_025) }];
    const tooLong = { value: 'x'.repeat(4_097) };
    for (const change of [{ pendingId: '' }, { userId: '' }, { place: '' }, tooLong])
      await assert.rejects(user.store.begin({ ...good, ...change }, 600));
    for (const change of texts) {
      const text = { ...user.text('x'), ...change };
      await assert.rejects(user.store.begin({ ...good, otp: text }, 600));
    }
    for (const invalid of [0, -1, Number.NaN, Infinity])
      await assert.rejects(user.store.begin(good, invalid));
    await user.assertGone('a');
    await user.begin('a', { otp: user.text('x') });
    for (const change of texts)
      await assert.rejects(user.store.attach(user.name('a'), { ...user.text('y'), ...change }));
    for (const change of [{ of: '' }, { most: 0 }, { most: 1.5 }, { most: Number.NaN }])
      await assert.rejects(user.claim('a', change));
    await assert.rejects(user.claim('a', { of: 'totp', otpId: user.name('x') }));
    await user.assertLive('a', ['x']);
    await user.assertAttempts('a', [1], [{}]);
  }),
];

/** `PendingLoginStore`: attempts and ends. */
export const pendingLoginChecks: readonly StoreCheck[] = [
  about('a claim returns the login and the number of the attempt', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await user.attach('a', 'y');
    for (const attempt of [1, 2, 3]) {
      const login = await user.findLive('a');
      const claimed = { outcome: 'claimed', attempt, otpId: user.name('y'), login };
      assert.deepEqual(await user.claim('a'), claimed);
    }
    await user.assertLive('a', ['y', 'x'], { sends: 2 });
  }),

  about('a typed code counts at the newest text, at a named one, or at none', async (user) => {
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
    // Without a text again, the attempts from before the first one go on.
    for (const id of ['y', 'x']) await user.end('a', id);
    await user.assertAttempts('a', [3], [{}], [null]);
  }),

  about('a claim at a text that the login does not have is unknown', async (user) => {
    await user.begin('a');
    await user.begin('b', { place: 'step-up', otp: user.text('x') });
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

  about('attempts of each kind and at each text are counted apart', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await user.attach('a', 'y');
    const kinds = ['totp', 'recovery-code', 'challenge', '__proto__', 'a:b', 'attempts'];
    for (const attempt of [1, 2]) {
      await user.assertAttempts('a', [attempt, attempt], [user.at('x'), user.at('y')]);
      for (const of of kinds) await user.assertAttempts('a', [attempt], [{ of }], [null]);
    }
    await user.begin('b');
    for (const of of kinds) await user.assertAttempts('b', [1], [{ of }]);
  }),

  about('a kind that is named like the id of a text is counted apart from it', async (user) => {
    await user.begin('a', { otp: { otpId: 'totp', value: '{}' } });
    await user.assertAttempts('a', [1, 1, 2, 2], [{}, { of: 'totp' }, {}, { of: 'totp' }]);
    await user.begin('b', { otp: { otpId: 'text', value: '{}' } });
    await user.assertAttempts('b', [1], [{}]);
    assert.equal(await user.store.end(user.name('b'), { otpId: 'text' }), true);
    await user.assertAttempts('b', [1], [{}], [null]);
  }),

  about('of 100 claims at once exactly five get the login', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await user.attach('a', 'y');
    for (const options of [{}, user.at('x'), { of: 'totp' }]) {
      const claims = await atOnce(100, () => user.claim('a', options));
      const attempts = claims.flatMap((one) => (one.outcome === 'claimed' ? one.attempt : []));
      assert.deepEqual(attempts.toSorted(), [1, 2, 3, 4, 5]);
      assert.equal(claims.filter(({ outcome }) => outcome === 'exhausted').length, 95);
      assert.deepEqual(await user.claim('a', options), EXHAUSTED);
    }
  }),

  about('what is exhausted stays so, and leaves all else as it was', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await user.assertAttempts('a', [1], [{ most: 1 }]);
    for (let again = 0; again < 3; again += 1)
      assert.deepEqual(await user.claim('a', { most: 1 }), EXHAUSTED);
    await user.assertAttempts('a', [1], [{ of: 'totp', most: 1 }]);
    await user.attach('a', 'y');
    await user.assertAttempts('a', [1], [{ most: 1 }]);
    assert.deepEqual(await user.claim('a', { ...user.at('x'), most: 1 }), EXHAUSTED);
    await user.attach('a', 'x');
    assert.deepEqual(await user.claim('a', { most: 1 }), EXHAUSTED);
    await user.assertLive('a', ['x', 'y'], { sends: 3 });
    assert.equal(await user.end('a'), true);
    await user.assertGone('a');
  }),

  about('finding a login counts no attempt', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await atOnce(10, () => user.find('a'));
    await user.assertAttempts('a', [1], [{ most: 1 }]);
  }),

  about('exactly one of many callers ends a login, which is then gone', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await user.begin('b');
    assertOneTrue(await atOnce(50, () => user.end('a')));
    await user.assertGone('a');
    await user.assertLive('b', []);
    assert.equal(await user.end('never'), false);
  }),

  about('exactly one of many callers ends a text, and its login lives on', async (user) => {
    await user.begin('a', { otp: user.text('x') });
    await user.attach('a', 'y');
    assert.equal(await user.end('a', 'never'), false);
    assert.equal(await user.end('never', 'x'), false);
    assertOneTrue(await atOnce(50, () => user.end('a', 'y')));
    await user.assertLive('a', ['x'], { sends: 2 });
    await user.assertAttempts('a', [1], [{}], ['x']);
    assertOneTrue(await atOnce(50, () => user.end('a', 'x')));
    await user.assertLive('a', [], { sends: 2 });
    await user.attach('a', 'z');
    await user.assertLive('a', ['z'], { sends: 3 });
  }),

  about('of callers that end a login and its text no two end the same', async (user) => {
    for (let round = 0; round < 5; round += 1) {
      await user.begin('a', { otp: user.text('x') });
      const ended = await atOnce(20, (index) =>
        user.end('a', index % 4 === round % 4 ? undefined : 'x'),
      );
      assertOneTrue(ended.filter((_one, index) => index % 4 === round % 4));
      assert.ok(ended.filter((one) => one).length <= 2);
      await user.assertGone('a');
    }
  }),

  about('a login that ends while texts are attached has ended', async (user) => {
    for (const endedAt of [0, 1, 5, 20]) {
      await user.begin('a', { otp: user.text('x') });
      await user.begin('other', { otp: user.text('o') });
      const done = await atOnce<unknown>(21, (index) => {
        if (index === endedAt) return user.end('a');
        return index % 2 === 0 ? user.attach('a', `y${index}`) : user.claim('a');
      });
      assert.equal(done[endedAt], true);
      await user.assertGone('a');
      await user.end('other');
    }
  }),

  about('ending all ends every login of that user but the excepted one', async (user) => {
    const all = ['a', 'b', 'c', 'd'];
    for (const id of all) await user.begin(id, { place: `place ${id}` });
    await user.attach('a', 'x');
    for (const id of ['taken from', 'taker']) await user.begin(id, { otp: user.text(id) });
    const foreign = { userId: user.name('other') };
    await user.begin('foreign', { ...foreign, otp: user.text('x') });
    await user.store.endAll(user.name('nobody'));
    await user.store.endAll(user.userId, user.name('a'));
    await user.assertGone('b', 'c', 'd', 'taken from', 'taker');
    await user.assertLive('a', ['x']);
    await user.store.endAll(user.userId, user.name('foreign'));
    await user.assertGone(...all);
    await user.assertLive('foreign', ['x'], foreign);
    await user.begin('a');
    await user.assertLive('a', []);
  }),

  about('of logins that begin while all are ended each is whole or gone', async (user) => {
    await user.begin('first', { otp: user.text('x') });
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

  about('a login is gone when its time is up, and not before', async (user) => {
    await user.begin('long', { place: 'step-up', otp: user.text('x') });
    await user.begin('short', { otp: user.text('x') }, 4);
    for (const seconds of [4, 600]) {
      const changes = { place: 'transaction', text: user.text('x') };
      await user.begin('again', changes, seconds);
    }
    await user.pass(1);
    await user.assertLive('short', ['x']);
    // Nothing that is done with a login lengthens its life.
    await user.attach('short', 'y');
    await user.claim('short');
    await user.end('short', 'x');
    await user.pass(3);
    await user.assertGone('short');
    await user.assertLive('long', ['x']);
    await user.assertLive('again', ['x']);
    await user.begin('short');
    await user.assertAttempts('short', [1], [{}], [null]);
    await user.assertLive('short', []);
  }),
];

/** What a live login should show, beside its texts. */
interface Expected {
  readonly userId?: string | undefined;
  readonly value?: string | undefined;
  /** Left out: as many as it has texts. */
  readonly sends?: number | undefined;
}

/** Returns the calls for the pending logins of one user. */
export function setUpLogins({ store: { pendingLogins: store }, name, pass }: CheckContext) {
  const userId = name(`user: "it's"`);
  const text = (
    id: string,
    value = `{"sent":"${Buffer.from(id).toString('hex')}"}`,
  ): AttachedOtp => ({
    otpId: name(id),
    value,
  });
  const login = (id: string, changes: Partial<NewPendingLogin> = {}): NewPendingLogin => ({
    ...{ pendingId: name(id), userId, place: 'login others', value: '{"purpose":"login"}' },
    ...changes,
  });
  const find = (id: string) => store.find(name(id));
  const findLive = async (id: string) => {
    const found = await find(id);
    assert.ok(found !== null && found !== 'passed', `${id} is not live`);
    return found;
  };
  const claim = (id: string, options: Partial<ClaimOptions> = {}): Promise<PendingClaim> =>
    store.claim(name(id), { of: 'otp', most: 5, ...options });
  const end = (id: string, otpId?: string): Promise<boolean> =>
    otpId === undefined ? store.end(name(id)) : store.end(name(id), { otpId: name(otpId) });
  const attach = (id: string, otpId = '', value?: string): Promise<boolean> =>
    store.attach(name(id), text(otpId, value));
  return {
    ...{ store, name, pass, userId, text, login, find, findLive, claim, end, attach },
    begin: (id: string, changes: Partial<NewPendingLogin> = {}, ttlSeconds = 600) =>
      store.begin(login(id, changes), ttlSeconds),
    /** An attempt at this text. */
    at: (otpId: string) => ({ otpId: name(otpId) }),
    assertLive: async (
      id: string,
      texts: readonly (string | AttachedOtp)[],
      { userId: whose = userId, value = login(id).value, sends = texts.length }: Expected = {},
    ) => {
      const shown = texts.map((one) => (typeof one === 'string' ? text(one) : one));
      assert.deepEqual(await findLive(id), { userId: whose, value, sends, texts: shown });
    },
    /** Makes claims one after the other, and asserts the numbers of the attempts. */
    assertAttempts: async (
      id: string,
      attempts: readonly number[],
      claims: readonly Partial<ClaimOptions>[],
      otpIds?: readonly (string | null)[],
    ) => {
      for (const [index, options] of claims.entries()) {
        const claimed = await claim(id, options);
        assert.ok(claimed.outcome === 'claimed', `${id}: ${claimed.outcome}`);
        assert.equal(claimed.attempt, attempts[index]);
        const otpId = otpIds?.[index];
        if (otpId !== undefined) assert.equal(claimed.otpId, otpId === null ? null : name(otpId));
      }
    },
    assertGone: async (...gone: readonly string[]) => {
      for (const id of gone) {
        assert.equal(await find(id), null);
        assert.deepEqual(await claim(id), UNKNOWN);
        assert.deepEqual(await claim(id, { of: 'totp' }), UNKNOWN);
        assert.equal(await end(id), false);
        assert.equal(await attach(id, 'late'), false);
        assert.equal(await find(id), null);
      }
    },
  };
}
