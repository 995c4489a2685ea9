import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { toDecimal, toMicros } from '../../../src/policies/spend-limits/micros';
import { describeWithService } from '../../services/describe-with-service';
import { isCompleteRun, VARIANTS_OF_LONG_RUNS } from '../../support/complete-run';
import type { TestUser } from '../../support/test-users';
import { startScene, type Scene } from '../support/scene';
import { SHARED_STATES, type StateServer } from '../support/state-server';
import { hosts, PROCESSES_IN_WORDS, serverOf } from './several';

/** What may be sent in a day. */
const MESSAGES = isCompleteRun ? 100 : 40;
const PEOPLE = 4 * MESSAGES;
/**
 * Requests of each wave, all at once; fewer messages than these are in flight at any time. More
 * would meet the 2 s of a store's call on a busy machine: they share counters.
 */
const AT_ONCE = 16;

/**
 * What the simulator takes for a number of no country. No list names it, so it counts as the
 * fallback.
 */
const PRICE = 50_000;
const DAILY = MESSAGES * PRICE;

let scene: Scene;

/** Everybody logs in, so many at once, spread over all processes. The answers, counted. */
async function logInAll(users: readonly TestUser[]): Promise<Record<string, number>> {
  const { urls, browser } = scene;
  const answers: Record<string, number> = {};
  for (let first = 0; first < users.length; first += AT_ONCE) {
    const wave = users.slice(first, first + AT_ONCE);
    const logins = wave.map(({ id }, index) =>
      browser().logIn(urls[index % urls.length] ?? '', id),
    );
    for (const { status, body } of await Promise.all(logins)) {
      const text = status === 200 ? 'sent' : `${status} ${String(body.error)}`;
      answers[text] = (answers[text] ?? 0) + 1;
    }
  }
  return answers;
}

/** What the gateway has taken, in millionths. */
function cost(): number {
  return scene.simulator.outbox.reduce((sum, message) => sum + (toMicros(message.cost) ?? NaN), 0);
}

const REFUSED = '429 send-limit';

for (const kind of SHARED_STATES) {
  describeWithService(kind)(
    `a budget shared by ${PROCESSES_IN_WORDS} processes, with ${kind}`,
    () => {
      let server: StateServer;
      beforeAll(async () => {
        server = await serverOf(kind);
      });
      afterEach(async () => {
        await scene.close();
        await server.empty();
      });

      async function start(variant: 'A' | 'B', fallback: number): Promise<void> {
        const dailyBudget = { daily: toDecimal(DAILY), fallbackPrice: toDecimal(fallback) };
        scene = await startScene({
          state: server.state,
          hosts,
          variant,
          people: PEOPLE,
          dailyBudget,
        });
      }

      it.each(VARIANTS_OF_LONG_RUNS)(
        'is spent to the last message and never exceeded where prices are known (variant %s)',
        async (variant) => {
          await start(variant, PRICE);
          const { users, report } = scene;
          expect(await logInAll(users)).toEqual({ sent: MESSAGES, [REFUSED]: PEOPLE - MESSAGES });
          expect(cost()).toBe(DAILY);
          const { errors, unhandled, events } = await report();
          expect([errors, unhandled, events.denied]).toEqual([[], [], PEOPLE - MESSAGES]);
        },
      );

      it('is exceeded by no more than the messages in flight where they cost more than was thought', async () => {
        await start('B', PRICE / 2);
        const { users } = scene;
        const crowd = users.slice(0, PEOPLE - AT_ONCE);
        expect(await logInAll(crowd)).toEqual({
          sent: expect.any(Number),
          [REFUSED]: expect.any(Number),
        });
        expect(cost()).toBeGreaterThanOrEqual(DAILY - PRICE);
        expect(cost()).toBeLessThanOrEqual(DAILY + AT_ONCE * (PRICE / 2));
        // Everything is settled by now: whoever comes afterwards, wherever, is refused.
        expect(await logInAll(users.slice(-AT_ONCE))).toEqual({ [REFUSED]: AT_ONCE });
      });

      it('gets back what was not sent, from every process', async () => {
        await start('A', PRICE);
        const { users, simulator } = scene;
        const unlucky = MESSAGES + AT_ONCE / 2;
        simulator.failNext('generate', { kind: 'error', code: 2103 }, unlucky);
        const answers = await logInAll(users.slice(0, unlucky));
        expect(Object.keys(answers)).not.toContain('sent');
        simulator.clearFaults();
        expect(await logInAll(users.slice(unlucky))).toMatchObject({ sent: MESSAGES });
        expect(cost()).toBe(DAILY);
      });
    },
  );
}
