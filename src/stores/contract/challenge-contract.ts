import assert from 'node:assert/strict';
import type { Challenge, LiveChallenge } from '../store';
import { atOnce, type FactContext, fact, type StoreFact } from './context';

const TTL_SECONDS = 600;

/** `ChallengeStore`. */
export const challengeContract: readonly StoreFact[] = [
  fact('a challenge is found as it was begun', async ({ challenges, challenge }) => {
    const begun = challenge('a', { userIdType: 'bigint', purpose: 'step-up', isNewNumber: true, sends: 2 });
    await challenges.begin(begun, TTL_SECONDS);
    assert.deepEqual(await challenges.find(begun.otpId), live(begun));
  }),

  fact(
    'a challenge keeps its transaction, and the number that it replaces',
    async ({ challenges, challenge, name }) => {
      const transaction = { amount: '1,250.00 €', payee: `O'Brien & Søn {x} ${name('payee')}` };
      const paid = await begin(challenges, challenge('a', { purpose: 'transaction', transaction }));
      const moved = await begin(challenges, challenge('b', { purpose: 'enroll', replaces: '+12025550199' }));
      const added = await begin(challenges, challenge('c', { purpose: 'enroll', userId: name('other') }));
      for (const one of [paid, moved, added]) {
        assert.deepEqual(await challenges.find(one.otpId), live(one));
        assert.deepEqual(await challenges.claim(one.otpId), { outcome: 'claimed', ...live(one), attempt: 1 });
      }
      await challenges.discardAll(paid.userId);
      assert.equal(await challenges.find(paid.otpId), null);
      assert.equal(await challenges.find(moved.otpId), null);
    },
  ),

  fact('a claim returns the challenge and the number of the attempt', async ({ challenges, challenge }) => {
    const begun = challenge('a');
    await challenges.begin(begun, TTL_SECONDS);
    for (const attempt of [1, 2, 3]) {
      assert.deepEqual(await challenges.claim(begun.otpId), { outcome: 'claimed', ...live(begun), attempt });
    }
  }),

  fact('finding a challenge counts no attempt', async ({ challenges, challenge }) => {
    const begun = challenge('a', { maxAttempts: 1 });
    await challenges.begin(begun, TTL_SECONDS);
    await atOnce(10, () => challenges.find(begun.otpId));
    assert.equal((await challenges.claim(begun.otpId)).outcome, 'claimed');
  }),

  fact(
    'of 200 concurrent claims exactly maxAttempts get the challenge',
    async ({ challenges, challenge }) => {
      const { otpId } = await begin(challenges, challenge('a'));
      const claims = await atOnce(200, () => challenges.claim(otpId));
      const attempts = claims.flatMap((claim) => (claim.outcome === 'claimed' ? [claim.attempt] : []));
      assert.deepEqual(
        attempts.sort((one, other) => one - other),
        [1, 2, 3, 4, 5],
      );
      assert.equal(claims.filter(({ outcome }) => outcome === 'exhausted').length, 195);
    },
  ),

  fact(
    'an exhausted challenge stays exhausted and can still be consumed',
    async ({ challenges, challenge }) => {
      const { otpId } = await begin(challenges, challenge('a', { maxAttempts: 1 }));
      await challenges.claim(otpId);
      assert.deepEqual(await challenges.claim(otpId), { outcome: 'exhausted' });
      assert.deepEqual(await challenges.claim(otpId), { outcome: 'exhausted' });
      assert.equal(await challenges.consume(otpId), true);
    },
  ),

  fact('an id that was never begun is unknown', async (context) => {
    await assertGone(context, context.name('never'));
  }),

  fact(
    'a new text takes the code from the earlier challenge of that user, purpose and bucket, which waits on without one',
    async ({ challenges, challenge }) => {
      const earlier = await begin(challenges, challenge('a'));
      const changes = { mobile: '+12025550124', userIdType: 'number' } as const;
      const later = await begin(challenges, challenge('b', changes));
      assert.deepEqual(await challenges.find(earlier.otpId), live(earlier, false));
      const claim = { outcome: 'claimed', ...live(earlier, false), attempt: 1 };
      assert.deepEqual(await challenges.claim(earlier.otpId), claim);
      assert.deepEqual(await challenges.find(later.otpId), live(later));
      assert.equal(await challenges.consume(earlier.otpId), true);
      assert.deepEqual(await challenges.find(later.otpId), live(later));
    },
  ),

  fact('only the newest code consumes its challenge by code', async ({ challenges, challenge }) => {
    const earlier = await begin(challenges, challenge('a'));
    const later = await begin(challenges, challenge('b'));
    assert.equal(await challenges.consume(earlier.otpId, { byCode: true }), false);
    assert.deepEqual(await challenges.find(earlier.otpId), live(earlier, false));
    const consumed = await atOnce(20, () => challenges.consume(later.otpId, { byCode: true }));
    assert.equal(consumed.filter((isMine) => isMine).length, 1);
    assert.equal(await challenges.consume(earlier.otpId, { byCode: false }), true);
  }),

  fact('a challenge without a text has no live code and takes none', async ({ challenges, challenge }) => {
    const texted = await begin(challenges, challenge('a'));
    const unsent = { isSent: false, mobile: '', sends: 0 };
    const waiting = [1, 2, 3].map((number) => challenge(`own-${number}`, unsent));
    for (const one of waiting) await begin(challenges, one);
    assert.deepEqual(await challenges.find(texted.otpId), live(texted));
    for (const one of waiting) {
      assert.deepEqual(await challenges.find(one.otpId), live(one, false));
      const claim = { outcome: 'claimed', ...live(one, false), attempt: 1 };
      assert.deepEqual(await challenges.claim(one.otpId), claim);
    }
    const later = await begin(challenges, challenge('b'));
    assert.deepEqual(await challenges.find(later.otpId), live(later));
    for (const one of waiting) assert.equal(await challenges.consume(one.otpId), true);
  }),

  fact('a text of one bucket leaves the codes of other buckets alone', async ({ challenges, challenge }) => {
    const others = await begin(challenges, challenge('a'));
    const known = await begin(challenges, challenge('b', { bucket: 'known' }));
    const newer = await begin(challenges, challenge('c'));
    assert.deepEqual(await challenges.find(others.otpId), live(others, false));
    assert.deepEqual(await challenges.find(known.otpId), live(known));
    assert.deepEqual(await challenges.find(newer.otpId), live(newer));
  }),

  fact(
    'a new challenge leaves other purposes and other users alone',
    async ({ challenges, challenge, name }) => {
      const stepUp = await begin(challenges, challenge('a', { purpose: 'step-up' }));
      const other = await begin(challenges, challenge('b', { userId: name('user:login') }));
      await begin(challenges, challenge('c'));
      assert.deepEqual(await challenges.find(stepUp.otpId), live(stepUp));
      assert.deepEqual(await challenges.find(other.otpId), live(other));
    },
  ),

  fact(
    'of many texts begun concurrently for a user one has a live code, and all challenges wait on',
    async ({ challenges, challenge }) => {
      const begun = await atOnce(20, (index) => begin(challenges, challenge(`id-${index}`)));
      const found = await Promise.all(begun.map(({ otpId }) => challenges.find(otpId)));
      assert.equal(found.filter((one) => one !== null).length, 20);
      assert.equal(found.filter((one) => one?.hasLiveCode).length, 1);
    },
  ),

  fact('every id of a pending login stands for its newest challenge', async (context) => {
    const { challenges, challenge, name } = context;
    const [first, second, third] = ['a', 'b', 'c'].map((id) => challenge(id)) as [
      Challenge,
      Challenge,
      Challenge,
    ];
    const elsewhere = challenge('d', { pendingId: name('other'), userId: name('other') });
    const alone = await begin(challenges, challenge('e', { userId: name('third') }));
    for (const one of [first, elsewhere]) await challenges.begin(one, TTL_SECONDS, { supersedes: 'any' });
    for (const one of [second, third]) await challenges.begin(one, TTL_SECONDS, { supersedes: 'live' });
    for (const [index, { otpId }] of [first, third, second].entries()) {
      const claim = { outcome: 'claimed', ...live(third), attempt: index + 1 };
      assert.deepEqual(await challenges.claim(otpId), claim);
      assert.deepEqual(await challenges.find(otpId), live(third));
    }
    assert.equal(await challenges.consume(first.otpId, { byCode: true }), false);
    assert.equal(await challenges.consume(third.otpId, { byCode: true }), true);
    for (const { otpId } of [first, second, third]) await assertGone(context, otpId);
    for (const one of [elsewhere, alone]) assert.deepEqual(await challenges.find(one.otpId), live(one));
  }),

  fact('any id of a pending login ends all of it', async (context) => {
    const { challenges, challenge, name } = context;
    for (const [index, end] of endsOf(context).entries()) {
      const of = (id: string): Challenge =>
        challenge(`${id} ${index}`, { pendingId: name(`login ${index}`) });
      for (const id of ['a', 'b', 'c']) await challenges.begin(of(id), TTL_SECONDS, { supersedes: 'any' });
      await end(of('b').otpId);
      for (const id of ['a', 'b', 'c']) await assertGone(context, of(id).otpId);
    }
  }),

  fact('a pending login that is over takes no further challenge', async (context) => {
    const { challenges, challenge, name } = context;
    const [first, next] = [challenge('a'), challenge('b')];
    const goesOn = async (): Promise<unknown> => challenges.begin(next, TTL_SECONDS, { supersedes: 'live' });
    const other = await begin(challenges, challenge('c', { pendingId: name('other') }));
    assert.equal(await goesOn(), false);
    for (const end of endsOf(context)) {
      await challenges.begin(first, TTL_SECONDS, { supersedes: 'any' });
      await end(first.otpId);
      assert.equal(await goesOn(), false);
      await assertGone(context, next.otpId);
    }
    await begin(challenges, other);
    await challenges.begin({ ...first, userId: name('second') }, 1, { supersedes: 'any' });
    await context.pass(1);
    assert.equal(await goesOn(), false);
    // Nor does it take anyone's code.
    assert.deepEqual(await challenges.find(other.otpId), live(other));
  }),

  fact('a challenge without a text takes no place of one with a text', async (context) => {
    const { challenges, challenge } = context;
    const unsent = { isSent: false, mobile: '', sends: 0 };
    const [texted, waiting, again] = [challenge('a'), challenge('own', unsent), challenge('again', unsent)];
    const supersede = (one: Challenge): Promise<unknown> =>
      challenges.begin(one, TTL_SECONDS, { supersedes: 'any' });
    await supersede(waiting);
    await supersede(again);
    assert.deepEqual(await challenges.find(waiting.otpId), live(again, false));
    await supersede(texted);
    assert.equal(await supersede(again), false);
    for (const { otpId } of [texted, waiting, again])
      assert.deepEqual(await challenges.find(otpId), live(texted));
    await challenges.discard(texted.otpId);
    await supersede(again);
    assert.deepEqual(await challenges.find(again.otpId), live(again, false));
  }),

  fact(
    'of many that end a pending login or go on with it, one ends it, and nothing goes on',
    async (context) => {
      const { challenges, challenge, name } = context;
      for (const round of [1, 2, 3, 4, 5]) {
        const pendingId = name(`login ${round}`);
        const of = (id: string): Challenge => challenge(`${id} ${round}`, { pendingId });
        await challenges.begin(of('first'), TTL_SECONDS, { supersedes: 'any' });
        const ended = await atOnce(20, async (index) => {
          if (index % 2 === 0) return challenges.consume(of('first').otpId);
          await challenges.begin(of(`next ${index}`), TTL_SECONDS, { supersedes: 'live' });
          return false;
        });
        assert.equal(ended.filter((isMine) => isMine).length, 1);
        for (let index = 1; index < 20; index += 2) await assertGone(context, of(`next ${index}`).otpId);
      }
    },
  ),

  fact(
    'of many that supersede each other at once, all stand for the same one',
    async ({ challenges, challenge }) => {
      const begun = await atOnce(20, async (index) => {
        const one = challenge(`id-${index}`);
        await challenges.begin(one, TTL_SECONDS, { supersedes: index === 0 ? 'any' : 'live' });
        await challenges.begin(one, TTL_SECONDS, { supersedes: 'any' });
        return one.otpId;
      });
      const found = await Promise.all(begun.map((otpId) => challenges.find(otpId)));
      assert.equal(new Set(found.map((one) => one?.challenge.otpId)).size, 1);
      assert.equal(found[0]?.hasLiveCode, true);
    },
  ),

  fact('an id that is already known is replaced, with no attempts counted', async (context) => {
    const { challenges, challenge, name } = context;
    const { otpId } = await begin(challenges, challenge('a'));
    await atOnce(9, () => challenges.claim(otpId));
    const replacing = await begin(challenges, challenge('a', { userId: name('other') }));
    const claim = { outcome: 'claimed', ...live(replacing), attempt: 1 };
    assert.deepEqual(await challenges.claim(otpId), claim);
  }),

  fact('an id that passed to another user is not ended with the challenges of the first', async (context) => {
    const { challenges, challenge, name } = context;
    const { userId } = await begin(challenges, challenge('a'));
    const replacing = await begin(challenges, challenge('a', { userId: name('other') }));
    await begin(challenges, challenge('b'));
    await challenges.discardAll(userId);
    assert.deepEqual(await challenges.find(replacing.otpId), live(replacing));
  }),

  fact('exactly one of many callers consumes a challenge, which is then gone', async (context) => {
    const { otpId } = await begin(context.challenges, context.challenge('a'));
    const consumed = await atOnce(50, () => context.challenges.consume(otpId));
    assert.equal(consumed.filter((isMine) => isMine).length, 1);
    await assertGone(context, otpId);
  }),

  fact('a discarded challenge is gone, and discarding it again does nothing', async (context) => {
    const { otpId } = await begin(context.challenges, context.challenge('a'));
    await context.challenges.discard(otpId);
    await context.challenges.discard(otpId);
    await assertGone(context, otpId);
  }),

  fact(
    'discarding all ends the challenges of every purpose of that user and of no other',
    async (context) => {
      const { challenges, challenge, name } = context;
      const superseded = await begin(challenges, challenge('earlier'));
      const unsent = await begin(challenges, challenge('own', { isSent: false, sends: 0 }));
      const login = await begin(challenges, challenge('a'));
      const stepUp = await begin(challenges, challenge('b', { purpose: 'step-up' }));
      const other = await begin(challenges, challenge('c', { userId: name('other') }));
      await challenges.discardAll(login.userId);
      await challenges.discardAll(name('nobody'));
      for (const { otpId } of [superseded, unsent, login, stepUp]) await assertGone(context, otpId);
      assert.deepEqual(await challenges.find(other.otpId), live(other));
    },
  ),

  fact('a challenge is gone when its time is up, and not before', async (context) => {
    const { challenges, challenge } = context;
    const long = await begin(challenges, challenge('a', { purpose: 'step-up' }));
    const short = challenge('b');
    await challenges.begin(short, 2);
    assert.deepEqual(await challenges.find(short.otpId), live(short));
    await context.pass(2);
    await assertGone(context, short.otpId);
    assert.deepEqual(await challenges.find(long.otpId), live(long));
    await challenges.discardAll(long.userId);
    await assertGone(context, long.otpId);
  }),

  fact('ids are arbitrary strings', async ({ challenges, challenge, name }) => {
    const words = ['..', 'a b', 'a:b', '{x}', "'", '%2e', 'ü', '__proto__', '\\', '*', 'a\nb'];
    const begun = await Promise.all(
      words.map((word) => begin(challenges, challenge(word, { userId: name(word) }))),
    );
    for (const one of begun) assert.deepEqual(await challenges.find(one.otpId), live(one));
  }),

  fact('a record of an unknown version is refused', async (context) => {
    // The types exclude it; a later release may still write it.
    const foreign = { ...context.challenge('a'), version: 2 } as unknown as Challenge;
    await assert.rejects(context.challenges.begin(foreign, TTL_SECONDS));
    await assertGone(context, foreign.otpId);
  }),
];

/** Every way to end a challenge of the user. */
function endsOf({ challenges, name }: FactContext): readonly ((otpId: string) => Promise<unknown>)[] {
  return [
    (otpId) => challenges.consume(otpId),
    (otpId) => challenges.discard(otpId),
    () => challenges.discardAll(name('user')),
  ];
}

/** A challenge as a store returns it. */
function live(challenge: Challenge, hasLiveCode = true): LiveChallenge {
  return { challenge, hasLiveCode };
}

async function begin(challenges: FactContext['challenges'], begun: Challenge): Promise<Challenge> {
  await challenges.begin(begun, TTL_SECONDS);
  return begun;
}

async function assertGone({ challenges }: FactContext, otpId: string): Promise<void> {
  assert.deepEqual(await challenges.claim(otpId), { outcome: 'unknown' });
  assert.equal(await challenges.find(otpId), null);
  assert.equal(await challenges.consume(otpId), false);
}
