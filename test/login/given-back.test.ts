import { describe, expect, it } from '@jest/globals';
import type { LimitsOption } from 'passport-sms-otp';
import { countBefore, findChargedKey } from '../support/count-before';
import { ALICE, BOB } from '../support/test-app';
import { seen, visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

/** Counts of a user's messages of the day in browsers that are not known; the 21st is refused. */
const DAY_IN_OTHERS = 'sends:all:others:alice';

const LIMITED = [429, { error: 'send-limit', retryAfterSeconds: expect.any(Number) }];

describe.each(['A', 'B'] as const)('a text in variant %s', (variant) => {
  const test = useOwnApps();
  async function start(limits: LimitsOption): Promise<void> {
    await test.start({ variant, isTampered: true, options: { limits } });
  }

  it('that the gateway rejects is given back, but for its gap', async () => {
    const once = { max: 1, maxPerDay: 1 };
    await start({ perUser: once, perNumber: once, total: { max: 1 } });
    await countBefore(test, DAY_IN_OTHERS, 19);
    test.sim.failNext('generate', { kind: 'error', code: 2100 });
    // The day's only text has come back: nothing but the gap is to be waited for.
    const waiting = { error: 'not-sent', pending: true, retryAfterSeconds: 30 };
    expect(seen(await visit(test).login())).toEqual([502, waiting]);
    expect(seen(await visit(test).login())).toEqual([
      429,
      { error: 'resend-too-soon', pending: true, retryAfterSeconds: 30 },
    ]);
    test.clock.advanceSeconds(30);
    expect((await visit(test).login()).status).toBe(200);
    test.clock.advanceSeconds(67);
    expect(seen(await visit(test).login())).toEqual(LIMITED);
  });

  it('that did not reach the gateway is given back', async () => {
    await start({ perUser: { maxPerDay: 2 } });
    await visit(test).login();
    await test.sim.close();
    for (let login = 0; login < 2; login += 1) {
      test.clock.advanceSeconds(70);
      expect((await visit(test).login()).status).toBe(503);
    }
  });

  it.each([
    ["leaves its user's texts of the day", { perUser: { maxPerDay: 1 } }, 0, 200],
    ["leaves its user's texts of ten minutes", { perUser: { max: 1 } }, 0, 200],
    ["stays in its user's total of the day", {}, 19, 429],
    ['stays in what the number is texted', { perNumber: { max: 1 } }, 0, 429],
    ['stays in what all are texted', { total: { max: 1 } }, 0, 429],
  ])('of which no answer came %s', async (_what, limits, before, status) => {
    await start(limits);
    await countBefore(test, DAY_IN_OTHERS, before);
    test.sim.failNext('generate', { kind: 'reset', when: 'after' });
    expect((await visit(test).login()).status).toBe(502);
    test.clock.advanceSeconds(30);
    expect((await visit(test).login()).status).toBe(status);
  });

  it.each([
    ['leaves the ten a day', { perUser: { maxPerDay: 1 } }, 0, 200],
    ['stays in the total of the day', {}, 19, 429],
  ])('whose code was judged without an answer %s', async (_what, limits, before, status) => {
    await start(limits);
    await countBefore(test, DAY_IN_OTHERS, before);
    const visitor = visit(test);
    await visitor.login();
    test.sim.failNext('validate', { kind: 'reset', when: 'after' });
    expect((await visitor.enterRight()).status).toBe(502);
    test.clock.advanceSeconds(30);
    expect((await visit(test).login()).status).toBe(status);
  });

  it.each([
    ['is wrong stays counted', 429, (visitor: Visit) => visitor.enterWrong()],
    [
      'is right at the second attempt, and not finished, is refunded',
      200,
      async (visitor: Visit) => {
        await visitor.enterWrong();
        test.tampered.tamper('finish', async (work, pendingId) => {
          await test.tampered.store.pendingLogins.end(String(pendingId));
          return work();
        });
        return visitor.enterRight();
      },
    ],
  ])('whose code %s', async (_what, status, enter) => {
    await start({ perUser: { maxPerDay: 1 } });
    const visitor = visit(test);
    await visitor.login();
    expect((await enter(visitor)).status).toBe(401);
    test.clock.advanceSeconds(70);
    expect((await visit(test).login()).status).toBe(status);
  });

  it('that the gateway rejects makes the next gap longer, as any other does', async () => {
    await start({});
    test.sim.failNext('generate', { kind: 'error', code: 2100 });
    await visit(test).login();
    test.clock.advanceSeconds(30);
    const { body } = await visit(test).login();
    expect(body.resendAt).toBeGreaterThanOrEqual(test.clock.now() + 60_000);
  });

  it('that the gateway rejects takes nothing off the failures of its user', async () => {
    await start({});
    const visitor = visit(test);
    await visitor.login();
    await visitor.enterWrong();
    test.clock.advanceSeconds(30);
    test.sim.failNext('generate', { kind: 'error', code: 2100 });
    await visitor.resend();
    await visitor.enterWrong();
    const counted = test.events.flatMap((event) =>
      event.type === 'failure-count-changed' ? [event.failures] : [],
    );
    expect(counted).toEqual([1, 2]);
  });

  it('to a proven number that the gateway rejects leaves what strangers have had counted', async () => {
    await start({});
    const twin = { ...BOB, phone: ALICE.phone };
    test.users.set(BOB.id, twin);
    const owner = visit(test);
    await owner.login();
    await owner.enterRight();
    expect((await visit(test, twin).login()).status).toBe(200);
    // Those two were the first and the second of strangers.
    await countBefore(test, findChargedKey(test, /^sends:strangers:/), 58);
    test.sim.failNext('generate', { kind: 'error', code: 2100 });
    expect((await visit(test).login()).status).toBe(502);
    test.clock.advanceSeconds(30);
    expect(seen(await visit(test, twin).login())).toEqual(LIMITED);
  });
});
