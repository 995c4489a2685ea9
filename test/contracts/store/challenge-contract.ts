import assert from 'node:assert/strict';
import type { BeginOptions, Challenge } from 'passport-sms-otp';
import { assertOneTrue, atOnce, type FactContext, fact, WORDS, type StoreFact } from './context';

/** A challenge of which no text went out. */
const UNSENT = { isSent: false, mobile: '', sends: 0 };

/** `ChallengeStore`. */
export const challengeContract: readonly StoreFact[] = [
  about('a challenge is found as it was begun', async (user) => {
    const changes = {
      userIdType: 'bigint',
      purpose: 'step-up',
      isNewNumber: true,
      sends: 2,
    } as const;
    await user.assertFound(await user.begin('a', changes));
  }),

  about('a challenge keeps its transaction, and the number that it replaces', async (user) => {
    const transaction = { amount: '1,250.00 €', payee: `O'Brien & Søn {x} ${user.name('payee')}` };
    const paid = await user.begin('a', { purpose: 'transaction', transaction });
    const moved = await user.begin('b', { purpose: 'enroll', replaces: '+12025550199' });
    const added = await user.begin('c', { purpose: 'enroll', userId: user.name('other') });
    for (const one of [paid, moved, added]) {
      await user.assertFound(one);
      await user.assertClaimed(one, { attempt: 1 });
    }
    await user.store.discardAll(paid.userId);
    await user.assertGone(paid, moved);
  }),

  about('a claim returns the challenge and the number of the attempt', async (user) => {
    const begun = await user.begin('a');
    for (const attempt of [1, 2, 3]) await user.assertClaimed(begun, { attempt });
  }),

  about('finding a challenge counts no attempt', async (user) => {
    const begun = await user.begin('a', { maxAttempts: 1 });
    await atOnce(10, () => user.store.find(begun.otpId));
    await user.assertClaimed(begun, { attempt: 1 });
  }),

  about('of 200 concurrent claims exactly maxAttempts get the challenge', async (user) => {
    const { otpId } = await user.begin('a');
    const claims = await atOnce(200, () => user.store.claim(otpId));
    const attempts = claims.flatMap((claim) =>
      claim.outcome === 'claimed' ? [claim.attempt] : [],
    );
    assert.deepEqual(attempts.sort(), [1, 2, 3, 4, 5]);
    assert.equal(claims.filter(({ outcome }) => outcome === 'exhausted').length, 195);
  }),

  about('an exhausted challenge stays exhausted and can still be consumed', async (user) => {
    const { otpId } = await user.begin('a', { maxAttempts: 1 });
    await user.store.claim(otpId);
    assert.deepEqual(await user.store.claim(otpId), { outcome: 'exhausted' });
    assert.deepEqual(await user.store.claim(otpId), { outcome: 'exhausted' });
    assert.equal(await user.store.consume(otpId), true);
  }),

  about('an id that was never begun is unknown', async (user) => {
    await user.assertGone(user.challenge('never'));
  }),

  about(
    'a new text takes the code from the earlier challenge of that user, purpose and bucket, ' +
      'which waits on without one',
    async (user) => {
      const earlier = await user.begin('a');
      const later = await user.begin('b', { mobile: '+12025550124', userIdType: 'number' });
      await user.assertFound(earlier, { hasLiveCode: false });
      await user.assertClaimed(earlier, { attempt: 1, hasLiveCode: false });
      await user.assertFound(later);
      assert.equal(await user.store.consume(earlier.otpId), true);
      await user.assertFound(later);
    },
  ),

  about('only the newest code consumes its challenge by code', async (user) => {
    const earlier = await user.begin('a');
    const later = await user.begin('b');
    assert.equal(await user.store.consume(earlier.otpId, { byCode: true }), false);
    await user.assertFound(earlier, { hasLiveCode: false });
    assertOneTrue(await atOnce(20, () => user.store.consume(later.otpId, { byCode: true })));
    assert.equal(await user.store.consume(earlier.otpId, { byCode: false }), true);
  }),

  about('a challenge without a text has no live code and takes none', async (user) => {
    const texted = await user.begin('a');
    const waiting = [];
    for (const id of ['own-1', 'own-2', 'own-3']) waiting.push(await user.begin(id, UNSENT));
    await user.assertFound(texted);
    for (const one of waiting) {
      await user.assertFound(one, { hasLiveCode: false });
      await user.assertClaimed(one, { attempt: 1, hasLiveCode: false });
    }
    await user.assertFound(await user.begin('b'));
    for (const one of waiting) assert.equal(await user.store.consume(one.otpId), true);
  }),

  about('a text of one bucket leaves the codes of other buckets alone', async (user) => {
    const others = await user.begin('a');
    const known = await user.begin('b', { bucket: 'known' });
    const newer = await user.begin('c');
    await user.assertFound(others, { hasLiveCode: false });
    await user.assertFound(known);
    await user.assertFound(newer);
  }),

  about('a new challenge leaves other purposes and other users alone', async (user) => {
    const stepUp = await user.begin('a', { purpose: 'step-up' });
    const other = await user.begin('b', { userId: user.name('user:login') });
    await user.begin('c');
    await user.assertFound(stepUp);
    await user.assertFound(other);
  }),

  about(
    'of many texts begun concurrently for a user one has a live code, and all challenges wait on',
    async (user) => {
      const begun = await atOnce(20, (index) => user.begin(`id-${index}`));
      const found = await Promise.all(begun.map(({ otpId }) => user.store.find(otpId)));
      assert.equal(found.filter((one) => one !== null).length, 20);
      assertOneTrue(found.map((one) => one?.hasLiveCode));
    },
  ),

  about('every id of a pending login stands for its newest challenge', async (user) => {
    const first = await user.begin('a', {}, { supersedes: 'any' });
    const other = { pendingId: user.name('other'), userId: user.name('other') };
    const elsewhere = await user.begin('d', other, { supersedes: 'any' });
    const alone = await user.begin('e', { userId: user.name('third') });
    const second = await user.begin('b', {}, { supersedes: 'live' });
    const third = await user.begin('c', {}, { supersedes: 'live' });
    for (const [index, { otpId }] of [first, third, second].entries()) {
      await user.assertClaimed(third, { attempt: index + 1, otpId });
      await user.assertFound(third, { otpId });
    }
    assert.equal(await user.store.consume(first.otpId, { byCode: true }), false);
    assert.equal(await user.store.consume(third.otpId, { byCode: true }), true);
    await user.assertGone(first, second, third);
    for (const one of [elsewhere, alone]) await user.assertFound(one);
  }),

  about('any id of a pending login ends all of it', async (user) => {
    for (const [index, end] of user.ends.entries()) {
      const pending = { pendingId: user.name(`login ${index}`) };
      const begin = (id: string): Promise<Challenge> =>
        user.begin(`${id} ${index}`, pending, { supersedes: 'any' });
      const begun = [await begin('a'), await begin('b'), await begin('c')];
      await end(user.name(`b ${index}`));
      await user.assertGone(...begun);
    }
  }),

  about('a pending login that is over takes no further challenge', async (user) => {
    const [first, next] = [user.challenge('a'), user.challenge('b')];
    const goesOn = (): Promise<unknown> => user.write(next, { supersedes: 'live' });
    const other = await user.begin('c', { pendingId: user.name('other') });
    assert.equal(await goesOn(), false);
    for (const end of user.ends) {
      await user.write(first, { supersedes: 'any' });
      await end(first.otpId);
      assert.equal(await goesOn(), false);
      await user.assertGone(next);
    }
    await user.write(other);
    await user.store.begin({ ...first, userId: user.name('second') }, 1, { supersedes: 'any' });
    await user.pass(1);
    assert.equal(await goesOn(), false);
    // Nor does it take anyone's code.
    await user.assertFound(other);
  }),

  about('a challenge without a text takes no place of one with a text', async (user) => {
    const waiting = await user.begin('own', UNSENT, { supersedes: 'any' });
    const again = await user.begin('again', UNSENT, { supersedes: 'any' });
    await user.assertFound(again, { otpId: waiting.otpId, hasLiveCode: false });
    const texted = await user.begin('a', {}, { supersedes: 'any' });
    assert.equal(await user.write(again, { supersedes: 'any' }), false);
    for (const { otpId } of [texted, waiting, again]) await user.assertFound(texted, { otpId });
    await user.store.discard(texted.otpId);
    await user.write(again, { supersedes: 'any' });
    await user.assertFound(again, { hasLiveCode: false });
  }),

  about(
    'of many that end a pending login or go on with it, one ends it, and nothing goes on',
    async (user) => {
      for (const round of [1, 2, 3, 4, 5]) {
        const pending = { pendingId: user.name(`login ${round}`) };
        const { otpId } = await user.begin(`first ${round}`, pending, { supersedes: 'any' });
        const nexts: Challenge[] = [];
        const ended = await atOnce(20, async (index) => {
          if (index % 2 === 0) return user.store.consume(otpId);
          nexts.push(await user.begin(`next ${index} ${round}`, pending, { supersedes: 'live' }));
          return false;
        });
        assertOneTrue(ended);
        await user.assertGone(...nexts);
      }
    },
  ),

  about('of many that supersede each other at once, all stand for the same one', async (user) => {
    const begun = await atOnce(20, async (index) => {
      await user.begin(`id-${index}`, {}, { supersedes: index === 0 ? 'any' : 'live' });
      return user.begin(`id-${index}`, {}, { supersedes: 'any' });
    });
    const found = await Promise.all(begun.map(({ otpId }) => user.store.find(otpId)));
    assert.equal(new Set(found.map((one) => one?.challenge.otpId)).size, 1);
    assert.equal(found[0]?.hasLiveCode, true);
  }),

  about('an id that is already known is replaced, with no attempts counted', async (user) => {
    const { otpId } = await user.begin('a');
    await atOnce(9, () => user.store.claim(otpId));
    const replacing = await user.begin('a', { userId: user.name('other') });
    await user.assertClaimed(replacing, { attempt: 1 });
  }),

  about(
    'an id that passed to another user is not ended with the challenges of the first',
    async (user) => {
      const { userId } = await user.begin('a');
      const replacing = await user.begin('a', { userId: user.name('other') });
      await user.begin('b');
      await user.store.discardAll(userId);
      await user.assertFound(replacing);
    },
  ),

  about('exactly one of many callers consumes a challenge, which is then gone', async (user) => {
    const begun = await user.begin('a');
    assertOneTrue(await atOnce(50, () => user.store.consume(begun.otpId)));
    await user.assertGone(begun);
  }),

  about('a discarded challenge is gone, and discarding it again does nothing', async (user) => {
    const begun = await user.begin('a');
    await user.store.discard(begun.otpId);
    await user.store.discard(begun.otpId);
    await user.assertGone(begun);
  }),

  about(
    'discarding all ends the challenges of every purpose of that user and of no other',
    async (user) => {
      const superseded = await user.begin('earlier');
      const unsent = await user.begin('own', { isSent: false, sends: 0 });
      const login = await user.begin('a');
      const stepUp = await user.begin('b', { purpose: 'step-up' });
      const other = await user.begin('c', { userId: user.name('other') });
      await user.store.discardAll(login.userId);
      await user.store.discardAll(user.name('nobody'));
      await user.assertGone(superseded, unsent, login, stepUp);
      await user.assertFound(other);
    },
  ),

  about('a challenge is gone when its time is up, and not before', async (user) => {
    const long = await user.begin('a', { purpose: 'step-up' });
    const short = user.challenge('b');
    await user.store.begin(short, 2);
    await user.assertFound(short);
    await user.pass(2);
    await user.assertGone(short);
    await user.assertFound(long);
    await user.store.discardAll(long.userId);
    await user.assertGone(long);
  }),

  about('ids are arbitrary strings', async (user) => {
    const words = WORDS.map((word) => user.begin(word, { userId: user.name(word) }));
    for (const one of await Promise.all(words)) await user.assertFound(one);
  }),

  about('a record of an unknown version is refused', async (user) => {
    // The types exclude it; a later release may still write it.
    const foreign = { ...user.challenge('a'), version: 2 } as unknown as Challenge;
    await assert.rejects(user.write(foreign));
    await user.assertGone(foreign);
  }),
];

function about(title: string, check: (user: ReturnType<typeof setUp>) => Promise<void>): StoreFact {
  return fact(title, (context) => check(setUp(context)));
}

/** What a store should return: for another id, and without a live code, where it says so. */
interface Expected {
  readonly otpId?: string;
  readonly hasLiveCode?: boolean;
}

/** Returns a user's calls, and what is asserted of a challenge. */
function setUp({ challenges: store, challenge, name, pass }: FactContext) {
  const write = (one: Challenge, options?: BeginOptions): Promise<unknown> =>
    store.begin(one, 600, options);
  return {
    ...{ store, challenge, name, pass, write },
    begin: async (id: string, changes?: Partial<Challenge>, options?: BeginOptions) => {
      const begun = challenge(id, changes);
      await write(begun, options);
      return begun;
    },
    /** Every way to end a challenge of the user. */
    ends: [
      (otpId: string): Promise<unknown> => store.consume(otpId),
      (otpId: string): Promise<unknown> => store.discard(otpId),
      (): Promise<unknown> => store.discardAll(name('user')),
    ],
    assertFound: async (
      one: Challenge,
      { otpId = one.otpId, hasLiveCode = true }: Expected = {},
    ) => {
      assert.deepEqual(await store.find(otpId), { challenge: one, hasLiveCode });
    },
    assertClaimed: async (one: Challenge, expected: Expected & { attempt: number }) => {
      const { otpId = one.otpId, hasLiveCode = true, attempt } = expected;
      const claim = { outcome: 'claimed', challenge: one, hasLiveCode, attempt };
      assert.deepEqual(await store.claim(otpId), claim);
    },
    assertGone: async (...gone: readonly Challenge[]) => {
      for (const { otpId } of gone) {
        assert.deepEqual(await store.claim(otpId), { outcome: 'unknown' });
        assert.equal(await store.find(otpId), null);
        assert.equal(await store.consume(otpId), false);
      }
    },
  };
}
