import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { ALICE } from '../support/test-app';
import { visit, wrongCode, type Visit } from '../support/visit';
import { VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import { useApp } from '../support/use-app';

const GUESSES = 200;

describe.each(VARIANTS_OF_LONG_RUNS)('two hundred guesses at once in variant %s', (variant) => {
  const test = useApp({ variant });

  const validatesById = (): number[] => Object.values(test.sim.stats().validatesById);
  const guessAt = (
    visitors: readonly Visit[],
    guesses: number,
    code: () => string,
  ): Promise<Response[]> =>
    Promise.all(
      Array.from(
        { length: guesses },
        (_, guess) => visitors[guess % visitors.length] ?? visit(test),
      ).map((visitor) => visitor.enter(code())),
    );

  it('at one session reach the gateway five times, and the right code is refused afterwards', async () => {
    const visitor = visit(test);
    await visitor.login();
    const answers = await guessAt([visitor], GUESSES, () => wrongCode(test.code()));
    expect(answers.map(({ status }) => status)).toEqual(Array(GUESSES).fill(401));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"error":"invalid-code"}']));
    expect(validatesById()).toEqual([5]);
    expect((await visitor.enterRight()).status).toBe(401);
    expect(validatesById()).toEqual([5]);
    expect(test.events.filter(({ type }) => type === 'failure-count-changed')).toHaveLength(5);
  });

  it('with the right code among them let one in at most', async () => {
    const visitor = visit(test);
    await visitor.login();
    const answers = await guessAt([visitor], GUESSES, () => test.code());
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(test.logins).toEqual(['alice']);
    expect(validatesById()[0]).toBeLessThanOrEqual(5);
  });

  it('over many sessions are judged ten times before the lock, and ten times after each', async () => {
    const sessions: Visit[] = [];
    let judged = 0;
    let locks = 0;
    for (let round = 0; round < 8; round += 1) {
      const visitor = visit(test);
      const answer = await visitor.login();
      sessions.push(visitor);
      await guessAt(sessions, round === 1 ? GUESSES : 60, () => wrongCode(test.code()));
      judged = test.sim.stats().calls.validate;
      locks = test.events.filter(({ type }) => type === 'locked').length;
      expect(judged).toBeLessThanOrEqual(10 * (locks + 1));
      const wait = Number(answer.headers['retry-after'] ?? 300);
      test.clock.advanceSeconds(wait);
    }
    expect(Math.max(...validatesById())).toBeLessThanOrEqual(5);
    expect([judged, locks]).toEqual([30, 3]);
    expect(test.logins).toEqual([]);
    expect(test.sim.outbox.every(({ mobile }) => mobile === ALICE.phone)).toBe(true);
  });

  it('at the codes of both purposes are judged ten times in all', async () => {
    const [inside, outside] = [visit(test), visit(test)];
    await inside.login();
    await inside.enterRight();
    await inside.stepUp();
    test.clock.advanceSeconds(30);
    await outside.login();
    const before = test.sim.stats().calls.validate;
    await guessAt([inside, outside], GUESSES, () => wrongCode(test.code()));
    expect(test.sim.stats().calls.validate - before).toBe(10);
    test.clock.advanceSeconds(300);
    expect((await visit(test).login()).body).toEqual({
      error: 'locked',
      retryAfterSeconds: expect.any(Number),
    });
  });
});
