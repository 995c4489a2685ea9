import assert from 'node:assert/strict';
import type { BeginOptions, BegunPendingLogin, NewPendingLogin } from 'passport-sms-otp';
import { forEach } from '../for-each';
import { assertOneTrue, atOnce, checksOf, type StoreCheck } from './context';
import { APART_SECONDS, setUpLogins } from './pending-login-checks';

const BEGUN: BegunPendingLogin = { outcome: 'begun' };
const REFUSED: BegunPendingLogin = { outcome: 'refused' };

const about = checksOf('pendingLogins', setUpLogins);

/** `PendingLoginStore.begin`: a login that joins another one. */
export const joinChecks: readonly StoreCheck[] = [
  about('a request of the same sender joins the login, and makes none', async (user) => {
    await user.begin('a', { sender: 'me', value: '"a"' });
    const joins = async (id: string, changes: Partial<NewPendingLogin>): Promise<void> => {
      const login = await user.findActive('a');
      const joined = await user.tryBegin(id, { sender: 'me', ...changes }, { joinSeconds: 600 });
      assert.deepEqual(joined, { outcome: 'joined', pendingId: user.name('a'), login });
      assert.deepEqual(await user.findActive('a'), login);
      await user.assertGone(id);
    };
    await joins('b', {});
    // Only user, place and sender are compared.
    await joins('c', { value: '"c"', side: 'known', block: 'elsewhere', series: 'session' });
    await user.attach('a', 'x');
    await joins('d', {});
    await user.attach('a', 'y');
    await joins('e', {});
    for (const otpId of ['x', 'y']) await user.end('a', otpId);
    await joins('f', {});
    await user.assertAttempts('a', [1], [{}]);
  }),

  about('a login of another sender, or without one, is not joined', async (user) => {
    await user.begin('a', { sender: 'me' });
    await forEach(['you', 'm', 'me ', undefined], async (sender) => {
      await user.pass(APART_SECONDS);
      const begun = await user.tryBegin(`of ${sender}`, { sender }, { joinSeconds: 600 });
      assert.deepEqual(begun, BEGUN);
    });
    // The newest one has no sender.
    await forEach([undefined, 'me'], async (sender) => {
      assert.deepEqual(await user.tryBegin(`b ${sender}`, { sender }, { joinSeconds: 600 }), BEGUN);
    });
    await user.assertActive('a', []);
  }),

  about('a login of another place or user is not joined', async (user) => {
    await user.begin('a', { sender: 'me' });
    const apart = [
      { place: 'step-up others' },
      { place: 'login others:' },
      { userId: user.name('other') },
      { userId: `${user.userId}:login` },
    ];
    await forEach(apart.entries(), async ([index, change]) => {
      const begun = await user.tryBegin(
        `b${index}`,
        { sender: 'me', ...change },
        { joinSeconds: 600 },
      );
      assert.deepEqual(begun, BEGUN);
    });
  }),

  about('a login is joined for so many seconds, and with 0 not at all', async (user) => {
    const again = (id: string, joinSeconds: number): Promise<BegunPendingLogin> =>
      user.tryBegin(id, { sender: 'me' }, { joinSeconds });
    await user.begin('a', { sender: 'me' });
    await user.pass(1);
    assert.equal((await again('b', 4)).outcome, 'joined');
    await user.pass(2);
    // A join does not extend the time.
    assert.deepEqual(await again('c', 2), BEGUN);
    assert.deepEqual(await again('d', 0), BEGUN);
  }),

  about('a login in which an attempt has been counted is not joined', async (user) => {
    const tried: Record<string, (id: string) => Promise<unknown>> = {
      'without an OTP': (id) => user.claim(id),
      'of a kind': (id) => user.claim(id, { of: 'totp' }),
      'at its OTP': (id) => user.attach(id, 'x').then(() => user.claim(id)),
      'at its previous OTP': async (id) => {
        for (const otpId of ['x', 'y']) await user.attach(id, otpId);
        await user.claim(id, user.at('x'));
      },
      'at an OTP that has ended': async (id) => {
        await user.attach(id, 'x');
        await user.claim(id);
        await user.end(id, 'x');
      },
      'at an OTP before the last two': async (id) => {
        await user.attach(id, 'x');
        await user.claim(id);
        for (const otpId of ['y', 'z']) await user.attach(id, otpId);
      },
      'at an OTP that another login took': async (id) => {
        await user.attach(id, 'x');
        await user.claim(id);
        await user.begin(`beside ${id}`, { place: id, otp: user.otp('y') });
        await user.end(`beside ${id}`);
      },
    };
    await forEach(Object.entries(tried), async ([id, attempt]) => {
      const login = { sender: 'me', place: id };
      await user.begin(id, login);
      await attempt(id);
      assert.deepEqual(await user.tryBegin(`${id} b`, login, { joinSeconds: 600 }), BEGUN);
    });
  }),

  about('of the logins of a place the newest alone is joined', async (user) => {
    const begin = async (id: string, sender: string): Promise<BegunPendingLogin> => {
      await user.pass(APART_SECONDS);
      return user.tryBegin(id, { sender }, { joinSeconds: 600 });
    };
    await begin('a', 'me');
    assert.deepEqual(await begin('b', 'you'), BEGUN);
    // An OTP does not make a login newer.
    await user.attach('a', 'x');
    assert.deepEqual(await begin('c', 'me'), BEGUN);
    const joined = await begin('d', 'me');
    assert.ok(joined.outcome === 'joined' && joined.pendingId === user.name('c'));
  }),

  about('a login that is not active is not joined, and hides no older one', async (user) => {
    await user.begin('a', { sender: 'me' });
    const ends: Record<string, (id: string) => Promise<unknown>> = {
      ended: (id) => user.end(id),
      passed: (id) => user.finishWithMark(id),
      'ended by its series': (id) =>
        user.begin(`after ${id}`, { series: id, place: id, otp: user.otp('x') }),
    };
    await forEach(Object.entries(ends), async ([id, end]) => {
      await user.pass(APART_SECONDS);
      await user.begin(id, { sender: 'me', value: '"newer"', series: id });
      await end(id);
      const joined = await user.tryBegin(`late ${id}`, { sender: 'me' }, { joinSeconds: 600 });
      assert.ok(joined.outcome === 'joined' && joined.pendingId === user.name('a'));
    });
    await user.begin('expired', { sender: 'me' }, { ttlSeconds: 1 });
    await user.pass(1);
    const joined = await user.tryBegin('late', { sender: 'me' }, { joinSeconds: 600 });
    assert.ok(joined.outcome === 'joined' && joined.pendingId === user.name('a'));
  }),

  about('of many requests of one sender at once one login comes', async (user) => {
    const begun = await atOnce(20, (index) =>
      user.tryBegin(`a${index}`, { sender: 'me' }, { joinSeconds: 600 }),
    );
    const made = begun.findIndex(({ outcome }) => outcome === 'begun');
    for (const [index, one] of begun.entries()) {
      if (index === made) continue;
      assert.ok(one.outcome === 'joined' && one.pendingId === user.name(`a${made}`));
      await user.assertGone(`a${index}`);
    }
    await user.assertActive(`a${made}`, []);
  }),

  about('of claims and joins at once no login is joined after its first attempt', async (user) => {
    for (let round = 0; round < 5; round += 1) {
      const login = { sender: 'me', place: `round ${round}` };
      await user.begin(`a${round}`, login);
      await atOnce<unknown>(10, (index) => {
        if (index === 5) return user.claim(`a${round}`);
        return user.tryBegin(`b${round}-${index}`, login, { joinSeconds: 600 });
      });
      const late = await user.tryBegin(`late ${round}`, login, { joinSeconds: 600 });
      assert.ok(late.outcome !== 'joined' || late.pendingId !== user.name(`a${round}`));
    }
  }),

  about('a request that joins needs no room, and ends no login', async (user) => {
    await user.begin('a', { sender: 'me' });
    await user.begin('b', { place: 'step-up' });
    const full = { most: 2, protectedSeconds: 0, joinSeconds: 600 };
    assert.equal((await user.tryBegin('c', { sender: 'me' }, full)).outcome, 'joined');
    for (const id of ['a', 'b']) await user.assertActive(id, []);
  }),
];

/** `PendingLoginStore.begin`: ids, and the most logins of a user without an OTP. */
export const roomChecks: readonly StoreCheck[] = [
  about('an id that the store has already is refused, whatever is there', async (user) => {
    const there: Record<string, () => Promise<unknown>> = {
      active: () => user.begin('active', { otp: user.otp('x') }),
      passed: () => user.begin('passed', { place: 'p' }).then(() => user.finishWithMark('passed')),
    };
    await forEach(Object.entries(there), async ([id, make]) => {
      await make();
      const found = await user.find(id);
      const others = [{}, { userId: user.name('other') }, { sender: 'me', place: 'step-up' }];
      await forEach(others, (change) =>
        assert.rejects(user.tryBegin(id, { value: '"again"', ...change }), 'it has begun'),
      );
      assert.deepEqual(await user.find(id), found);
      await user.store.endAll(user.name('other'));
      assert.deepEqual(await user.find(id), found);
    });
    // Once it has ended it may come again: nothing is left of it.
    await user.claim('active', { of: 'totp' });
    await forEach(Object.keys(there), async (id) => {
      await user.end(id);
      await user.begin(id);
      await user.assertActive(id, []);
      await user.assertAttempts(id, [1, 1], [{}, { of: 'totp' }]);
    });
    await user.begin('b2', { place: 'p2' }, { ttlSeconds: 1 });
    await user.pass(1);
    await user.begin('b2', { userId: user.name('other') });
    await user.assertActive('b2', [], { userId: user.name('other') });
  }),

  about('of many that begin under one id exactly one begins', async (user) => {
    const begun = await atOnce(20, (index) =>
      user.tryBegin('a', { value: `"${index}"`, userId: user.name(`user ${index % 2}`) }).then(
        ({ outcome }) => outcome === 'begun',
        () => false,
      ),
    );
    assertOneTrue(begun);
    const index = begun.indexOf(true);
    const expected = { value: `"${index}"`, userId: user.name(`user ${index % 2}`) };
    await user.assertActive('a', [], expected);
  }),

  about('beyond the most the oldest of the same block ends', async (user) => {
    const beginAll = beginInOrder(user, { most: 3, protectedSeconds: 600 });
    await beginAll([
      ['a', { block: 'elsewhere' }],
      ['b', {}, 900],
      ['c', {}, 300],
    ]);
    assert.deepEqual(await beginAll([['d', { place: 'step-up' }]]), [BEGUN]);
    await user.assertGone('b');
    assert.deepEqual(await beginAll([['e', {}]]), [BEGUN]);
    await user.assertGone('c');
    for (const id of ['a', 'd', 'e']) await user.assertActive(id, []);
  }),

  about('a block that cannot be read is one block', async (user) => {
    const beginAll = beginInOrder(user, { most: 2, protectedSeconds: 600 });
    await beginAll([
      ['a', {}],
      ['b', { block: '' }],
    ]);
    assert.deepEqual(await beginAll([['c', { block: '' }]]), [BEGUN]);
    await user.assertGone('b');
    for (const id of ['a', 'c']) await user.assertActive(id, []);
  }),

  about('without one of that block, the oldest that is no longer protected ends', async (user) => {
    const beginAll = beginInOrder(user, { most: 3, protectedSeconds: 5 });
    await beginAll([
      ['a', { block: 'one' }, 900],
      ['b', { block: 'two' }, 300],
    ]);
    await user.pass(2);
    await beginAll([['c', { block: 'three' }]]);
    // All logins are protected. With a real clock and a busy machine, seconds pass here.
    assert.deepEqual(await beginAll([['d', {}]]), [REFUSED]);
    await user.pass(3);
    // A login of the same block ends first, however young it is.
    assert.deepEqual(await beginAll([['e', { block: 'three' }]]), [BEGUN]);
    await user.assertGone('c');
    assert.deepEqual(await beginAll([['f', {}]]), [BEGUN]);
    await user.assertGone('a');
    assert.deepEqual(await beginAll([['g', { block: 'four' }]]), [BEGUN]);
    await user.assertGone('b');
    assert.deepEqual(await beginAll([['h', { block: 'five' }]]), [REFUSED]);
    for (const id of ['e', 'f', 'g']) await user.assertActive(id, []);
  }),

  about('a login that is refused changes nothing', async (user) => {
    const beginAll = beginInOrder(user, { most: 2, protectedSeconds: 600 });
    await beginAll([
      ['a', { block: 'one' }],
      ['b', { block: 'two' }],
    ]);
    await forEach(['c', 'd'], async (id) => {
      assert.deepEqual(await beginAll([[id, {}]]), [REFUSED]);
    });
    await user.assertGone('c', 'd');
    for (const id of ['a', 'b']) await user.assertActive(id, []);
    await user.end('a');
    assert.deepEqual(await beginAll([['c', {}]]), [BEGUN]);
    for (const id of ['b', 'c']) await user.assertActive(id, []);
  }),

  about('only active logins of that user and side without an OTP are counted', async (user) => {
    const free: Record<string, () => Promise<unknown>> = {
      'other side': () => user.begin('a', { side: 'known' }),
      'other user': () => user.begin('b', { userId: user.name('other') }),
      'with an OTP': () => user.begin('c', { otp: user.otp('x') }),
      'with an OTP that has ended': async () => {
        await user.begin('d', { place: 'd', otp: user.otp('x') });
        await user.end('d', 'x');
      },
      'with an OTP that was taken': () => user.begin('e', { otp: user.otp('y') }),
      ended: () => user.begin('f').then(() => user.end('f')),
      passed: () => user.begin('g', { place: 'g' }).then(() => user.finishWithMark('g')),
      'ended by its series': async () => {
        await user.begin('h', { place: 'h', series: 'session' });
        await user.begin('i', { place: 'h', series: 'session', otp: user.otp('z') });
      },
      expired: () => user.begin('j', {}, { ttlSeconds: 1 }).then(() => user.pass(1)),
    };
    for (const make of Object.values(free)) await make();
    const one = { most: 1, protectedSeconds: 600 };
    assert.deepEqual(await user.tryBegin('new', { block: 'elsewhere' }, one), BEGUN);
    assert.deepEqual(await user.tryBegin('refused', { block: 'far' }, one), REFUSED);
    assert.deepEqual(await user.tryBegin('last', { block: 'elsewhere' }, one), BEGUN);
    await user.assertGone('new');
    await user.assertActive('a', []);
    await user.assertActive('b', [], { userId: user.name('other') });
    await user.assertActive('c', [], { sends: 1 });
    await user.assertActive('e', ['y']);
  }),

  about('where there are more than the most, one ends', async (user) => {
    const beginAll = beginInOrder(user, { most: 9, protectedSeconds: 600 });
    await beginAll(['a', 'b', 'c'].map((id) => [id, {}]));
    await user.pass(APART_SECONDS);
    assert.deepEqual(await user.tryBegin('d', {}, { most: 2 }), BEGUN);
    await user.assertGone('a');
    for (const id of ['b', 'c', 'd']) await user.assertActive(id, []);
  }),

  about('of many that begin at once no more than the most stay', async (user) => {
    const options = { most: 5, protectedSeconds: 600 };
    const countActive = async (word: string): Promise<number> => {
      const found = await atOnce(20, (index) => user.find(`${word}${index}`));
      return found.filter((one) => one !== null).length;
    };
    const begun = await atOnce(20, (index) => user.tryBegin(`a${index}`, {}, options));
    assert.ok(begun.every(({ outcome }) => outcome === 'begun'));
    assert.equal(await countActive('a'), 5);
    const known = { side: 'known' };
    const refused = await atOnce(20, (index) =>
      user.tryBegin(`b${index}`, { ...known, block: `block ${index}` }, options),
    );
    assert.equal(refused.filter(({ outcome }) => outcome === 'refused').length, 15);
    assert.equal(await countActive('b'), 5);
  }),
];

type Begin = readonly [id: string, changes: Partial<NewPendingLogin>, ttlSeconds?: number];

/** Returns a function that begins logins one after another, with time between them. */
function beginInOrder(
  user: ReturnType<typeof setUpLogins>,
  options: Partial<BeginOptions>,
): (begins: readonly Begin[]) => Promise<readonly BegunPendingLogin[]> {
  return async (begins) => {
    const begun: BegunPendingLogin[] = [];
    for (const [id, changes, ttlSeconds = 600] of begins) {
      await user.pass(APART_SECONDS);
      begun.push(await user.tryBegin(id, changes, { ...options, ttlSeconds }));
    }
    return begun;
  };
}
