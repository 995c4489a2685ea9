import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { RenewedToken, StoredToken } from 'passport-sms-otp';
import { atOnce, check, type StoreCheck } from './context';

/** Seconds after which the lease of a renewal that never ended must be free. */
const MOST_LEASE_SECONDS = 15;

/** Seconds after which the next waiter must have its token when a renewal has failed. */
const MOST_WAIT_SECONDS = 5;

/** `TokenStore`. */
export const tokenChecks: readonly StoreCheck[] = [
  check('an account without a token reads as null', async ({ store: { tokens }, name }) => {
    assert.equal(await tokens.read(name('account')), null);
  }),

  check('a renewal stores its token for every reader', async ({ store: { tokens }, name }) => {
    const token = await tokens.renew(name('account'), 0, () => sealed('first'));
    assert.equal(token.sealed, 'first');
    assert.ok(Number.isSafeInteger(token.fence) && token.fence > 0);
    assert.deepEqual(await tokens.read(name('account')), token);
    assert.equal(await tokens.read(name('other account')), null);
  }),

  check(
    'each renewal sees the token before it and raises the fence by one',
    async ({ store: { tokens }, name }) => {
      const seen: (StoredToken | null)[] = [];
      const renew = (previous: StoredToken | null): Promise<RenewedToken> => {
        seen.push(previous);
        return sealed(`token ${seen.length}`);
      };
      const first = await tokens.renew(name('account'), 0, renew);
      const second = await tokens.renew(name('account'), first.fence, renew);
      assert.deepEqual(seen, [null, first]);
      assert.equal(second.fence, first.fence + 1);
      assert.deepEqual(await tokens.read(name('account')), second);
    },
  ),

  check(
    'a token newer than the one seen is returned at once',
    async ({ store: { tokens }, name }) => {
      const newest = await tokens.renew(name('account'), 0, () => sealed('first'));
      const given = await tokens.renew(name('account'), newest.fence - 1, () =>
        assert.fail('renewed again'),
      );
      assert.deepEqual(given, newest);
    },
  ),

  check(
    'of 50 concurrent renewals one runs, and all get its token',
    async ({ store: { tokens }, name }) => {
      let runs = 0;
      const renew = async (): Promise<RenewedToken> => {
        runs += 1;
        await new Promise(setImmediate);
        return sealed(`token ${runs}`);
      };
      const given = await atOnce(50, () => tokens.renew(name('account'), 0, renew));
      assert.equal(runs, 1);
      for (const token of given) assert.deepEqual(token, given[0]);
    },
  ),

  check(
    'a renewal that throws frees the lease, and the next waiter tries',
    async ({ store: { tokens }, name }) => {
      const gate = createGate();
      const failure = new Error('no token today');
      const failing = tokens.renew(name('account'), 0, async () => {
        await gate.pass();
        throw failure;
      });
      const failed = assert.rejects(failing, (error) => error === failure);
      await gate.arrived;
      const waiting = tokens.renew(name('account'), 0, () => sealed('second'));
      gate.open();
      await failed;
      assert.equal((await inTime(waiting)).sealed, 'second');
      // And without a waiter at that moment.
      const again = tokens.renew(name('other'), 0, () => Promise.reject(failure));
      await assert.rejects(again, (error) => error === failure);
      const next = await inTime(tokens.renew(name('other'), 0, () => sealed('third')));
      assert.equal(next.sealed, 'third');
    },
  ),

  check(
    'a token ends with its time, and the fence goes on',
    async ({ store: { tokens }, name, pass }) => {
      const first = await tokens.renew(name('account'), 0, () => sealed('first', 1));
      await pass(1);
      assert.equal(await tokens.read(name('account')), null);
      const second = await tokens.renew(name('account'), 0, (previous) => {
        assert.equal(previous, null);
        return sealed('second');
      });
      assert.ok(second.fence > first.fence);
    },
  ),

  check(
    'a fence is above what was seen, even in a store that lost its data',
    async ({ store: { tokens }, name }) => {
      const first = await tokens.renew(name('account'), 56, () => sealed('first'));
      assert.ok(first.fence > 56);
      const given = await tokens.renew(name('account'), 56, () => assert.fail('renewed again'));
      assert.deepEqual(given, first);
    },
  ),

  check(
    'a lease ends by time, and its late holder does not overwrite the newer token',
    async (context) => {
      const { name } = context;
      const { tokens } = context.store;
      const gate = createGate();
      const late = tokens.renew(name('account'), 0, async () => {
        await gate.pass();
        return sealed('late');
      });
      await gate.arrived;
      await context.pass(MOST_LEASE_SECONDS + 1);
      const newer = await tokens.renew(name('account'), 0, () => sealed('newer'));
      gate.open();
      assert.deepEqual(await late, newer);
      assert.deepEqual(await tokens.read(name('account')), newer);
    },
  ),
];

function sealed(text: string, ttlSeconds = 600): Promise<RenewedToken> {
  return Promise.resolve({ sealed: text, ttlSeconds });
}

/** Fails where a renewal waits for a lease that should be free. */
async function inTime(renewal: Promise<StoredToken>): Promise<StoredToken> {
  const timer = new AbortController();
  const late = wait(MOST_WAIT_SECONDS * 1000, undefined, { signal: timer.signal }).then(() =>
    assert.fail(`the lease is not free ${MOST_WAIT_SECONDS} s after its renewal has failed`),
  );
  for (const one of [renewal, late]) one.catch(() => undefined);
  return Promise.race([renewal, late]).finally(() => timer.abort());
}

/** Holds a renewal where the check wants it. */
function createGate(): { pass(): Promise<unknown>; arrived: Promise<unknown>; open(): void } {
  const events = new EventEmitter();
  const [arrived, opened] = [once(events, 'arrived'), once(events, 'opened')];
  const pass = (): Promise<unknown> => {
    events.emit('arrived');
    return opened;
  };
  return { pass, arrived, open: () => void events.emit('opened') };
}
